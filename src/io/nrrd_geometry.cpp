// What a NRRD header says of its axes: which are of space, time and channels, and where they lie.
#include <algorithm>
#include <cmath>
#include <limits>

#include "io/nrrd.h"
#include "io/slide.h"

namespace tesela::io {
namespace {

constexpr double not_given = std::numeric_limits<double>::quiet_NaN();

// The frame of vectors. Signs lead to LPS.
struct Space {
    std::int64_t dimension = 0;  // of a vector, with time; 0: there are no vectors
    bool has_name = false, is_anatomical = true;
    Vector3 signs{1, 1, 1};
};

Space space_of(const InputFile& file, const HeaderFields& f) {
    if (!f.find("space")) {
        const std::int64_t dimension = f.whole_number_or("space dimension", 0);
        if (dimension < 0 || dimension > 4) throw f.damaged("space dimension");
        return {dimension};
    }
    struct Names {
        std::string_view names;
        bool is_anatomical;
        Vector3 signs;
    };
    static constexpr Names spaces[] = {
        {"|rightanteriorsuperior|ras|", true, {-1, -1, 1}},
        {"|leftanteriorsuperior|las|", true, {1, -1, 1}},
        {"|leftposteriorsuperior|lps|", true, {1, 1, 1}},
        {"|scannerxyz|3drighthanded|3dlefthanded|", false, {1, 1, 1}}};
    std::string name = lower(f.get("space"));
    std::erase_if(name, [](char c) { return c == '-' || c == ' ' || c == '_'; });
    const std::size_t tail = name.ends_with("time") ? 4 : name.size() == 4 && name[3] == 't';
    name.resize(name.size() - tail);
    for (const Names& space : spaces)
        if (space.names.find("|" + name + "|") != std::string_view::npos)
            return {tail > 0 ? 4 : 3, true, space.is_anatomical, space.signs};
    throw unsupported(file.path(), "its NRRD space '" + printable(f.get("space").substr(0, 100)) +
                                       "' is not known");
}

using Coordinates = std::vector<double>;  // empty where the header says "none"

// Vectors such as "(1,0,0) none (0,0,1)".
std::vector<Coordinates> vectors(const HeaderFields& f, const std::string& name, std::int64_t count,
                                 std::int64_t dimension) {
    std::vector<Coordinates> list;
    std::string text = f.get(name);
    while (!(text = trimmed(text)).empty()) {
        Coordinates vector;
        std::size_t end = 4;
        if (!lower(text).starts_with("none")) {
            end = text.find(')');
            if (text[0] != '(' || end == text.npos) throw f.damaged(name);
            std::string inside = text.substr(1, end - 1);
            std::replace(inside.begin(), inside.end(), ',', ' ');
            for (const std::string& word : words(inside))
                vector.push_back(real_number(word).value_or(HUGE_VAL));
            ++end;
            if (std::ssize(vector) != dimension) throw f.damaged(name);
        }
        const auto is_nan = [](double value) { return std::isnan(value); };
        if (std::all_of(vector.begin(), vector.end(), is_nan)) vector.clear();
        for (const double value : vector)
            if (!std::isfinite(value)) throw f.damaged(name);
        list.push_back(std::move(vector));
        text.erase(0, end);
    }
    if (std::ssize(list) != count) throw f.damaged(name);
    return list;
}

// Texts in quotation marks, one for each axis or coordinate.
std::vector<std::string> texts(const HeaderFields& f, const std::string& name, std::int64_t count) {
    std::vector<std::string> list;
    if (!f.find(name)) return std::vector<std::string>(static_cast<std::size_t>(count));
    const std::string& text = f.get(name);
    if (text.find('"') == text.npos) list = words(text);
    for (std::size_t at = text.find('"'); at != text.npos; at = text.find('"', at)) {
        const std::size_t end = text.find('"', at + 1);
        if (end == text.npos) throw f.damaged(name);
        list.push_back(text.substr(at + 1, end - at - 1));
        at = end + 1;
    }
    if (std::ssize(list) != count) throw f.damaged(name);
    return list;
}

// The numbers of a point on an axis of this kind; 0: any number; nothing: an axis of points.
std::optional<int> numbers_of_kind(const HeaderFields& f, std::string kind) {
    static const std::map<std::string, int> kinds = {{"list", 0},
                                                     {"point", 0},
                                                     {"vector", 0},
                                                     {"covariantvector", 0},
                                                     {"normal", 0},
                                                     {"stub", 1},
                                                     {"scalar", 1},
                                                     {"complex", 2},
                                                     {"2vector", 2},
                                                     {"3color", 3},
                                                     {"rgbcolor", 3},
                                                     {"hsvcolor", 3},
                                                     {"xyzcolor", 3},
                                                     {"4color", 4},
                                                     {"rgbacolor", 4},
                                                     {"3vector", 3},
                                                     {"3gradient", 3},
                                                     {"3normal", 3},
                                                     {"4vector", 4},
                                                     {"quaternion", 4},
                                                     {"2dsymmetricmatrix", 3},
                                                     {"2dmaskedsymmetricmatrix", 4},
                                                     {"2dmatrix", 4},
                                                     {"2dmaskedmatrix", 5},
                                                     {"3dsymmetricmatrix", 6},
                                                     {"3dmaskedsymmetricmatrix", 7},
                                                     {"3dmatrix", 9},
                                                     {"3dmaskedmatrix", 10}};
    for (const char* points : {"", "domain", "space", "time", "none", "???"})
        if (kind == points) return std::nullopt;
    const auto at = kinds.find(kind);
    if (at == kinds.end()) throw f.damaged("kinds");
    return at->second;
}

struct Axis {
    std::int64_t length = 1;
    std::string kind, unit;
    Coordinates direction;
    double spacing = not_given, min = not_given, max = not_given, thickness = not_given;
    bool is_node = false;  // the first and last point are the borders, not those of their cells

