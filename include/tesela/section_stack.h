// A series of sections of one tissue as a volume: each section is registered to its neighbors and
// to theirs, and all of them are placed by these pairs together (tesela/section_graph.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tesela/brick_source.h"
#include "tesela/registration.h"
#include "tesela/section_graph.h"

namespace tesela {

// A section that is read when it is needed, more than once.
struct SeriesSection {
    std::string name;
    std::int64_t number = 0;  // in the series; numbers between that no section has are missing
    std::function<AnyImage()> read;
};
using SectionSeries = std::vector<SeriesSection>;  // by their numbers

// What planes show for which there is no section.
enum class PlaneBridge { empty, nearest };
constexpr auto enum_names(PlaneBridge) {
    return std::array{EnumNames<PlaneBridge>{PlaneBridge::empty, "empty"},
                      EnumNames<PlaneBridge>{PlaneBridge::nearest, "nearest"}};
}
constexpr auto enum_help(PlaneBridge) {
    return std::array<std::string_view, 2>{"the background", "the nearest section"};
}

struct SectionStackOptions {
    RegistrationModel model = RegistrationModel::spline;
    std::optional<Length> thickness = {};
    std::optional<std::int64_t> reference = {};
    PlaneBridge bridge = PlaneBridge::empty;
    std::optional<double> mpp = {};
    RotationRange rotation = RotationRange::any;
    MirrorChoice mirror = MirrorChoice::automatic;
    RegistrationChannel channel = RegistrationChannel::automatic;
    std::optional<Length> resolution = {};
    double stiffness = 1;
    double nodes = 48;
    double max_canvas = 4;
};

template <class V>
void describe(V&& v, SectionStackOptions& o) {
    v("model", o.model, "kind of transform");
    v("thickness", o.thickness, "distance of sections",
      OptionRange{.lowest = 0, .excludes_lowest = true, .unit = "um, mm or px"});
    v("reference", o.reference, "number of a section that stays as it is",
      OptionRange{.automatic = "least total motion"});
    v("bridge", o.bridge, "what planes without a section show");
    v("mpp", o.mpp, "pixel size in um, instead of the files'",
      OptionRange{.lowest = 0.001, .highest = 1000, .unit = "um"});
    v("rotation", o.rotation, "rotations to search");
    v("mirror", o.mirror, "whether sections may be flipped");
    v("compare", o.channel, "what of color pictures is compared");
    v("resolution", o.resolution, "finest pixel size that is compared",
      OptionRange{.lowest = 0,
                  .excludes_lowest = true,
                  .unit = "px, or um with the suffix",
                  .automatic = "at most 2048 pixels a side"});
    v("stiffness", o.stiffness, "bending stiffness of the splines",
      OptionRange{.lowest = 1e-6, .highest = 1e6});
    v("nodes", o.nodes, "maximum spline nodes along the longer side",
      OptionRange{.lowest = 2, .highest = 256});
    v("max-canvas", o.max_canvas, "largest plane, in sizes of the largest section",
      OptionRange{.lowest = 1, .highest = 1000});
}

// What the registration of a pair gave.
struct RegisteredPair {
    std::string key;      // of both images, the options and the device
    Transform transform;  // from the first to the second section
    bool is_match = false;
    Agreement agreement;
    double similarity = 0, margin = 0, overlap = 0;
    double estimated_error = 0;  // in units of points
};

// Keeps pairs by the numbers of their sections, so that a series can be continued. Optional.
struct PairStore {
    std::function<std::optional<RegisteredPair>(std::int64_t fixed, std::int64_t moving)> find = {};
    std::function<void(std::int64_t fixed, std::int64_t moving, const RegisteredPair& pair)> keep =
        {};
};

enum class SectionState { aligned, unmatched, blank, unreadable };
constexpr auto enum_names(SectionState) {
    return std::array{EnumNames<SectionState>{SectionState::aligned, "aligned"},
                      EnumNames<SectionState>{SectionState::unmatched, "unmatched"},
                      EnumNames<SectionState>{SectionState::blank, "blank"},
                      EnumNames<SectionState>{SectionState::unreadable, "unreadable"}};
}

struct SectionOfStack {
    std::string name;
    std::int64_t number = 0;
    SectionState state = SectionState::unmatched;
    std::string reason = {};                  // why it is blank or unreadable
    std::optional<ImageGrid> grid = {};       // of its image
    std::optional<Transform> transform = {};  // from the canvas, of those that are aligned
};

struct PairOfStack {
    std::size_t fixed = 0, moving = 0;  // in the list of sections
    RegisteredPair found;
    SectionPairFit fit;
    bool is_kept = false;      // from the store
    bool is_rejected = false;  // no match, or it contradicts the others
};

struct SectionStack {
    std::vector<SectionOfStack> sections;
    std::vector<PairOfStack> pairs;
    std::vector<std::int64_t> missing;  // numbers without a section
    ImageGrid canvas;                   // a plane for each number; of a plane the first
    PixelType type = PixelType::u8;
    int channels = 1;  // of the volume: 3 where a section has colors
    bool has_alpha = false;
    std::vector<std::string> warnings;

    std::int64_t first_number() const { return sections.front().number; }
};

// Throws InvalidArgument for a series of one section, numbers that do not increase, pixel types or
// channels that differ, a pixel size that some sections lack, or all where a thickness is given, a
// reference that is not there, and a canvas beyond `max_canvas`; NoMatch where no two neighbors
// match; Cancelled, after which the store has all pairs that are complete. The same bits whether
// pairs are kept or registered. `require` gets, before any pair is registered, the least
// volume that may come.
SectionStack stack_sections(const SectionSeries& series, const SectionStackOptions& options,
                            Queue& queue, const PairStore& store = {},
                            const Progress& progress = {},
                            const std::function<void(const VolumeInputFacts&)>& require = {});

// The distance of planes in millimeters. Throws InvalidArgument for a
// thickness that is missing, and for sections without a pixel size.
double plane_distance(const SectionStackOptions& options, const Geometry& sections);

// The aligned sections as a volume whose planes are made when they are read, in one thread; what it
// is made of outlives it. Planes of which parts are read are kept, in at most `most_kept` bytes.
// Throws as `plane_distance`.
std::unique_ptr<VolumeInput> stack_volume(const SectionSeries& series, const SectionStack& stack,
                                          const SectionStackOptions& options, Queue& queue,
                                          const Progress& progress = {},
                                          std::int64_t most_kept = std::int64_t{1} << 30);

// A section on the canvas. Throws what reading it throws.
AnyImage aligned_section(const SectionSeries& series, const SectionStack& stack,
                         std::size_t section, Queue& queue);

}  // namespace tesela
