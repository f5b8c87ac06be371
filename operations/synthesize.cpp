// Data whose truth is known: noise, circles, nuclei, volumes.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "operations/all.h"
#include "operations/kinds/circles.h"
#include "operations/kinds/image.h"
#include "operations/registry.h"
#include "tesela/synthetic_circles.h"
#include "tesela/synthetic_noise.h"
#include "tesela/synthetic_nuclei.h"
#include "tesela/synthetic_volume.h"

namespace tesela::operations {
namespace {

struct NoiseOptions {
    NoiseKind kind = NoiseKind::gaussian;
    double sigma = 10;
    std::uint64_t seed = 1;
};
template <class V>
void describe(V&& v, NoiseOptions& o) {
    v("kind", o.kind, "noise model");
    v("sigma", o.sigma, "standard deviation of the noise",
      OptionRange{.lowest = 0, .highest = 1e30});
    v("seed", o.seed, "seed of the random numbers");
}

Results run_noise(const Call& call, Queue&, const Progress&) {
    const auto& options = call.options.as<NoiseOptions>();
    Results results;
    results.outputs.set("noisy",
                        add_noise(call.image(), options.kind, options.sigma, options.seed));
    return results;
}

Operation noise() {
    return {.name = "synthesize noise",
            .purpose = "an image with added noise",
            .sentence = "Adds noise to an image.",
            .examples = {"synthesize noise coins.png -o noisy.png --sigma 20",
                         "synthesize noise ch2.nii.gz -o noisy.nii.gz --kind rician"},
            .inputs = {channels_input},
            .outputs = {{.name = "noisy",
                         .kind = kinds::image,
                         .help = "noisy image, in the input's type",
                         .required = true}},
            .options = Options::of(NoiseOptions{}),
            .run = run_noise,
            .memory =
                [](const Call& call, const Device&) {
                    return Memory{.held = call.image().shape().elements() *
                                          pixel_type_bytes(call.image().pixel_type())};
                },
            .device = {.on_host = true}};
}

struct CirclesChoice {
    std::string scene = {};
    SyntheticCirclesOptions circles = {};
};
template <class V>
void describe(V&& v, CirclesChoice& o) {
    v("scene", o.scene, "c20r20, c100r50, ...: number and radius");
    describe(v, o.circles);
}

// A scene's, with the seed, blur, noise, gaps and salt that were asked for.
SyntheticCirclesOptions circles_of(const std::string& name,
                                   const SyntheticCirclesOptions& options) {
    if (name.empty()) return options;
    std::optional<SyntheticCirclesOptions> scene = circles_scene(name);
    if (!scene)
        throw InvalidArgument("--scene: there is no '" + name +
                              "'; give c20, c100 or c500 with r20, r50 or r100, such as c20r50");
    scene->seed = options.seed;
    scene->blur = options.blur;
    scene->noise = options.noise;
    scene->gap = options.gap;
    scene->salt = options.salt;
    return *scene;
}

SyntheticCirclesOptions circles_of(const Options& options) {
    const auto& choice = options.as<CirclesChoice>();
    return circles_of(choice.scene, choice.circles);
}

Results run_circles(const Call& call, Queue&, const Progress&) {
    SyntheticCircles made = synthetic_circles(circles_of(call.options));
    Results results;
    results.outputs.set("output", AnyImage(std::move(made.image)));
    results.outputs.set("truth", CircleLists{.pixels = std::move(made.truth)});
    return results;
}

Operation circles() {
    return {
        .name = "synthesize circles",
        .purpose = "an image with known circles",
        .sentence = "Makes an image with known circles.",
        .examples = {"synthesize circles --scene c500r50 -o c500r50.png --truth truth.csv",
                     "synthesize circles --drawing disks --count 50 --min-radius 8 "
                     "--max-radius 40 --blur 1 --noise 0.2 -o disks.png --truth truth.csv"},
        .outputs =
            {{.name = "output", .kind = kinds::image, .help = "image of 8 bits", .required = true},
             {.name = "truth", .kind = kinds::circles, .help = "CSV file of centers and radii"}},
        .options = Options::of(CirclesChoice{}),
        .run = run_circles,
        .memory =
            [](const Call& call, const Device&) {
                // The image, and its values before they are rounded, also turned.
                const SyntheticCirclesOptions wanted = circles_of(call.options);
                return Memory{.held = (1 + 4 + 4) * wanted.width * wanted.height};
            },
        .check = [](const Options& options) { validate_options(circles_of(options)); },
        .device = {.on_host = true}};
}

Results run_nuclei(const Call& call, Queue&, const Progress&) {
    SyntheticNuclei made = synthetic_nuclei(call.options.as<SyntheticNucleiOptions>());
    Results results;
    results.outputs.set("output", AnyImage(std::move(made.image)));
    results.outputs.set("truth", std::move(made.truth));
    return results;
}

Operation nuclei() {
    return {
        .name = "synthesize nuclei",
        .purpose = "an image with known cell nuclei",
        .sentence =
            "Makes a fluorescence image of nuclei with touching pairs, uneven light and "
            "noise.",
        .examples = {"synthesize nuclei -o nuclei.png --truth truth.png",
                     "synthesize nuclei --count 40 --touching 0.6 --noise 0.2 -o dense.png --truth "
                     "truth.png"},
        .outputs =
            {{.name = "output", .kind = kinds::image, .help = "image of 8 bits", .required = true},
             {.name = "truth", .kind = kinds::labels, .help = "label map of the nuclei"}},
        .options = Options::of(SyntheticNucleiOptions{}),
        .run = run_nuclei,
        .memory =
            [](const Call& call, const Device&) {
                // The image, its truth, and values before they are rounded, also turned.
                const auto& wanted = call.options.as<SyntheticNucleiOptions>();
                return Memory{.held = (1 + 4 + 4 + 4) * wanted.width * wanted.height};
            },
        .device = {.on_host = true}};
}

struct VolumeOptions {
    VolumeScene scene = VolumeScene::head;
    std::string size = "128,128,128", spacing = "1,1,1", noise = "0%", bias = "0%";
    std::uint64_t seed = 1;
};
template <class V>
void describe(V&& v, VolumeOptions& o) {
    v("scene", o.scene, "objects in the volume");
    v("size", o.size, "voxels along x, y and z");
    v("spacing", o.spacing, "voxel spacing in mm, X,Y,Z");
    v("noise", o.noise, "standard deviation, as a share of the brightest tissue");
    v("bias", o.bias, "variation of brightness through the volume, as a share");
    v("seed", o.seed, "seed of the random numbers");
}

// Three numbers with commas between them. Nothing where the text is not that.
template <class T>
std::optional<std::array<T, 3>> three_of(const std::string& text) {
    std::array<T, 3> numbers{};
    const char* at = text.data();
    const char* end = at + text.size();
    for (std::size_t i = 0; i < 3; ++i) {
        const auto [next, error] = std::from_chars(at, end, numbers[i]);
        const bool last = i == 2;
        if (error != std::errc{} || !(numbers[i] > 0) ||
            (last ? next != end : next == end || *next != ','))
            return {};
        at = next + 1;
    }
    return numbers;
}

// "20%" or "0.2".
double share_of(std::string_view name, const std::string& text) {
    const bool percent = text.ends_with('%');
    const char* end = text.data() + text.size() - (percent ? 1 : 0);
    double value = 0;
    const auto [next, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || next != end || !std::isfinite(value))
        throw InvalidArgument(
            fmt::format("--{}: '{}' is not a number or a percentage", name, text));
    return value / (percent ? 100 : 1);
}

SyntheticVolumeOptions volume_of(const Options& given) {
    const auto& options = given.as<VolumeOptions>();
    const auto size = three_of<std::int64_t>(options.size);
    if (!size)
        throw InvalidArgument("--size: '" + options.size +
                              "' is not three lengths X,Y,Z from 1 on");
    const auto spacing = three_of<double>(options.spacing);
    if (!spacing)
        throw InvalidArgument("--spacing: '" + options.spacing +
                              "' is not three lengths X,Y,Z in mm");
    const auto& [x, y, z] = *size;
    return {.scene = options.scene,
            .shape = {x, y, z},
            .spacing = *spacing,
            .noise = share_of("noise", options.noise),
            .bias = share_of("bias", options.bias),
            .seed = options.seed};
}

Results run_volume(const Call& call, Queue&, const Progress&) {
    SyntheticVolume made = synthetic_volume(volume_of(call.options));
    Results results;
    results.outputs.set("output", AnyImage(std::move(made.image)));
    results.outputs.set("truth", std::move(made.truth));
    return results;
}

Operation volume() {
    return {
        .name = "synthesize volume",
        .purpose = "a volume with known objects",
        .sentence = "Makes a volume with known objects, noise and uneven brightness.",
        .examples = {"synthesize volume --scene head --noise 5% --bias 20% -o head.nii.gz "
                     "--truth truth.nii.gz",
                     "synthesize volume --scene sphere --size 64,64,22 --spacing 1,1,3 -o "
                     "sphere.nii.gz"},
        .outputs =
            {{.name = "output", .kind = kinds::image, .help = "volume of 8 bits", .required = true},
             {.name = "truth", .kind = kinds::labels, .help = "label map of the objects"}},
        .options = Options::of(VolumeOptions{}),
        .run = run_volume,
        .memory =
            [](const Call& call, const Device&) {
                // The volume, its truth, and the values before they are rounded.
                return Memory{.held = (1 + 4 + 4) * volume_of(call.options).shape.points()};
            },
        .check = [](const Options& options) { validate(volume_of(options).shape); },
        .device = {.on_host = true}};
}

}  // namespace

void add_synthesize(Registry& registry) {
    registry.add(Family{.name = "synthesize",
                        .purpose = "make test data with known truth",
                        .sentence = "Makes test data with known truth.",
                        .task = tasks::evaluation});
    add_synthesize_series(registry);
    registry.add(noise());
    registry.add(circles());
    registry.add(nuclei());
    registry.add(volume());
}

}  // namespace tesela::operations