    bool is_given() const { return !direction.empty() || !std::isnan(spacing); }
};

// 0 where the unit is not known.
double millimeters_in(const std::string& name) {
    std::string unit = lower(name);
    for (const std::string_view word : {"meters", "metres", "meter", "metre"}) {
        if (!unit.ends_with(word)) continue;
        unit.resize(unit.size() - word.size());
        unit = unit == "milli"   ? "mm"
               : unit == "micro" ? "um"
               : unit == "centi" ? "cm"
               : unit == "nano"  ? "nm"
                                 : unit + "m";
        break;
    }
    return micrometers_in(unit) / 1000;
}

// 0 where the unit is not known.
double seconds_in(const std::string& unit) {
    static const std::map<std::string, double> units = {{"s", 1},
                                                        {"sec", 1},
                                                        {"second", 1},
                                                        {"seconds", 1},
                                                        {"ms", 1e-3},
                                                        {"msec", 1e-3},
                                                        {"millisecond", 1e-3},
                                                        {"milliseconds", 1e-3},
                                                        {"us", 1e-6},
                                                        {"usec", 1e-6},
                                                        {"microsecond", 1e-6},
                                                        {"microseconds", 1e-6},
                                                        {"\xc2\xb5s", 1e-6},
                                                        {"\xce\xbcs", 1e-6},
                                                        {"min", 60},
                                                        {"minute", 60},
                                                        {"minutes", 60}};
    const auto at = units.find(lower(unit));
    return at == units.end() ? 0 : at->second;
}

class AxesParser {
  public:
    AxesParser(const InputFile& file, const HeaderFields& fields, VolumeHeader& header)
        : file_(file), f_(fields), header_(header), space_(space_of(file, fields)) {}

    void parse() {
        read_axes();
        for (const Axis& axis : axes_) take_axis(axis);
        parse_time();
        parse_place();
        warn_of_unused();
    }

  private:
    void warn(const std::string& text) { header_.warnings.push_back(text); }

    void read_axes() {
        const std::int64_t dimension = f_.whole_number("dimension");
        constexpr std::int64_t most = 16;  // of the format
        if (dimension < 1 || dimension > most) throw f_.damaged("dimension");
        const std::vector<std::int64_t> lengths = f_.lengths("sizes", dimension);
        axes_.resize(lengths.size());
        for (std::size_t i = 0; i < lengths.size(); ++i) axes_[i].length = lengths[i];
        read_numbers("spacings", &Axis::spacing);
        read_numbers("thicknesses", &Axis::thickness);
        read_numbers("axis mins", &Axis::min);
        read_numbers("axis maxs", &Axis::max);
        const std::vector<std::string> units = texts(f_, "units", dimension);
        for (std::size_t i = 0; i < axes_.size(); ++i) axes_[i].unit = units[i];
        if (f_.find("kinds")) {
            const std::vector<std::string> kinds = words(lower(f_.get("kinds")));
            if (std::ssize(kinds) != dimension) throw f_.damaged("kinds");
            for (std::size_t i = 0; i < axes_.size(); ++i) {
                axes_[i].kind = kinds[i];
                std::erase(axes_[i].kind, '-');
            }
        }
        if (f_.find("centers")) {
            const std::vector<std::string> centers = words(lower(f_.get("centers")));
            if (std::ssize(centers) != dimension) throw f_.damaged("centers");
            for (std::size_t i = 0; i < axes_.size(); ++i) axes_[i].is_node = centers[i] == "node";
        }
        if (f_.find("space directions")) {
            if (space_.dimension == 0) throw f_.damaged("space");
            const auto list = vectors(f_, "space directions", dimension, space_.dimension);
            for (std::size_t i = 0; i < axes_.size(); ++i) axes_[i].direction = list[i];
        }
        for (Axis& axis : axes_) complete_spacing(axis);
    }

