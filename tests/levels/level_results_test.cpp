// Each algorithm gives the same bits at each instruction-set level of the CPU that this processor
// has. The tests of the algorithms themselves run at the highest level alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "compute/cpu_levels.h"
#include "segmentation/pictures.h"
#include "tesela/components.h"
#include "tesela/edges.h"
#include "tesela/horn_schunck.h"
#include "tesela/level_set_aos.h"
#include "tesela/lucas_kanade.h"
#include "tesela/mean_shift.h"
#include "tesela/region_grow.h"
#include "tesela/region_grow_thesis.h"
#include "tesela/segment.h"
#include "tesela/split_merge.h"
#include "tesela/stain.h"
#include "tesela/threshold.h"
#include "tesela/tv_l1.h"
#include "tesela/watershed.h"
#include "tesela/zernike.h"

namespace tesela::testing {
namespace {

// FNV-1a over the bytes of results.
class Hash {
  public:
    template <class T>
    Hash& add(const Image<T>& image) {
        return add(image.data(), static_cast<std::size_t>(image.shape().elements()) * sizeof(T));
    }
    Hash& add(const AnyImage& image) {
        std::visit([this](const auto& i) { add(i); }, image);
        return *this;
    }
    Hash& add(const FlowResult& result) {
        for (const FlowField& field : result.fields) add(field);
        for (const Image<float>& confidence : result.confidence) add(confidence);
        return *this;
    }
    Hash& add(const std::vector<Component>& table) {
        for (const Component& row : table) add(&row, sizeof row);
        return *this;
    }
    Hash& add(const ZernikeMoments& moments) {
        return add(moments.values.data(), moments.values.size() * sizeof moments.values[0]);
    }
    std::uint64_t value() const { return value_; }

