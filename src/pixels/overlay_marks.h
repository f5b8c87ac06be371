// What stands on pictures of labels: their numbers, and the sides of a patient.
#pragma once

#include "pixels/slice_panels.h"
#include "tesela/image_view.h"

namespace tesela {

// Of an image with a time axis the middle frame is shown.
inline std::int64_t shown_frame(const Shape& shape) { return shape.t / 2; }
inline std::uint32_t label_at(const LabelView& labels, const Panel& panel, int column, int row) {
    const auto [x, y, z] = panel.voxel(column, row);
    return labels(x, y, z, shown_frame(labels.shape()));
}

// The number of each label but 0 in white on black, at its pixel that is nearest to its center.
void draw_numbers(Image<std::uint8_t>& picture, const Panel& panel, const LabelView& labels,
                  const Progress& progress);

// The letters of the sides at the edges of the panel, where they are known.
void draw_sides(Image<std::uint8_t>& picture, const Panel& panel);

}  // namespace tesela
