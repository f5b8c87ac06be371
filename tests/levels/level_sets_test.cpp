// Level sets, and the distances that surfaces are compared by.
#include "level_results.h"
#include "tesela/distance.h"
#include "tesela/evaluate_labels.h"
#include "tesela/level_set.h"
#include "tesela/level_set_aos.h"
#include "tesela/level_set_thesis.h"
#include "tesela/stop_function.h"

namespace tesela::testing {
namespace {

Seeds balls() { return *parse_seeds("ball:12,9,5,4=1;ball:28,14,5,3=2"); }

void session(Queue& queue, Hash& hash) {
    const AnyImage image = volume();
    LevelSetSession session(image, {.lower = 300, .edge = 0.1}, queue);
    session.add_seeds(balls());
    session.advance(20);
    hash.add(session.labels());
    session.set_options({.lower = 300, .neck = 1, .fill_holes = true});
    session.advance(100);
    hash.add(session.labels());
}

void distances(Queue& queue, Hash& hash) {
    for (const Shape& shape : {Shape{150, 90}, Shape{40, 30, 20}})
        hash.add(signed_distance(noise_mask(shape), {}, queue).distance);
    const Shape shape{21, 17, 13};
    const Image<std::uint8_t> object = noise_mask(shape);
    const Buffer<const std::uint8_t> inside =
        queue.lend(std::span<const std::uint8_t>(object.pixels()), "object");
    hash.add(queue.download(signed_distance(queue, shape, {0.7, 0.9, 3}, inside)));
    const auto labels = quantized<std::uint32_t>(patches(shape, 0.1, 2), 5);
    const DeviceImage<const std::uint32_t> resident{
        queue.lend(std::span<const std::uint32_t>(labels.pixels()), "labels"), shape, {}};
    hash.add(queue.download(signed_distance(resident, {.label = 3}, queue).distance.pixels));
}

void compared_labels(Queue& queue, Hash& hash) {
    const auto labels = [](unsigned seed) {
        return quantized<std::uint32_t>(patches({40, 30, 20}, 0.1, seed), 3);
    };
    for (const LabelComparison& row : compare_labels(labels(1), labels(2), queue))
        hash.add(row.dice, row.jaccard, row.mean_distance, row.hausdorff_95);
}

void thesis_level_sets(Queue& queue, Hash& hash) {
    const Seeds seeds = *parse_seeds("ball:12,9,5,4");
    for (const ThesisFtcWay way : {ThesisFtcWay::p1, ThesisFtcWay::p2}) {
        ThesisLevelSetOptions options;
        options.ftc.way = way;
        options.ftc.lower = 300;
        options.ftc.upper = 1e5;
        options.ftc.max_rounds = 5;
        hash.add(level_set_thesis(volume(), seeds, options, queue).surface);
    }
    ThesisLevelSetOptions options{.method = ThesisLevelSetMethod::aos};
    options.aos.iterations = 5;
    hash.add(level_set_thesis(volume(), seeds, options, queue).surface);
}

const std::vector<Case> cases{
    {"level-set ftc",
     [](Queue& q, Hash& h) {
         h.add(level_set(volume(), balls(), {.lower = 300}, q).labels);
         h.add(level_set(volume(), balls(), {}, q).labels);
         const AnyImage mask = noise_mask({37, 23, 11});
         h.add(level_set(volume(), *parse_seeds("ball:12,9,5,4"), {.lower = 300}, q, {.mask = mask})
                   .labels);
         session(q, h);
     }},
    {"level-set aos",
     [](Queue& q, Hash& h) {
         const LevelSetAosResult found = level_set_aos(volume(), *parse_seeds("ball:12,9,5,4"),
                                                       {.lower = 300, .max_iterations = 30}, q);
         h.add(found.labels, found.distance);
     }},
    {"level-set stop-function",
     [](Queue& q, Hash& h) {
         h.add(stop_function(picture(1), {.sigma = 2}, q).stop);
         h.add(stop_function(volume(), {.normalize = true}, q).stop);
     }},
    {"thesis level-set", thesis_level_sets},
    {"distance", distances},
    {"evaluate labels", compared_labels},
};
INSTANTIATE_TEST_SUITE_P(LevelSets, LevelResults, ::testing::ValuesIn(cases), case_name);

}  // namespace
}  // namespace tesela::testing
