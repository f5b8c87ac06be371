// The header of MetaImage (itk.org/Wiki/MetaIO/Documentation).
#include <algorithm>
#include <cmath>

#include "io/text_header.h"

namespace tesela::io {
namespace {

// As MetaIO names and stores them: a "long" has 4 bytes, and types of arrays are those of their
// numbers.
std::optional<NumberType> number_type(std::string name) {
    static const std::map<std::string, NumberType> types = {
        {"MET_CHAR", NumberType::i8},        {"MET_ASCII_CHAR", NumberType::i8},
        {"MET_UCHAR", NumberType::u8},       {"MET_SHORT", NumberType::i16},
        {"MET_USHORT", NumberType::u16},     {"MET_INT", NumberType::i32},
        {"MET_UINT", NumberType::u32},       {"MET_LONG", NumberType::i32},
        {"MET_ULONG", NumberType::u32},      {"MET_LONG_LONG", NumberType::i64},
        {"MET_ULONG_LONG", NumberType::u64}, {"MET_FLOAT", NumberType::f32},
        {"MET_DOUBLE", NumberType::f64}};
    constexpr std::string_view array = "_ARRAY";
    if (name.ends_with(array)) name.resize(name.size() - array.size());
    const auto at = types.find(name);
    if (at == types.end()) return std::nullopt;
    return at->second;
}

// Fills the fields; returns the place behind the header.
std::int64_t read_fields(const InputFile& file, HeaderFields& f) {
    HeaderLines lines(file);
    while (!lines.at_end()) {
        const std::string line = lines.next();
        const std::size_t equals = line.find('=');
        if (equals == line.npos) {
            if (trimmed(line).empty()) continue;
            throw unreadable(file.path(), "its MetaImage header is damaged: a line without '='");
        }
        const std::string name = trimmed(line.substr(0, equals));
        if (name != "Comment") f.add(name, trimmed(line.substr(equals + 1)));
        if (name == "ElementDataFile") return lines.offset();
    }
    throw unreadable(file.path(), "its MetaImage header ends early");
}

std::optional<fs::path> other_data_file(const InputFile& file, const HeaderFields& f) {
    const std::string& data = f.get("ElementDataFile");
    if (lower(data) == "local") return std::nullopt;
    return named_data_file(file, data);
}

class MetaImageParser {
  public:
    explicit MetaImageParser(const InputFile& file) : file_(file), f_(file, "MetaImage") {
        header_.format = "MetaImage";
        behind_header_ = read_fields(file, f_);
    }

    VolumeHeader parse() {
        if (f_.find("ObjectType") && f_.get("ObjectType") != "Image")
            throw unsupported(file_.path(), "it is a MetaIO object but no image");
        dimensions_ = f_.whole_number("NDims");
        if (dimensions_ < 1 || dimensions_ > 4)
            throw unsupported(file_.path(), "MetaImages of " + std::to_string(dimensions_) +
                                                " dimensions are not supported");
        parse_numbers();
        parse_geometry();
        locate_data();
        return std::move(header_);
    }

  private:
    void warn(const std::string& text) { header_.warnings.push_back(text); }

    bool flag(const std::string& name, bool otherwise) const {
        if (!f_.find(name)) return otherwise;
        const std::string value = lower(f_.get(name));
        if (value == "true" || value == "t" || value == "1" || value == "yes") return true;
        if (value == "false" || value == "f" || value == "0" || value == "no") return false;
        throw f_.damaged(name);
    }

    // Whether any of the values, if there are some, differs by more than rounding.
    static bool differ(const std::vector<double>& values, const std::vector<double>& others) {
        constexpr double relative = 1e-4, absolute = 1e-4;
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!(std::abs(values[i] - others[i]) <= absolute + relative * std::abs(others[i])))
                return true;
        return false;
    }

    // The first of the names that the header has; MetaIO takes each for the others.
    std::vector<double> numbers_of(std::initializer_list<const char*> names, std::int64_t count) {
        std::vector<double> found;
        std::string name_of_found;
        for (const char* name : names) {
            const std::vector<double> values = f_.numbers(name, count);
            if (std::any_of(values.begin(), values.end(),
                            [](double v) { return !std::isfinite(v); }))
                throw f_.damaged(name);
            if (found.empty()) {
                found = values;
                name_of_found = name;
            } else if (differ(values, found)) {
                warn("its MetaImage fields " + name_of_found + " and " + name + " differ; " +
                     name_of_found + " is used");
            }
        }
        return found;
    }

