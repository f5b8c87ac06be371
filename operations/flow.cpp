// flow tv-l1, horn-schunck, lucas-kanade; thesis flow horn-schunck, lucas-kanade
#include <algorithm>
#include <array>
#include <cmath>

#include "operations/all.h"
#include "operations/device_level.h"
#include "operations/kinds/flow.h"
#include "operations/kinds/image.h"
#include "operations/registry.h"
#include "operations/sequence.h"
#include "tesela/brightness.h"
#include "tesela/device_value_range.h"
#include "tesela/error.h"
#include "tesela/flow_picture.h"
#include "tesela/horn_schunck.h"
#include "tesela/lucas_kanade.h"
#include "tesela/tv_l1.h"

namespace tesela::operations {
namespace {

template <class MethodOptions>
struct FlowOptions {
    MethodOptions method;
    double max_motion = 0;
};

template <class V, class MethodOptions>
void describe(V&& v, FlowOptions<MethodOptions>& o) {
    describe(v, o.method);
    v("max-motion", o.max_motion, "motion shown at full saturation; 0: the longest",
      OptionRange{.lowest = 0, .unit = "pixels"});
}

// What a method is, beside its options.
template <class MethodOptions>
struct Method {
    std::string name, purpose, sentence;
    FlowResult (*compute)(std::span<const Image<float>>, const MethodOptions&, Queue&,
                          const Progress&);
    DeviceImage<float> (*on_device)(const DeviceImage<const float>&, const MethodOptions&, Queue&,
                                    const Progress&);
    std::int64_t (*device_bytes)(const Shape&, const MethodOptions&, const Device&);
    bool sees_colors = false;

