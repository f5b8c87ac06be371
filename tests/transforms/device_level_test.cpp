// Device levels of transforms give what the host levels give.
#include <algorithm>
#include <limits>

#include "device_images.h"
#include "refusal.h"
#include "segmentation/pictures.h"
#include "tesela/distance.h"
#include "tesela/match_template.h"
#include "tesela/wavelet_denoise.h"

namespace tesela {
namespace {

class TransformsDeviceLevel : public testing::OnDeviceImages {};
TESELA_ON_EVERY_DEVICE(TransformsDeviceLevel);

TEST_P(TransformsDeviceLevel, OfDistances) {
    for (const Shape& shape : {Shape{37, 23}, Shape{13, 11, 7}}) {
        Image<float> pattern = testing::patches(shape, 0.1, 11);
        pattern.geometry.unit = Unit::millimeter;
        pattern.geometry.spacing = {1, 1.5, 2};
        const auto expect = [&]<class T>(Image<T> labels) {
            std::fill_n(labels.pixels().begin(), shape.x, T{0});
            for (const DistanceOptions& options :
                 {DistanceOptions{.label = 3, .pixels = true, .inside_positive = true},
                  DistanceOptions{.label = 2}, DistanceOptions{}}) {
                const DistanceResult host = signed_distance(labels, options, queue);
                const DeviceImage<const T> resident = lent(labels);
                DeviceDistanceResult device;
                EXPECT_EQ(moved_by([&] { device = signed_distance(resident, options, queue); }), 8);
                expect_same(host.distance, device.distance);
                EXPECT_EQ(device.lowest, host.lowest);
                EXPECT_EQ(device.highest, host.highest);
                EXPECT_EQ(device.millimeters, host.millimeters);
            }
        };
        expect(testing::quantized<std::uint8_t>(pattern, 5));
        expect(testing::quantized<std::uint16_t>(pattern, 5));
        expect(testing::quantized<std::uint32_t>(pattern, 5));
    }
}

TEST_P(TransformsDeviceLevel, RefusesWhatDistancesRefuse) {
    Image<std::uint8_t> mask({4, 4});
    const auto refused = [&](const DistanceOptions& options) {
        const std::string device =
            testing::refusal([&] { signed_distance(lent(mask), options, queue); });
        EXPECT_EQ(device, testing::refusal([&] { signed_distance(mask, options, queue); }));
        return device;
    };
    for (const bool inside_positive : {false, true}) {
        mask.pixels().assign(16, 0);
        EXPECT_NE(refused({.inside_positive = inside_positive}).find("empty"), std::string::npos);
        EXPECT_NE(refused({.label = 2}).find("label 2"), std::string::npos);
        mask.pixels().assign(16, 1);
        EXPECT_NE(refused({.inside_positive = inside_positive}).find("whole"), std::string::npos);
    }
}

TEST_P(TransformsDeviceLevel, OfTemplates) {
    for (const int channels : {1, 3}) {
        const Image<float> picture = testing::patches({61, 47, 1, 1, channels}, 0.1, 11);
        const Image<float> part = testing::patches({13, 9, 1, 1, channels}, 0.1, 11);
        const auto expect = [&]<class T>(const Image<T>& pattern, const Image<T>& image) {
            const MatchResult host = match_template(pattern, image, {.best = 5}, queue);
            const DeviceImage<const T> small = lent(pattern), large = lent(image);
            DeviceMatchResult device;
            const std::int64_t moved =
                moved_by([&] { device = match_template(small, large, {.best = 5}, queue); });
            const std::int64_t ends = std::is_unsigned_v<T> ? 0 : 4 * 4;
            const std::int64_t words = std::is_same_v<T, float> ? 2 * 4 : 0;
            constexpr std::int64_t score = 4 + 1;  // with whether it is a peak
            EXPECT_EQ(moved, score * host.scores.shape().points() + 2 * pattern.shape().points() +
                                 ends + words);
            expect_same(host.scores, device.scores);
            ASSERT_EQ(device.peaks.size(), host.peaks.size());
            for (std::size_t i = 0; i < host.peaks.size(); ++i) {
                EXPECT_EQ(device.peaks[i].x, host.peaks[i].x);
                EXPECT_EQ(device.peaks[i].y, host.peaks[i].y);
                EXPECT_EQ(device.peaks[i].score, host.peaks[i].score);
            }
        };
        expect(testing::quantized<std::uint8_t>(part, 255),
               testing::quantized<std::uint8_t>(picture, 255));
        expect(testing::quantized<std::uint16_t>(part, 50000),
               testing::quantized<std::uint16_t>(picture, 50000));
        expect(testing::quantized<std::int16_t>(part, 900),
               testing::quantized<std::int16_t>(picture, 900));
        expect(part, picture);
    }
    const Image<std::uint8_t> flat({3, 3}), image({9, 7});
    EXPECT_EQ(match_template(lent(flat), lent(image), {}, queue).warnings,
              match_template(flat, image, {}, queue).warnings);
    EXPECT_NE(testing::refusal([&] { match_template(lent(image), lent(flat), {}, queue); }), "");
}

TEST_P(TransformsDeviceLevel, OfWavelets) {
    const auto expect = [&]<class T>(const Image<T>& image, const WaveletOptions& options) {
        const WaveletCoefficients host = wavelet_forward(image, options, queue);
        const DeviceImage<const T> resident = lent(image);
        DeviceWaveletCoefficients device;
        AnyDeviceImage back;
        const std::int64_t moved = moved_by([&] {
            device = wavelet_forward(resident, options, queue);
            back = wavelet_inverse(device, queue);
        });
        EXPECT_LE(moved, 8);
        std::visit(
            [&]<class C>(const Image<C>& values) {
                const auto& there = std::get<DeviceImage<const C>>(device.values);
                EXPECT_EQ(queue.download(there.pixels), values.pixels());
                EXPECT_EQ(there.shape, values.shape());
                EXPECT_EQ(there.geometry, values.geometry);
            },
            host.values);
        EXPECT_EQ(device.shape, host.shape);
        EXPECT_EQ(device.pixel_type, host.pixel_type);
        expect_same(std::get<Image<T>>(wavelet_inverse(host, queue)),
                    std::get<DeviceImage<T>>(back));
    };
    for (const Shape& shape : {Shape{37, 23}, Shape{31, 17, 1, 2, 4}, Shape{13, 11, 7, 2, 2}}) {
        Image<float> image(shape);
        image.pixels() = testing::patches({shape.elements(), 1}, 0.1, 5).pixels();
        image.has_alpha = shape.channels == 4;
        image.geometry.spacing = {1, 2, 3};
        for (const auto& [border, name] : enum_names(WaveletBorder{})) {
            SCOPED_TRACE(name);
            const WaveletOptions real{Wavelet::bior4_4, 2, border};
            const WaveletOptions whole{Wavelet::bior2_2_int, 3, border};
            expect(testing::quantized<std::uint8_t>(image, 255), real);
            expect(testing::quantized<std::uint16_t>(image, 60000), whole);
            expect(testing::quantized<std::int16_t>(image, 900), whole);
            expect(testing::quantized<std::int16_t>(image, 900), real);
            expect(image, real);
            expect(image, {Wavelet::haar, 0, border});
        }
    }
}

TEST_P(TransformsDeviceLevel, RefusesWhatWaveletsRefuse) {
    Image<float> image({4, 3});
    EXPECT_THROW(wavelet_forward(lent(image), {Wavelet::haar_int, 1}, queue), UnsupportedFormat);
    EXPECT_THROW(wavelet_forward(lent(image), {Wavelet::haar, 3}, queue), InvalidArgument);
    DeviceWaveletCoefficients found = wavelet_forward(lent(image), {}, queue);
    found.shape.x = 5;
    EXPECT_THROW(wavelet_inverse(found, queue), InvalidArgument);
    found.shape.x = 4;
    found.pixel_type = PixelType::f64;
    EXPECT_THROW(wavelet_inverse(found, queue), InvalidArgument);
    found.pixel_type = PixelType::i8;
    EXPECT_THROW(wavelet_inverse(found, queue), UnsupportedFormat);
    image(2, 1) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(testing::refusal([&] { wavelet_forward(lent(image), {}, queue); }),
              testing::refusal([&] { wavelet_forward(image, {}, queue); }));
}

TEST_P(TransformsDeviceLevel, OfDenoising) {
    const auto expect = [&]<class T>(const Image<T>& image, const WaveletDenoiseOptions& options) {
        const WaveletDenoiseResult host = wavelet_denoise(image, options, queue);
        const DeviceImage<const T> resident = lent(image);
        DeviceWaveletDenoiseResult<T> device;
        const std::int64_t moved =
            moved_by([&] { device = wavelet_denoise(resident, options, queue); });
        const std::int64_t channels = image.shape().channels - (image.has_alpha ? 1 : 0);
        const std::int64_t frames = image.shape().t;
        constexpr std::int64_t histograms = 4 * 4 * 65536, small = 20 * 1024;
        const std::int64_t estimate = options.sigma ? 0 : histograms;
        EXPECT_LE(moved, frames * channels * (estimate + small));
        expect_same(std::get<Image<T>>(host.clean), device.clean);
        expect_same(host.residual, device.residual);
        EXPECT_EQ(device.sigma, host.sigma);
        EXPECT_EQ(device.levels, host.levels);
        EXPECT_EQ(device.warnings, host.warnings);
    };
    const WaveletDenoiseOptions periodic{
        .levels = {}, .border = WaveletBorder::periodic, .sigma = 0.05};
    const WaveletDenoiseOptions magnitudes{.levels = {}, .sigma = 3, .noise = NoiseKind::rician};
    Image<float> frames({31, 21, 1, 2, 4});
    frames.pixels() = testing::patches({31, 21 * 2 * 4}, 0.1, 5).pixels();
    frames.has_alpha = true;
    const Image<float> volume = testing::patches({23, 17, 11}, 0.1, 3);
    const Image<float> colors = testing::patches({57, 43, 1, 1, 3}, 0.2, 11);
    for (const WaveletDenoiseOptions& options : {WaveletDenoiseOptions{}, periodic}) {
        expect(frames, options);
        expect(volume, options);
        expect(testing::quantized<std::uint8_t>(colors, 255), options);
    }
    expect(testing::quantized<std::uint16_t>(frames, 60000), {});
    expect(testing::quantized<std::int16_t>(volume, 900), magnitudes);
    expect(Image<std::uint8_t>({16, 16}), {});
    Image<float> bad({8, 8});
    bad(3, 2) = std::numeric_limits<float>::infinity();
    const std::string refused = testing::refusal([&] { wavelet_denoise(lent(bad), {}, queue); });
    EXPECT_NE(refused, "");
    EXPECT_EQ(refused, testing::refusal([&] { wavelet_denoise(bad, {}, queue); }));
}

}  // namespace
}  // namespace tesela
