#include "motion/frames.h"

#include <algorithm>
#include <string>

namespace tesela::motion {

void check_frame(const AnyImageView& frame, const FlowView& flow) {
    check_flow(flow, "the flow");
    const Shape &f = frame.shape(), &v = flow.shape();
    if (f.dimensions() != 2)
        throw InvalidArgument("the frame has " + std::to_string(f.dimensions()) +
                              " dimensions: a flow field belongs to a 2-D image");
    if (f.x != v.x || f.y != v.y)
        throw InvalidArgument("the frame is " + std::to_string(f.x) + " x " + std::to_string(f.y) +
                              " and the flow " + std::to_string(v.x) + " x " + std::to_string(v.y) +
                              ": they must have one size");
}

double max_motion(const FlowView& flow, double asked) {
    if (!std::isfinite(asked) || asked < 0)
        throw InvalidArgument("a largest motion of " + std::to_string(asked) +
                              " pixels: it must be above 0, or 0 for that of the flow");
    if (asked > 0) return asked;
    double longest = 0;
    const float* vector = flow.data();
    for (std::int64_t i = 0; i < flow.shape().points(); ++i, vector += 2)
        if (is_known(vector[0], vector[1]))
            longest = std::max(longest, std::hypot(double{vector[0]}, double{vector[1]}));
    return longest > 0 ? longest : 1;
}

}  // namespace tesela::motion
