// Where two voxels of a label meet at an edge or a corner alone, the faces there touch, and a mesh
// that shared their points would not be a surface. So faces continue at each edge with the face of
// the same voxel, as if the other voxel were not there, and a corner gets a point for each ring of
// faces around it. The edge between two such voxels gets a point in its middle for each of them, or
// two edges might have the same ends.
#include "surfaces/voxel_surface.h"

#include <algorithm>
#include <unordered_map>

namespace tesela::surfaces {
namespace {

using Index = std::array<std::int64_t, 3>;

// For each set of the 8 voxels around a corner, the ring that a face belongs to. Voxel v lies on
// the upper side of axis a where bit a is set; its face towards the voxel v ^ (1 << a) is 3 v + a.
struct Rings {
    std::array<std::array<std::uint8_t, 24>, 256> ring{};
    std::array<std::uint8_t, 256> count{};

    constexpr Rings() {
        for (unsigned set = 0; set < 256; ++set)
            for (unsigned face = 0; face < 24; ++face)
                if (is_face(set, face) && ring[set][face] == 0) follow(set, face, ++count[set]);
    }

  private:
    static constexpr bool has(unsigned set, unsigned voxel) { return (set >> voxel & 1) != 0; }
    static constexpr bool is_face(unsigned set, unsigned face) {
        return has(set, face / 3) && !has(set, face / 3 ^ 1u << face % 3);
    }
    // The face behind the edge at which the voxel's sides towards the axes a and b meet.
    static constexpr unsigned next(unsigned set, unsigned voxel, unsigned a, unsigned b) {
        const unsigned beside = voxel ^ 1u << b, across = beside ^ 1u << a;
        if (!has(set, beside)) return 3 * voxel + b;
        return has(set, across) ? 3 * across + b : 3 * beside + a;
    }
    // Numbers from 1 on while rings are made.
    constexpr void follow(unsigned set, unsigned first, std::uint8_t number) {
        std::array<unsigned, 24> found{first};
        unsigned count_found = 1;
        ring[set][first] = number;
        for (unsigned i = 0; i < count_found; ++i) {
            const unsigned voxel = found[i] / 3, a = found[i] % 3;
            for (unsigned b = 0; b < 3; ++b) {
                if (b == a) continue;
                const unsigned face = next(set, voxel, a, b);
                if (ring[set][face] != 0) continue;
                ring[set][face] = number;
                found[count_found++] = face;
            }
        }
    }
};
constexpr Rings rings;

class Builder {
  public:
    Builder(const LabelView& labels, std::uint32_t label, std::span<const VoxelFace> faces)
        : labels_(labels.data()), label_(label) {
        const Shape& shape = labels.shape();
        size_ = {shape.x, shape.y, shape.z};
        Index last{};
        first_ = size_;
        for (const VoxelFace face : faces) {
            const Index voxel = voxel_of(face);
            for (std::size_t a = 0; a < 3; ++a) {
                first_[a] = std::min(first_[a], voxel[a]);
                last[a] = std::max(last[a], voxel[a]);
            }
        }
        row_ = last[0] - first_[0] + 2;
        for (std::vector<Corner>& plane : planes_)
            plane.resize(static_cast<std::size_t>(row_ * (last[1] - first_[1] + 2)));
        mesh_.points.reserve(faces.size());
        mesh_.corners.reserve(4 * faces.size());
        mesh_.ends.reserve(faces.size());
    }

    PolygonMesh build(std::span<const VoxelFace> faces) {
        for (const VoxelFace face : faces) add(face);
        return std::move(mesh_);
    }

  private:
    // A corner of voxels: the points of its rings are one behind the other.
    struct Corner {
        std::int64_t plane = -1;
        std::uint32_t point = 0;
        std::uint8_t set = 0;
    };

    Index voxel_of(VoxelFace face) const {
        const auto voxel = static_cast<std::int64_t>(face / 6);
        return {voxel % size_[0], voxel / size_[0] % size_[1], voxel / (size_[0] * size_[1])};
    }
    bool is_inside(const Index& voxel) const {
        for (std::size_t a = 0; a < 3; ++a)
            if (voxel[a] < 0 || voxel[a] >= size_[a]) return false;
        return labels_[(voxel[2] * size_[1] + voxel[1]) * size_[0] + voxel[0]] == label_;
    }