    void parse_numbers() {
        const std::string& type = f_.get("ElementType");
        const auto known = number_type(type);
        if (!known)
            throw unsupported(
                file_.path(),
                "its MetaImage type '" + printable(type.substr(0, 100)) + "' is not supported");
        header_.type = *known;
        const std::int64_t channels = f_.whole_number_or("ElementNumberOfChannels", 1);
        if (channels < 1 || channels > 0x7fff) throw f_.damaged("ElementNumberOfChannels");
        header_.axes.push_back({channels, AxisRole::channel});
        const std::string* alpha = f_.find(alpha_key);
        header_.has_alpha = alpha && *alpha == alpha_value && (channels == 2 || channels == 4);
        const std::vector<std::int64_t> lengths = f_.lengths("DimSize", dimensions_);
        for (std::size_t i = 0; i < lengths.size(); ++i)
            header_.axes.push_back({lengths[i], static_cast<AxisRole>(i)});
        const bool big = flag("BinaryDataByteOrderMSB", false);
        header_.big_endian = flag("ElementByteOrderMSB", big);
        if (f_.find("BinaryDataByteOrderMSB") && header_.big_endian != big)
            throw unreadable(file_.path(), "its MetaImage header gives two byte orders");
        const auto slope = f_.numbers("ElementToIntensityFunctionSlope", 1);
        const auto offset = f_.numbers("ElementToIntensityFunctionOffset", 1);
        if (!slope.empty()) header_.scaling.slope = slope[0];
        if (!offset.empty()) header_.scaling.intercept = offset[0];
        if (!std::isfinite(header_.scaling.slope) || header_.scaling.slope == 0)
            throw f_.damaged("ElementToIntensityFunctionSlope");
        if (!std::isfinite(header_.scaling.intercept))
            throw f_.damaged("ElementToIntensityFunctionOffset");
    }

    // Millimeters where the header has no unit, as all programs take it.
    double millimeters() {
        const std::string* unit = f_.find("DistanceUnits");
        if (!unit || *unit == "?" || *unit == "mm") return 1;
        if (*unit == "um") return 1e-3;
        if (*unit == "cm") return 10;
        if (*unit == "m") return 1000;
        warn("its DistanceUnits '" + printable(unit->substr(0, 100)) +
             "' are not known; millimeters are assumed");
        return 1;
    }

    void parse_geometry() {
        const auto n = static_cast<std::size_t>(dimensions_);
        std::vector<double> spacing = numbers_of({"ElementSpacing", "ElementSize"}, dimensions_);
        const auto origin = numbers_of({"Offset", "Position", "Origin"}, dimensions_);
        const auto matrix =
            numbers_of({"TransformMatrix", "Rotation", "Orientation"}, dimensions_ * dimensions_);
        const std::string* marked = f_.find(no_spacing_key);
        const bool unmarked = !marked || *marked != no_spacing_value;
        if (spacing.empty()) spacing.assign(n, 1);
        if (std::find(spacing.begin(), spacing.end(), 0) != spacing.end())
            throw unreadable(file_.path(), "its MetaImage header gives a spacing of 0");
        const bool placed = is_placed(origin, matrix);
        const bool spaced = f_.find("ElementSpacing") || f_.find("ElementSize");
        if (n == 4) parse_time(spacing[3], origin, matrix);
        if (!unmarked || (!spaced && !placed)) return;
        if (!spaced) warn("the MetaImage header gives no ElementSpacing; 1 mm is assumed");
        header_.geometry.unit = Unit::millimeter;
        VolumeAxes axes;
        const double scale = millimeters();
        bool is_stretched = false;
        for (std::size_t axis = 0; axis < std::min<std::size_t>(n, 3); ++axis) {
            axes.spacing[axis] = spacing[axis] * scale;
            if (!origin.empty()) axes.origin[axis] = origin[axis] * scale;
            // A row of the matrix is the direction of an axis.
            for (std::size_t row = 0; row < std::min<std::size_t>(n, 3) && !matrix.empty(); ++row)
                axes.directions[axis][row] = matrix[n * axis + row];
            is_stretched |= make_unit(axes.directions[axis]);
        }
        if (is_stretched)
            warn(
                "the rows of its TransformMatrix are not of length 1; they are taken as "
                "directions, and ElementSpacing as the spacing");
        set_geometry(file_, axes, header_);
        check_unused(matrix);
    }

    // Whether it was of another length.
    static bool make_unit(std::array<double, 3>& direction) {
        const double length = std::hypot(direction[0], direction[1], direction[2]);
        constexpr double rounding = 1e-4;
        if (!(length > 0) || std::abs(length - 1) < rounding) return false;
        for (double& component : direction) component /= length;
        return true;
    }

    static bool is_identity(const std::vector<double>& matrix, std::size_t n) {
        for (std::size_t i = 0; i < matrix.size(); ++i)
            if (matrix[i] != (i / n == i % n ? 1 : 0)) return false;
        return true;
    }
    bool is_placed(const std::vector<double>& origin, const std::vector<double>& matrix) const {
        return std::any_of(origin.begin(), origin.end(), [](double v) { return v != 0; }) ||
               !is_identity(matrix, static_cast<std::size_t>(dimensions_));
    }

