#include "levelset/findings.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/levelset/level_set_levels.kernel.h"
#include "tesela/compute/primitives.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

struct Finding {
    std::int64_t points = 0;
    bool is_at_border = false;  // of the image: the object may extend beyond it
};

template <class AnyBuffer>
std::vector<Finding> find(Queue& queue, const Shape& shape, const AnyBuffer& labels,
                          const std::vector<LevelSetObject>& objects) {
    std::vector<u32> names;
    for (const LevelSetObject& object : objects) names.push_back(object.label);
    const auto count = static_cast<i32>(names.size());
    auto numbers = queue.allocate<u32>(shape.points(), "numbers of objects");
    auto border = queue.allocate_filled<u32>(count + 1, 0u, "objects at the border");
    auto counts = queue.allocate<u32>(count + 1, "points of objects");
    queue.launch(kernels::level_set_find, Range{shape.x, shape.y, shape.z}, labels,
                 queue.upload(std::span<const u32>(names), "labels of objects"), count,
                 static_cast<i32>(shape.x), static_cast<i32>(shape.y), static_cast<i32>(shape.z),
                 numbers, border);
    histogram(queue, numbers, shape.points(), count + 1, counts);
    const std::vector<u32> points = queue.download(counts), marks = queue.download(border);
    std::vector<Finding> found;
    for (std::size_t i = 1; i < points.size(); ++i) found.push_back({points[i], marks[i] != 0});
    return found;
}

// "objects 1, 2" of those that the condition holds for; empty for none.
template <class Holds>
std::string list_of(const std::vector<LevelSetObject>& objects, const Holds& holds) {
    std::string text;
    int count = 0;
    for (std::size_t i = 0; i < objects.size(); ++i)
        if (holds(i)) text += (count++ > 0 ? ", " : "") + std::to_string(objects[i].label);
    return count == 0 ? text : (count == 1 ? "object " : "objects ") + text;
}

}  // namespace

template <class AnyBuffer>
void add_findings(LevelSetReport& result, Queue& queue, const Shape& shape,
                  const AnyBuffer& labels) {
    const std::vector<Finding> found = find(queue, shape, labels, result.objects);
    for (std::size_t i = 0; i < found.size(); ++i) {
        LevelSetObject& object = result.objects[i];
        const std::int64_t before = std::exchange(object.points, found[i].points);
        if (object.volume && before > 0)
            *object.volume *= static_cast<double>(object.points) / static_cast<double>(before);
    }
    const auto is_empty = [&](std::size_t i) { return found[i].points == 0; };
    const auto is_at_border = [&](std::size_t i) { return found[i].is_at_border; };
    if (const std::string empty = list_of(result.objects, is_empty); !empty.empty())
        result.warnings.push_back(empty + ": nothing is left; widen the limits or move the seeds");
    if (const std::string border = list_of(result.objects, is_at_border); !border.empty())
        result.warnings.push_back(border + ": the border of the image is reached");
    if (result.end == LevelSetEnd::max_iterations)
        result.warnings.push_back("the objects still move after " +
                                  std::to_string(result.iterations) +
                                  " iterations: raise --max-iterations");
    if (result.end == LevelSetEnd::max_volume)
        result.warnings.push_back(
            "an object is larger than --max-volume: it may have leaked; the run was stopped");
}
template void add_findings(LevelSetReport&, Queue&, const Shape&, const Buffer<u32>&);
template void add_findings(LevelSetReport&, Queue&, const Shape&, const Buffer<const u32>&);

}  // namespace tesela
