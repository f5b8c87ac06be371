// The tree of wavelet packets, as cells of the last level.
#pragma once

#include <array>
#include <cstdint>

#include "tesela/wavelet_packet.h"

namespace tesela {

// A band: the number of its first cell along each axis, and how many it has.
struct PacketBand {
    std::array<std::int64_t, 3> first{0, 0, 0}, cells;
    int level = 0;
};

class PacketTree {
  public:
    PacketTree(const Shape& shape, int levels) : levels_(levels) {
        const std::array<std::int64_t, 3> axes{shape.x, shape.y, shape.z};
        for (std::size_t axis = 0; axis < 3; ++axis)
            cells_[axis] = axes[axis] > 1 ? std::int64_t{1} << levels : 1;
    }
    const std::array<std::int64_t, 3>& cells() const { return cells_; }
    std::int64_t count() const { return cells_[0] * cells_[1] * cells_[2]; }
    int levels() const { return levels_; }
    PacketBand whole() const { return {{0, 0, 0}, cells_, 0}; }

    std::size_t cell(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return static_cast<std::size_t>((z * cells_[1] + y) * cells_[0] + x);
    }
    std::size_t first_cell(const PacketBand& band) const {
        return cell(band.first[0], band.first[1], band.first[2]);
    }
    template <class Use>
    void for_cells(const PacketBand& band, const Use& use) const {
        for (std::int64_t z = 0; z < band.cells[2]; ++z)
            for (std::int64_t y = 0; y < band.cells[1]; ++y)
                for (std::int64_t x = 0; x < band.cells[0]; ++x)
                    use(cell(band.first[0] + x, band.first[1] + y, band.first[2] + z));
    }
    // Calls use(part) for the parts of a band that is not of the last level.
    template <class Use>
    void for_parts(const PacketBand& band, const Use& use) const {
        std::array<std::int64_t, 3> parts{};
        PacketBand part{{}, {}, band.level + 1};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            parts[axis] = cells_[axis] > 1 ? 2 : 1;
            part.cells[axis] = band.cells[axis] / parts[axis];
        }
        for (std::int64_t z = 0; z < parts[2]; ++z)
            for (std::int64_t y = 0; y < parts[1]; ++y)
                for (std::int64_t x = 0; x < parts[0]; ++x) {
                    part.first = {band.first[0] + x * part.cells[0],
                                  band.first[1] + y * part.cells[1],
                                  band.first[2] + z * part.cells[2]};
                    use(part);
                }
    }
    // Calls use(leaf) for the bands of a basis.
    template <class Use>
    void for_leaves(const PacketLeaves& leaves, const PacketBand& band, const Use& use) const {
        if (leaves[first_cell(band)] == band.level)
            use(band);
        else
            for_parts(band, [&](const PacketBand& part) { for_leaves(leaves, part, use); });
    }

  private:
    std::array<std::int64_t, 3> cells_;
    int levels_;
};

}  // namespace tesela
