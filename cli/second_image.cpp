#include "second_image.h"

#include <fmt/format.h>

#include <algorithm>

#include "messages.h"
#include "tesela/compute/queue.h"
#include "tesela/error.h"
#include "tesela/warp.h"

namespace tesela::cli {
namespace {

// The transform that moves nothing.
Transform onto(const PlacedFile& first, const PlacedFile& second) {
    const int dimensions = std::min(first.grid.shape.dimensions(), 3);
    if (std::min(second.grid.shape.dimensions(), 3) != dimensions)
        throw InvalidArgument(
            fmt::format("'{}' does not fit '{}': one is a volume, the other is "
                        "not",
                        second.path.string(), first.path.string()));
    say("'{}' is resampled onto the grid of '{}', {}", second.path.string(), first.path.string(),
        first.grid.to_string());
    return {.dimensions = dimensions, .unit = Unit::millimeter};
}

// Whether it takes --resample to match them.
bool needs_resampling(const PlacedFile& first, const PlacedFile& second,
                      const GeometryOptions& options) {
    if (!options.resample) return false;
    if (options.ignore_geometry)
        throw InvalidArgument("--resample and --ignore-geometry exclude each other: give one");
    try {
        axis_order(first.grid, second.grid);
        return false;
    } catch (const InvalidArgument&) {
        const PlacedFile* lost = !first.grid.geometry.known()    ? &first
                                 : !second.grid.geometry.known() ? &second
                                                                 : nullptr;
        if (!lost) return true;
        throw InvalidArgument(
            fmt::format("--resample needs to know where '{}' lies, and the file has no spacing",
                        lost->path.string()));
    }
}

Image<std::uint32_t> resampled(const LabelImage& labels, const Transform& nothing,
                               const ImageGrid& grid, Queue& queue, const Progress& progress) {
    return warp_labels(labels, nothing, grid, false, queue, progress);
}
AnyImage resampled(const AnyImage& image, const Transform& nothing, const ImageGrid& grid,
                   Queue& queue, const Progress& progress) {
    return warp(image, nothing, grid, {.outside = 0}, queue, progress);
}

// Says whether the axes of `second` are stored in another order, and what is not compared.
void check_fit(const PlacedFile& first, const PlacedFile& second, const Fitting& fitting) {
    const std::string name = second.path.string(), first_name = first.path.string();
    ImageGrid grid = first.grid;
    const bool known = grid.geometry.known(), second_known = second.grid.geometry.known();
    if (fitting.geometry.ignore_geometry) {
        grid.geometry = {};
        fitting.warnings.push_back(
            fmt::format("--ignore-geometry: '{}' is matched with '{}' pixel by pixel; spacing, "
                        "origin and direction are not compared",
                        name, first_name));
    } else if (known != second_known) {
        fitting.warnings.push_back(
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

template <class AnyKind>
AnyKind fitted(PlacedFile first, const std::filesystem::path& path, AnyKind image,
               const Fitting& fitting) {
    const PlacedFile second{path, grid_of(image)};
    if (needs_resampling(first, second, fitting.geometry)) {
        Queue queue(Device::parse("cpu"),
                    {.threads = fitting.threads, .max_memory = fitting.max_memory});
        try {
            return resampled(image, onto(first, second), first.grid, queue,
                             fitting.progress.part(0, 1));
        } catch (const OutOfMemory& error) {
            throw OutOfMemory(fmt::format("'{}' cannot be resampled onto the grid of '{}': {}",
                                          path.string(), first.path.string(), error.what()),
                              error.bytes_needed(), error.bytes_free());
        }
    }
    check_fit(first, second, fitting);
    if (fitting.geometry.ignore_geometry) first.grid.geometry = {};
    return align_to(first.grid, std::move(image));
}

}  // namespace

AnyImage fit_to(const PlacedFile& first, const std::filesystem::path& path, AnyImage image,
                const Fitting& fitting) {
    return fitted(first, path, std::move(image), fitting);
}
LabelImage fit_to(const PlacedFile& first, const std::filesystem::path& path, LabelImage labels,
                  const Fitting& fitting) {
    return fitted(first, path, std::move(labels), fitting);
}

}  // namespace tesela::cli
