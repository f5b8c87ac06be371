// Pictures of a segmentation: region boundaries drawn on the image, regions in colors, and in their
// means.
//
// A 2-D image gives a picture of its own size. A volume gives its three middle slices side by side,
// axial, coronal and sagittal, in true proportions: each voxel becomes as many pixels as its
// spacing asks for (nearest neighbor). Or it gives axial slices row by row, all of them or some at
// equal distances. Where the volume knows its place in the patient, slices are shown as
// radiologists do: the patient's right on the left, the front at the top of the axial slice and on
// the left of the sagittal one, the head on top of the other two. Otherwise axes are shown as
// stored. Of a time series the middle frame is shown.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "tesela/color.h"
#include "tesela/geometry.h"
#include "tesela/image_view.h"
#include "tesela/progress.h"

namespace tesela {

// Which slices of a volume are shown: three middle ones, or axial ones at this distance, in slices
// (1: all) or in space.
struct SliceChoice {
    std::optional<Length> distance = {};

    // "middle", "all", or a distance such as "12mm". Throws InvalidArgument.
    static SliceChoice parse(std::string_view text);
};

// Values shown as black and as white.
struct BrightnessWindow {
    double black = 0, white = 255;

    // "LOW,HIGH". Throws InvalidArgument.
    static BrightnessWindow parse(std::string_view text);
};

struct OverlayOptions {
    Rgb color{255, 255, 0};
    // In pixels of the picture; 0: 1, smooth ones 2, and more in pictures beyond 1500 pixels.
    int line_width = 0;
    double fill = 0;  // opacity of regions in their colors, 0 to 1
    bool lines = true;
    bool colored_lines = false;  // each in its region's color
    // With soft edges between the middles of pixels, half on either side of the boundary.
    bool smooth_lines = false;
    bool numbers = false;  // of the labels, at the middle of each
    bool sides = false;    // of the patient, on slices of a volume that knows its place
    int enlarge = 1;       // pixels of the picture along each side of a pixel, 1 to 16
    std::function<Rgb(std::uint32_t)> color_of = {};  // needed where regions or lines are colored
    SliceChoice slices = {};
    // Not given: values of gray images and of more than 8 bits from the 1st to the 99th percentile.
    std::optional<BrightnessWindow> window = {};
};

// Boundaries on the image: a line lies where the right or lower neighbor of a pixel has another
// label. Label 0 is not filled; alpha is ignored. Throws InvalidArgument where the shapes differ or
// options are out of range, Cancelled.
Image<std::uint8_t> boundary_overlay(const AnyImageView& image, const LabelView& labels,
                                     const OverlayOptions& options = {},
                                     const Progress& progress = {});

// The image itself, as overlays show it.
Image<std::uint8_t> image_picture(const AnyImageView& image, const SliceChoice& slices = {});

// The image with each region in the mean of its pixels, rounded for integers; alpha, and pixels
// with label 0, as they are. Throws InvalidArgument where the shapes differ.
AnyImage region_means(const AnyImageView& image, const LabelView& labels);

// Each pixel in the color that `color_of` gives its label.
Image<std::uint8_t> label_picture(const LabelView& labels,
                                  const std::function<Rgb(std::uint32_t)>& color_of,
                                  const SliceChoice& slices = {});

}  // namespace tesela
