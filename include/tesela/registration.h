// Registration: aligns two images, such as sections in different stains or volumes of heads.
//
// Sections are compared by the directions of gradients, not by their strength or sign: by the
// normalized gradient field of E. Haber, J. Modersitzki, "Intensity gradient based registration and
// fusion of multi-modal images", Methods Inf. Med. 46(3), 2007. The stages: docs/registration.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"
#include "tesela/transform.h"

namespace tesela {

enum class RegistrationModel { rigid, similarity, affine, spline };
constexpr auto enum_names(RegistrationModel) {
    return std::array{EnumNames<RegistrationModel>{RegistrationModel::rigid, "rigid"},
                      EnumNames<RegistrationModel>{RegistrationModel::similarity, "similarity"},
                      EnumNames<RegistrationModel>{RegistrationModel::affine, "affine"},
                      EnumNames<RegistrationModel>{RegistrationModel::spline, "spline"}};
}
constexpr auto enum_help(RegistrationModel) {
    return std::array<std::string_view, 4>{"rotation and shift", "rigid with scale", "linear map",
                                           "B-spline deformation after a linear map"};
}

// The channel of a color picture that is compared: optical density, brightness, or one stain of a
// section in hematoxylin and eosin, or hematoxylin and DAB.
enum class RegistrationChannel { automatic, gray, hematoxylin, dab };
constexpr auto enum_names(RegistrationChannel) {
    return std::array{
        EnumNames<RegistrationChannel>{RegistrationChannel::automatic, "auto"},
        EnumNames<RegistrationChannel>{RegistrationChannel::gray, "gray"},
        EnumNames<RegistrationChannel>{RegistrationChannel::hematoxylin, "hematoxylin"},
        EnumNames<RegistrationChannel>{RegistrationChannel::dab, "dab"}};
}
constexpr auto enum_help(RegistrationChannel) {
    return std::array<std::string_view, 4>{"optical density", "brightness",
                                           "hematoxylin by color deconvolution",
                                           "DAB by color deconvolution"};
}

// Whether the moving image may be rotated by any angle, and mirrored.
enum class RotationRange { any, none };
constexpr auto enum_names(RotationRange) {
    return std::array{EnumNames<RotationRange>{RotationRange::any, "any"},
                      EnumNames<RotationRange>{RotationRange::none, "none"}};
}
constexpr auto enum_help(RotationRange) {
    return std::array<std::string_view, 2>{"all angles", "small rotations only"};
}
enum class MirrorChoice { automatic, no, yes };
constexpr auto enum_names(MirrorChoice) {
    return std::array{EnumNames<MirrorChoice>{MirrorChoice::automatic, "auto"},
                      EnumNames<MirrorChoice>{MirrorChoice::no, "no"},
                      EnumNames<MirrorChoice>{MirrorChoice::yes, "yes"}};
}
constexpr auto enum_help(MirrorChoice) {
    return std::array<std::string_view, 3>{"try both", "as it is", "flipped"};
}

// Similarity measures: directions of gradients, whichever side is bright; for volumes also mutual
// information, normalized mutual information, or, if both have the same modality, local normalized
// cross-correlation.
enum class RegistrationMeasure { gradients, ncc, nmi, mi };
constexpr auto enum_names(RegistrationMeasure) {
    return std::array{EnumNames<RegistrationMeasure>{RegistrationMeasure::gradients, "gradients"},
                      EnumNames<RegistrationMeasure>{RegistrationMeasure::ncc, "ncc"},
                      EnumNames<RegistrationMeasure>{RegistrationMeasure::nmi, "nmi"},
                      EnumNames<RegistrationMeasure>{RegistrationMeasure::mi, "mi"}};
}
constexpr auto enum_help(RegistrationMeasure) {
    return std::array<std::string_view, 4>{
        "directions of gradients", "local normalized cross-correlation of volumes",
        "normalized mutual information of volumes", "mutual information of volumes"};
}
constexpr bool is_information(RegistrationMeasure measure) {
    return measure == RegistrationMeasure::nmi || measure == RegistrationMeasure::mi;
}
// Extent of outputs: the pixels of the fixed image, or enough to hold the moving image as well.
enum class RegistrationCanvas { fixed, both };
constexpr auto enum_names(RegistrationCanvas) {
    return std::array{EnumNames<RegistrationCanvas>{RegistrationCanvas::fixed, "fixed"},
                      EnumNames<RegistrationCanvas>{RegistrationCanvas::both, "union"}};
}
constexpr auto enum_help(RegistrationCanvas) {
    return std::array<std::string_view, 2>{"that of the fixed image", "both images"};
}

struct RegistrationOptions {
    std::optional<RegistrationModel> model = {};  // spline for pictures, rigid for volumes
    std::optional<RotationRange> rotation = {};   // any for pictures, none for volumes
    MirrorChoice mirror = MirrorChoice::automatic;
    RegistrationChannel channel = RegistrationChannel::automatic;
    std::optional<RegistrationMeasure> measure = {};
    std::optional<Length> resolution = {};
    RegistrationCanvas canvas = RegistrationCanvas::fixed;
    double max_canvas = 4;
    double stiffness = 1;
    double nodes = 48;
    bool accept_poor = false;
};

template <class V>
void describe(V&& v, RegistrationOptions& o) {
    v("model", o.model, "kind of transform", OptionRange{.automatic = "spline; rigid for volumes"});
    v("rotation", o.rotation, "rotations to search",
      OptionRange{.automatic = "any; none for volumes"});
    v("mirror", o.mirror, "whether the moving section is flipped");
    v("compare", o.channel, "what of color pictures is compared");
    v("measure", o.measure, "similarity measure",
      OptionRange{.automatic = "chosen from the images"});
    v("canvas", o.canvas, "extent of output images");
    v("max-canvas", o.max_canvas, "largest canvas, in sizes of the fixed image",
      OptionRange{.lowest = 1, .highest = 1000});
    v("resolution", o.resolution, "finest pixel size that is compared",
      OptionRange{.lowest = 0,
                  .excludes_lowest = true,
                  .unit = "px, or um with the suffix",
                  .automatic = "at most 2048 pixels a side"});
    v("stiffness", o.stiffness, "bending stiffness of the spline",
      OptionRange{.lowest = 1e-6, .highest = 1e6});
    v("nodes", o.nodes, "maximum spline nodes along the longer side",
      OptionRange{.lowest = 2, .highest = 256});
    v("accept-poor", o.accept_poor, "write outputs even where the images do not match");
}

// One channel of an image, between 0 and 1, in one resolution.
struct RegistrationLevel {
    Shape shape;
    LinearMap placed;      // from pixels to points
    Buffer<float> gray;    // smoothed by a Gaussian of 1 pixel
    Buffer<float> weight;  // 0 where the caller's mask is 0; none of volumes without a mask
    float edge = 1;        // squared gradient length with a weight of one half
    std::int64_t longest() const { return std::max({shape.x, shape.y, shape.z}); }
};

// An image, preprocessed for registration.
struct RegistrationImage {
    ImageGrid grid;                         // of the original
    std::vector<RegistrationLevel> levels;  // from fine to coarse
    Shape tissue_shape;                     // of the grid of tissue
    LinearMap tissue_placed;
    std::vector<std::uint8_t> tissue;  // 1 in tissue
    RegistrationMeasure measure = RegistrationMeasure::gradients;

