// In which larger objects the objects of a label map lie.
#include <algorithm>
#include <string>
#include <utility>

#include "core/point_text.h"
#include "tesela/measure.h"

namespace tesela {

namespace {

// Pixels of an object with one label of the parents.
struct Overlap {
    std::uint32_t object, parent;
    std::int64_t points;
};

// Those of runs of rows, and of pixels that follow one another.
std::vector<Overlap> overlaps_of(const LabelView& labels, const LabelView& parents) {
    std::vector<Overlap> overlaps;
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

}  // namespace

std::vector<std::uint32_t> parents_of(const LabelView& labels, const LabelView& parents) {
    if (labels.shape() != parents.shape())
        throw InvalidArgument("the parents are " + size_text(parents.shape()) +
                              ", and the label map is " + size_text(labels.shape()));
    std::vector<Overlap> overlaps = overlaps_of(labels, parents);
    std::sort(overlaps.begin(), overlaps.end(), [](const Overlap& a, const Overlap& b) {
        return std::pair(a.object, a.parent) < std::pair(b.object, b.parent);
    });
    std::vector<std::uint32_t> found;
    std::int64_t most = 0;
    for (std::size_t first = 0, end = 0; first < overlaps.size(); first = end) {
        const auto [object, parent, ignored] = overlaps[first];
        std::int64_t points = 0;
        for (; end < overlaps.size() && overlaps[end].object == object &&
               overlaps[end].parent == parent;
             ++end)
            points += overlaps[end].points;
        if (first == 0 || overlaps[first - 1].object != object) {
            found.push_back(parent);
            most = points;
        } else if (points > most) {
            found.back() = parent;
            most = points;
        }
    }
    return found;
}

}  // namespace tesela