    void read_numbers(const std::string& name, double Axis::*number) {
        const std::vector<double> list = f_.numbers(name, std::ssize(axes_));
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (std::isinf(list[i])) throw f_.damaged(name);
            axes_[i].*number = list[i];
        }
    }

    void complete_spacing(Axis& axis) {
        const auto steps = static_cast<double>(axis.is_node ? axis.length - 1 : axis.length);
        const double of_borders = (axis.max - axis.min) / steps;
        const auto differs = [](double a, double b) {
            return std::abs(a - b) > 0.01 * std::abs(b);  // not where one is not given
        };
        if (std::isnan(axis.spacing) && std::isfinite(of_borders)) axis.spacing = of_borders;
        if (std::isnan(axis.spacing) && axis.length == 1) axis.spacing = axis.thickness;
        if (!axis.direction.empty()) {
            double square = 0;
            for (const double part : axis.direction) square += part * part;
            if (differs(axis.spacing, std::sqrt(square)))
                warn("its NRRD spacings differ from its space directions, which are used");
            if (!std::isnan(axis.min)) warn("its axis mins are not used beside space directions");
        } else if (differs(of_borders, axis.spacing)) {
            warn("its axis mins and maxs do not fit its NRRD spacings, which are used");
        }
        if (axis.length > 1 && differs(axis.thickness, axis.spacing))
            warn("its slices are " + std::to_string(axis.thickness) +
                 " thick (thicknesses), which is not kept");
    }

    // Axes of one point need no role.
    void take_axis(const Axis& axis) {
        const AxisRole role = role_of(axis);
        for (const FileAxis& other : header_.axes)
            if (other.role == role) {
                if (axis.length == 1) return;
                throw unsupported(file_.path(),
                                  "it has more axes than three of space, one of time and one of "
                                  "channels");
            }
        if (role == AxisRole::channel && axis.length > 0x7fff)
            throw unsupported(file_.path(), "it has " + std::to_string(axis.length) + " channels");
        header_.axes.push_back({axis.length, role});
        if (role == AxisRole::time) time_ = axis;
        if (role < AxisRole::time) places_.push_back(axis);
    }

    AxisRole role_of(const Axis& axis) {
        if (const auto numbers = numbers_of_kind(f_, axis.kind)) {
            if (*numbers > 0 && *numbers != axis.length) throw f_.damaged("kinds");
            if (axis.kind == "complex")
                throw unsupported(file_.path(), "its pixels are complex numbers");
            header_.has_alpha = axis.kind == "rgbacolor" || axis.kind == "4color";
            if (axis.kind == "hsvcolor" || axis.kind == "xyzcolor")
                warn("its NRRD kind '" + axis.kind + "' is not kept; its numbers are channels");
            const bool is_color =
                header_.has_alpha || axis.kind == "rgbcolor" || axis.kind == "3color";
            header_.meaning = is_color ? ChannelMeaning::color
                              : axis.kind == "vector" || axis.kind == "3vector"
                                  ? ChannelMeaning::vectors
                                  : ChannelMeaning::other;
            return AxisRole::channel;
        }
        if (axis.kind == "time") return AxisRole::time;
        const bool has_directions = f_.find("space directions");
        if (has_directions && axis.direction.empty()) {
            const AxisRole role = places_.empty() ? AxisRole::channel : AxisRole::time;
            if (axis.length > 1)
                warn(std::string("an axis of the NRRD has neither a direction nor a kind; it is "
                                 "taken for ") +
                     (places_.empty() ? "channels" : "time"));
            return role;
        }
        if (has_directions && space_.dimension == 4 && is_of_time(axis.direction))
            return AxisRole::time;
        return static_cast<AxisRole>(std::min<std::size_t>(places_.size(), 3));
    }

    static bool is_of_time(const Coordinates& direction) {
        return direction[0] == 0 && direction[1] == 0 && direction[2] == 0 && direction[3] != 0;
    }

    std::vector<std::string> space_units() const {
        return texts(f_, "space units", space_.dimension);
    }

    void parse_time() {
        if (!time_) return;
        double step = time_->spacing;
        std::string unit = time_->unit;
        if (time_->direction.size() == 4) {
            step = time_->direction[3];
            unit = space_units()[3];
        }
        if (std::isnan(step)) return;
        double seconds = unit.empty() ? 1 : seconds_in(unit);
        if (!(step > 0) || seconds == 0) {
            warn("its NRRD time step of " + std::to_string(step) + " '" +
                 printable(unit.substr(0, 100)) + "' is not known as seconds and not used");
            return;
        }
        header_.geometry.time_step = step * seconds;
    }