    void parse_time(double step, const std::vector<double>& origin,
                    const std::vector<double>& matrix) {
        if (step > 0)
            header_.geometry.time_step = step;
        else
            warn("the MetaImage header gives no valid time step");
        if (!origin.empty() && origin[3] != 0) warn("the time of its first volume is not kept");
        for (std::size_t i = 0; i < 3 && !matrix.empty(); ++i)
            if (matrix[4 * i + 3] != 0 || matrix[12 + i] != 0) throw f_.damaged("TransformMatrix");
    }

    // What the header says and the image cannot keep.
    void check_unused(const std::vector<double>& matrix) {
        const std::vector<double> center = f_.numbers("CenterOfRotation", dimensions_);
        if (std::any_of(center.begin(), center.end(), [](double v) { return v != 0; }) &&
            !is_identity(matrix, static_cast<std::size_t>(dimensions_)))
            warn("its CenterOfRotation is not used, as ITK has it");
        check_letters();
    }

    // MetaIO names the sides that the axes come from; some programs name where they go. The letters
    // of oblique axes are those of the nearest ones.
    void check_letters() {
        const std::string* letters = f_.find("AnatomicalOrientation");
        if (!letters || letters->size() != 3 || letters->find('?') != letters->npos) return;
        bool fits_from = true, fits_to = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            constexpr std::string_view sides = "LRPASI";
            const std::size_t side = sides.find((*letters)[axis]);
            const double toward =
                side == sides.npos ? 0 : header_.geometry.direction[3 * (side / 2) + axis];
            const bool is_to = side % 2 == 0 ? toward > 0 : toward < 0;
            fits_to = fits_to && is_to;
            fits_from = fits_from && !is_to && toward != 0;
        }
        if (!fits_to && !fits_from)
            warn("its AnatomicalOrientation " + printable(*letters) +
                 " does not fit its directions, which are used");
    }

    void locate_data() {
        const auto other = other_data_file(file_, f_);
        header_.data_file = other.value_or(file_.path());
        header_.data_offset = other ? 0 : behind_header_;
        if (f_.whole_number_or("HeaderSizePerSlice", 0) != 0)
            throw unsupported(file_.path(),
                              "bytes between its slices (HeaderSizePerSlice) are not supported");
        const bool packed = flag("CompressedData", false);
        const bool binary = flag("BinaryData", true);
        if (packed && !binary)
            throw unreadable(file_.path(), "its pixels cannot be text (BinaryData) and compressed");
        header_.encoding = packed   ? DataEncoding::gzip
                           : binary ? DataEncoding::raw
                                    : DataEncoding::text;
        skip_other_header(open_data(file_, header_.data_file).size(), packed, binary);
    }

    // HeaderSize counts from the beginning of the file that holds the pixels; -1: they end the
    // file.
    void skip_other_header(std::int64_t size, bool packed, bool binary) {
        const std::int64_t packed_bytes = packed ? f_.whole_number_or("CompressedDataSize", 0) : 0;
        if (packed_bytes < 0 || packed_bytes > size - header_.data_offset)
            throw unreadable(file_.path(), "the header claims " + std::to_string(packed_bytes) +
                                               " compressed bytes, but the data are shorter");
        const std::int64_t skipped = f_.whole_number_or("HeaderSize", 0);
        std::int64_t offset = skipped;
        if (skipped == 0) return;
        if (skipped == -1 && binary && (!packed || packed_bytes > 0))
            offset = size - (packed ? packed_bytes : header_.data_bytes());
        else if (skipped < 0)
            throw unsupported(file_.path(), "its HeaderSize of " + std::to_string(skipped) +
                                                " does not say where the pixels begin");
        if (offset < header_.data_offset || offset > size)
            throw unreadable(
                file_.path(),
                skipped == -1
                    ? "the header claims " + std::to_string(header_.data_bytes()) +
                          " bytes of pixels, but the file has fewer"
                    : "its HeaderSize of " + std::to_string(skipped) + " lies outside its data");
        header_.data_offset = offset;
    }

    const InputFile& file_;
    HeaderFields f_;
    VolumeHeader header_;
    std::int64_t behind_header_ = 0, dimensions_ = 0;
};

}  // namespace

fs::path metaimage_data_file(const InputFile& file) {
    HeaderFields f(file, "MetaImage");
    read_fields(file, f);
    return other_data_file(file, f).value_or(file.path());
}

VolumeHeader parse_metaimage(const InputFile& file) { return MetaImageParser(file).parse(); }

}  // namespace tesela::io
