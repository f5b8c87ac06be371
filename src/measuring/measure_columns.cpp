// The table of measurements, with scikit-image's names.
#include <cmath>
#include <numbers>

#include "measuring/inertia.h"
#include "tesela/align.h"
#include "tesela/measure.h"

namespace tesela {

using measuring::Inertia;
using measuring::inertia_of;

namespace {

using std::numbers::pi;
using Value = MeasureColumn::Value;
using One = const MeasuredObject&;

double diameter_of(double size, std::size_t axes) {
    return axes == 3 ? std::cbrt(6 * size / pi) : 2 * std::sqrt(size / pi);
}
double circularity_of(double area, double perimeter) {
    return perimeter > 0 ? 4 * pi * area / (perimeter * perimeter) : 0;
}
double sphericity_of(double volume, double surface) {
    return surface > 0 ? std::cbrt(36 * pi * volume * volume) / surface : 0;
}

// What columns need of the map; they outlive it.
struct Space {
    std::size_t axes;
    std::string unit;
    Geometry geometry;

    bool is_known() const { return geometry.known(); }
    bool is_volume() const { return axes == 3; }
    // A point in the unit.
    double point() const {
        const auto& [x, y, z] = geometry.spacing;
        return x * y * (is_volume() ? z : 1);
    }
    double size(One object) const { return static_cast<double>(object.points) * point(); }
    // The image's axis, x first, of scikit-image's, the slowest first.
    std::size_t axis(std::size_t slowest_first) const { return axes - 1 - slowest_first; }
    Inertia inertia_in_pixels(One object) const { return inertia_of(object, {1, 1, 1}, axes); }
    Inertia inertia(One object) const { return inertia_of(object, geometry.spacing, axes); }
};

class Columns {
  public:
    explicit Columns(const Measurements& of)
        : of_(of),
          space_{of.shape.z > 1 ? std::size_t{3} : std::size_t{2},
                 std::string(unit_symbol(of.geometry.unit)), of.geometry} {}

    std::vector<MeasureColumn> all() && {
        add_sizes();
        add_places();
        add_shapes();
        add_inertia();
        if (of_.options.boundaries && space_.is_volume()) add_surface();
        if (of_.options.boundaries && !space_.is_volume()) add_perimeters();
        if (of_.options.hulls) add_hulls();
        for (std::size_t c = 0; c < of_.intensities.size(); ++c) add_intensities(c);
        return std::move(columns_);
    }

  private:
    using OfObject = std::function<Value(One)>;

    void add(const std::string& property, OfObject value) { add(property, property, value); }
    void add(const std::string& property, const std::string& name, OfObject value) {
        columns_.push_back(
            {property, name, [&objects = of_.objects, value = std::move(value)](std::size_t n) {
                 return value(objects[n]);
             }});
    }
    std::string in_unit(const std::string& name, const char* power = "") const {
        return name + "_" + space_.unit + power;
    }

    void add_sizes() {
        add("label", [](One o) -> Value { return std::int64_t{o.label}; });
        add("area", [](One o) -> Value { return o.points; });
        const Space space = space_;
        if (space.is_known()) {
            const double to_ml = space.geometry.unit == Unit::millimeter ? 1e-3 : 1e-12;
            add("area", space.is_volume() ? in_unit("volume", "3") : in_unit("area", "2"),
                [space](One o) -> Value { return space.size(o); });
            if (space.is_volume())
                add("area", "volume_ml", [=](One o) -> Value { return space.size(o) * to_ml; });
        }
        add("equivalent_diameter_area", [space](One o) -> Value {
            return diameter_of(static_cast<double>(o.points), space.axes);
        });
        if (space.is_known())
            add("equivalent_diameter_area", in_unit("equivalent_diameter_area"),
                [space](One o) -> Value { return diameter_of(space.size(o), space.axes); });
        add("touches_border", [](One o) -> Value { return std::int64_t{o.touches_border}; });
    }

    void add_places() {
        const std::size_t axes = space_.axes;
        for (std::size_t a = 0; a < 2 * axes; ++a)
            add("bbox", "bbox-" + std::to_string(a),
                [at = space_.axis(a % axes), is_end = a >= axes](One o) -> Value {
                    return is_end ? std::int64_t{o.last[at]} + 1 : std::int64_t{o.first[at]};
                });
        add("extent", [axes](One o) -> Value {
            double box = 1;
            for (std::size_t a = 0; a < axes; ++a) box *= o.last[a] - o.first[a] + 1;
            return static_cast<double>(o.points) / box;
        });
        for (std::size_t a = 0; a < axes; ++a)
            add("centroid", "centroid-" + std::to_string(a),
                [at = space_.axis(a)](One o) -> Value { return o.centroid[at]; });
        if (!space_.is_known()) return;
        const double of_millimeter = space_.geometry.unit == Unit::micrometer ? 1000 : 1;
        for (std::size_t a = 0; a < 3; ++a)
            add("centroid", in_unit(std::array{"centroid_x", "centroid_y", "centroid_z"}[a]),
                [a, of_millimeter, where = space_.geometry](One o) -> Value {
                    return of_millimeter * physical_point(where, o.centroid)[a];
                });
    }

