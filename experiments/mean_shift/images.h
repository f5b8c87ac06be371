// The images of the thesis's experiments. Those of the thesis are not public; others of the same
// size and kind stand in for them (Martin Gaspar 2011, chapter 6).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tesela/image.h"
#include "tesela/mean_shift.h"

namespace tesela::experiments {

enum class Role { lenna, mandrill, mri_2d, mri_3d, own };

struct TestImage {
    Role role = Role::own;
    std::string name;    // in tables and file names
    std::string source;  // what it was made from
    AnyImage image;
    ColorSpace color_space = ColorSpace::luv;
};

// From astronaut.png, ihc.png and ch2.nii.gz in `folder`; what is not there is made up. `quick`:
// small ones.
std::vector<TestImage> stand_ins(const std::filesystem::path& folder, bool quick);

// The user's own. Each takes the place of the pictures or of the volume.
TestImage own_image(const std::filesystem::path& path);

// Values of a gray volume at `shape`, by linear interpolation over the part of the volume between
// `begin` and `end` (voxels along x, y and z), which may be one slice thick.
Image<std::uint8_t> resampled(const AnyImage& volume, const Shape& shape,
                              const std::array<double, 3>& begin, const std::array<double, 3>& end);

// Four frames of 32^3 voxels: balls that move and fade, with noise (experiment E11).
Image<std::uint8_t> moving_balls(std::int64_t size, std::int64_t frames);

}  // namespace tesela::experiments
