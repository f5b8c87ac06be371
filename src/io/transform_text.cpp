#include "io/transform_text.h"

#include <cmath>
#include <sstream>

#include "io/text_file.h"

namespace tesela::io {
namespace {

// One "Transform:" of a file, with its parameters.
struct ItkRecord {
    std::string name;    // "AffineTransform"
    int dimensions = 0;  // 0: a suffix that is not "_double_D_D"
    std::vector<double> parameters = {}, fixed = {};
};

class ItkReader {
  public:
    explicit ItkReader(const fs::path& path) : path_(path) {}

    Transform read(const std::string& text) {
        std::vector<ItkRecord> records = records_of(text);
        if (records.empty()) fail("it has no transform");
        const bool composite = records.front().name == "CompositeTransform";
        Transform transform{.dimensions = records.front().dimensions};
        transform.has_unit = false;
        if (composite) records.erase(records.begin());
        if (!composite && records.size() > 1) fail("it has several transforms and no composite");
        // A composite applies what stands last in the file first.
        for (auto record = records.rbegin(); record != records.rend(); ++record) {
            if (record->dimensions != transform.dimensions) fail("its dimensions differ");
            add_step(*record, transform);
        }
        return transform;
    }

  private:
    [[noreturn]] void fail(const std::string& reason) const { throw unreadable(path_, reason); }

    std::vector<ItkRecord> records_of(const std::string& text) const {
        std::vector<ItkRecord> records;
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            if (!line.empty() && line.back() == '\r') line.pop_back();
            const std::size_t colon = line.find(':');
            const std::string key = line.substr(0, colon);
            if (line.empty() || line[0] == '#') continue;
            const std::size_t begin =
                colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
            const std::string value = begin == std::string::npos ? "" : line.substr(begin);
            if (key == "Transform")
                records.push_back(named(value));
            else if (records.empty())
                fail("'" + printable(key.substr(0, 40)) + "' comes before a transform");
            else if (key == "Parameters")
                records.back().parameters = numbers(value);
            else if (key == "FixedParameters")
                records.back().fixed = numbers(value);
            else
                fail("'" + printable(key.substr(0, 40)) + "' is no line of a transform");
        }
        return records;
    }

    ItkRecord named(const std::string& type) const {
        const std::size_t end = type.find('_');
        ItkRecord record{type.substr(0, end), 0};
        for (int d : {2, 3})
            for (const char* number : {"double", "float"}) {
                const std::string suffix =
                    std::string("_") + number + "_" + std::to_string(d) + "_" + std::to_string(d);
                if (end != std::string::npos && type.substr(end) == suffix) record.dimensions = d;
            }
        if (record.dimensions == 0)
            throw unsupported(path_, "transforms of the type " + printable(type.substr(0, 60)) +
                                         " are not supported");
        return record;
    }

    std::vector<double> numbers(const std::string& text) const {
        std::vector<double> values;
        const char *at = text.data(), *const end = at + text.size();
        while (true) {
            while (at < end && (*at == ' ' || *at == '\t')) ++at;
            if (at == end) return values;
            double value = 0;
            const auto [next, error] = std::from_chars(at, end, value);
            if (error != std::errc{} || !std::isfinite(value)) fail("a parameter is no number");
            values.push_back(value);
            at = next;
        }
    }

    void add_step(const ItkRecord& record, Transform& transform) const {
        if (record.name == "IdentityTransform") return;
        if (record.name == "BSplineTransform")
            transform.steps.emplace_back(spline_of(record));
        else
            transform.steps.emplace_back(linear_of(record));
    }

    void require(bool holds, const ItkRecord& record) const {
        if (!holds) fail("a " + record.name + " has a wrong number of parameters");
    }

