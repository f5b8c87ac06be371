// edges sobel, prewitt, roberts, canny
#include "tesela/edges.h"
#include "operations/all.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/registry.h"

namespace tesela::operations {
namespace {

Results results_of(EdgeResult&& result) {
    Results results;
    results.figures = {{"points", shape_of(result.edges).points()}};
    results.stages = std::move(result.stages);
    results.warnings = std::move(result.warnings);
    results.outputs.set("edges", std::move(result.edges));
    return results;
}

// What the magnitudes of such an image are made of.
PixelFormat magnitude_pixels(const AnyImageView& image) {
    const int bytes = pixel_type_bytes(image.pixel_type());
    return {bytes == 1 ? PixelType::u8 : bytes == 2 ? PixelType::u16 : PixelType::f32};
}

std::optional<std::int64_t> halo_of_masks(const Options&, const AnyImageView& sample) {
    if (!keeps_gray_levels(sample)) return {};
    return 1;
}

template <EdgeOperator mask>
Operation gradient(const std::string& name, std::string purpose, std::string sentence) {
    return {
        .name = "edges " + name,
        .purpose = std::move(purpose),
        .sentence = std::move(sentence),
        .examples = {"edges " + name + " coins.png -o gradient.png",
                     "edges " + name + " slide.svs -o gradient.ome.tif"},
        .inputs = {image_input},
        .outputs = {{.name = "edges",
                     .kind = kinds::image,
                     .help = "gradient magnitude, as wide as the input",
                     .pixels = magnitude_pixels,
                     .always = true}},
        .options = Options::of(GradientOptions{}),
        .run =
            [name](const Call& call, Queue& queue, const Progress& progress) {
                Results results = results_of(
                    edges(call.image(), mask, call.options.as<GradientOptions>(), queue, progress));
                results.summary = "edges by " + name;
                return results;
            },
        .memory = [](const Call& call,
                     const Device&) { return Memory{.device = edges_device_bytes(call.image())}; },
        .device = {.level = device_level([](const auto& image, const Call& call, Queue& queue,
                                            const Progress& progress) {
                       Results results;
                       results.figures = {{"points", image.shape.points()}};
                       results.outputs.set(
                           "edges",
                           edges(image, mask, call.options.as<GradientOptions>(), queue, progress));
                       return results;
                   })},
        .slides = {.halo = halo_of_masks}};
}

Results run_canny(const Call& call, Queue& queue, const Progress& progress) {
    EdgeResult result = canny(call.image(), call.options.as<CannyOptions>(), queue, progress);
    const std::int64_t edge_points = result.edge_points;
    const auto [lowest, highest] = result.range;
    Results results = results_of(std::move(result));
    results.figures.push_back({"edge_points", edge_points});
    results.figures.push_back({"range", std::vector<double>{lowest, highest}});
    if (edge_points == 0) results.warnings.push_back("no edge was found: lower --high and --low");
    results.summary = counted(edge_points, "edge pixel");
    return results;
}

Operation canny_operation() {
    return {.name = "edges canny",
            .purpose = "edges one pixel wide, with hysteresis",
            .sentence = "Finds edges one pixel wide with Canny's detector.",
            .examples = {"edges canny coins.png -o edges.png",
                         "edges canny retina.jpg -o edges.png --sigma 2 --low 0.05 --high 0.1"},
            .inputs = {image_input},
            .outputs = {{.name = "edges",
                         .kind = kinds::mask,
                         .help = "255 on edges, 0 elsewhere",
                         .pixels = mask_pixels,
                         .always = true}},
            .options = Options::of(CannyOptions{}),
            .run = run_canny,
            .memory =
                [](const Call& call, const Device& device) {
                    return Memory{.device = canny_device_bytes(
                                      call.image(), call.options.as<CannyOptions>(), device)};
                },
            .device = {.level = device_level([](const auto& image, const Call& call, Queue& queue,
                                                const Progress& progress) {
                           Results results;
                           results.figures = {{"points", image.shape.points()}};
                           results.outputs.set(
                               "edges",
                               canny(image, call.options.as<CannyOptions>(), queue, progress));
                           return results;
                       })}};
}

}  // namespace

void add_edges(Registry& registry) {
    registry.add(Family{.name = "edges",
                        .purpose = "find where gray values change",
                        .sentence = "Finds where gray values change.",
                        .task = tasks::filter,
                        .default_operation = "edges canny"});
    registry.add(canny_operation());
    registry.add(gradient<EdgeOperator::sobel>(
        "sobel", "gradient magnitude by Sobel's masks",
        "Computes the gradient magnitude with Sobel's masks of 3 x 3 pixels."));
    registry.add(gradient<EdgeOperator::prewitt>(
        "prewitt", "gradient magnitude by Prewitt's masks",
        "Computes the gradient magnitude with Prewitt's masks of 3 x 3 pixels."));
    registry.add(gradient<EdgeOperator::roberts>(
        "roberts", "gradient magnitude by Roberts's diagonal masks",
        "Computes the gradient magnitude with Roberts's diagonal masks of 2 x 2 pixels."));
}

}  // namespace tesela::operations
