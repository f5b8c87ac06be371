// Reference: fronts of the fast two-cycle method, one point after the other (docs/level-sets.md).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

namespace tesela::reference {

struct FtcVolume {
    std::array<int, 3> size{};
    std::size_t points() const { return std::size_t(size[0]) * size[1] * size[2]; }
    std::size_t at(int x, int y, int z) const {
        const auto inside = [](int v, int length) { return std::clamp(v, 0, length - 1); };
        return (std::size_t(inside(z, size[2])) * size[1] + inside(y, size[1])) * size[0] +
               inside(x, size[0]);
    }
};

struct FtcRun {
    FtcVolume volume;
    int objects = 1;
    int data_steps = 10, smoothing_steps = 2;
    std::array<std::vector<unsigned>, 3> weights{};  // at distances 0, 1, ...
    // Of object k (from 1 on) at a point.
    std::function<int(int object, std::size_t point)> speed;
    std::function<bool(std::size_t point)> may_enter = [](std::size_t) { return true; };

    std::vector<int> labels;
    int rounds = 0, period = 0;
    enum { none, stable, limit_cycle } end = none;

    template <class Next>
    bool step(const Next& next) {
        std::vector<int> after = labels;
        for (int z = 0; z < volume.size[2]; ++z)
            for (int y = 0; y < volume.size[1]; ++y)
                for (int x = 0; x < volume.size[0]; ++x) {
                    const std::size_t here = volume.at(x, y, z);
                    // Beyond the image stands the point itself, which makes no border.
                    std::set<int> others;
                    bool border = false;
                    for (const auto& [dx, dy, dz] : std::vector<std::array<int, 3>>{
                             {-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}) {
                        const int label = labels[volume.at(x + dx, y + dy, z + dz)];
                        border = border || label != labels[here];
                        if (label != 0 && label != labels[here]) others.insert(label);
                    }
                    if (border) after[here] = next(std::array{x, y, z}, here, others);
                }
        const bool moved = after != labels;
        labels = after;
        return moved;
    }
    bool data_step() {
        return step([&](const auto&, std::size_t here, const std::set<int>& others) {
            const int own = labels[here];
            const int stays = own ? speed(own, here) : 0;
            int best = 0, best_speed = std::max(stays, 0);
            for (const int other : others)  // ascending: of equal ones the lowest label
                if (may_enter(here) && speed(other, here) > best_speed) {
                    best = other;
                    best_speed = speed(other, here);
                }
            return best ? best : own && stays < 0 ? 0 : own;
        });
    }
    // The smoothed set of an object, in parts of 256^3.
    long long smoothed(int object, const std::array<int, 3>& p) const {
        const auto radius = [&](int axis) { return int(weights[axis].size()) - 1; };
        long long sum = 0;
        for (int dz = -radius(2); dz <= radius(2); ++dz)
            for (int dy = -radius(1); dy <= radius(1); ++dy)
                for (int dx = -radius(0); dx <= radius(0); ++dx)
                    if (labels[volume.at(p[0] + dx, p[1] + dy, p[2] + dz)] == object)
                        sum += 1LL * weights[0][std::abs(dx)] * weights[1][std::abs(dy)] *
                               weights[2][std::abs(dz)];
        return sum;
    }
    void smoothing_step() {
        constexpr long long half = 256 * 256 * 128;
        step([&](const std::array<int, 3>& p, std::size_t here, const std::set<int>& others) {
            const int own = labels[here];
            if (own && smoothed(own, p) >= half) return own;
            for (const int other : others)
                if (may_enter(here) && smoothed(other, p) > half) return other;
            return 0;
        });
    }
    void run(int most_rounds) {
        std::vector<std::vector<int>> states;
        for (; rounds < most_rounds && end == none; ++rounds) {
            bool moved = false;
            for (int k = 0; k < data_steps; ++k) moved = data_step();
            for (int k = 0; k < smoothing_steps; ++k) smoothing_step();
            const auto earlier = std::find(states.begin(), states.end(), labels);
            if (earlier != states.end()) {
                end = limit_cycle;
                period = int(states.end() - earlier);
            }
            if (!moved) end = stable;
            states.push_back(labels);
            if (states.size() > 24) states.erase(states.begin());
        }
    }
};

}  // namespace tesela::reference