    // Around the face, from its inside: a corner of it is on the lower or upper side of the two
    // axes that follow its own.
    void add(VoxelFace face) {
        static constexpr std::array<std::array<int, 2>, 4> around{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
        const Index voxel = voxel_of(face);
        const std::size_t a = face % 6 / 2, b = (a + 1) % 3, c = (a + 2) % 3;
        const bool upper = face % 2 == 1;
        for (std::size_t k = 0; k < 4; ++k) {
            const auto& here = around[upper ? k : 3 - k];
            const auto& there = around[upper ? (k + 1) % 4 : (6 - k) % 4];
            Index side{};
            side[a] = upper;
            side[b] = here[0];
            side[c] = here[1];
            mesh_.corners.push_back(corner_point(voxel, side, a));
            const std::size_t beside = here[0] == there[0] ? b : c;
            Index neighbor = voxel;
            neighbor[beside] += here[0] == there[0] ? 2 * here[0] - 1 : 2 * here[1] - 1;
            if (is_inside(neighbor)) continue;
            Index across = neighbor;
            across[a] += upper ? 1 : -1;
            if (is_inside(across)) mesh_.corners.push_back(middle_point(voxel, across));
        }
        mesh_.ends.push_back(static_cast<std::uint32_t>(mesh_.corners.size()));
    }

    // Of the ring of the voxel's face towards axis `a`; the corner is on these sides of the voxel.
    std::uint32_t corner_point(const Index& voxel, const Index& side, std::size_t a) {
        const Index at{voxel[0] + side[0], voxel[1] + side[1], voxel[2] + side[2]};
        Corner& corner =
            planes_[static_cast<std::size_t>(at[2] % 2)]
                   [static_cast<std::size_t>((at[1] - first_[1]) * row_ + at[0] - first_[0])];
        if (corner.plane != at[2]) {
            corner = {at[2], static_cast<std::uint32_t>(mesh_.points.size()), voxels_around(at)};
            for (int i = 0; i < rings.count[corner.set]; ++i)
                mesh_.points.push_back({static_cast<float>(at[0]) - 0.5f,
                                        static_cast<float>(at[1]) - 0.5f,
                                        static_cast<float>(at[2]) - 0.5f});
        }
        const auto v = static_cast<std::size_t>(7 - side[0] - 2 * side[1] - 4 * side[2]);
        return corner.point + rings.ring[corner.set][3 * v + a] - 1u;
    }
    std::uint8_t voxels_around(const Index& corner) const {
        unsigned set = 0;
        for (unsigned v = 0; v < 8; ++v)
            if (is_inside({corner[0] - 1 + (v & 1), corner[1] - 1 + (v >> 1 & 1),
                           corner[2] - 1 + (v >> 2)}))
                set |= 1u << v;
        return static_cast<std::uint8_t>(set);
    }

    // Of the voxel, on the edge that it shares with the voxel across.
    std::uint32_t middle_point(const Index& voxel, const Index& across) {
        std::array<float, 3> point{};
        std::uint64_t edge = 0;
        for (std::size_t a = 0; a < 3; ++a) {
            point[a] = 0.5f * static_cast<float>(voxel[a] + across[a]);
            edge = 3 * edge + static_cast<std::uint64_t>(across[a] - voxel[a] + 1);
        }
        const auto number =
            static_cast<std::uint64_t>((voxel[2] * size_[1] + voxel[1]) * size_[0] + voxel[0]);
        const auto [found, is_new] = middles_.try_emplace(
            27 * number + edge, static_cast<std::uint32_t>(mesh_.points.size()));
        if (is_new) mesh_.points.push_back(point);
        return found->second;
    }

    const std::uint32_t* labels_;
    std::uint32_t label_;
    Index size_{}, first_{};
    std::int64_t row_ = 0;
    std::array<std::vector<Corner>, 2> planes_;  // the last corners of even and odd z
    std::unordered_map<std::uint64_t, std::uint32_t> middles_;
    PolygonMesh mesh_;
};

}  // namespace

PolygonMesh voxel_surface(const LabelView& labels, std::uint32_t label,
                          std::span<const VoxelFace> faces) {
    return Builder(labels, label, faces).build(faces);
}

}  // namespace tesela::surfaces
