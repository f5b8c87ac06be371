#include "segmentation/mean_shift/thesis/labels.h"

#include <array>
#include <span>

#include "kernels/mean_shift/thesis_labels.kernel.h"
#include "tesela/compute/primitives.h"

namespace tesela::thesis {
namespace {

std::uint32_t read_one(Queue& queue, const Buffer<std::uint32_t>& buffer) {
    std::array<std::uint32_t, 1> value{};
    queue.read(buffer, std::span<std::uint32_t>(value));
    return value[0];
}

}  // namespace

int equivalence_labels(Queue& queue, const Shape& shape, int channels,
                       const Buffer<std::int32_t>& features, std::int64_t limit2,
                       Buffer<std::uint32_t>& labels) {
    const std::int64_t points = shape.points();
    auto list = queue.allocate<std::uint32_t>(points, "equivalence list");
    auto changed = queue.allocate<std::uint32_t>(1, "whether a label changed");
    queue.launch(kernels::thesis_labels_start, Range{points}, labels, list);
    for (int passes = 1;; ++passes) {
        queue.fill(changed, 0u);
        queue.launch(kernels::thesis_labels_scan, Range{points}, features, labels, list, changed,
                     points, channels, limit2, static_cast<int>(shape.x), static_cast<int>(shape.y),
                     static_cast<int>(shape.z), static_cast<int>(shape.t));
        if (read_one(queue, changed) == 0) return passes;
        queue.launch(kernels::thesis_labels_analyze, Range{points}, labels, list);
        queue.launch(kernels::thesis_labels_assign, Range{points}, labels, list);
    }
}

Buffer<std::uint32_t> number_labels(Queue& queue, std::int64_t points,
                                    Buffer<std::uint32_t>& labels) {
    auto is_root = queue.allocate<std::uint32_t>(points, "roots");
    auto rank = queue.allocate<std::uint32_t>(points + 1, "ranks of the roots");
    auto count = queue.allocate<std::uint32_t>(1, "number of labels");
    queue.launch(kernels::thesis_labels_roots, Range{points}, labels, is_root);
    exclusive_scan(queue, is_root, points, rank);
    queue.launch(kernels::thesis_labels_number, Range{points}, labels, rank);
    queue.launch(kernels::thesis_labels_count, Range{1}, rank, count, points);
    return count;
}

}  // namespace tesela::thesis
