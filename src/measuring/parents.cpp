// In which larger objects the objects of a label map lie.
#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include "core/point_text.h"
#include "core/threads.h"
#include "measuring/part_map.h"
#include "tesela/measure.h"

namespace tesela {

namespace {

// Pixels of an object with one label of the parents.
struct Overlap {
    std::uint32_t object, parent;
    std::int64_t points;
};
using Overlaps = std::vector<Overlap>;

// Those of runs of rows, and of pixels that follow one another.
Overlaps overlaps_of(const LabelView& labels, const LabelView& parents) {
    Overlaps overlaps;
    for (std::size_t i = 0; i < labels.pixels().size(); ++i) {
        const std::uint32_t object = labels.pixels()[i], parent = parents.pixels()[i];
        if (object == 0) continue;
        if (overlaps.empty() || overlaps.back().object != object ||
            overlaps.back().parent != parent)
            overlaps.push_back({object, parent, 0});
        ++overlaps.back().points;
    }
    return overlaps;
}

// By objects, then by parents, each pair once.
void add_up(Overlaps& overlaps) {
    std::sort(overlaps.begin(), overlaps.end(), [](const Overlap& a, const Overlap& b) {
        return std::pair(a.object, a.parent) < std::pair(b.object, b.parent);
    });
    std::size_t count = 0;
    for (const Overlap& overlap : overlaps) {
        if (count > 0 && overlaps[count - 1].object == overlap.object &&
            overlaps[count - 1].parent == overlap.parent)
            overlaps[count - 1].points += overlap.points;
        else
            overlaps[count++] = overlap;
    }
    overlaps.resize(count);
}

// Of overlaps that are added up.
std::vector<std::uint32_t> largest_of(const Overlaps& overlaps) {
    std::vector<std::uint32_t> found;
    std::int64_t most = 0;
    for (std::size_t k = 0; k < overlaps.size(); ++k) {
        if (k == 0 || overlaps[k - 1].object != overlaps[k].object)
            found.push_back(overlaps[k].parent);
        else if (overlaps[k].points > most)
            found.back() = overlaps[k].parent;
        else
            continue;
        most = overlaps[k].points;
    }
    return found;
}

}  // namespace

std::vector<std::uint32_t> parents_of(const LabelView& labels, const LabelView& parents) {
    if (labels.shape() != parents.shape())
        throw InvalidArgument("the parents are " + size_text(parents.shape()) +
                              ", and the label map is " + size_text(labels.shape()));
    Overlaps overlaps = overlaps_of(labels, parents);
    add_up(overlaps);
    return largest_of(overlaps);
}

std::vector<std::uint32_t> parents_in_parts(const VolumeInput& labels, const VolumeInput& parents,
                                            const PartSize& size, int threads,
                                            const Progress& progress) {
    if (labels.facts().shape != parents.facts().shape)
        throw InvalidArgument("the parents are " + size_text(parents.facts().shape) +
                              ", and the label map is " + size_text(labels.facts().shape));
    const PartGrid grid(labels.facts().shape, size);
    std::mutex mutex;
    Overlaps all;
    std::size_t added = 0;  // of them, up to now
    const auto add = [&](std::int64_t part, std::size_t) {
        const measuring::PartMap objects = measuring::read_part(labels, grid, part),
                                 larger = measuring::read_part(parents, grid, part);
        Overlaps overlaps = overlaps_of(objects.labels, larger.labels);
        add_up(overlaps);
        for (Overlap& overlap : overlaps) {
            overlap.object = objects.of_map[overlap.object - 1];
            if (overlap.parent > 0) overlap.parent = larger.of_map[overlap.parent - 1];
        }
        const std::lock_guard lock(mutex);
        all.insert(all.end(), overlaps.begin(), overlaps.end());
        if (all.size() < 2 * added) return;
        add_up(all);
        added = all.size();
    };
    for_each_part(grid.count(), static_cast<std::size_t>(detail::threads_or_all(threads)), progress,
                  "parents", add);
    add_up(all);
    return largest_of(all);
}

}  // namespace tesela
