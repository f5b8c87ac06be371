// Exhaustive search of poses: all rotations, mirror images, a range of scales, and all shifts at
// once, by Fourier transforms.
//
// Directions of gradients are compared, whichever side is dark: a gradient of weight w and
// angle a is z = w exp(2ia), and Re corr(z, z') sums w w' cos 2(a - a') over the overlap of both
// masks at every shift. The measure: E. Haber, J. Modersitzki, "Intensity
// gradient based registration and fusion of multi-modal images", Methods Inf. Med. 46(3), 2007.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/progress.h"

namespace tesela {

// One channel of a picture of at most 256 pixels a side, smoothed by about a pixel; 64 to 96 pixels
// are enough to distinguish poses.
struct SearchImage {
    const Buffer<float>& gray;
    const Buffer<float>& mask;  // 1 where it counts, 0 elsewhere
    std::int64_t width = 0, height = 0;
    float edge = 1;  // squared gradient length with a weight of one half
};

struct SearchOptions {
    bool any_rotation = true;
    bool plain = true, mirrored = true;
    double lowest_scale = 0.8, highest_scale = 1.25;
    double least_overlap = 0.5;  // of the smaller mask's area
    int most = 10;
};

// Point (x, y) of the fixed image, in pixels from the center of its first one, lies at
// matrix * (x, y) + translation of the moving one.
struct SearchPose {
    std::array<double, 4> matrix{1, 0, 0, 1};  // by rows
    std::array<double, 2> translation{};
    double angle = 0;  // radians
    double scale = 1;
    bool mirrored = false;
    double score = 0;  // 1 where all directions are equal, 0 by chance
};

// The best poses, sorted by score, each different from those before it; fewer where no more have
// the least overlap. Angles are 5 degrees apart, scales 12 %. The same on one device. Throws
// InvalidArgument (sizes, options, an empty mask), OutOfMemory, Cancelled.
std::vector<SearchPose> search_poses(Queue& queue, const SearchImage& fixed,
                                     const SearchImage& moving, const SearchOptions& options = {},
                                     const Progress& progress = {});

}  // namespace tesela
