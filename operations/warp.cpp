#include "tesela/warp.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/transform.h"
#include "operations/registry.h"
#include "operations/slides.h"

namespace tesela::operations {

namespace {

struct WarpChoice {
    bool inverse = false, labels = false;
    std::optional<double> outside = {};
};
template <class V>
void describe(V&& v, WarpChoice& o) {
    v("inverse", o.inverse, "map from the fixed to the moving image");
    v("labels", o.labels, "take the nearest pixel, as label maps need");
    v("outside", o.outside, "value outside the input",
      OptionRange{.lowest = -1e37, .highest = 1e37, .automatic = "0, white in color"});
}

// The grid of the output: the one given as "like", or that of the image that the transform was
// found for.
ImageGrid target_grid(const Call& call) {
    if (const auto* like = call.inputs.find<ImageGrid>("like")) return *like;
    return target_grid(call.inputs.get<Transform>("transform"),
                       call.options.as<WarpChoice>().inverse);
}

Memory warp_memory(const Call& call, const Device&) {
    const auto& input = call.inputs.get<Warpable>("input");
    if (const auto* image = std::get_if<ImageValue>(&input)) {
        const ImageGrid target = target_grid(call);
        const auto& steps = call.inputs.get<Transform>("transform").steps;
        const bool is_linear = std::all_of(steps.begin(), steps.end(), [](const auto& step) {
            return std::holds_alternative<LinearMap>(step);
        });
        // Where lines bend, the place of each point is listed.
        const std::int64_t listed = is_linear ? 3 * 4 * target.shape.points() : 0;
        const std::int64_t bytes = warp_device_bytes(image->view(), target) - listed;
        return {.device = bytes, .held = bytes};
    }
    if (const auto* landmarks = std::get_if<Landmarks>(&input))
        return {.held = std::ssize(landmarks->list) * std::int64_t{sizeof(Landmark)}};
    const auto* carried = std::get_if<WarpableLabels>(&input);
    return {.held = carried ? 4 * carried->labels.shape().points() : 0};
}

struct Warp {
    const Call& call;
    Queue& queue;
    const Progress& progress;

    const Transform& transform() const { return call.inputs.get<Transform>("transform"); }
    const WarpChoice& options() const { return call.options.as<WarpChoice>(); }
    AnyImage warped(const AnyImageView& image) const {
        return warp(image, transform(), target_grid(call), {options().inverse, options().outside},
                    queue, progress);
    }
    // Of the pixel types that the library takes on a device.
    template <class T>
    DeviceImage<T> warped(const DeviceImage<const T>& image) const
        requires(std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::uint16_t> ||
                 std::is_same_v<T, std::int16_t> || std::is_same_v<T, float>) {
        return warp(image, transform(), target_grid(call), {options().inverse, options().outside},
                    queue, progress);
    }

    Warpable operator()(const ImageValue& image) const {
        if (!image.is_resident()) return ImageValue(warped(image.view()));
        return std::visit(
            [&]<class T>(const DeviceImage<const T>& there) {
                if constexpr (requires { warped(there); })
                    return ImageValue(warped(there));
                else
                    return ImageValue(warped(download(image, queue).view()));
            },
            image.resident());
    }
    Warpable operator()(const WarpableLabels& carried) const {
        const auto warped = [&](const auto& labels) {
            return WarpableLabels{ImageValue(warp_labels(labels, transform(), target_grid(call),
                                                         options().inverse, queue, progress))
                                      .with_labels(carried.labels.label_table())};
        };
        if (!carried.labels.is_resident()) return warped(carried.labels.pixels<std::uint32_t>());
        return warped(carried.labels.resident_of<std::uint32_t>());
    }
    Warpable operator()(const Landmarks& landmarks) const {
        return warp_landmarks(landmarks, transform(), options().inverse);
    }
    Warpable operator()(const Annotations& outlines) const {
        return warp_annotations(outlines, transform(), options().inverse);
    }
};

// In pixels, of what is carried as points.
struct PointsOf {
    using List = std::vector<SpacePoint>;

