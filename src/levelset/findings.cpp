#include "levelset/findings.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace tesela {
namespace {

std::string list_of(const std::set<std::uint32_t>& labels) {
    std::string text;
    for (const std::uint32_t label : labels)
        text += (text.empty() ? "" : ", ") + std::to_string(label);
    return (labels.size() == 1 ? "object " : "objects ") + text;
}

// Objects that reach the border of the image may extend beyond it.
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

}  // namespace

void add_warnings(LevelSetReport& result, const LabelImage& labels) {
    std::set<std::uint32_t> empty;
    for (const LevelSetObject& object : result.objects)
        if (object.points == 0) empty.insert(object.label);
    if (!empty.empty())
        result.warnings.push_back(list_of(empty) +
                                  ": nothing is left; widen the limits or move the seeds");
    if (const auto border = at_border(labels); !border.empty())
        result.warnings.push_back(list_of(border) + ": the border of the image is reached");
    if (result.end == LevelSetEnd::max_iterations)
        result.warnings.push_back("the objects still move after " +
                                  std::to_string(result.iterations) +
                                  " iterations: raise --max-iterations");
    if (result.end == LevelSetEnd::max_volume)
        result.warnings.push_back(
            "an object is larger than --max-volume: it may have leaked; the run was stopped");
}

void count_points(LevelSetReport& result, const LabelImage& labels) {
    std::map<std::uint32_t, std::int64_t> counts;
    const std::vector<std::uint32_t>& of = labels.pixels();
    for (auto run = of.begin(); run != of.end();) {
        const std::uint32_t label = *run;
        const auto end = std::find_if(run, of.end(), [&](std::uint32_t l) { return l != label; });
        counts[label] += end - run;
        run = end;
    }
    for (LevelSetObject& object : result.objects) {
        const std::int64_t before = object.points;
        object.points = counts[object.label];
        if (object.volume && before > 0)
            *object.volume *= static_cast<double>(object.points) / static_cast<double>(before);
    }
}

}  // namespace tesela