  private:
    Hash& add(const void* data, std::size_t bytes) {
        const auto* byte = static_cast<const unsigned char*>(data);
        for (std::size_t i = 0; i < bytes; ++i) value_ = (value_ ^ byte[i]) * 0x100000001b3ULL;
        return *this;
    }
    std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

using Picture = Image<std::uint8_t>;
Picture picture(int channels) {
    return quantized<std::uint8_t>(patches({97, 61, 1, 1, channels}, 0.1, 3), 255);
}
Image<std::int16_t> volume() { return quantized<std::int16_t>(patches({37, 23, 11}, 0.1, 4), 900); }
Picture noise_mask(const Shape& shape) {
    Picture mask = quantized<std::uint8_t>(patches(shape, 1, 5), 255);
    for (std::uint8_t& value : mask.pixels()) value = value > 127 ? 255 : 0;
    return mask;
}
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

struct Case {
    const char* name;
    std::function<void(Queue&, Hash&)> run;
};

void mean_shifts(Queue& queue, Hash& hash, const MeanShiftOptions& options) {
    for (const AnyImage& image : {AnyImage(picture(1)), AnyImage(picture(3)), AnyImage(volume())}) {
        const MeanShiftResult result = mean_shift(image, options, queue);
        hash.add(result.filtered).add(result.labels);
    }
}

void growth(Queue& queue, Hash& hash, const RegionGrowOptions& options) {
    const Seeds seeds = std::holds_alternative<MeanGrowOptions>(options)
                            ? Seeds(AutomaticSeeds{})
                            : Seeds(GridSeeds{Length(12)});
    for (const AnyImage& image : {AnyImage(picture(1)), AnyImage(volume())})
        hash.add(region_grow(image, seeds, options, queue).labels);
}

const std::vector<Case> cases{
    {"mean-shift", [](Queue& q, Hash& h) { mean_shifts(q, h, {.spatial_bandwidth = 4}); }},
    {"mean-shift --fast",
     [](Queue& q, Hash& h) { mean_shifts(q, h, {.spatial_bandwidth = 4, .fast = true}); }},
    {"mean-shift --kernel gaussian",
     [](Queue& q, Hash& h) {
         const MeanShiftOptions options{.spatial_bandwidth = 2,
                                        .kernel = MeanShiftKernel::gaussian};
         h.add(mean_shift(picture(3), options, q).filtered);
     }},
    {"mean-shift --variant thesis",
     [](Queue& q, Hash& h) {
         mean_shifts(q, h,
                     {.spatial_bandwidth = 3,
                      .fusion_range = 0,
                      .min_region = 0,
                      .variant = MeanShiftVariant::thesis});
     }},
    {"components",
     [](Queue& q, Hash& h) {
         for (const Shape& shape : {Shape{150, 90}, Shape{40, 30, 20}, Shape{20, 15, 9, 4}}) {
             const ComponentResult result = components(noise_mask(shape), {}, q);
             h.add(result.labels).add(result.table);
         }
         h.add(components(picture(1), {.values = ComponentValues::equal}, q).labels);
     }},
    {"threshold",
     [](Queue& q, Hash& h) {
         h.add(otsu_threshold(picture(1), q).mask).add(iterative_threshold(picture(1), q).mask);
         for (const AdaptiveMethod method : {AdaptiveMethod::yanowitz, AdaptiveMethod::mean}) {
             const ThresholdResult result = adaptive_threshold(picture(1), {.method = method}, q);
             h.add(result.mask).add(result.surface);
         }
     }},
    {"edges",
     [](Queue& q, Hash& h) {
         for (const EdgeOperator mask :
              {EdgeOperator::sobel, EdgeOperator::prewitt, EdgeOperator::roberts})
             for (const EdgeMagnitude magnitude : {EdgeMagnitude::sqrt, EdgeMagnitude::abs})
                 h.add(edges(picture(1), mask, {.magnitude = magnitude}, q).edges);
         h.add(canny(picture(1), {}, q).edges);
     }},
    {"segment",
     [](Queue& q, Hash& h) {
         for (const AnyImage& image :
              {AnyImage(picture(1)), AnyImage(picture(3)), AnyImage(volume())})
             h.add(segment(image, {.detail = SegmentDetail::fine}, q).labels);
     }},
    {"split-merge",
     [](Queue& q, Hash& h) { h.add(split_merge(picture(1), {.largest_block = 16}, q).labels); }},
    {"grow by mean", [](Queue& q, Hash& h) { growth(q, h, MeanGrowOptions{}); }},
    {"grow limits",
     [](Queue& q, Hash& h) {
         growth(q, h, LimitGrowOptions{.lower = 60, .upper = 200});
         growth(q, h, LimitGrowOptions{.lower = 60, .upper = 200, .radius = 1});
     }},
    {"grow tolerance",
     [](Queue& q, Hash& h) { growth(q, h, ToleranceGrowOptions{.tolerance = 20}); }},
    {"grow confidence", [](Queue& q, Hash& h) { growth(q, h, ConfidenceGrowOptions{}); }},
    {"grow compete", [](Queue& q, Hash& h) { growth(q, h, CompeteGrowOptions{}); }},
    {"thesis region-grow",
     [](Queue& q, Hash& h) {
         const ThesisGrowResult result = region_grow_thesis(picture(3), {}, q);
         h.add(result.labels).add(result.colored);
     }},
    {"watershed",
     [](Queue& q, Hash& h) {
         for (const AnyImage& image : {AnyImage(picture(1)), AnyImage(volume())})
             for (const Relief relief : {Relief::gradient, Relief::values})
                 h.add(watershed(image, AutomaticSeeds{},
                                 {.relief = relief, .sigma = 0, .depth = 4}, q)
                           .labels);
     }},
    {"level-set",
     [](Queue& q, Hash& h) {
         const Seeds seeds = *parse_seeds("ball:12,9,5,4=1;ball:28,14,5,3=2");
         h.add(level_set(volume(), seeds, {.lower = 300}, q).labels);
         h.add(level_set(volume(), seeds, {}, q).labels);
         const LevelSetAosResult found = level_set_aos(volume(), *parse_seeds("ball:12,9,5,4"),
                                                       {.lower = 300, .max_iterations = 30}, q);
         h.add(found.labels).add(found.distance);
     }},
    {"stain",
     [](Queue& q, Hash& h) {
         const StainMatrix he = stain_matrix(StainSet::he), hdab = stain_matrix(StainSet::hdab);
         h.add(separate_stains(picture(3), he, q));
         h.add(normalize_stains(picture(3), he, hdab, q));
     }},
    {"zernike",
     [](Queue& q, Hash& h) {
         h.add(zernike(picture(1), {.order = 20}, q).moments);
         h.add(zernike(picture(1), {.order = 20, .precision = Precision::single_}, q).moments);
     }},
    {"flow tv-l1", [](Queue& q, Hash& h) { h.add(tv_l1(frames(), {}, q)); }},
    {"flow horn-schunck",
     [](Queue& q, Hash& h) {
         h.add(horn_schunck(frames(), {}, q));
         h.add(horn_schunck(frames(), {.solver = FlowSolver::jacobi}, q));
         h.add(horn_schunck(frames(), {.variant = HornSchunckVariant::thesis, .levels = 3}, q));
     }},
    {"flow lucas-kanade",
     [](Queue& q, Hash& h) {
         h.add(lucas_kanade(frames(), {.confidence = true}, q));
         for (const LucasKanadeVariant variant :
              {LucasKanadeVariant::thesis, LucasKanadeVariant::thesis_basic,
               LucasKanadeVariant::thesis_local})
             h.add(lucas_kanade(frames(), {.variant = variant}, q));
     }},
};

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
    std::string name = info.param.name;
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
    return name;
}

class LevelResults : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, LevelResults, ::testing::ValuesIn(cases), case_name);

TEST_P(LevelResults, AreTheSame) {
    const std::vector<Device> levels = cpu_at_each_level();
    ASSERT_FALSE(levels.empty());
    Hash first;
    for (const Device& device : levels) {
        Queue queue(device);
        Hash hash;
        GetParam().run(queue, hash);
        if (device == levels.front()) first = hash;
        EXPECT_EQ(hash.value(), first.value())
            << GetParam().name << ", " << device.properties().driver;
    }
    EXPECT_NE(first.value(), Hash().value()) << "nothing was computed";
}

}  // namespace
}  // namespace tesela::testing
