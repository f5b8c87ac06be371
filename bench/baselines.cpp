// Thresholds, edges, and splitting and merging, from and to the host: a gray photograph, and for
// squares that are split one in color.
#include <string>

#include "harness.h"
#include "inputs.h"
#include "tesela/edges.h"
#include "tesela/split_merge.h"
#include "tesela/threshold.h"

namespace tesela::bench {
namespace {

Image<std::uint8_t> green_of(const Image<std::uint8_t>& image) {
    Image<std::uint8_t> green({image.shape().x, image.shape().y});
    const auto channels = static_cast<std::size_t>(image.shape().channels);
    for (std::size_t i = 0; i < green.pixels().size(); ++i)
        green.pixels()[i] = image.pixels()[i * channels + channels / 2];
    return green;
}

void measure(Table& table, const Device& device, const Image<std::uint8_t>& photo) {
    const AnyImage color = photo, gray = green_of(photo);
    const std::string size = size_text(photo.shape());
    const auto points = static_cast<double>(photo.shape().points());
    Queue queue(device);
    table.measure(
        queue,
        {{"threshold otsu", size, 2 * points, [&] { otsu_threshold(gray, queue); }},
         {"threshold iterative", size, 2 * points, [&] { iterative_threshold(gray, queue); }},
         {"threshold adaptive, mean", size, 6 * points,
          [&] { adaptive_threshold(gray, {.method = AdaptiveMethod::mean}, queue); }},
         {"threshold adaptive, yanowitz", size, 6 * points,
          [&] { adaptive_threshold(gray, {}, queue); }},
         {"edges sobel", size, 2 * points, [&] { edges(gray, EdgeOperator::sobel, {}, queue); }},
         {"edges canny", size, 2 * points, [&] { canny(gray, {}, queue); }},
         {"split-merge", size, 7 * points, [&] { split_merge(color, {}, queue); }}});
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(
        argc, argv, "tesela_bench_baselines", [](Table& table, const Options& options) {
            const tesela::Image<std::uint8_t> photo = load_pictures().photo.image;
            for (const tesela::Device& device : options.devices)
                for (const std::int64_t length : {512, 4096}) {
                    const std::int64_t side = options.smoke ? length / 16 : length;
                    const tesela::Shape shape{side, side, 1, 1, photo.shape().channels};
                    if (!options.smoke || length == 512)
                        measure(table, device, repeated(photo, shape));
                }
            table.print_ratios();
        });
}
