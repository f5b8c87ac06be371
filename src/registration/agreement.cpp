// A map that was found by chance fits the whole, for that is what was searched. It is not found
// again by the parts.
#include "registration/agreement.h"

#include <algorithm>
#include <cmath>

#include "registration/parts.h"
#include "registration/sampled_information.h"

namespace tesela {
namespace {

// In pixels of a level on which the tissue has at most `longest` a side. Parts overlap by half.
struct PartSizes {
    int longest, side, reach;
    double near;
};
constexpr PartSizes of_pictures{256, 32, 14, 4}, of_volumes{64, 16, 6, 2};

std::vector<Part> all_parts(const Shape& shape, int side) {
    const GridShift size{shape.x, shape.y, shape.z};
    const std::int64_t half = side / 2;
    std::vector<Part> parts;
    GridShift at{};
    for (at[2] = 0; at[2] == 0 || at[2] + half < size[2]; at[2] += half)
        for (at[1] = 0; at[1] == 0 || at[1] + half < size[1]; at[1] += half)
            for (at[0] = 0; at[0] == 0 || at[0] + half < size[0]; at[0] += half) {
                Part part{at, {}};
                for (std::size_t a = 0; a < 3; ++a) part.last[a] = std::min(at[a] + side, size[a]);
                parts.push_back(part);
            }
    return parts;
}

std::vector<GridShift> shifts_within(int reach, bool is_volume) {
    constexpr int step = 2;
    const int deep = is_volume ? reach : 0;
    std::vector<GridShift> shifts;
    for (int z = -deep; z <= deep; z += step)
        for (int y = -reach; y <= reach; y += step)
            for (int x = -reach; x <= reach; x += step) shifts.push_back({x, y, z});
    return shifts;
}

// The parts in which both images have structure.
std::vector<Part> parts_of(const PartComparison& compared, std::vector<Part> parts) {
    for (const bool is_moving : {false, true}) {
        constexpr double strong = 0.25;  // of that of a part with much structure
        std::vector<double> sorted;
        for (const Part& part : parts) sorted.push_back(compared.structure(part, is_moving));
        std::sort(sorted.begin(), sorted.end());
        const double least = sorted.empty() ? 0 : strong * sorted[sorted.size() * 9 / 10];
        std::erase_if(parts, [&](const Part& part) {
            const double here = compared.structure(part, is_moving);
            return here == 0 || here < least;
        });
    }
    return parts;
}

std::unique_ptr<PartComparison> information_of_parts(const RegistrationImage& fixed,
                                                     const RegistrationLevel& level,
                                                     const RegistrationLevel& other,
                                                     const LinearMap& map, Queue& queue) {
    constexpr auto measure = RegistrationMeasure::nmi;
    SampledInformation samples(queue, level, other, UnitSpace(fixed.grid), measure,
                               level.shape.points());
    return compare_information(LevelComparison(queue, level, other, measure).fields(map),
                               samples.information(map).pointwise);
}

}  // namespace

Agreement agreement_of_parts(const RegistrationImage& fixed, const RegistrationImage& moving,
                             const LinearMap& map, Queue& queue) {
    const bool is_volume = fixed.dimensions() == 3;
    const PartSizes& sizes = is_volume ? of_volumes : of_pictures;
    const RegistrationLevel& level =
        first_within(fixed.levels, fixed.side_for_tissue(sizes.longest));
    const RegistrationLevel& other = matching_level(moving.levels, level);
    const auto compared =
        is_volume ? information_of_parts(fixed, level, other, map, queue)
                  : compare_directions(LevelComparison(queue, level, other).fields(map));
    const std::vector<GridShift> shifts = shifts_within(sizes.reach, is_volume);
    Agreement agreement;
    for (const Part& part : parts_of(*compared, all_parts(level.shape, sizes.side))) {
        double best = -1e9;
        GridShift where{};
        for (const GridShift& shift : shifts) {
            const std::optional<double> fit = compared->fit(part, shift);
            if (!fit || *fit <= best) continue;
            best = *fit;
            where = shift;
        }
        agreement.parts += 1;
        agreement.agreeing += std::hypot(where[0], where[1], where[2]) <= sizes.near;
    }
    return agreement;
}

bool is_agreed(const Agreement& agreement) {
    // Up to a fourth of the parts of different objects agree, because their outlines are aligned.
    constexpr double by_chance = 0.2, deviations = 1.5;
    return agreement.agreeing >=
               by_chance * agreement.parts + deviations * std::sqrt(double(agreement.parts)) &&
           agreement.parts > 0;
}

}  // namespace tesela
