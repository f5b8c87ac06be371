// Where regions begin to grow.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tesela/geometry.h"
#include "tesela/image_view.h"

namespace tesela {

// Chosen by the criterion that grows from them.
struct AutomaticSeeds {};

// One seed in the middle of each cell of a grid, numbered raster-first. An axis shorter than half a
// cell has its seed in the middle, and so has the time axis.
struct GridSeeds {
    Length spacing = 20;
};

// The sides of a patient that coordinates in millimeters run to: left, back and head as in ITK and
// DICOM, or right, front and head as in 3D Slicer and NIfTI.
enum class Frame { lps, ras };

// A place in an image: x, y, z, t. In pixels the coordinates are whole and count from 0. In
// millimeters x, y and z are a physical point, through origin, spacing and direction of the image,
// to the nearest voxel. t is always a frame.
struct SeedPlace {
    std::array<double, 4> at{};
    int coordinates = 2;  // how many are given: at least those of the axes that the image has
    bool millimeters = false;
    Frame frame = Frame::lps;
};

// Without a label the n-th point, box or ball of a list has label n. A label is at least 1.
struct SeedPoint {
    SeedPlace place;
    std::optional<std::uint32_t> label = {};
};
// All pixels between two corners, these included, which may be any two that lie across.
struct SeedBox {
    SeedPlace first, last;
    std::optional<std::uint32_t> label = {};
};

// All pixels whose centers are within the radius of a center, which may lie between pixels; where
// there are none, the nearest pixel. In pixels distances are of pixels, in millimeters of space.
struct SeedBall {
    SeedPlace center;
    double radius = 0;  // above 0, in the unit of the center
    std::optional<std::uint32_t> label = {};
};

// A label image of the size of the image to segment; 0 is no seed. One of its own, or somebody's
// that the owner keeps, or without an owner one that has to stay as long as the seeds.
class SeedLabels {
  public:
    SeedLabels(LabelImage labels)  // NOLINT: they are its labels
        : SeedLabels(std::make_shared<const LabelImage>(std::move(labels))) {}
    explicit SeedLabels(const LabelView& labels, std::shared_ptr<const void> owner = {})
        : labels_(labels), owner_(std::move(owner)) {}

    const LabelView& view() const { return labels_; }

  private:
    explicit SeedLabels(const std::shared_ptr<const LabelImage>& labels)
        : labels_(*labels), owner_(labels) {}

    LabelView labels_;
    std::shared_ptr<const void> owner_;
};

// Where seeds of several labels stand on one pixel, the lowest counts.
using Seeds = std::variant<AutomaticSeeds, GridSeeds, SeedLabels, std::vector<SeedPoint>,
                           std::vector<SeedBox>, std::vector<SeedBall>>;

// Seeds from text:
//   auto                          chosen by the criterion
//   grid, grid:N, grid:2.5mm      a grid with that spacing
//   x,y,...;x,y,...               points; two to four coordinates
//   box:x0,y0,x1,y1;...           boxes: two to four coordinates of one corner, then of the other
//   ball:x,y,r;...                balls: two to four coordinates of the center, then the radius
// Points, boxes and balls are in pixels; `mm` behind the last number makes all of it millimeters,
// in LPS, or in RAS where the text begins with `RAS:`, as in "RAS:30,20,15mm;RAS:10,20,15mm".
// `=L` behind it is its label, as in "10,20=1;90,40=2". Gives nothing for other text, which is the
// name of a file then. Throws InvalidArgument, with the part that is wrong, for text that begins as
// one of these and goes on otherwise.
std::optional<Seeds> parse_seeds(std::string_view text);

// "-30,-20,15mm": a place as it was written.
std::string text_of(const SeedPlace& place);
// The pixel of a place. Throws InvalidArgument where it is outside of the image or between pixels,
// has fewer coordinates than the image axes, or is in millimeters without geometry.
std::array<std::int64_t, 4> pixel_of(const SeedPlace& place, const Shape& shape,
                                     const Geometry& geometry);
// The physical point of a pixel, in millimeters. Throws InvalidArgument without geometry.
std::array<double, 3> millimeters_of(const std::array<std::int64_t, 4>& pixel,
                                     const Geometry& geometry, Frame frame = Frame::lps);

}  // namespace tesela