    Image<float> prepare(const AnyImageView& frame, const ValueRange& range) const {
        return sees_colors ? unit_colors(frame, range) : brightness(frame, range);
    }
};

template <class MethodOptions>
const MethodOptions& method_options(const Options& options) {
    return options.as<FlowOptions<MethodOptions>>().method;
}
double max_motion(const Options& options) { return std::get<double>(options.get("max-motion")); }

template <class MethodOptions>
constexpr bool has_confidence = requires(MethodOptions o) {
    o.confidence;
};

// One of the two frames; `range` is that of the first.
template <class MethodOptions>
Image<float> frame_of(const Call& call, const std::string& name,
                      const Method<MethodOptions>& method, const ValueRange& range) {
    const AnyImageView& frame = call.inputs.view(name);
    if (frame.pixel_type() != call.image().pixel_type())
        throw InvalidInput(name, "it has pixels of another type than the first frame: convert one");
    try {
        return method.prepare(frame, range);
    } catch (const InvalidArgument& error) {
        throw InvalidInput(name, error.what());
    }
}

template <class MethodOptions>
Results run_pair(const Method<MethodOptions>& method, const Call& call, Queue& queue,
                 const Progress& progress) {
    MethodOptions options = method_options<MethodOptions>(call.options);
    if constexpr (has_confidence<MethodOptions>) options.confidence = call.wants("confidence");
    const ValueRange range = used_range(call.image());
    const std::vector<Image<float>> frames{frame_of(call, "input", method, range),
                                           frame_of(call, "second", method, range)};
    FlowResult result = method.compute(frames, options, queue, progress);
    Results results;
    results.summary = method.name + ": " + counted(result.levels, "level");
    results.details = {{"levels", std::int64_t{result.levels}},
                       {"range", std::vector<double>{range.lowest, range.highest}}};
    results.stages = std::move(result.stages);
    results.warnings = std::move(result.warnings);
    results.outputs.set("flow", std::move(result.fields.front()));
    if (call.wants("confidence"))
        results.outputs.set("confidence", AnyImage(std::move(result.confidence.front())));
    return results;
}

template <class MethodOptions, class T>
DeviceImage<float> frames_of(const Method<MethodOptions>& method, const DeviceImage<const T>& first,
                             const ValueRange& range, const Call& call, Queue& queue) {
    const auto& second = call.inputs.image("second").resident_of<T>();
    const std::array<const DeviceImage<const T>*, 2> pair{&first, &second};
    return method.sees_colors ? unit_colors<T>(pair, range, queue)
                              : brightness<T>(pair, range, queue);
}

template <class MethodOptions>
DeviceLevel pair_level(const Method<MethodOptions>& method) {
    DeviceLevel level = device_level(
        [method](const auto& first, const Call& call, Queue& queue, const Progress& progress) {
            const auto& options = method_options<MethodOptions>(call.options);
            const ValueRange range = used_range(first, queue);
            const DeviceImage<const float> frames = frames_of(method, first, range, call, queue);
            Results results;
            results.summary = method.name;
            results.details = {{"range", std::vector<double>{range.lowest, range.highest}}};
            if constexpr (has_confidence<MethodOptions>)
                if (call.wants("confidence")) {
                    ConfidentFlow found =
                        lucas_kanade_with_confidence(frames, options, queue, progress);
                    results.outputs.set("flow", std::move(found.fields));
                    results.outputs.set("confidence", std::move(found.confidence));
                    return results;
                }
            results.outputs.set("flow", method.on_device(frames, options, queue, progress));
            return results;
        });
    level.one_type = level.needs_f64 = true;
    return level;
}

// The frames' values are held on the host while the device works; an arrow picture looks at the
// values of the frame to choose its brightness.
template <class MethodOptions>
Memory pair_memory(const Method<MethodOptions>& method, const Call& call, const Device& device) {
    const ValueRange range = used_range(call.image());
    Shape frames = frame_of(call, "input", method, range).shape();
    const Shape second = frame_of(call, "second", method, range).shape();
    if (!(frames == second) || frames.t != 1)
        throw InvalidArgument("the frames are no pair: they need one size, and no axis of time");
    constexpr std::int64_t shown_values = 8, value = 4;
    const std::int64_t points = frames.points();
    frames.t = 2;
    return {
        .device = method.device_bytes(frames, method_options<MethodOptions>(call.options), device),
        .computing = value * frames.elements(),
        .finishing = call.wants("arrows") ? shown_values * points : 0};
}

AnyImage picture_of(std::string_view output, const AnyImageView& first, const AnyImageView& second,
                    const FlowView& field, double max_motion) {
    if (output == "color") return flow_colors(field, max_motion).picture;
    if (output == "warped") return warped_back(second, field);
    ArrowOptions options;
    options.max_motion = max_motion;
    return flow_arrows(first, field, options).picture;
}

void add_pictures(const Call& call, Results& results) {
    for (const char* output : {"color", "arrows", "warped"})
        if (call.wants(output))
            results.outputs.set(output, picture_of(output, call.image(), call.inputs.view("second"),
                                                   results.outputs.pixels<float>("flow"),
                                                   max_motion(call.options)));
}

// A scale for all pictures of a sequence, from its first field: the length that 1 % of the vectors
// exceed, or half a percent of the longer side where little moves yet.
double scale_of(const FlowField& field) {
    constexpr double share = 0.99, least = 0.005;
    const Shape& shape = field.shape();
    std::vector<double> lengths;
    for (const float* vector = field.data(); vector != field.data() + shape.elements(); vector += 2)
        if (is_known(vector[0], vector[1])) lengths.push_back(std::hypot(vector[0], vector[1]));
    const double floor = least * static_cast<double>(std::max(shape.x, shape.y));
    if (lengths.empty()) return floor;
    const auto place = lengths.begin() +
                       static_cast<std::ptrdiff_t>(share * static_cast<double>(lengths.size() - 1));
    std::nth_element(lengths.begin(), place, lengths.end());
    return std::max(floor, *place);
}

using Prepare = Image<float> (*)(const AnyImageView&, const ValueRange&);

template <class MethodOptions>
std::shared_ptr<const SequenceMethod> sequence_of(const Method<MethodOptions>& method) {
    return std::make_shared<const SequenceMethod>(SequenceMethod{
        .prepare = method.sees_colors ? Prepare(unit_colors) : Prepare(brightness),
        .compute =
            [method](std::span<const Image<float>> frames, const Options& options, Queue& queue,
                     const Progress& progress) {
                return method.compute(frames, method_options<MethodOptions>(options), queue,
                                      progress);
            },
        .device_bytes =
            [method](const Shape& frames, const Options& options, const Device& device) {
                return method.device_bytes(frames, method_options<MethodOptions>(options), device);
            },
        .scale =
            [](const FlowField& first, const Options& options) {
                const double given = max_motion(options);
                return given > 0 ? given : scale_of(first);
            },
        .picture =
            [](std::string_view output, const FlowStep& step, double scale) {
                return picture_of(output, *step.first, *step.second, step.field, scale);
            }});
}

PixelFormat colors(const AnyImageView&) { return {PixelType::u8, 3}; }

template <class MethodOptions>
Operation flow(const Method<MethodOptions>& method, const std::string& family, Options options) {
    std::vector<Output> outputs{
        {.name = "flow",
         .kind = kinds::field,
         .help = "flow field (.flo, KITTI .png, Barron's .F)",
         .always = true},
        {.name = "color", .kind = kinds::image, .help = "flow in colors", .pixels = colors},
        {.name = "arrows",
         .kind = kinds::image,
         .help = "first frame with arrows",
         .pixels = colors},
        {.name = "warped", .kind = kinds::image, .help = "second frame warped to the first"}};
    if (has_confidence<MethodOptions> && family == "flow")
        outputs.push_back(
            {.name = "confidence",
             .kind = kinds::image,
             .help = "reliability of each vector, float; 0: none",
             .pixels = [](const AnyImageView&) { return PixelFormat{PixelType::f32}; }});
    const std::string verb = family + " " + method.name;
    return {.name = verb,
            .purpose = method.purpose,
            .sentence = method.sentence,
            .examples = {verb + " frame10.png frame11.png -o motion.flo --color motion.png",
                         verb + " film.y4m -o motion.y4m --batch 8"},
            .inputs = {{.name = "input", .kind = kinds::image, .help = "first frame", .axes = 2},
                       {.name = "second", .kind = kinds::image, .help = "second frame", .axes = 2}},
            .outputs = std::move(outputs),
            .options = std::move(options),
            .run =
                [method](const Call& call, Queue& queue, const Progress& progress) {
                    return run_pair(method, call, queue, progress);
                },
            .memory = [method](const Call& call,
                               const Device& device) { return pair_memory(method, call, device); },
            .finish = add_pictures,
            .device = {.level = pair_level(method)},
            .sequence = sequence_of(method)};
}

template <class MethodOptions>
Options with_pictures(const MethodOptions& method, std::initializer_list<std::string_view> hidden) {
    return Options::of(FlowOptions<MethodOptions>{method}).without(hidden);
}

}  // namespace

void add_flow(Registry& registry) {
    registry.add(Family{.name = "flow",
                        .purpose = "motion of every pixel between frames",
                        .sentence = "Computes the motion of every pixel between two frames, or "
                                    "between those of a sequence or video.",
                        .task = tasks::motion,
                        .default_operation = "flow tv-l1"});
    registry.add(flow<TvL1Options>({"tv-l1", "motion with sharp borders, the most accurate",
                                    "Computes optical flow with TV-L1, the most accurate method.",
                                    tv_l1, tv_l1, tv_l1_device_bytes, true},
                                   "flow", with_pictures(TvL1Options{}, {})));
    registry.add(flow<HornSchunckOptions>(
        {"horn-schunck", "the smoothest motion that explains the frames",
         "Computes optical flow with Horn and Schunck's method.", horn_schunck, horn_schunck,
         horn_schunck_device_bytes},
        "flow",
        with_pictures(HornSchunckOptions{},
                      {"variant", "regularization", "sampling", "precision"})));
    registry.add(flow<LucasKanadeOptions>(
        {"lucas-kanade", "one motion for the window around each pixel",
         "Computes optical flow and its reliability with Lucas and Kanade's method.", lucas_kanade,
         lucas_kanade, lucas_kanade_device_bytes},
        "flow", with_pictures(LucasKanadeOptions{}, {"variant", "filter-size", "precision"})));
}

void add_thesis_flow(Registry& registry) {
    registry.add(Family{.name = "thesis flow",
                        .purpose = "motion between frames (Horn-Schunck, Lucas-Kanade)",
                        .sentence = "Computes motion as in the thesis behind optical flow."});
    registry.add(flow<HornSchunckOptions>(
        {"horn-schunck", "pyramid of halves, Jacobi steps",
         "Computes optical flow with Horn and Schunck's method as in the thesis.", horn_schunck,
         horn_schunck, horn_schunck_device_bytes},
        "thesis flow",
        with_pictures(HornSchunckOptions{.variant = HornSchunckVariant::thesis},
                      {"variant", "scale", "presmoothing", "solver", "tolerance", "medians"})));
    registry.add(flow<LucasKanadeOptions>(
        {"lucas-kanade", "one scale and one step",
         "Computes optical flow with Lucas and Kanade's method as in the thesis, at one scale.",
         lucas_kanade, lucas_kanade, lucas_kanade_device_bytes},
        "thesis flow",
        with_pictures(LucasKanadeOptions{.variant = LucasKanadeVariant::thesis},
                      {"levels", "scale", "presmoothing", "warps", "medians", "min-confidence"})));
}

}  // namespace tesela::operations
