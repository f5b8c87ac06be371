// Segmentation of whole images on every device: what is found, what is refused, equal bits.
#include "tesela/segment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <span>

#include "devices.h"
#include "segmentation/pictures.h"
#include "tesela/evaluate_labels.h"

namespace tesela {
namespace {

class Segment : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};

    SegmentResult segmented(const AnyImage& image, const SegmentOptions& options = {}) {
        SegmentResult result = segment(image, options, queue);
        EXPECT_EQ(result.labels.shape().points(), shape_of(image).points());
        // Regions are numbered by their first points, without gaps.
        std::uint32_t highest = 0;
        for (const std::uint32_t label : result.labels.pixels()) {
            EXPECT_GE(label, 1u);
            EXPECT_LE(label, highest + 1);
            highest = std::max(highest, label);
        }
        EXPECT_EQ(highest, result.count);
        return result;
    }
};
TESELA_ON_EVERY_DEVICE(Segment);

double gauss(std::mt19937& generator) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(generator()) / 4294967296.0;
    return sum;
}

// Disks (balls) of value 1, 2, ... in a ground of 0, with their truth.
struct Scene {
    Image<float> image;
    LabelImage truth;
};
Scene scene(const Shape& shape, double noise, unsigned seed) {
    Scene made{Image<float>(shape), LabelImage({shape.x, shape.y, shape.z})};
    std::mt19937 generator(seed);
    const auto axis = [](std::int64_t at, std::int64_t length, double center) {
        return length == 1 ? 0.0 : static_cast<double>(at) / static_cast<double>(length) - center;
    };
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                std::uint32_t label = 1;
                const double dz = axis(z, shape.z, 0.5), dy = axis(y, shape.y, 0.5);
                const double left = axis(x, shape.x, 0.27), right = axis(x, shape.x, 0.73);
                if (left * left + dy * dy + dz * dz < 0.03) label = 2;
                if (right * right + dy * dy + dz * dz < 0.03) label = 3;
                made.truth(x, y, z) = label;
                for (int c = 0; c < shape.channels; ++c) {
                    const double level = label == 1 ? 0.2 : (label == 2) == (c != 1) ? 0.5 : 0.8;
                    made.image(x, y, z, 0, c) =
                        static_cast<float>(std::clamp(level + noise * gauss(generator), 0.0, 1.0));
                }
            }
    return made;
}

double covering(const SegmentResult& found, const Scene& made) {
    return evaluate_labels(found.labels, std::span(&made.truth, 1)).mean.covering;
}

TEST_P(Segment, FindsDisksOfAnyType) {
    for (const int channels : {1, 3}) {
        SCOPED_TRACE(channels);
        const Scene made = scene({96, 72, 1, 1, channels}, 0.02, 1);
        for (const AnyImage& image :
             {AnyImage(testing::quantized<std::uint8_t>(made.image, 255)),
              AnyImage(testing::quantized<std::int8_t>(made.image, 127)),
              AnyImage(testing::quantized<std::uint16_t>(made.image, 65535)),
              AnyImage(testing::quantized<std::int16_t>(made.image, 900)),
              AnyImage(testing::quantized<std::uint32_t>(made.image, 1e6)),
              AnyImage(testing::quantized<std::int32_t>(made.image, -1e6)), AnyImage(made.image)}) {
            SCOPED_TRACE(pixel_type_name(pixel_type_of(image)));
            const SegmentResult found = segmented(image);
            EXPECT_EQ(found.count, 3u);
            EXPECT_GE(covering(found, made), 0.95);
        }
    }
}

TEST_P(Segment, FindsBallsOfAVolumeAtAnySpacing) {
    const Scene made = scene({48, 36, 30}, 0.02, 2);
    Image<std::int16_t> volume = testing::quantized<std::int16_t>(made.image, 1000);
    const SegmentResult found = segmented(volume);
    EXPECT_EQ(found.count, 3u);
    EXPECT_GE(covering(found, made), 0.95);
    EXPECT_FALSE(found.spatial_bandwidth.physical());
    volume.geometry.unit = Unit::millimeter;
    volume.geometry.spacing = {0.5, 0.5, 2};
    const SegmentResult by_length = segmented(volume);
    EXPECT_TRUE(by_length.spatial_bandwidth.physical());
    EXPECT_EQ(by_length.count, 3u);
    EXPECT_GE(covering(by_length, made), 0.95);
}

