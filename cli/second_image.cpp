#include "second_image.h"

#include <fmt/format.h>

#include "messages.h"
#include "tesela/error.h"

namespace tesela::cli {

void check_fit(const PlacedFile& first, const PlacedFile& second, const GeometryOptions& options,
               std::vector<std::string>& warnings) {
    const std::string name = second.path.string(), first_name = first.path.string();
    ImageGrid grid = first.grid;
    const bool known = grid.geometry.known(), second_known = second.grid.geometry.known();
    if (options.ignore_geometry) {
        grid.geometry = {};
        warnings.push_back(
            fmt::format("--ignore-geometry: '{}' is matched with '{}' pixel by pixel; spacing, "
                        "origin and direction are not compared",
                        name, first_name));
    } else if (known != second_known) {
        warnings.push_back(
            fmt::format("'{}' has no geometry: '{}' is matched with '{}' pixel by pixel",
                        known ? name : first_name, name, first_name));
    }
    try {
        if (axis_order(grid, second.grid) == AxisOrder{}) return;
    } catch (const InvalidArgument& error) {
        throw InvalidArgument(
            fmt::format("'{}' does not fit '{}': {}", name, first_name, error.what()));
    }
    say("'{}' stores its axes as {}; they are put into the order of '{}', {}", name,
        second.grid.geometry.orientation(), first_name, grid.geometry.orientation());
}

}  // namespace tesela::cli
