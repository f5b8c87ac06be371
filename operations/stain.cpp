// stain separate, normalize
#include "tesela/stain.h"
#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/kinds/stain.h"
#include "operations/registry.h"
#include "tesela/tissue_slides.h"

namespace tesela::operations {
namespace {

struct NormalizeOptions : StainOptions {
    NormalizeOptions() { stains = StainChoice::macenko; }

    StainSet target = StainSet::he;
};
template <class V>
void describe(V&& v, NormalizeOptions& o) {
    describe(v, static_cast<StainOptions&>(o));
    v("target", o.target, "stain vectors of the result");
}

// Of an image or a slide. Stains that were saved count before those of the options.
template <class Source>
StainMatrix matrix_of(const Call& call, const Source& source, const StainOptions& options) {
    const auto* saved = call.inputs.find<StainMatrix>("use");
    if (!saved) return stains_of(source, options);
    if (!call.is_part && call.options.given("stains"))
        throw InvalidArgument("--use and --stains both name the stains: give one of them");
    return *saved;
}

// The stains that an image is normalized to.
constexpr std::string_view target_stains = "stains of the target";
StainMatrix target_of(const Call& call, const NormalizeOptions& options) {
    if (const auto* known = call.inputs.find<StainMatrix>(target_stains)) return *known;
    const auto reference = call.inputs.find_view("reference");
    if (!reference) return stain_matrix(options.target);
    if (call.options.given("target"))
        throw InvalidArgument("--reference and --target both name the colors: give one of them");
    try {
        return estimate_stains(*reference, options);
    } catch (const InvalidArgument& error) {
        throw InvalidInput("reference", error.what());
    }
}

Figure figure_of(const std::string& name, const StainMatrix& matrix, std::size_t stain) {
    const StainVector& v = matrix.stains[stain];
    return {
        name,
        Figure::Record{
            {"red", v[0]}, {"green", v[1]}, {"blue", v[2]}, {"strength", matrix.strength[stain]}}};
}

Results results_of(const StainMatrix& matrix) {
    Results results;
    const auto &first = matrix.stains[0], &second = matrix.stains[1];
    results.summary = printed("first stain %.3f, %.3f, %.3f; second stain %.3f, %.3f, %.3f",
                              first[0], first[1], first[2], second[0], second[1], second[2]);
    results.figures = {figure_of("first_stain", matrix, 0), figure_of("second_stain", matrix, 1)};
    results.outputs.set("save", matrix);
    return results;
}

Results run_separate(const Call& call, Queue& queue, const Progress& progress) {
    StageClock clock;
    clock.start("estimate");
    const StainMatrix matrix = matrix_of(call, call.image(), call.options.as<StainOptions>());
    Results results = results_of(matrix);
    clock.start("separate");
    if (call.wants("amounts"))
        results.outputs.set("amounts",
                            AnyImage(separate_stains(call.image(), matrix, queue, progress)));
    for (const int stain : {0, 1}) {
        const char* name = stain == 0 ? "first" : "second";
        if (call.wants(name))
            results.outputs.set(name, stain_picture(call.image(), matrix, stain, queue, progress));
    }
    results.stages = clock.take();
    return results;
}

Results run_normalize(const Call& call, Queue& queue, const Progress& progress) {
    const auto& options = call.options.as<NormalizeOptions>();
    StageClock clock;
    clock.start("estimate");
    const StainMatrix matrix = matrix_of(call, call.image(), options),
                      target = target_of(call, options);
    Results results = results_of(matrix);
    clock.start("normalize");
    results.outputs.set("normalized",
                        normalize_stains(call.image(), matrix, target, queue, progress));
    results.stages = clock.take();
    return results;
}

Memory stain_memory(const Call& call, const Device&) {
    return {.device = stain_device_bytes(call.image())};
}

std::optional<std::int64_t> halo_of_pixels(const Options&, const AnyImageView&) { return 0; }

// All tiles of a slide get the same stains and so the same colors.
template <class Chosen>
Values look_at_slide(const Call& call, const TileSource& slide, Results& results) {
    const auto& options = call.options.as<Chosen>();
    const StainMatrix matrix = matrix_of(call, slide, options);
    results = results_of(matrix);
    Values shared;
    shared.set("use", matrix);
    if constexpr (std::is_same_v<Chosen, NormalizeOptions>)
        shared.set(target_stains, target_of(call, options));
    return shared;
}

const Input saved_stains{.name = "use",
                         .kind = kinds::stains,
                         .help = "stains that --save wrote, instead of --stains",
                         .required = false};
const Output kept_stains{
    .name = "save", .kind = kinds::stains, .help = "stains as JSON, for --use on other images"};

Operation separate() {
    return {
        .name = "stain separate",
        .purpose = "the amount of each stain, by color deconvolution",
        .sentence = "Separates two stains by color deconvolution (Ruifrok and Johnston).",
        .examples = {"stain separate ihc.png --stains hdab -o amounts.tif --second dab.png",
                     "stain separate tile.png --stains macenko --first hematoxylin.png"},
        .inputs = {image_input},
        .named = {saved_stains},
        .outputs =
            {{.name = "amounts",
              .kind = kinds::image,
              .help = "amounts of both stains and of the rest, 3 channels",
              .pixels =
                  [](const AnyImageView&) {
                      return PixelFormat{PixelType::f32, 3};
                  }},
             {.name = "first", .kind = kinds::image, .help = "picture of the first stain alone"},
             {.name = "second", .kind = kinds::image, .help = "picture of the second stain alone"},
             kept_stains},
        .options = Options::of(StainOptions{}),
        .run = run_separate,
        .memory = stain_memory,
        .slides = {.halo = halo_of_pixels, .look = look_at_slide<StainOptions>}};
}

Operation normalize() {
    return {.name = "stain normalize",
            .purpose = "the same colors for sections stained differently",
            .sentence = "Normalizes the colors of a stained section (Macenko).",
            .examples = {"stain normalize tile.png -o normalized.png",
                         "stain normalize slide.svs -o normalized.ome.tif --reference good.png"},
            .inputs = {image_input},
            .named = {saved_stains,
                      {.name = "reference",
                       .kind = kinds::image,
                       .help = "picture whose colors the result gets, instead of --target",
                       .required = false,
                       .own_grid = true,
                       .axes = 2}},
            .outputs = {{.name = "normalized",
                         .kind = kinds::image,
                         .help = "image in the target's colors",
                         .always = true},
                        kept_stains},
            .options = Options::of(NormalizeOptions{}),
            .run = run_normalize,
            .memory = stain_memory,
            .slides = {.halo = halo_of_pixels, .look = look_at_slide<NormalizeOptions>}};
}

}  // namespace

void add_stains(Registry& registry) {
    registry.add(Family{.name = "stain",
                        .purpose = "separate and normalize stains of sections",
                        .sentence = "Separates and normalizes the stains of histological sections.",
                        .task = tasks::filter});
    registry.add(separate());
    registry.add(normalize());
}

}  // namespace tesela::operations