    void add_shapes() {
        const Space space = space_;
        add("axis_major_length",
            [space](One o) -> Value { return space.inertia_in_pixels(o).major_length(); });
        if (space.is_known())
            add("axis_major_length", in_unit("axis_major_length"),
                [space](One o) -> Value { return space.inertia(o).major_length(); });
        add("axis_minor_length",
            [space](One o) -> Value { return space.inertia_in_pixels(o).minor_length(); });
        if (space.is_known())
            add("axis_minor_length", in_unit("axis_minor_length"),
                [space](One o) -> Value { return space.inertia(o).minor_length(); });
        if (space.is_volume()) return;
        add("eccentricity",
            [space](One o) -> Value { return space.inertia_in_pixels(o).eccentricity(); });
        add("orientation",
            [space](One o) -> Value { return space.inertia_in_pixels(o).orientation(); });
    }

    void add_inertia() {
        const Space space = space_;
        for (std::size_t a = 0; a < space.axes; ++a)
            for (std::size_t b = 0; b < space.axes; ++b)
                add("inertia_tensor",
                    "inertia_tensor-" + std::to_string(a) + "-" + std::to_string(b),
                    [space, row = space.axis(a), column = space.axis(b)](One o) -> Value {
                        return space.inertia_in_pixels(o).tensor[row][column] + 0.0;  // not -0
                    });
        for (std::size_t a = 0; a < space.axes; ++a)
            add("inertia_tensor_eigvals", "inertia_tensor_eigvals-" + std::to_string(a),
                [space, a](One o) -> Value { return space.inertia_in_pixels(o).eigenvalues[a]; });
    }

    // In pixels, and in the unit where it is known.
    void add_extent(const std::string& name, const char* power, double ObjectExtent::*value) {
        add(name, [value](One o) -> Value { return o.in_pixels.*value; });
        if (space_.is_known())
            add(name, in_unit(name, power), [value](One o) -> Value { return o.in_space.*value; });
    }

    void add_surface() {
        add_extent("surface", "2", &ObjectExtent::surface);
        add("sphericity", [space = space_](One o) -> Value {
            return sphericity_of(space.size(o), o.in_space.surface);
        });
        add("euler_number", [](One o) -> Value { return o.euler_number; });
    }

    void add_perimeters() {
        add("perimeter", [](One o) -> Value { return o.perimeter; });
        add_extent("perimeter_crofton", "", &ObjectExtent::perimeter_crofton);
        add("circularity", [space = space_](One o) -> Value {
            return circularity_of(space.size(o), o.in_space.perimeter_crofton);
        });
        add("euler_number", [](One o) -> Value { return o.euler_number; });
    }

    void add_hulls() {
        add("area_convex", [](One o) -> Value { return o.convex_points; });
        add("solidity", [](One o) -> Value {
            return static_cast<double>(o.points) / static_cast<double>(o.convex_points);
        });
        add_extent("feret_diameter_max", "", &ObjectExtent::feret_diameter_max);
        add_extent("feret_diameter_min", "", &ObjectExtent::feret_diameter_min);
    }

    void add_intensities(std::size_t channel) {
        const std::string behind =
            of_.intensities.size() > 1 ? "-" + std::to_string(channel) : std::string();
        const auto add_value = [&](const std::string& name, auto value) {
            columns_.push_back({name, name + behind,
                                [&list = of_.intensities[channel], value](std::size_t n) -> Value {
                                    return value(list[n]);
                                }});
        };
        using Values = const MeasuredIntensity&;
        add_value("intensity_mean", [](Values v) { return v.mean; });
        add_value("intensity_std", [](Values v) { return v.deviation; });
        add_value("intensity_min", [](Values v) { return v.lowest; });
        add_value("intensity_max", [](Values v) { return v.highest; });
        add_value("intensity_sum", [](Values v) { return v.sum; });
        if (!of_.options.percentiles) return;
        for (std::size_t p = 0; p < measured_percentiles.size(); ++p) {
            const std::uint32_t percent = measured_percentiles[p];
            add_value(percent == 50 ? "intensity_median"
                                    : "intensity_percentile_" + std::to_string(percent),
                      [p](Values v) { return v.percentiles[p]; });
        }
    }

    const Measurements& of_;
    Space space_;
    std::vector<MeasureColumn> columns_;
};

}  // namespace

std::vector<MeasureColumn> measure_columns(const Measurements& measurements) {
    return Columns(measurements).all();
}

}  // namespace tesela
