// Flow fields made visible.
#pragma once

#include <cstdint>

#include "tesela/flow_field.h"
#include "tesela/overlay.h"

namespace tesela {

struct FlowPicture {
    Image<std::uint8_t> picture;  // RGB, of the field's size
    double max_motion = 0;        // as used, pixels
};

// The color code of the Middlebury benchmark (S. Baker et al., "A Database and Evaluation
// Methodology for Optical Flow", IJCV 92, 2011): the hue is the direction, right being red, down
// yellow, left cyan and up violet; the color grows from white at rest to full at `max_motion`
// pixels, and is darker beyond. Unknown vectors are black. A `max_motion` of 0 takes the length of
// the longest known vector, or 1 where nothing moves. Throws InvalidArgument for what is no flow
// field and for a `max_motion` that is negative or not finite.
FlowPicture flow_colors(const FlowView& flow, double max_motion = 0);

struct ArrowOptions {
    std::int64_t spacing = 0;  // pixels between arrows; 0: so that some 24 fit the longer side
    double max_motion = 0;     // the motion whose arrow is as long as the spacing; 0: the longest
    Rgb color{255, 255, 0};
};

// Arrows with a dark outline over a frame: each starts at a pixel and shows the vector there, where
// it is known, all on one scale; none is longer than three spacings. The frame is shown as
// boundary_overlay shows it. Throws InvalidArgument for what is no flow field, for a frame of
// another size, and for negative options.
FlowPicture flow_arrows(const AnyImageView& frame, const FlowView& flow,
                        const ArrowOptions& options = {});

// The second frame taken back along the flow: where the flow is right, it equals the first frame.
// The value at (x, y) is that of the second frame at (x + u, y + v), bilinear between pixels, in
// the frame's own type (integers rounded to nearest). What the flow does not know, and what it
// takes from more than half a pixel outside the frame, is 0: it is not to be confused with what
// fits. Channels are treated alike; an integer flow copies pixels exactly. Throws InvalidArgument
// for what is no flow field and for a frame of another size.
AnyImage warped_back(const AnyImageView& second, const FlowView& flow);

}  // namespace tesela
