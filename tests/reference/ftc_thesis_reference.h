// Reference: regions of the fast two-cycle method, one voxel after the other (J. Lamas Rodriguez
// 2014, figures 4.3 to 4.12, with the repair of inactive neighbors).
#pragma once

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

namespace tesela::reference {

struct FtcThesis {
    using Place = std::array<int, 3>;

    std::array<int, 3> size{};
    std::vector<int> u = {}, speed = {};
    std::vector<unsigned> weights = {};  // along an axis, sum 256
    int launches = 5, data_steps = 6, smoothing_steps = 3, most_rounds = 100;
    bool loose = false;  // proposal 1

    std::set<std::array<int, 3>> active = {};  // regions by place
    std::vector<std::size_t> counts = {};      // of active regions, after each update
    int rounds = 0;
    bool stable = false;

    bool is_inside(const Place& p) const {
        for (int axis = 0; axis < 3; ++axis)
            if (p[axis] < 0 || p[axis] >= size[axis]) return false;
        return true;
    }
    std::size_t at(const Place& p) const {
        return (std::size_t(p[2]) * size[1] + p[1]) * size[0] + p[0];
    }
    static Place region_of(const Place& p) { return {p[0] / 8, p[1] / 8, p[2] / 8}; }
    static std::vector<Place> neighbors(const Place& p) {
        std::vector<Place> list;
        for (int axis = 0; axis < 3; ++axis)
            for (const int step : {-1, 1}) {
                list.push_back(p);
                list.back()[axis] += step;
            }
        return list;
    }
    template <class Use>
    void for_voxels(const Place& region, int apron, const Use& use) const {
        for (int z = -apron; z < 8 + apron; ++z)
            for (int y = -apron; y < 8 + apron; ++y)
                for (int x = -apron; x < 8 + apron; ++x)
                    use(Place{8 * region[0] + x, 8 * region[1] + y, 8 * region[2] + z});
    }

    static int repaired(int own, int beside) {
        return own == 3 && beside == -1 ? 1 : own == -3 && beside == 1 ? -1 : own;
    }
    int smoothing(const std::vector<int>& cells, const Place& p) const {
        const int radius = int(weights.size()) / 2;
        unsigned sum = 0;
        for (int z = -radius; z <= radius; ++z)
            for (int y = -radius; y <= radius; ++y)
                for (int x = -radius; x <= radius; ++x) {
                    const Place q{p[0] + x, p[1] + y, p[2] + z};
                    if (is_inside(q) && cells[at(q)] < 0)
                        sum += weights[x + radius] * weights[y + radius] * weights[z + radius];
                }
        const int own = cells[at(p)];
        return own == 1 && sum > 1u << 23 ? 1 : own == -1 && sum < 1u << 23 ? -1 : 0;
    }
    // What a region becomes; `cells` are those of the whole volume, of which it changes its own.
    std::vector<int> cycled(const Place& region, bool smooths) const {
        std::vector<int> cells = u;
        std::vector<Place> own;
        for_voxels(region, 0, [&](const Place& p) {
            if (is_inside(p)) own.push_back(p);
        });
        for (const Place& p : own)
            for (const Place& q : neighbors(p))
                if (is_inside(q) && region_of(q) != region)
                    cells[at(p)] = repaired(cells[at(p)], u[at(q)]);
        const auto touches = [&](const Place& p, int state) {
            const auto list = neighbors(p);
            return std::any_of(list.begin(), list.end(), [&](const Place& q) {
                return is_inside(q) && cells[at(q)] == state;
            });
        };
        for (int k = 0; k < (smooths ? smoothing_steps : data_steps); ++k) {
            std::vector<int> force;
            for (const Place& p : own)
                force.push_back(smooths ? smoothing(cells, p) : speed[at(p)]);
            for (const int side : {1, -1}) {  // advance, retreat
                for (std::size_t i = 0; i < own.size(); ++i)
                    if (cells[at(own[i])] == side && force[i] * side > 0) cells[at(own[i])] = -side;
                for (const Place& p : own)
                    if (cells[at(p)] == 3 * side && touches(p, -side)) cells[at(p)] = side;
                for (const Place& p : own)
                    if (cells[at(p)] == -side && !touches(p, side) && !touches(p, 3 * side))
                        cells[at(p)] = -3 * side;
            }
        }
        std::vector<int> result;
        for (const Place& p : own) result.push_back(cells[at(p)]);
        return result;
    }
    // Gives whether the front was stable.
    bool explore(bool is_loose) {
        std::set<Place> next;
        bool is_stable = true;
        for (const Place& region : active)
            for_voxels(region, 0, [&](const Place& p) {
                if (!is_inside(p)) return;
                const int own = u[at(p)], force = speed[at(p)];
                const bool moves = own * force > 0 && std::abs(own) == 1;
                const bool counts_here = is_loose ? own == 1 : moves;
                is_stable = is_stable && !moves;
                if (counts_here) next.insert(region);
                for (const Place& q : neighbors(p)) {
                    if (!is_inside(q) || region_of(q) == region) continue;
                    const bool there = repaired(u[at(q)], own) != u[at(q)];
                    const bool here = repaired(own, u[at(q)]) != own;
                    if (counts_here || there) next.insert(region_of(q));
                    if (here) next.insert(region);
                    is_stable = is_stable && !there && !here;
                }
            });
        active = next;
        counts.push_back(active.size());
        return is_stable;
    }
    bool iterate(bool smooths, bool is_loose) {
        std::vector<std::pair<Place, std::vector<int>>> changed;
        for (const Place& region : active) changed.emplace_back(region, cycled(region, smooths));
        for (const auto& one : changed) {
            std::size_t i = 0;
            for_voxels(one.first, 0, [&](const Place& p) {
                if (is_inside(p)) u[at(p)] = one.second[i++];
            });
        }
        return explore(is_loose);
    }
    void take_crossed() {
        active.clear();
        for (int z = 0; z < size[2]; ++z)
            for (int y = 0; y < size[1]; ++y)
                for (int x = 0; x < size[0]; ++x)
                    if (u[at({x, y, z})] == 1) active.insert(region_of({x, y, z}));
    }
    bool round(bool is_loose) {
        ++rounds;
        bool is_stable = false;
        for (int k = 0; k < launches && !is_stable; ++k) is_stable = iterate(false, is_loose);
        if (smoothing_steps > 0) iterate(true, is_loose);
        return is_stable;
    }
    void run() {
        take_crossed();
        while (!stable && rounds < most_rounds) stable = round(loose);
        if (!loose) {
            take_crossed();
            round(true);
        }
    }
};

}  // namespace tesela::reference
