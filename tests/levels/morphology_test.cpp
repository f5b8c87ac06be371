// Morphology, objects of masks, smoothing, and projections.
#include "tesela/morphology.h"

#include "level_results.h"
#include "tesela/mask.h"
#include "tesela/nuclei.h"
#include "tesela/project.h"
#include "tesela/reconstruct.h"
#include "tesela/skeleton.h"
#include "tesela/smooth.h"

namespace tesela::testing {
namespace {

LabelImage label_map() { return quantized<std::uint32_t>(patches({40, 30, 20}, 0.1, 2), 5); }

template <class T>
DeviceImage<const T> resident(const Image<T>& image, Queue& queue) {
    return {queue.lend(std::span<const T>(image.pixels()), "image"), image.shape(), image.geometry};
}

void filtered(Queue& queue, Hash& hash) {
    for (const MorphologyShape shape :
         {MorphologyShape::ball, MorphologyShape::box, MorphologyShape::cross}) {
        const MorphologyOptions options{.radius = 3, .shape = shape};
        for (const MorphologyOperator operation :
             {MorphologyOperator::open, MorphologyOperator::bottom_hat}) {
            hash.add(morphology(picture(1), operation, options, queue).image);
            hash.add(morphology(volume(), operation, options, queue).image);
            hash.add(morphology(patches({40, 30}, 1, 3), operation, options, queue).image);
            hash.add(morphology(noise_mask({150, 40, 5}), operation, options, queue).image);
            hash.add(morphology(label_map(), operation, options, queue).image);
        }
    }
    const Image<std::uint16_t> wide = quantized<std::uint16_t>(patches({90, 30}, 1, 3), 65535);
    const auto there =
        morphology(resident(wide, queue), MorphologyOperator::gradient, {.radius = 2}, queue);
    hash.add(queue.download(there.image.pixels));
}

void objects(Queue& queue, Hash& hash) {
    const auto mask = noise_mask({150, 90});
    const auto there = resident(mask, queue);
    const ObjectSelection selection{.min_size = 3, .margin = 1};
    hash.add(select_objects(mask, selection, queue).image);
    hash.add(select_objects(label_map(), {.largest = 2}, queue).image);
    hash.add(queue.download(select_objects(there, selection, queue).image.pixels));
    hash.add(fill_holes(mask, {}, queue).image);
    hash.add(queue.download(fill_holes(there, {.max_size = 2}, queue).image.pixels));
    hash.add(split_objects(mask, {}, queue).labels);
    hash.add(queue.download(split_objects(there, {.depth = 1}, queue).labels.pixels));
    hash.add(keep_labels(label_map(), {{2, 3}}, queue));
    hash.add(queue.download(keep_labels(resident(label_map(), queue), {{1, 1}}, queue).pixels));
    hash.add(queue.download(invert_mask(there, queue).pixels));
    const auto image = quantized<std::uint8_t>(patches({150, 90}, 0.1, 3), 255);
    hash.add(queue.download(apply_mask(resident(image, queue), there, {.value = 9}, queue).pixels));
}

void nuclei(Queue& queue, Hash& hash) {
    const auto image = quantized<std::uint8_t>(patches({150, 90}, 0.5, 3), 255);
    const NucleiResult found = find_nuclei(image, {.expand = Length(3)}, queue);
    hash.add(found.nuclei);
    hash.add(found.cells);
}

void to_the_end(Queue& queue, Hash& hash) {
    const auto mask = quantized<std::uint8_t>(patches({97, 61}, 0.5, 3), 255);
    const auto marker = quantized<std::uint8_t>(patches({97, 61}, 0.5, 4), 120);
    hash.add(reconstruct(marker, mask, {}, queue));
    hash.add(queue.download(
        reconstruct(resident(marker, queue), resident(mask, queue), {}, queue).pixels));
    hash.add(skeletonize(noise_mask({150, 90}), queue));
    hash.add(queue.download(skeletonize(resident(noise_mask({150, 90}), queue), queue).pixels));
}

void smoothed(Queue& queue, Hash& hash) {
    const auto bytes = quantized<std::uint8_t>(patches({150, 40}, 1, 3), 255);
    for (const double radius : {1, 2, 4}) {
        hash.add(smooth_median(bytes, {radius}, queue).image);
        hash.add(smooth_median(picture(1), {radius}, queue).image);
        hash.add(smooth_gaussian(volume(), {radius}, queue).image);
    }
    hash.add(smooth_median(volume(), {1}, queue).image);
    hash.add(queue.download(smooth_median(resident(bytes, queue), {3}, queue).image.pixels));
    hash.add(queue.download(smooth_gaussian(resident(bytes, queue), {3}, queue).image.pixels));
}

void projected(Queue& queue, Hash& hash) {
    const auto bytes = quantized<std::uint8_t>(patches({150, 40}, 1, 3), 255);
    for (const auto& [by, name] : enum_names(ProjectedValue{}))
        for (const ProjectedAxis axis : {ProjectedAxis::x, ProjectedAxis::y}) {
            const ProjectOptions options{.by = by, .axis = axis};
            hash.add(project(picture(3), options, queue));
            hash.add(project(volume(), options, queue));
            hash.add(project(patches({97, 61, 5}, 0.1, 6), options, queue));
            std::visit([&](const auto& image) { hash.add(queue.download(image.pixels)); },
                       project(resident(bytes, queue), options, queue));
        }
}

const std::vector<Case> cases{
    {"morphology", filtered}, {"mask", objects},    {"morphology reconstruct", to_the_end},
    {"nuclei", nuclei},       {"smooth", smoothed}, {"project", projected}};
INSTANTIATE_TEST_SUITE_P(Morphology, LevelResults, ::testing::ValuesIn(cases), case_name);

}  // namespace
}  // namespace tesela::testing