    // What a number along each coordinate of the frame, or axis, is in mm.
    Vector3 millimeters() {
        std::vector<std::string> units;
        if (space_.dimension > 0) units = space_units();
        if (units.empty() || !f_.find("space units")) {
            units.clear();
            for (const Axis& axis : places_) units.push_back(axis.unit);
        }
        units.resize(std::min<std::size_t>(units.size(), 3));
        Vector3 scales{1, 1, 1};
        bool all_micrometers = true, is_named = false;
        for (std::size_t i = 0; i < units.size(); ++i) {
            is_named = is_named || !units[i].empty();
            if (!units[i].empty()) scales[i] = millimeters_in(units[i]);
            if (scales[i] == 0) {
                warn("its NRRD unit '" + printable(units[i].substr(0, 100)) +
                     "' is not known; millimeters are assumed");
                scales[i] = 1;
            }
            all_micrometers = all_micrometers && scales[i] == 1e-3;
        }
        if (!is_named && space_.dimension == 0)
            warn("the NRRD file does not name its unit of length; millimeters are assumed");
        header_.geometry.unit = all_micrometers ? Unit::micrometer : Unit::millimeter;
        return all_micrometers ? Vector3{1, 1, 1} : scales;
    }

    void parse_place() {
        const std::string* marked = f_.find(std::string(no_spacing_key) + ":=");
        if (marked && *marked == no_spacing_value) return;
        if (std::none_of(places_.begin(), places_.end(),
                         [](const Axis& a) { return a.is_given(); })) {
            if (f_.find("space origin") || f_.find("axis mins"))
                warn("the NRRD header gives a place but no spacings; it is not used");
            return;
        }
        const Vector3 scales = millimeters();
        VolumeAxes axes;
        for (std::size_t axis = 0; axis < places_.size(); ++axis)
            place_axis(places_[axis], axis, scales, axes);
        if (f_.find("space origin")) {
            const Coordinates origin = vectors(f_, "space origin", 1, space_.dimension)[0];
            for (std::size_t row = 0; row < std::min<std::size_t>(origin.size(), 3); ++row)
                axes.origin[row] = space_.signs[row] * scales[row] * origin[row];
            if (origin.size() == 4 && origin[3] != 0)
                warn("the time of its first volume is not kept");
        }
        set_geometry(file_, axes, header_);
        const bool is_nameless = !space_.has_name && header_.shape().z > 1;
        if (!space_.is_anatomical || is_nameless)
            warn((is_nameless ? "its NRRD header"
                              : "its space '" + printable(f_.get("space")) + "'") +
                 " does not say how a patient lies; its axes are taken for left, back and head");
    }

    void place_axis(const Axis& from, std::size_t axis, const Vector3& scales, VolumeAxes& axes) {
        if (!from.direction.empty()) {
            axes.directions[axis] = {};
            for (std::size_t row = 0; row < std::min<std::size_t>(from.direction.size(), 3); ++row)
                axes.directions[axis][row] = space_.signs[row] * scales[row] * from.direction[row];
            return;
        }
        axes.directions[axis][axis] = space_.signs[axis];
        axes.spacing[axis] = std::isnan(from.spacing) ? 0 : from.spacing * scales[axis];
        if (std::isnan(from.min)) return;
        const double first =
            from.min + (from.is_node || std::isnan(from.spacing) ? 0 : from.spacing / 2);
        axes.origin[axis] = space_.signs[axis] * scales[axis] * first;
    }

    void warn_of_unused() {
        if (!f_.find("measurement frame") || header_.shape().channels == 1) return;
        const auto rows =
            vectors(f_, "measurement frame", std::min<std::int64_t>(space_.dimension, 3),
                    std::min<std::int64_t>(space_.dimension, 3));
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t j = 0; j < rows[i].size(); ++j)
                if (rows[i][j] != (i == j ? 1 : 0))
                    return warn(
                        "its NRRD measurement frame turns the vectors of its pixels, which "
                        "is not applied");
    }

    const InputFile& file_;
    const HeaderFields& f_;
    VolumeHeader& header_;
    const Space space_;
    std::vector<Axis> axes_;
    std::vector<Axis> places_;  // those of space, in the order of the image
    std::optional<Axis> time_;
};

}  // namespace

void parse_nrrd_axes(const InputFile& file, const HeaderFields& fields, VolumeHeader& header) {
    AxesParser(file, fields, header).parse();
}

}  // namespace tesela::io
