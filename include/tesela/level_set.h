// Level sets: objects that grow from seeds to where their speed turns negative, with smooth borders
// and without overlap.
//
// The fast two-cycle method: Y. Shi, W. C. Karl, "A real-time algorithm for the approximation of
// level-set-based curve evolution", IEEE Trans. Image Process. 17(5), 2008. The state is the set
// itself; the rule of a step: docs/level-sets.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/seeds.h"
#include "tesela/stage_times.h"
#include "tesela/stop_function.h"

namespace tesela {

// What the speed of an object follows: limits of values, given or found, or the statistics of its
// seeds.
enum class LevelSetSpeed { automatic, window, statistics };
constexpr auto enum_names(LevelSetSpeed) {
    return std::array{EnumNames<LevelSetSpeed>{LevelSetSpeed::automatic, "auto"},
                      EnumNames<LevelSetSpeed>{LevelSetSpeed::window, "window"},
                      EnumNames<LevelSetSpeed>{LevelSetSpeed::statistics, "statistics"}};
}
constexpr auto enum_help(LevelSetSpeed) {
    return std::array<std::string_view, 3>{"window; statistics if --multiplier or --drift is given",
                                           "inside within limits",
                                           "inside where the values are likely"};
}

struct LevelSetOptions {
    std::optional<double> lower = {}, upper = {};
    LevelSetSpeed speed = LevelSetSpeed::automatic;
    std::optional<double> multiplier = {}, drift = {};
    Length smoothing = 0.9;
    std::int32_t data_steps = 10, smoothing_steps = 2;
    std::int32_t max_iterations = 5000;
    std::optional<double> edge = {};
    Length edge_sigma = 1;
    std::optional<double> contrast = {};
    std::optional<Length> neck = {};
    bool fill_holes = false;
    std::optional<double> max_volume = {};
};

template <class V>
void describe(V&& v, LevelSetOptions& o) {
    v("lower", o.lower, "lowest value of an object",
      OptionRange{.automatic = "found from the seeds"});
    v("upper", o.upper, "highest value of an object",
      OptionRange{.automatic = "found from the seeds"});
    v("speed", o.speed, "what objects follow: limits, or their own statistics");
    v("multiplier", o.multiplier, "width of the limits in standard deviations, for statistics",
      OptionRange{.lowest = 0.1, .highest = 100, .automatic = "2.5"});
    v("drift", o.drift, "deviations that the mean may move, for statistics",
      OptionRange{.lowest = 0, .highest = 100, .automatic = "1"});
    v("smoothing", o.smoothing, "standard deviation (sigma) of the border smoothing",
      OptionRange{.lowest = 0, .unit = "px, or mm with the suffix"});
    v("data-steps", o.data_steps, "steps by the data between smoothing",
      OptionRange{.lowest = 1, .highest = 64});
    v("smoothing-steps", o.smoothing_steps, "steps of smoothing in between",
      OptionRange{.lowest = 1, .highest = 64});
    v("max-iterations", o.max_iterations, "maximum steps by the data",
      OptionRange{.lowest = 1, .highest = 1e9});
    v("edge", o.edge, "never enter where the stop function is below this",
      OptionRange{.lowest = 0, .highest = 1, .excludes_lowest = true});
    v("edge-sigma", o.edge_sigma, "smoothing of the image for --edge",
      OptionRange{.lowest = 0, .unit = "px, or mm with the suffix"});
    v("contrast", o.contrast, "gradient at which the stop function is 1/2", contrast_range);
    v("neck", o.neck, "remove parts behind necks thinner than twice this",
      OptionRange{.lowest = 0,
                  .unit = "px, or mm with the suffix",
                  .automatic = "0 with limits, else found"});
    v("fill-holes", o.fill_holes, "fill holes in objects");
    v("max-volume", o.max_volume, "stop when an object is larger than this",
      OptionRange{.lowest = 0, .unit = "mm^3, or pixels without spacing"});
}

// Why a run ended.
enum class LevelSetEnd { none, stable, came_back, max_iterations, max_volume, stopped };
constexpr auto enum_names(LevelSetEnd) {
    return std::array{EnumNames<LevelSetEnd>{LevelSetEnd::none, "not yet"},
                      EnumNames<LevelSetEnd>{LevelSetEnd::stable, "stable"},
                      EnumNames<LevelSetEnd>{LevelSetEnd::came_back, "a state came back"},
                      EnumNames<LevelSetEnd>{LevelSetEnd::max_iterations, "maximum iterations"},
                      EnumNames<LevelSetEnd>{LevelSetEnd::max_volume, "maximum volume"},
                      EnumNames<LevelSetEnd>{LevelSetEnd::stopped, "stopped"}};
}

// Limits and the radius of necks that were found from the seeds of an object.
struct LevelSetLimits {
    std::optional<double> lower, upper;
    Length neck = 0;
};

struct LevelSetObject {
    std::uint32_t label = 0;
    std::int64_t points = 0;
    std::optional<double> volume = {};  // mm^3, or mm^2 of a picture, where the spacing is known
    std::optional<double> mean = {}, deviation = {};  // of the last speeds by statistics
    std::optional<LevelSetLimits> found = {};         // where none were given
};

struct LevelSetReport {
    LevelSetEnd end = LevelSetEnd::none;
    std::int64_t iterations = 0;  // steps by the data
    std::int32_t period = 0;      // rounds, where a state came back
    LevelSetSpeed speed = LevelSetSpeed::window;
    std::vector<LevelSetObject> objects;
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;
};

struct LevelSetResult : LevelSetReport {
    LabelImage labels;
};

// What a run begins with, beside the seeds.
struct LevelSetStart {
    std::optional<Seeds> against = {};  // what is not wanted: competes, and comes out as 0
    const LabelImage* from = nullptr;   // goes on from these labels
    std::optional<Seeds> erase = {};    // made free before seeds are placed
    const AnyImage* mask = nullptr;     // objects stay where it is not 0
};

// Keeps an image and the state on the device, for a user who looks, adds seeds and goes on. The
// image has to outlive the session. Throws as level_set does.
class LevelSetSession {
  public:
    LevelSetSession(const AnyImage& image, const LevelSetOptions& options, Queue& queue,
                    const AnyImage* mask = nullptr);
    LevelSetSession(AnyImage&&, const LevelSetOptions&, Queue&, const AnyImage* = nullptr) = delete;
    ~LevelSetSession();
    LevelSetSession(LevelSetSession&&) noexcept;