    LinearMap linear_of(const ItkRecord& record) const {
        const auto d = static_cast<std::size_t>(record.dimensions);
        const std::vector<double>& p = record.parameters;
        LinearMap map;
        std::size_t translation = 0;
        if (record.name == "TranslationTransform") {
            map.kind = LinearKind::rigid;
        } else if (record.name == "Euler2DTransform" || record.name == "Similarity2DTransform") {
            const bool similar = record.name == "Similarity2DTransform";
            translation = similar ? 2 : 1;
            require(d == 2 && p.size() == translation + 2, record);
            const double scale = similar ? p[0] : 1, angle = p[translation - 1];
            const double c = scale * std::cos(angle), s = scale * std::sin(angle);
            map = {similar ? LinearKind::similarity : LinearKind::rigid,
                   {c, -s, 0, s, c, 0, 0, 0, 1},
                   {}};
        } else if (record.name == "AffineTransform" || record.name == "MatrixOffsetTransformBase") {
            translation = d * d;
            require(p.size() == d * d + d, record);
            for (std::size_t row = 0; row < d; ++row)
                for (std::size_t column = 0; column < d; ++column)
                    map.matrix[3 * row + column] = p[d * row + column];
        } else {
            throw unsupported(path_, "a " + printable(record.name.substr(0, 60)) +
                                         " is not supported; convert it to an affine transform");
        }
        require(p.size() == translation + d && (record.fixed.empty() || record.fixed.size() >= d),
                record);
        SpacePoint center{};
        for (std::size_t axis = 0; axis < d; ++axis) {
            map.translation[axis] = p[translation + axis];
            if (!record.fixed.empty()) center[axis] = record.fixed[axis];
        }
        // matrix * (point - center) + center + translation
        const LinearMap turned{map.kind, map.matrix, {}};
        const SpacePoint moved = turned(center);
        for (std::size_t axis = 0; axis < d; ++axis)
            map.translation[axis] += center[axis] - moved[axis];
        return map;
    }

    SplineMap spline_of(const ItkRecord& record) const {
        const auto d = static_cast<std::size_t>(record.dimensions);
        require(record.fixed.size() == 3 * d + d * d, record);
        SplineMap map;
        for (std::size_t axis = 0; axis < d; ++axis) {
            const double size = record.fixed[axis];
            require(size >= 4 && size <= 1 << 20 && size == std::floor(size), record);
            map.size[axis] = static_cast<std::int64_t>(size);
            map.origin[axis] = record.fixed[d + axis];
            map.spacing[axis] = record.fixed[2 * d + axis];
            for (std::size_t column = 0; column < d; ++column)
                if (record.fixed[3 * d + d * axis + column] != (axis == column ? 1 : 0))
                    throw unsupported(path_, "a B-spline whose nodes lie turned is not supported");
        }
        map.displacements = record.parameters;
        return map;
    }

    const fs::path& path_;
};

void append_numbers(std::string& text, const char* key, const std::vector<double>& values) {
    text += key;
    for (const double value : values) {
        text += ' ';
        append_number(text, value);
    }
    text += '\n';
}

void append_step(std::string& text, const LinearMap& map, std::size_t d) {
    std::vector<double> parameters;
    for (std::size_t row = 0; row < d; ++row)
        for (std::size_t column = 0; column < d; ++column)
            parameters.push_back(map.matrix[3 * row + column]);
    parameters.insert(parameters.end(), map.translation.begin(), map.translation.begin() + d);
    append_numbers(text, "Parameters:", parameters);
    append_numbers(text, "FixedParameters:", std::vector<double>(d));
}

void append_step(std::string& text, const SplineMap& map, std::size_t d) {
    append_numbers(text, "Parameters:", map.displacements);
    std::vector<double> fixed(map.size.begin(), map.size.begin() + d);
    fixed.insert(fixed.end(), map.origin.begin(), map.origin.begin() + d);
    fixed.insert(fixed.end(), map.spacing.begin(), map.spacing.begin() + d);
    for (std::size_t i = 0; i < d * d; ++i) fixed.push_back(i % (d + 1) == 0 ? 1 : 0);
    append_numbers(text, "FixedParameters:", fixed);
}

}  // namespace

Transform itk_transform(const std::string& text, const fs::path& path) {
    return ItkReader(path).read(text);
}

std::string itk_text(const Transform& transform) {
    const auto d = static_cast<std::size_t>(transform.dimensions);
    const std::string suffix = "_double_" + std::to_string(d) + "_" + std::to_string(d) + "\n";
    std::string text = std::string(itk_mark) + "\n";
    int number = 0;
    const auto begin = [&](const std::string& name) {
        text += "#Transform " + std::to_string(number++) + "\nTransform: " + name + suffix;
    };
    if (transform.steps.size() != 1) begin("CompositeTransform");
    if (transform.steps.empty()) {
        begin("AffineTransform");
        append_step(text, LinearMap{}, d);
    }
    for (auto step = transform.steps.rbegin(); step != transform.steps.rend(); ++step) {
        begin(std::holds_alternative<SplineMap>(*step) ? "BSplineTransform" : "AffineTransform");
        std::visit([&](const auto& map) { append_step(text, map, d); }, *step);
    }
    return text;
}

}  // namespace tesela::io
