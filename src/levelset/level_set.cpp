#include "tesela/level_set.h"

#include <algorithm>
#include <set>
#include <string>

#include "levelset/fronts.h"
#include "segmentation/plane_of.h"

namespace tesela {
namespace {

std::string list_of(const std::set<std::uint32_t>& labels) {
    std::string text;
    for (const std::uint32_t label : labels)
        text += (text.empty() ? "" : ", ") + std::to_string(label);
    return (labels.size() == 1 ? "object " : "objects ") + text;
}

// Objects that reach the border of the image may go on beyond it.
std::set<std::uint32_t> at_border(const LabelImage& labels) {
    std::set<std::uint32_t> found;
    const Shape& s = labels.shape();
    const auto look = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        if (const std::uint32_t label = labels(x, y, z); label != 0) found.insert(label);
    };
    for (std::int64_t z = 0; z < s.z; ++z)
        for (std::int64_t y = 0; y < s.y; ++y) {
            const bool whole_row = (s.z > 1 && (z == 0 || z + 1 == s.z)) || y == 0 || y + 1 == s.y;
            for (std::int64_t x = 0; x < s.x; x += whole_row || s.x == 1 ? 1 : s.x - 1)
                look(x, y, z);
        }
    return found;
}

void add_warnings(LevelSetResult& result) {
    std::set<std::uint32_t> empty;
    for (const LevelSetObject& object : result.objects)
        if (object.points == 0) empty.insert(object.label);
    if (!empty.empty())
        result.warnings.push_back(list_of(empty) +
                                  ": nothing is left; widen the limits or move the seeds");
    if (const auto border = at_border(result.labels); !border.empty())
        result.warnings.push_back(list_of(border) + ": the border of the image is reached");
    if (result.end == LevelSetEnd::max_iterations)
        result.warnings.push_back("the objects still move after " +
                                  std::to_string(result.iterations) +
                                  " iterations: raise --max-iterations");
    if (result.end == LevelSetEnd::max_volume)
        result.warnings.push_back(
            "an object is larger than --max-volume: it may have leaked; the run was stopped");
}

// Points of the objects as they are in the labels, which may have been tidied.
void count_points(LevelSetResult& result) {
    for (LevelSetObject& object : result.objects) {
        const std::int64_t before = object.points;
        object.points =
            std::count(result.labels.pixels().begin(), result.labels.pixels().end(), object.label);
        if (object.volume && before > 0)
            *object.volume *= static_cast<double>(object.points) / static_cast<double>(before);
    }
}

}  // namespace

LevelSetResult level_set(const AnyImage& image, const Seeds& seeds, const LevelSetOptions& options,
                         Queue& queue, const LevelSetStart& start, const LevelSetObserver& observer,
                         std::int64_t observe_every, const Progress& progress) {
    LevelSetResult result;
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    LevelSetSession session(image, options, queue, start.mask);
    if (start.from) session.start_from(*start.from);
    if (start.erase) session.erase(*start.erase);
    if (start.against) session.add_against(*start.against);
    if (!start.from || !std::holds_alternative<AutomaticSeeds>(seeds)) session.add_seeds(seeds);
    clock.start("grow");
    std::int64_t left = options.max_iterations, done = 0;
    std::vector<std::string> warnings;
    while (result.end == LevelSetEnd::none) {
        const std::int64_t part =
            observer && observe_every > 0 ? std::min(observe_every, left) : left;
        static_cast<LevelSetReport&>(result) = session.advance(part, progress);
        warnings.insert(warnings.end(), result.warnings.begin(), result.warnings.end());
        done += result.iterations;
        left -= result.iterations;
        if (result.end == LevelSetEnd::none && left <= 0) result.end = LevelSetEnd::max_iterations;
        result.iterations = done;
        if (observer && !observer(result, session) && result.end == LevelSetEnd::none)
            result.end = LevelSetEnd::stopped;
    }
    clock.start("labels");
    result.labels = session.labels(&warnings);
    result.warnings = std::move(warnings);
    count_points(result);
    add_warnings(result);
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

// The image, objects, levels and what fronts take; behind them labels, and the distances of --neck.
std::int64_t level_set_device_bytes(const AnyImage& image, const LevelSetOptions& options) {
    const Shape shape = plane_of(shape_of(image));
    const std::int64_t points = shape.points();
    const std::int64_t held =
        points * (std::min(pixel_type_bytes(pixel_type_of(image)), 4) + 1 + 2);
    const std::int64_t edges = options.edge ? 12 * points : 0;
    const std::int64_t tidying = options.neck.value > 0 ? 14 * points : 4 * points;
    return held + 4 * kernels::ftc_objects * kernels::ftc_levels +
           std::max({fronts_device_bytes(shape, true), fronts_device_bytes(shape, false), tidying,
                     edges});
}

}  // namespace tesela