    void start_from(const LabelImage& labels);
    void erase(const Seeds& seeds);
    void add_seeds(const Seeds& seeds);
    void add_against(const Seeds& seeds);
    // What depends on what changed is computed again.
    void set_options(const LevelSetOptions& options);
    // At most so many steps by the data, rounded up to a round; fewer where the run ends.
    LevelSetReport advance(std::int64_t steps, const Progress& progress = {});
    // The objects as they are, without what `neck` cuts off and with holes filled where asked for.
    // `warnings` is told what was cut off.
    LabelImage labels(std::vector<std::string>* warnings = nullptr);

    class Implementation;

  private:
    std::unique_ptr<Implementation> implementation_;
};

// Called every so many iterations and at the end, with what was reported so far; it may ask the
// session for the labels. False stops the run, with the objects as they are.
using LevelSetObserver =
    std::function<bool(const LevelSetReport& report, LevelSetSession& session)>;

// Pictures and volumes of one channel. The same input gives the same labels on every device. Throws
// InvalidArgument (options; seeds that are none, outside, on NaN, outside of the mask or all beyond
// the limits; more than 254 objects; labels or a mask of another size; lengths in mm without
// spacing), UnsupportedFormat (color, a time axis), OutOfMemory, Cancelled.
LevelSetResult level_set(const AnyImage& image, const Seeds& seeds, const LevelSetOptions& options,
                         Queue& queue, const LevelSetStart& start = {},
                         const LevelSetObserver& observer = {}, std::int64_t observe_every = 0,
                         const Progress& progress = {});
std::int64_t level_set_device_bytes(const AnyImage& image, const LevelSetOptions& options);
// Of the host, beside the image, seeds and labels.
std::int64_t level_set_host_bytes(const AnyImage& image, const LevelSetOptions& options);

}  // namespace tesela
