// How much an image differs from the true one.
//
// SSIM: Z. Wang, A. C. Bovik, H. R. Sheikh, E. P. Simoncelli, "Image quality assessment: from error
// visibility to structural similarity", IEEE Trans. Image Process. 13(4), 2004.
#pragma once

#include <cstdint>
#include <optional>

#include "tesela/image_view.h"

namespace tesela {

struct EvaluateImageOptions {
    std::optional<double> peak;  // else 255 or 65535 for 8 and 16 bits, or the range of the truth
};

struct ImageEvaluation {
    double mse = 0;   // mean squared error, over all channels but alpha
    double psnr = 0;  // peak signal-to-noise ratio in dB; infinite where the images are equal
    double peak = 0;  // that was used
    double ssim = 0;  // NaN where an axis is shorter than the window or the mask leaves none
    std::int64_t points = 0;  // compared
};

// SSIM is that of scikit-image's structural_similarity: windows of 7 pixels an axis with equal
// weights, sample covariances, and the mean over the windows within the image; of volumes windows
// have three axes, and channels and frames are averaged. With a mask, whose x, y and z axes must be
// the image's, only pixels (centers of windows) where it is not 0 count. Throws InvalidArgument for
// images of different shapes, NaN or infinite pixels, a peak of 0 or less, and an empty mask.
ImageEvaluation evaluate_image(const AnyImageView& result, const AnyImageView& truth,
                               const EvaluateImageOptions& options = {},
                               const std::optional<LabelView>& mask = {});

}  // namespace tesela
