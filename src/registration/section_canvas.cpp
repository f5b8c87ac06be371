#include "registration/section_canvas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "tesela/error.h"
#include "tesela/options.h"

namespace tesela {
namespace {

std::array<double, 3> spacing_of(const ImageGrid& grid) {
    return grid.geometry.known() ? grid.geometry.spacing_mm() : std::array<double, 3>{1, 1, 1};
}

}  // namespace

double finest_pixel(const std::vector<ImageGrid>& grids) {
    double pixel = std::numeric_limits<double>::infinity();
    for (const ImageGrid& grid : grids) {
        const std::array<double, 3> spacing = spacing_of(grid);
        pixel = std::min({pixel, spacing[0], spacing[1]});
    }
    return pixel;
}

Shape least_plane(const std::vector<ImageGrid>& grids) {
    const double pixel = finest_pixel(grids);
    std::vector<Shape> planes;
    for (const ImageGrid& grid : grids) {
        const auto along = [&](std::int64_t length, std::size_t axis) -> std::int64_t {
            return std::llround(static_cast<double>(length) * spacing_of(grid)[axis] / pixel);
        };
        planes.push_back({along(grid.shape.x, 0), along(grid.shape.y, 1)});
    }
    return *std::min_element(planes.begin(), planes.end(), [](const Shape& a, const Shape& b) {
        return a.points() < b.points();
    });
}

void require_canvas(const std::vector<ImageGrid>& grids, const CanvasBox& box, double most) {
    double largest = 0;
    for (const ImageGrid& grid : grids) {
        const std::array<double, 3> spacing = spacing_of(grid);
        largest = std::max(
            largest, static_cast<double>(grid.shape.x * grid.shape.y) * spacing[0] * spacing[1]);
    }
    const double share = (box.high[0] - box.low[0]) * (box.high[1] - box.low[1]) / largest;
    if (!(share <= most))
        throw InvalidArgument("the sections together are " +
                              detail::shown(std::round(10 * share) / 10) +
                              " times as large as the largest of them; leave out those that lie "
                              "apart, or give a larger --max-canvas");
}

}  // namespace tesela
