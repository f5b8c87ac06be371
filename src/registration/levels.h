// Image pyramids, and the equations of motion between two levels.
#pragma once

#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/registration.h"

namespace tesela {

// The finest one of at most `longest` pixels a side.
const RegistrationLevel& first_within(const std::vector<RegistrationLevel>& levels,
                                      std::int64_t longest);
// Level 0 first, unsmoothed and without edges, until the longer side is at most `coarsest` pixels.
std::vector<RegistrationLevel> halved_levels(Queue& queue, RegistrationLevel finest, int coarsest);
// Smooths them and finds the edges of those whose gradients are compared, from the tissue.
void finish_levels(Queue& queue, RegistrationImage& image);
// The share of tissue, from 0 to 1, on the grid of a level.
Buffer<float> tissue_of(Queue& queue, const RegistrationImage& image,
                        const RegistrationLevel& level);
// Length of a pixel along its shortest axis.
double finest_spacing(const RegistrationLevel& level);
// The level whose pixels are closest in size.
const RegistrationLevel& matching_level(const std::vector<RegistrationLevel>& levels,
                                        const RegistrationLevel& other);

// Normal equations of the shift of each block of pixels, in units of points: the Gauss-Newton step
// for the squared difference between both fields.
struct MotionEquations {
    struct Block {
        SpacePoint center{};
        std::array<double, 6> matrix{};  // xx, xy, xz, yy, yz, zz
        SpacePoint right{};              // matrix * shift = right
    };
    std::vector<Block> blocks;
    double error = 0;       // mean squared difference of a pixel
    double similarity = 0;  // cosine between the fields
    double weight = 0;      // pixels that were compared
};

// The fields of both images on the pixels of the fixed level, channel by channel, and which pixels
// are compared. For mutual information their values.
struct ComparedFields {
    Shape shape;
    int channels = 0;
    std::vector<float> fixed, moving, weight;
};

// Compares two levels under transforms.
class LevelComparison {
  public:
    LevelComparison(Queue& queue, const RegistrationLevel& fixed, const RegistrationLevel& moving,
                    RegistrationMeasure measure = RegistrationMeasure::gradients);

    // Not of mutual information. `spline` is applied before the linear map; null: none.
    MotionEquations equations(const LinearMap& linear, const SplineMap* spline = nullptr);
    ComparedFields fields(const LinearMap& linear);
    double pixel() const { return pixel_; }  // in units of points

  private:
    struct Warped {
        Buffer<float> gray, weight;
    };
    Warped warped(const LinearMap& linear, const SplineMap* spline);
    Buffer<float> field_of(const Buffer<float>& gray, float edge) const;
    Buffer<float> normalized(const Buffer<float>& gray) const;
    MotionEquations collected(const std::vector<float>& sums, const Shape& blocks) const;

    Queue& queue_;
    const RegistrationLevel &fixed_, &moving_;
    int dimensions_;
    RegistrationMeasure measure_;
    int channels_;
    double pixel_;
    LinearMap to_moving_;
    Buffer<float> weights_;  // Gaussian that smooths fields, or the neighborhood of a voxel
    Buffer<float> field_;    // of the fixed level; not for mutual information
};

}  // namespace tesela
