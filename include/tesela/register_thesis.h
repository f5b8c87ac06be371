// Registration of two sections as a thesis has it, for comparison with `register_slides`.
//
// A. Ruiz Sanchez, "Clasificacion tisular en GPU: aceleracion y optimizaciones", doctoral thesis,
// Universidad de Malaga, 2015, chapter 5: a rigid start by regions that vote, windows of the fixed
// section with enough variance, each found in the moving one by normalized cross-correlation of
// gray values, and a polynomial of the second degree through their places.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"
#include "tesela/tile_source.h"
#include "tesela/transform.h"

namespace tesela {

// How the grid of windows is divided among several devices.
enum class ThesisSharing { blocks, cyclic };
constexpr auto enum_names(ThesisSharing) {
    return std::array{EnumNames<ThesisSharing>{ThesisSharing::blocks, "blocks"},
                      EnumNames<ThesisSharing>{ThesisSharing::cyclic, "cyclic"}};
}
constexpr auto enum_help(ThesisSharing) {
    return std::array<std::string_view, 2>{"rows of windows that lie together", "window by window"};
}

struct ThesisRegisterOptions {
    int window = 342;
    int search = 0;  // 0: twice the window
    double contrast = 0.12;
    double threshold = 0.8;
    int thumbnail = 1024;
    ThesisSharing sharing = ThesisSharing::blocks;
};

template <class V>
void describe(V&& v, ThesisRegisterOptions& o) {
    v("window", o.window, "side of the windows that are looked for",
      OptionRange{.lowest = 8, .highest = 2048, .unit = "pixels"});
    v("search", o.search, "side of the windows they are looked for in; 0: twice as large",
      OptionRange{.lowest = 0, .highest = 4096, .unit = "pixels"});
    v("contrast", o.contrast, "least standard deviation in a window, as a share of the range",
      OptionRange{.lowest = 0, .highest = 1});
    v("threshold", o.threshold, "least correlation of a match",
      OptionRange{.lowest = -1, .highest = 1});
    v("thumbnail", o.thumbnail, "longer side of the pictures of the rigid start",
      OptionRange{.lowest = 64, .highest = 2048, .unit = "pixels"});
    v("sharing", o.sharing, "how several devices share the windows");
}

// Sides in pixels: of a window, of the one it is looked for in, and of both Fourier transforms,
// which nothing wraps around.
struct ThesisWindows {
    std::int64_t window = 0, search = 0;
    std::int64_t padded() const { return window + search - 1; }
};
ThesisWindows thesis_windows(const ThesisRegisterOptions& options);

// Vessels and ducts: bright regions within the tissue of a small picture.
struct ThesisRegion {
    SpacePoint center{};  // in points of the section
    double area = 0;      // pixels of the small picture
    double eccentricity = 0;
};
std::vector<ThesisRegion> thesis_regions(const AnyImageView& small, Queue& queue);

// The rotation and shift that most pairs of similar regions agree about, refined by least squares
// over the regions that it brings together. `side`: the longer side of a section, in points.
// Nothing where fewer than three regions agree.
struct ThesisVote {
    LinearMap map;
    std::int64_t votes = 0;    // of pairs of regions
    std::int64_t regions = 0;  // that come together
};
std::optional<ThesisVote> thesis_vote(const std::vector<ThesisRegion>& fixed,
                                      const std::vector<ThesisRegion>& moving, double side);

// x' = a x^2 + b x y + c y^2 + d x + e y + f, and y' likewise (eq. 5.4), in points.
struct ThesisPolynomial {
    std::array<std::array<double, 6>, 2> coefficients{};  // a to f, of x' and of y'

    SpacePoint operator()(const SpacePoint& point) const;
};
// By least squares in coordinates from -1 to 1, with little weight for points far off, which are
// outliers beyond four deviations. `noise`: of a point along an axis, at least. Nothing where the
// points do not determine it, of which it needs six.
struct ThesisFit {
    ThesisPolynomial polynomial;
    std::vector<bool> is_outlier;
    double deviation = 0;  // of the others, along an axis
};
std::optional<ThesisFit> fit_thesis_polynomial(const std::vector<SpacePoint>& from,
                                               const std::vector<SpacePoint>& to, double noise);
// The same map as a spline, which holds polynomials exactly, before `linear`: within the fixed grid
// and half of its sides around it.
Transform thesis_transform(const ThesisPolynomial& polynomial, const LinearMap& linear,
                           const ImageGrid& fixed, const ImageGrid& moving);

enum class ThesisMatchState { accepted, outside, low, outlier };
constexpr auto enum_names(ThesisMatchState) {
    using E = ThesisMatchState;
    return std::array{EnumNames<E>{E::accepted, "accepted"}, EnumNames<E>{E::outside, "outside"},
                      EnumNames<E>{E::low, "low score"}, EnumNames<E>{E::outlier, "outlier"}};
}

// In pixels of level 0, whose first center is (0, 0).
struct ThesisMatch {
    std::array<double, 2> fixed{};   // the middle of the window
    std::array<double, 2> moving{};  // where it lies in the moving section
    double score = 0;
    ThesisMatchState state = ThesisMatchState::accepted;
};

// What one queue did.
struct ThesisShare {
    std::string device;
    std::int64_t tested = 0;     // windows
    std::int64_t processed = 0;  // of these, with enough contrast
    double seconds = 0;          // of matching
};

struct ThesisRegistration {
    Transform transform;    // in millimeters, or in pixels of level 0
    LinearMap rigid;        // likewise
    bool is_voted = false;  // otherwise the rigid start is that of a search
    std::int64_t fixed_regions = 0, moving_regions = 0, votes = 0;
    std::optional<ThesisPolynomial> polynomial;  // nothing: the rigid start stays
    double deviation = 0;  // of accepted matches from the polynomial, along an axis, in points
    std::vector<ThesisMatch> matches = {};  // of all windows with enough contrast, row by row
    std::int64_t tiles = 0;                 // all windows
    std::vector<ThesisShare> shares = {};   // one for each queue
    std::vector<StageTime> stages = {};
    std::vector<std::string> warnings = {};

    std::int64_t accepted() const;
    // 1 - fewest / most windows with enough contrast, over the shares.
    double imbalance() const;
};

// Two sections of one plane. Windows are shared among the queues, of which there is at least one;
// the result has the same bits whatever their number and the sharing, on devices of one kind. With
// fewer than ten regions in a section the rigid start is that of `register_images`. `threads` read
// (0: all of the CPU). Throws InvalidArgument, UnsupportedFormat, OutOfMemory, Cancelled, as
// register_slides.
ThesisRegistration register_thesis(const TileSource& fixed, const TileSource& moving,
                                   const ThesisRegisterOptions& options,
                                   std::span<Queue* const> queues, int threads = 0,
                                   const Progress& progress = {});

// At most, beside the cache of tiles, with so many queues on a device. Each device has its own.
struct ThesisRegisterBytes {
    std::int64_t device = 0, host = 0;
};
ThesisRegisterBytes thesis_register_bytes(const TileSource& fixed, const TileSource& moving,
                                          const ThesisRegisterOptions& options,
                                          const Device& device, int queues = 1);

}  // namespace tesela
