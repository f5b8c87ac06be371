// thesis region-grow: variants of algorithms as the theses behind them have them
#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/regions.h"
#include "operations/registry.h"
#include "tesela/error.h"
#include "tesela/region_grow_thesis.h"

namespace tesela::operations {
namespace {

const PixelView<std::uint8_t>& picture(const Call& call) {
    if (const auto* picture = call.image().get_if<std::uint8_t>()) return *picture;
    throw UnsupportedFormat(
        "the thesis's variant takes pictures of three colors, 24 bits a pixel, not " +
        std::string(pixel_type_name(call.image().pixel_type())));
}

// Labels 1..N in the order in which they are met; 0 stays.
void number_raster_first(LabelImage& labels) {
    std::vector<std::uint32_t> number_of;
    std::uint32_t count = 0;
    for (std::uint32_t& label : labels.pixels()) {
        if (label == 0) continue;
        if (label >= number_of.size()) number_of.resize(label + 1, 0);
        if (number_of[label] == 0) number_of[label] = ++count;
        label = number_of[label];
    }
}

Results run_region_grow(const Call& call, Queue& queue, const Progress& progress) {
    ThesisGrowResult result =
        region_grow_thesis(picture(call), call.options.as<ThesisGrowOptions>(), queue, progress);
    number_raster_first(result.labels);
    const std::int64_t points = result.labels.shape().points();
    const std::int64_t unlabeled = points - result.owned_pixels + result.unlabeled_pixels;
    Results results;
    results.summary = printed(
        "region growing of the thesis: %s of %lldx%lld tiles, %s without a label",
        counted(result.region_count, "region").c_str(), static_cast<long long>(result.tiles_x),
        static_cast<long long>(result.tiles_y), counted(unlabeled, "pixel").c_str());
    results.figures = {{"region_count", result.region_count},
                       {"points", points},
                       {"unlabeled_points", unlabeled},
                       {"tiles", std::vector<std::int64_t>{result.tiles_x, result.tiles_y}},
                       {"owned_points", result.owned_pixels},
                       {"unlabeled_owned_points", result.unlabeled_pixels},
                       {"growth_iterations", std::int64_t{result.growth_iterations}},
                       {"merge_rounds", std::int64_t{result.merge_rounds}}};
    results.stages = std::move(result.stages);
    results.outputs.set("labels", std::move(result.labels));
    if (call.wants("segmented"))
        results.outputs.set("segmented", AnyImage(std::move(result.colored)));
    return results;
}

}  // namespace

void add_theses(Registry& registry) {
    registry.add(Family{.name = "thesis",
                        .purpose = "run algorithms as published theses have them",
                        .sentence = "Runs algorithms as published theses have them.",
                        .task = tasks::evaluation});
    Output segmented = segmented_output();
    segmented.help = "the picture that the thesis shows";
    registry.add(Operation{
        .name = "thesis region-grow",
        .purpose = "regions that grow in tiles (J. Barriuso Medrano, 2011)",
        .sentence = "Grows a region in each tile of a picture and merges those of neighbor tiles, "
                    "as in J. Barriuso Medrano's thesis of 2011.",
        .examples = {"thesis region-grow astronaut.png -o regions.png",
                     "thesis region-grow astronaut.png --segmented tiles.png --block 16"},
        .inputs = {{.name = "input", .kind = kinds::image, .help = "picture of 24 bits a pixel"}},
        .outputs = {labels_output(), std::move(segmented)},
        .options = Options::of(ThesisGrowOptions{}),
        .run = run_region_grow,
        .memory = [](const Call& call, const Device&) {
            return Memory{.device = region_grow_thesis_bytes(picture(call).shape(),
                                                             call.options.as<ThesisGrowOptions>())};
        }});
}

}  // namespace tesela::operations
