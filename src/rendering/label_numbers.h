// Labels as the numbers that kernels take: visible ones first, then hidden ones.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tesela/brick_source.h"
#include "tesela/image_view.h"
#include "tesela/render.h"

namespace tesela::rendering {

class LabelNumbers {
  public:
    // Throws InvalidArgument for too many colors.
    explicit LabelNumbers(const std::vector<LabelColor>& colors);

    // Takes these colors instead, and gives a number to visible labels that had none. False, and
    // nothing is changed, where numbers that were given would no longer be right.
    bool replace_colors(const std::vector<LabelColor>& colors);

    // Numbers of the labels at a coarser level of the volume.
    Image<std::uint16_t> of(const LabelView& labels, int level) const;
    // The same of the voxels of that level that a box of the volume has a part of.
    Image<std::uint16_t> of(const LabelView& labels, int level, const VoxelBox& box) const;

    // And opacities, four for each number.
    const std::vector<float>& colors() const { return colors_; }
    std::uint32_t visible() const { return visible_; }  // numbers from 1 to this
    // The label of a number; 0 also for those without a color.
    std::uint32_t name(std::size_t number) const { return names_[number]; }

  private:
    bool is_visible(std::uint16_t number) const { return number - 1u < visible_; }
    void set(std::uint16_t number, const LabelColor& label);
    Image<std::uint16_t> numbered(const LabelView& labels) const;

    std::unordered_map<std::uint32_t, std::uint16_t> numbers_;
    std::vector<float> colors_;
    std::vector<std::uint32_t> names_;
    std::uint32_t visible_ = 0;
    std::uint16_t next_ = 1;     // of the visible numbers, those from here on are spare
    std::uint16_t unnamed_ = 0;  // of labels without a color
};

// The voxels of a coarser level that a box of the volume has a part of.
VoxelBox at_level(const VoxelBox& box, int level);

}  // namespace tesela::rendering
