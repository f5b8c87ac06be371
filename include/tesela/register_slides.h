// Registration of whole slides to the pixel.
//
// Small pictures are registered first (tesela/registration.h). Then windows of the fixed slide are
// found again in the moving one by normalized cross-correlation of the directions of gradients,
// from coarse to fine resolutions, and the spline is fitted to their places: A. Ruiz, M. Ujaldon,
// L. Cooper, K. Huang, "Non-rigid registration for large sets of microscopic images on graphics
// processors", J. Signal Process. Syst. 55, 2009. The stages: docs/registration.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tesela/registration.h"
#include "tesela/tile_source.h"

namespace tesela {

struct SlideRegistrationOptions : RegistrationOptions {
    int thumbnail = 2048;
    int window = 350;
    int search = 81;
    int windows = 4000;
    double contrast = 0.01;
    double score = 0.1;
};

template <class V>
void describe(V&& v, SlideRegistrationOptions& o) {
    describe(v, static_cast<RegistrationOptions&>(o));
    v("thumbnail", o.thumbnail, "longer side of the pictures registered first",
      OptionRange{.lowest = 64, .highest = 2048, .unit = "pixels"});
    v("window", o.window, "side of the windows that are matched in slides",
      OptionRange{.lowest = 16, .highest = 2048, .unit = "pixels"});
    v("search", o.search, "largest shift of a window",
      OptionRange{.lowest = 4, .highest = 1024, .unit = "pixels"});
    v("windows", o.windows, "maximum number of windows",
      OptionRange{.lowest = 16, .highest = 100000});
    v("contrast", o.contrast, "least standard deviation in a window, as a share of the range",
      OptionRange{.lowest = 0, .highest = 1});
    v("score", o.score, "least correlation of a match", OptionRange{.lowest = 0, .highest = 1});
}

enum class MatchState { accepted, outside, low, ambiguous, border, one_way, outlier };
constexpr auto enum_names(MatchState) {
    return std::array{EnumNames<MatchState>{MatchState::accepted, "accepted"},
                      EnumNames<MatchState>{MatchState::outside, "outside"},
                      EnumNames<MatchState>{MatchState::low, "low score"},
                      EnumNames<MatchState>{MatchState::ambiguous, "ambiguous"},
                      EnumNames<MatchState>{MatchState::border, "at the border"},
                      EnumNames<MatchState>{MatchState::one_way, "one way"},
                      EnumNames<MatchState>{MatchState::outlier, "outlier"}};
}
constexpr auto enum_help(MatchState) {
    return std::array<std::string_view, 7>{"part of the fit",
                                           "beyond the moving slide",
                                           "less correlation than --score",
                                           "another place is nearly as similar",
                                           "most similar at the largest shift",
                                           "the place found leads back elsewhere",
                                           "far from the fit"};
}

// A window of the fixed slide, and where it was found. In pixels of level 0, whose first center is
// (0, 0).
struct SlideMatch {
    std::array<double, 2> fixed{};   // the middle of the window
    std::array<double, 2> moving{};  // where it lies in the moving slide
    std::array<double, 2> shift{};   // from where it was expected, in pixels of the fixed slide
    double score = 0;                // normalized cross-correlation of directions
    double second = 0;               // that of the next best place
    double way_back = 0;             // pixels by which the way back misses the window
    MatchState state = MatchState::accepted;
};

// Those that do not lie beyond the moving slide.
std::int64_t windows_within(const std::vector<SlideMatch>& matches);

struct SlideRegistration : RegistrationResult {
    std::vector<SlideMatch> matches;  // at the finest resolution
    std::int64_t tiles = 0;           // windows that the fixed slide was divided into
    std::int64_t kept = 0;            // of these, with enough contrast
    // Whether the matches refine the transform: not of linear models, slides as small as their
    // thumbnails, or too few matches, which a warning tells.
    bool is_refined = false;
};

struct SlideStart {
    const TileSource* fixed_mask = nullptr;  // of the size of its slide; 0: not compared
    const TileSource* moving_mask = nullptr;
    const Transform* initial = nullptr;
    bool refine_poor = false;  // also where the thumbnails do not match, but are accepted
};

// Two slides of one plane, or pictures as such. The transform is in millimeters, or in pixels of
// level 0. Tiles are read as they are needed, in `threads` threads (0: all of the CPU). The error
// is estimated from fits to either half of the matches. Throws as register_images, also for
// masks of another size than their slides.
SlideRegistration register_slides(const TileSource& fixed, const TileSource& moving,
                                  const SlideRegistrationOptions& options, Queue& queue,
                                  const SlideStart& start = {}, int threads = 0,
                                  const Progress& progress = {});

// A thumbnail whose points are those of its slide: of one without spacing, pixels of level 0 as
// millimeters.
AnyImage slide_picture(const TileSource& slide, std::int64_t longest);

// At most, beside the cache of tiles and the pools of the device. `threads` read (0: all).
struct SlideRegistrationBytes {
    std::int64_t device = 0, host = 0;
};
SlideRegistrationBytes slide_registration_bytes(const TileSource& fixed, const TileSource& moving,
                                                const SlideRegistrationOptions& options,
                                                const Device& device, int threads = 0);

}  // namespace tesela