TEST_P(Segment, SizesAndAxes) {
    unsigned seed = 0;
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 40}, Shape{40, 1}, Shape{2, 2}, Shape{37, 23},
                               Shape{33, 21, 1, 4}, Shape{20, 15, 9}, Shape{12, 9, 6, 3}})
        for (const int channels : {1, 3}) {
            Shape of = shape;
            of.channels = channels;
            segmented(testing::quantized<std::uint8_t>(testing::patches(of, 0.1, ++seed), 255));
        }
}

TEST_P(Segment, GivesTheBitsOfTheCpu) {
    Queue cpu(Device::parse("cpu"));
    for (const Shape& shape : {Shape{200, 131, 1, 1, 3}, Shape{200, 131}, Shape{40, 33, 21}}) {
        const AnyImage image =
            testing::quantized<std::uint8_t>(testing::patches(shape, 0.2, 7), 255);
        for (const SegmentDetail detail : {SegmentDetail::coarse, SegmentDetail::fine})
            EXPECT_EQ(segmented(image, {.detail = detail}).labels.pixels(),
                      segment(image, {.detail = detail}, cpu).labels.pixels());
    }
}

// More detail divides the regions of less.
TEST_P(Segment, DetailAndNumberNest) {
    const AnyImage image =
        testing::quantized<std::uint8_t>(testing::patches({120, 90, 1, 1, 3}, 0.1, 3), 255);
    const auto expect_within = [](const SegmentResult& fine, const SegmentResult& coarse) {
        EXPECT_GE(fine.count, coarse.count);
        std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
        for (std::size_t i = 0; i < fine.labels.pixels().size(); ++i)
            pairs.emplace(fine.labels.pixels()[i], coarse.labels.pixels()[i]);
        EXPECT_EQ(pairs.size(), fine.count);
    };
    const SegmentResult coarse = segmented(image, {.detail = SegmentDetail::coarse});
    const SegmentResult medium = segmented(image);
    const SegmentResult fine = segmented(image, {.detail = SegmentDetail::fine});
    expect_within(medium, coarse);
    expect_within(fine, medium);
    for (const int regions : {1, 2, 7})
        EXPECT_EQ(segmented(image, {.regions = regions}).count, regions);
    expect_within(segmented(image, {.regions = 7}), segmented(image, {.regions = 2}));
}

TEST_P(Segment, WhatHasNoPartsIsOneRegionAndSaysSo) {
    Image<std::uint8_t> noise({160, 120});
    std::mt19937 generator(5);
    for (std::uint8_t& value : noise.pixels())
        value = static_cast<std::uint8_t>(std::lround(100 + 12 * gauss(generator)));
    Image<float> flat({30, 20});
    for (const AnyImage& image : {AnyImage(noise), AnyImage(flat)}) {
        const SegmentResult found = segmented(image);
        EXPECT_EQ(found.count, 1u);
        ASSERT_EQ(found.warnings.size(), 1u);
        EXPECT_NE(found.warnings[0].find("one region"), std::string::npos);
    }
}

TEST_P(Segment, OutliersDoNotHideTheRest) {
    Scene made = scene({96, 72}, 0.02, 4);
    made.image(3, 3) = 1e4f;
    made.image(90, 70) = -1e4f;
    const SegmentResult found = segmented(made.image);
    EXPECT_EQ(found.count, 3u);
    EXPECT_GE(covering(found, made), 0.95);
    made.image(3, 3) = 1e30f;  // finer units than its own would not fit
    EXPECT_NO_THROW(segmented(made.image));
}

