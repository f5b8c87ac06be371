// Outlines of labels that run between the middles of pixels and have soft edges.
#pragma once

#include <functional>

#include "pixels/slice_panels.h"
#include "tesela/color.h"
#include "tesela/image_view.h"
#include "tesela/progress.h"

namespace tesela {

// Of the pixels that a panel shows, however large it shows them. Where four pixels meet, a line has
// the color of their highest label.
void draw_smooth_lines(Image<std::uint8_t>& picture, const Panel& panel, const LabelView& labels,
                       double width, const std::function<Rgb(std::uint32_t)>& color_of,
                       const Progress& progress);

}  // namespace tesela
