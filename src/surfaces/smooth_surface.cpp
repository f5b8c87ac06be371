#include "surfaces/smooth_surface.h"

#include <limits>

namespace tesela::surfaces {
namespace {

using Points = std::vector<std::array<float, 3>>;

// By `factor` of the way to the mean of the neighbors.
void move(const Neighbors& neighbors, float factor, const Points& from, Points& to) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::array<float, 3> sum{};
        const auto around = neighbors.of(i);
        for (const std::uint32_t other : around)
            for (std::size_t a = 0; a < 3; ++a) sum[a] += from[other][a] - from[i][a];
        const float part = factor / static_cast<float>(around.size());
        for (std::size_t a = 0; a < 3; ++a) to[i][a] = from[i][a] + part * sum[a];
    }
}

}  // namespace

// An edge is passed once in each direction, so that each point gets each neighbor once.
Neighbors::Neighbors(const PolygonMesh& mesh)
    : begins_(mesh.points.size() + 1), list_(mesh.corners.size()) {
    for (const std::uint32_t point : mesh.corners) ++begins_[point + 1];
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
    for (std::size_t i = 0; i < mesh.ends.size(); ++i) {
        const auto corners = mesh.polygon(i);
        for (std::size_t k = 0; k < corners.size(); ++k)
            list_[next[corners[k]]++] = corners[(k + 1) % corners.size()];
    }
}

std::vector<std::uint32_t> Neighbors::parts() const {
    constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> parts(begins_.size() - 1, none), open;
    std::uint32_t count = 0;
    for (std::size_t first = 0; first < parts.size(); ++first) {
        if (parts[first] != none) continue;
        parts[first] = count;
        open.push_back(static_cast<std::uint32_t>(first));
        while (!open.empty()) {
            const std::uint32_t point = open.back();
            open.pop_back();
            for (const std::uint32_t other : of(point)) {
                if (parts[other] != none) continue;
                parts[other] = count;
                open.push_back(other);
            }
        }
        ++count;
    }
    return parts;
}

void smooth_taubin(const Neighbors& neighbors, int rounds, const Progress& progress,
                   Points& points) {
    constexpr float shrink = 0.5f, pass = 0.1f, inflate = 1 / (pass - 1 / shrink);
    Points moved(points.size());
    for (int round = 0; round < rounds; ++round) {
        progress.throw_if_cancelled();
        move(neighbors, shrink, points, moved);
        move(neighbors, inflate, moved, points);
    }
}

}  // namespace tesela::surfaces