TEST_P(Segment, AlphaIsNotCompared) {
    const Scene made = scene({96, 72, 1, 1, 3}, 0.02, 1);
    const auto opaque = testing::quantized<std::uint8_t>(made.image, 255);
    Image<std::uint8_t> with_alpha({96, 72, 1, 1, 4});
    with_alpha.has_alpha = true;
    for (std::size_t i = 0; i < with_alpha.pixels().size(); ++i)
        with_alpha.pixels()[i] =
            i % 4 == 3 ? static_cast<std::uint8_t>(i * 37) : opaque.pixels()[i / 4 * 3 + i % 4];
    const SegmentResult found = segmented(with_alpha);
    EXPECT_EQ(found.labels.pixels(), segmented(opaque).labels.pixels());
    ASSERT_EQ(found.warnings.size(), 1u);
    EXPECT_NE(found.warnings[0].find("alpha"), std::string::npos);
}

template <class E, class F>
void expect_refused(const std::vector<std::string>& words, F call) {
    try {
        call();
        ADD_FAILURE() << words.front() << " was taken";
    } catch (const E& error) {
        for (const std::string& word : words)
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
}

TEST_P(Segment, BadInputIsRefused) {
    const Image<std::uint8_t> small({5, 4});
    expect_refused<InvalidArgument>({"regions is 0", "1 to 1000000"},
                                    [&] { segment(small, {.regions = 0}, queue); });
    expect_refused<InvalidArgument>({"--regions is 21", "20 pixels"},
                                    [&] { segment(small, {.regions = 21}, queue); });
    expect_refused<UnsupportedFormat>({"2 channels"}, [&] {
        segment(Image<std::uint8_t>({5, 4, 1, 1, 2}), {}, queue);
    });
    Image<float> holed({5, 4});
    holed(2, 3) = std::numeric_limits<float>::quiet_NaN();
    expect_refused<InvalidArgument>({"x 2", "y 3", "finite"}, [&] { segment(holed, {}, queue); });
    CancelToken token;
    token.cancel();
    EXPECT_THROW(segment(small, {}, queue, Progress({}, &token)), Cancelled);
}

// Asked for more than there are: all of them, and a warning.
TEST_P(Segment, MoreRegionsThanThereAre) {
    Image<std::uint8_t> halves({40, 30});
    for (std::int64_t y = 0; y < 30; ++y)
        for (std::int64_t x = 20; x < 40; ++x) halves(x, y) = 200;
    const SegmentResult found = segmented(halves, {.regions = 5});
    EXPECT_EQ(found.count, 2u);
    ASSERT_EQ(found.warnings.size(), 1u);
    EXPECT_NE(found.warnings[0].find("only 2 regions"), std::string::npos);
}

// Along every axis, with the others of one point.
TEST_P(Segment, LinesHaveNeighbors) {
    for (const Shape& shape : {Shape{300}, Shape{1, 300}, Shape{1, 1, 300}, Shape{1, 2},
                               Shape{1, 20, 15}, Shape{20, 1, 15}, Shape{1, 1, 12, 25}}) {
        Image<std::uint8_t> image(shape);
        std::mt19937 generator(5);
        for (std::uint8_t& value : image.pixels()) value = static_cast<std::uint8_t>(generator());
        for (const std::int64_t regions : {1, 2})
            EXPECT_EQ(segmented(image, {.regions = regions}).count, regions)
                << shape.x << " " << shape.y << " " << shape.z << " " << shape.t;
    }
}

TEST_P(Segment, MemoryIsWithinWhatIsTold) {
    const AnyImage image =
        testing::quantized<std::uint8_t>(testing::patches({300, 200, 1, 1, 3}, 0.3, 3), 255);
    Queue fresh(GetParam());
    segment(image, {}, fresh);
    EXPECT_LE(fresh.counters().peak_bytes_in_use, segment_device_bytes(image));
    const std::int64_t allocations = fresh.counters().allocations;
    segment(image, {}, fresh);
    EXPECT_EQ(fresh.counters().allocations, allocations);
}

}  // namespace
}  // namespace tesela
