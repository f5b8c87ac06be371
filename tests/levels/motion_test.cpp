// Optical flow.
#include <array>

#include "level_results.h"
#include "tesela/brightness.h"
#include "tesela/device_value_range.h"
#include "tesela/horn_schunck.h"
#include "tesela/lucas_kanade.h"
#include "tesela/tv_l1.h"

namespace tesela::testing {
namespace {

std::vector<Image<float>> frames() {
    const Image<float> large = patches({90, 70}, 0.1, 6);
    std::vector<Image<float>> pair;
    for (const std::int64_t shift : {2, 3}) {
        Image<float> frame({80, 60});
        for (std::int64_t y = 0; y < 60; ++y)
            for (std::int64_t x = 0; x < 80; ++x) frame(x, y) = 255 * large(x + shift, y + 2);
        pair.push_back(std::move(frame));
    }
    return pair;
}

void add_flow(Hash& hash, const FlowResult& result) { hash.add(result.fields, result.confidence); }

void flow_on_device(Queue& queue, Hash& hash) {
    std::vector<float> values;
    for (const Image<float>& frame : frames())
        values.insert(values.end(), frame.pixels().begin(), frame.pixels().end());
    const DeviceImage<const float> pair{on_device(queue, values), {80, 60, 1, 2}, {}};
    const ConfidentFlow flow = lucas_kanade_with_confidence(pair, {}, queue);
    hash.add(queue.download(flow.fields.pixels), queue.download(flow.confidence.pixels));
}

void frames_on_device(Queue& queue, Hash& hash) {
    const Image<std::uint8_t> host = picture(3);
    const DeviceImage<const std::uint8_t> frame{
        queue.lend(std::span<const std::uint8_t>(host.pixels()), "frame"), host.shape(), {}};
    const std::array<const DeviceImage<const std::uint8_t>*, 1> frames{&frame};
    hash.add(queue.download(brightness(frame, queue).pixels));
    hash.add(queue.download(unit_colors<std::uint8_t>(frames, {10, 200}, queue).pixels));
    const auto words = quantized<std::uint16_t>(patches({97, 61}, 0.1, 4), 3000);
    const DeviceImage<const std::uint16_t> deep{
        queue.lend(std::span<const std::uint16_t>(words.pixels()), "frame"), words.shape(), {}};
    hash.add(used_range(deep, queue).lowest, gray_level(deep, queue));
}

const std::vector<Case> cases{
    {"brightness", frames_on_device},
    {"flow tv-l1", [](Queue& q, Hash& h) { add_flow(h, tv_l1(frames(), {}, q)); }},
    {"flow horn-schunck",
     [](Queue& q, Hash& h) {
         add_flow(h, horn_schunck(frames(), {}, q));
         add_flow(h, horn_schunck(frames(), {.solver = FlowSolver::jacobi, .tolerance = 0.01}, q));
     }},
    {"flow horn-schunck --variant thesis",
     [](Queue& q, Hash& h) {
         for (const Precision precision : {Precision::single_, Precision::double_})
             add_flow(h, horn_schunck(frames(),
                                      {.variant = HornSchunckVariant::thesis,
                                       .levels = 3,
                                       .precision = precision},
                                      q));
     }},
    {"flow lucas-kanade",
     [](Queue& q, Hash& h) {
         add_flow(h, lucas_kanade(frames(), {.min_confidence = 5, .confidence = true}, q));
         flow_on_device(q, h);
     }},
    {"flow lucas-kanade --variant thesis",
     [](Queue& q, Hash& h) {
         for (const LucasKanadeVariant variant :
              {LucasKanadeVariant::thesis, LucasKanadeVariant::thesis_basic,
               LucasKanadeVariant::thesis_local})
             for (const Precision precision : {Precision::single_, Precision::double_})
                 add_flow(h,
                          lucas_kanade(frames(), {.variant = variant, .precision = precision}, q));
     }},
};
INSTANTIATE_TEST_SUITE_P(Motion, LevelResults, ::testing::ValuesIn(cases), case_name);

}  // namespace
}  // namespace tesela::testing
