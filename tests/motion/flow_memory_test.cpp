// What a dry run says of the memory of each method of optical flow, against what the method takes.
#include <gtest/gtest.h>

#include "devices.h"
#include "moving_waves.h"
#include "tesela/horn_schunck.h"
#include "tesela/lucas_kanade.h"
#include "tesela/tv_l1.h"

namespace tesela {
namespace {

class FlowMemory : public testing::OnDevice {
  protected:
    static std::vector<Image<float>> frames_of(const Shape& shape, int count) {
        std::vector<Image<float>> frames;
        for (int i = 0; i < count; ++i) {
            frames.emplace_back(shape);
            const Image<float> gray = testing::waves({shape.x, shape.y}, [&](double x, double y) {
                return std::pair{x - i, y};
            });
            for (std::size_t k = 0; k < frames.back().pixels().size(); ++k)
                frames.back().pixels()[k] =
                    gray.pixels()[k / static_cast<std::size_t>(shape.channels)] / 255;
        }
        return frames;
    }

    // `planned` takes the shape of frames along t, `compute` the frames.
    template <class Options>
    void expect_as_planned(const Options& options, auto compute, auto planned,
                           const Shape& shape = {317, 241}, int count = 2) {
        if (!cases_.take()) return;
        Queue fresh(GetParam());
        try {
            compute(frames_of(shape, count), options, fresh, Progress());
        } catch (const DeviceUnavailable& error) {
            EXPECT_NE(std::string(error.what()).find("double precision"), std::string::npos)
                << error.what();
            return;
        }
        Shape frames = shape;
        frames.t = count;
        const auto bytes = static_cast<double>(planned(frames, options, GetParam()));
        const auto peak = static_cast<double>(fresh.counters().peak_bytes_in_use);
        EXPECT_LE(peak, 1.07 * bytes + 20000) << peak / bytes;
        EXPECT_GE(peak, 0.9 * bytes) << peak / bytes;
    }

  private:
    testing::Cases cases_{GetParam()};
};
TESELA_ON_EVERY_DEVICE(FlowMemory);

constexpr auto compute_tv_l1 = [](auto&&... a) { return tv_l1(a...); };
constexpr auto compute_horn_schunck = [](auto&&... a) { return horn_schunck(a...); };
constexpr auto compute_lucas_kanade = [](auto&&... a) { return lucas_kanade(a...); };

TEST_P(FlowMemory, TvL1IsAsPlanned) {
    const auto expect = [&](const TvL1Options& options, const Shape& shape, int count) {
        expect_as_planned(options, compute_tv_l1, tv_l1_device_bytes, shape, count);
    };
    const TvL1Options quick{.warps = 1, .updates = 1, .sweeps = 1};
    const Shape gray{317, 241}, color{317, 241, 1, 1, 3};
    expect(quick, gray, 2);
    expect(quick, gray, 4);
    expect(quick, color, 2);
    expect(quick, color, 4);
    TvL1Options other = quick;
    other.levels = 1;
    expect(other, color, 2);
    other.no_weighted_median = true;
    other.presmoothing = 0;
    expect(other, gray, 2);
    other.presmoothing = 1;
    expect(other, color, 3);
}

TEST_P(FlowMemory, HornSchunckIsAsPlanned) {
    const auto expect = [&](const HornSchunckOptions& options, int count) {
        expect_as_planned(options, compute_horn_schunck, horn_schunck_device_bytes, {317, 241},
                          count);
    };
    for (const FlowSolver solver : {FlowSolver::sor, FlowSolver::jacobi}) {
        expect({.warps = 1, .sweeps = 2, .solver = solver}, 2);
        expect({.warps = 1, .sweeps = 2, .presmoothing = 0, .solver = solver}, 5);
    }
    HornSchunckOptions options{.variant = HornSchunckVariant::thesis, .sweeps = 2};
    for (const Precision precision : {Precision::single_, Precision::double_})
        for (const Regularization regularization :
             {Regularization::increment, Regularization::total}) {
            options.precision = precision;
            options.regularization = regularization;
            for (const int warps : {1, 2}) {
                options.warps = warps;
                expect(options, 2);
                expect(options, 3);
            }
        }
}

TEST_P(FlowMemory, LucasKanadeIsAsPlanned) {
    const auto expect = [&](const LucasKanadeOptions& options, int count) {
        expect_as_planned(options, compute_lucas_kanade, lucas_kanade_device_bytes, {317, 241},
                          count);
    };
    expect({}, 2);
    expect({.warps = 1}, 4);
    expect({.block_width = 101, .block_height = 5, .presmoothing = 0, .warps = 1}, 2);
    expect({.warps = 1, .confidence = true}, 3);
    expect({.levels = 1, .warps = 1, .min_confidence = 1}, 2);
    for (const LucasKanadeVariant variant :
         {LucasKanadeVariant::thesis, LucasKanadeVariant::thesis_basic,
          LucasKanadeVariant::thesis_local})
        for (const Precision precision : {Precision::single_, Precision::double_}) {
            LucasKanadeOptions options;
            options.variant = variant;
            options.precision = precision;
            expect(options, 2);
            expect(options, 3);
        }
}

TEST(FlowMemoryPlan, BadOptionsAreRefused) {
    const Device cpu = Device::parse("cpu");
    EXPECT_THROW(tv_l1_device_bytes({20, 20, 1, 2}, {.warps = 0}, cpu), InvalidArgument);
    EXPECT_THROW(tv_l1_device_bytes({20, 20}, {}, cpu), InvalidArgument);  // one frame
    EXPECT_THROW(horn_schunck_device_bytes({20, 20, 1, 2}, {.precision = Precision::double_}, cpu),
                 InvalidArgument);
    EXPECT_THROW(lucas_kanade_device_bytes({20, 20, 1, 2}, {.block_width = 8}, cpu),
                 InvalidArgument);
}

}  // namespace
}  // namespace tesela