    List operator()(const ImageValue&) const { return {}; }
    List operator()(const WarpableLabels&) const { return {}; }
    List operator()(const Landmarks& landmarks) const {
        List points;
        for (const Landmark& landmark : landmarks.list) points.push_back(landmark.point);
        return points;
    }
    List operator()(const Annotations& annotations) const {
        List points;
        const auto add = [&](const PlaneLine& line) {
            for (const PlanePoint& at : line) points.push_back({at.x - 0.5, at.y - 0.5, 0});
        };
        for (const Annotation& annotation : annotations.list) {
            if (const auto* single = std::get_if<Points>(&annotation.shape)) add(*single);
            if (const auto* lines = std::get_if<Lines>(&annotation.shape))
                for (const PlaneLine& line : *lines) add(line);
            if (const auto* polygons = std::get_if<Polygons>(&annotation.shape))
                for (const Polygon& polygon : *polygons) add(polygon.outer);
        }
        return points;
    }
};

std::int64_t outside_of(const ImageGrid& grid, const std::vector<SpacePoint>& points) {
    const std::array<std::int64_t, 3> size{grid.shape.x, grid.shape.y, grid.shape.z};
    return std::count_if(points.begin(), points.end(), [&](const SpacePoint& point) {
        for (std::size_t axis = 0; axis < size.size(); ++axis)
            if (!(point[axis] >= -0.5 && point[axis] <= static_cast<double>(size[axis]) - 0.5))
                return true;
        return false;
    });
}

// Points that are carried in the wrong direction come from outside of an image, or go there.
void warn_of_direction(const Call& call, const Warpable& made, Results& results) {
    const auto& transform = call.inputs.get<Transform>("transform");
    const bool inverse = call.options.as<WarpChoice>().inverse;
    const auto warn = [&](const char* which, const char* image, const char* verb,
                          const std::optional<ImageGrid>& grid, const Warpable& points) {
        const std::vector<SpacePoint> list = std::visit(PointsOf{}, points);
        const std::int64_t outside = grid ? outside_of(*grid, list) : 0;
        if (2 * outside <= std::ssize(list)) return false;
        results.warnings.push_back(printed(
            "%lld of %s %s outside of the %s image: without --inverse points of the moving image "
            "go to the fixed one, with it those of the fixed image to the moving one",
            static_cast<long long>(outside), counted(std::ssize(list), which).c_str(), verb,
            image));
        return true;
    };
    const auto& [from, to] = inverse ? std::pair{"fixed", "moving"} : std::pair{"moving", "fixed"};
    if (!warn("point", from, "lie", inverse ? transform.fixed : transform.moving,
              call.inputs.get<Warpable>("input")))
        warn("carried point", to, "fall", inverse ? transform.moving : transform.fixed, made);
}

Results run_warp(const Call& call, Queue& queue, const Progress& progress) {
    StageClock clock;
    clock.start("warp");
    Results results;
    Warpable made = std::visit(Warp{call, queue, progress}, call.inputs.get<Warpable>("input"));
    warn_of_direction(call, made, results);
    results.outputs.set("output", std::move(made));
    results.stages = clock.take();
    return results;
}

// Each box takes the pixels that it needs from the level that is fine enough.
Results run_slide_warp(const Call& call, Queue& queue, const Progress& progress) {
    const auto& options = call.options.as<WarpChoice>();
    const auto& transform = call.inputs.get<Transform>("transform");
    const auto& [slide, is_labels] = call.inputs.get<WarpableSlide>("input");
    const bool labels = options.labels || is_labels;
    const ImageGrid target = target_grid(call);
    if (options.inverse) require_invertible(transform);
    write_warped_slide(call, "output", *slide, transform, target,
                       {options.inverse, options.outside}, labels, queue, progress);
    return {};
}

Operation on_slides(Operation warp) {
    warp.inputs.front().kind = kinds::warpable_slide;
    warp.named.back().kind = kinds::slide_grid;
    warp.named.back().any_channels = true;
    warp.outputs.front().kind = kinds::tiles;
    warp.run = run_slide_warp;
    warp.memory = [](const Call&, const Device&) { return Memory{.device = warped_box_bytes}; };
    return warp;
}

}  // namespace

void add_warp(Registry& registry) {
    Operation warp{
        .name = "warp",
        .purpose = "apply a transform to images, slides, labels or outlines",
        .sentence = "Applies a transform to an image, slide, labels, landmarks or outlines.",
        .task = tasks::registration,
        .examples = {"warp ihc.jpg --transform t.json -o aligned.png",
                     "warp he.geojson --transform t.json --inverse -o ihc.geojson",
                     "warp ihc.svs --transform t.json --like he.svs -o aligned.ome.tif"},
        .inputs = {{.name = "input",
                    .kind = kinds::warpable,
                    .help = "image, label map, landmarks (.csv) or .geojson",
                    .axes = 3,
                    .any_channels = true,
                    .names_labels = true}},
        .named = {{.name = "transform",
                   .kind = kinds::transform,
                   .help = "transform from fixed to moving (.json, .tfm)"},
                  {.name = "like",
                   .kind = kinds::grid,
                   .help = "image that sets the size and spacing of the output",
                   .required = false}},
        .outputs = {{.name = "output",
                     .kind = kinds::warpable,
                     .help = "warped image, labels, landmarks or outlines",
                     .required = true,
                     .keeps_values = true}},
        .options = Options::of(WarpChoice{}),
        .run = run_warp,
        .memory = warp_memory,
        // What `run` does with an image that is there; it is no ImageValue, but one of several
        // things.
        .device = {.level = {.run = run_warp,
                             .types = {PixelType::u8, PixelType::u16, PixelType::i16,
                                       PixelType::f32, PixelType::u32}}},
        .progress = {.stages = {"read", "warp", "write"}}};
    warp.slides.in_tiles = std::make_shared<const Operation>(on_slides(warp));
    registry.add(std::move(warp));
}

}  // namespace tesela::operations
