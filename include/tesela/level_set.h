// Level sets: objects that grow from seeds to where their speed becomes negative, with smooth
// borders and without overlap.
//
// The fast two-cycle method: Y. Shi, W. C. Karl, "A real-time algorithm for the approximation of
// level-set-based curve evolution", IEEE Trans. Image Process. 17(5), 2008. The state is the set
// itself; the steps are described in docs/level-sets.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/seeds.h"
#include "tesela/stage_times.h"
#include "tesela/stop_function.h"

namespace tesela {

// What determines the speed of an object: limits of values, given or found, or the statistics of
// its seeds.
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
    v("data-steps", o.data_steps, "evolution steps of a round, before smoothing",
      OptionRange{.lowest = 1, .highest = 64});
    v("smoothing-steps", o.smoothing_steps, "smoothing steps of a round",
      OptionRange{.lowest = 1, .highest = 64});
    v("max-iterations", o.max_iterations, "maximum number of evolution steps",
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

// Why a run ended; limit_cycle: a round ended in an earlier state.
enum class LevelSetEnd { none, stable, limit_cycle, max_iterations, max_volume, stopped };
constexpr auto enum_names(LevelSetEnd) {
    return std::array{EnumNames<LevelSetEnd>{LevelSetEnd::none, "not yet"},
                      EnumNames<LevelSetEnd>{LevelSetEnd::stable, "stable"},
                      EnumNames<LevelSetEnd>{LevelSetEnd::limit_cycle, "a state came back"},
                      EnumNames<LevelSetEnd>{LevelSetEnd::max_iterations, "maximum iterations"},
                      EnumNames<LevelSetEnd>{LevelSetEnd::max_volume, "maximum volume"},
                      EnumNames<LevelSetEnd>{LevelSetEnd::stopped, "stopped"}};
}

// Limits and neck radius that were found from the seeds of an object.
struct LevelSetLimits {
    std::optional<double> lower, upper;
    Length neck = 0;
};

struct LevelSetObject {
    std::uint32_t label = 0;
    std::int64_t points = 0;
    std::optional<double> volume = {};  // mm^3, or mm^2 for a picture, if the spacing is known
    std::optional<double> mean = {}, deviation = {};  // for speeds by statistics, the last ones
    std::optional<LevelSetLimits> found = {};         // if none were given
};

struct LevelSetReport {
    LevelSetEnd end = LevelSetEnd::none;
    std::int64_t iterations = 0;  // evolution steps
    std::int32_t period = 0;      // of a limit cycle, in rounds
    LevelSetSpeed speed = LevelSetSpeed::window;
    std::vector<LevelSetObject> objects;
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;
};

struct LevelSetResult : LevelSetReport {
    LabelImage labels;
};
struct DeviceLevelSetResult : LevelSetReport {
    DeviceImage<std::uint32_t> labels;
};

// What a run starts from, in addition to seeds.
struct LevelSetStart {
    std::optional<Seeds> background = {};   // an object that competes, and is labeled 0
    std::optional<LabelView> from = {};     // labels to continue from
    std::optional<Seeds> erase = {};        // points that become free before seeds are placed
    std::optional<AnyImageView> mask = {};  // objects stay where it is not 0
};

// Keeps an image and the state on the device, for interactive use: inspect labels, add seeds,
// continue. Pixels that the view does not own, and an image that is on the device already, must
// stay as long as the session; the mask is read by the constructor alone. Throws as level_set does.
class LevelSetSession {
  public:
    LevelSetSession(const AnyImageView& image, const LevelSetOptions& options, Queue& queue,
                    const std::optional<AnyImageView>& mask = {});
    // Device level: T is std::uint8_t, std::uint16_t, std::int16_t or float.
    template <class T>
    LevelSetSession(const DeviceImage<const T>& image, const LevelSetOptions& options, Queue& queue,
                    const std::optional<AnyImageView>& mask = {});
    // An image that is made for the call would end before the session.
    template <class Made>
    requires(std::is_constructible_v<AnyImage, Made> && !std::is_reference_v<Made>)
        LevelSetSession(Made&&, const LevelSetOptions&, Queue&,
                        const std::optional<AnyImageView>& = {})
    = delete;
    ~LevelSetSession();
    LevelSetSession(LevelSetSession&&) noexcept;

    void start_from(const LabelView& labels);
    void erase(const Seeds& seeds);
    void add_seeds(const Seeds& seeds);
    void add_background(const Seeds& seeds);
    // Recomputes only what depends on changed options.
    void set_options(const LevelSetOptions& options);
    // Runs at most `steps` evolution steps, rounded up to a round; fewer if the run ends.
    LevelSetReport advance(std::int64_t steps, const Progress& progress = {});
    // The current objects, with parts behind necks removed and holes filled as the options say.
    // `warnings` gets a message for each part that was removed.
    LabelImage labels(std::vector<std::string>* warnings = nullptr);
    DeviceImage<std::uint32_t> device_labels(std::vector<std::string>* warnings = nullptr);

    class Implementation;

  private:
    std::unique_ptr<Implementation> implementation_;
};

// Called at intervals and at the end with the report so far; may ask the session for the labels.
// Returning false stops the run with the current objects.
using LevelSetObserver =
    std::function<bool(const LevelSetReport& report, LevelSetSession& session)>;

// Pictures and volumes of one channel. The same input gives the same labels on every device. Throws
// InvalidArgument (options; no seeds; seeds outside the image or mask, on NaN, or all outside the
// limits; more than 254 objects; labels or a mask of another size; lengths in mm without spacing),
// UnsupportedFormat (color, a time axis), OutOfMemory, Cancelled.
LevelSetResult level_set(const AnyImageView& image, const Seeds& seeds,
                         const LevelSetOptions& options, Queue& queue,
                         const LevelSetStart& start = {}, const LevelSetObserver& observer = {},
                         std::int64_t observe_every = 0, const Progress& progress = {});
// Device level: T is std::uint8_t, std::uint16_t, std::int16_t or float. Points of seeds go to the
// device and their values come back; the pixels are read back once where limits are found from
// seeds, and labels go there and back where holes are filled.
template <class T>
DeviceLevelSetResult level_set(const DeviceImage<const T>& image, const Seeds& seeds,
                               const LevelSetOptions& options, Queue& queue,
                               const LevelSetStart& start = {},
                               const LevelSetObserver& observer = {},
                               std::int64_t observe_every = 0, const Progress& progress = {});
std::int64_t level_set_device_bytes(const AnyImageView& image, const LevelSetOptions& options);
// Host memory in addition to the image, seeds and labels.
std::int64_t level_set_host_bytes(const AnyImageView& image, const LevelSetOptions& options);

}  // namespace tesela