    int dimensions() const { return grid.shape.z > 1 ? 3 : 2; }
    // The side of the level on which the tissue is as large as if it filled a level of `side`
    // pixels.
    int side_for_tissue(int side) const;
};

// Throws InvalidArgument for an image without structure ("no tissue"), a mask of another size or
// an empty one, a resolution in um of an image without spacing; UnsupportedFormat for a time axis.
RegistrationImage registration_image(const AnyImageView& image, const RegistrationOptions& options,
                                     Queue& queue, const std::optional<AnyImageView>& mask = {});

// How well two images agree under a transform.
struct RegistrationScore {
    double similarity = 0;  // by the measure: 0 by chance, 1 for equal images
    double overlap = 0;     // share of the smaller tissue that lies on tissue of the other
};

struct LinearRegistration {
    LinearMap map;
    RegistrationScore score;
};

// Gauss-Newton steps on the levels of at most `coarsest` and at least `finest` pixels on the longer
// side, or on the coarsest one. The start must be accurate to about a twentieth of the side.
LinearRegistration register_linear(const RegistrationImage& fixed, const RegistrationImage& moving,
                                   const LinearMap& start, LinearKind kind, Queue& queue,
                                   const Progress& progress = {}, int coarsest = 128,
                                   int finest = 1 << 30);

struct SplineRegistration {
    SplineMap spline;  // applied before the linear map
    RegistrationScore score;
    double stiffness = 0;  // needed for a Jacobian determinant above 0
    double least_jacobian = 1;
    double estimated_error = 0;  // of a point, in its units
};

// Two dimensions. Throws as above, and Cancelled.
SplineRegistration register_spline(const RegistrationImage& fixed, const RegistrationImage& moving,
                                   const LinearMap& linear, const RegistrationOptions& options,
                                   Queue& queue, const Progress& progress = {});

// The images do not seem to show the same object.
class NoMatch : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Parts of the fixed tissue that match the moving tissue best where the transform maps them.
struct Agreement {
    int parts = 0;  // with structure in both images
    int agreeing = 0;
    double share() const { return parts > 0 ? static_cast<double>(agreeing) / parts : 0; }
};

struct RegistrationResult {
    Transform transform;
    RegistrationScore score;
    double coarse_similarity = 0;  // after a linear map, at about 256 pixels a side, or 128 voxels
    double margin = 0;             // similarity of the start minus that of the next best position
    Agreement agreement;           // after a linear map
    bool is_match = false;         // by parts and margin
    RegistrationMeasure measure = RegistrationMeasure::gradients;  // of the last stage
    double least_jacobian = 1;
    double estimated_error = 0;  // millimeters, or pixels where the spacing is unknown
    std::vector<StageTime> stages = {};
    std::vector<std::string> warnings = {};
};

// "the images do not match: ...", with the figures of the result.
std::string mismatch_text(const RegistrationResult& result);

// Optional inputs of a registration.
struct RegistrationStart {
    std::optional<AnyImageView> fixed_mask = {};
    std::optional<AnyImageView> moving_mask = {};
    const Transform* initial = nullptr;
};

// Both images are pictures, or volumes with a known spacing. The same input gives the same bits on
// one device. Throws InvalidArgument as above, for a picture with a volume, one spacing that is
// known and one that is not; NoMatch for images that do not match, unless `accept_poor`.
// Partial results of the progress are the linear Transform, before the spline.
RegistrationResult register_images(const AnyImageView& fixed, const AnyImageView& moving,
                                   const RegistrationOptions& options, Queue& queue,
                                   const RegistrationStart& start = {},
                                   const Progress& progress = {});

// The fixed image's grid, extended to hold the moving image as well, and the transforms from its
// points to the moving image and to the fixed one. `transform` knows both images. Throws
// InvalidArgument where it would have more than `most` times the pixels of the fixed image, or the
// transform folds.
struct UnionCanvas {
    ImageGrid grid;
    Transform to_moving, to_fixed;
};
UnionCanvas union_canvas(const Transform& transform, double most);

std::int64_t registration_device_bytes(const AnyImageView& fixed, const AnyImageView& moving,
                                       const RegistrationOptions& options = {});

}  // namespace tesela
