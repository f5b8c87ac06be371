// Feature vectors of tiles on every device (spec 003, rows F16, F18, F19).
#include "tesela/tile_features.h"

#include <cmath>

#include "devices.h"
#include "texture_pictures.h"

namespace tesela {
namespace {

using testing::noise;

class TileFeatures : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(TileFeatures);

// Smooth color changes with noise on them: many levels, none of them alone.
Image<std::uint8_t> tile_picture(std::int64_t side, unsigned seed) {
    Image<std::uint8_t> image = noise({side, side, 1, 1, 3}, 60, seed);
    for (std::int64_t y = 0; y < side; ++y)
        for (std::int64_t x = 0; x < side; ++x)
            for (int c = 0; c < 3; ++c)
                image(x, y, 0, 0, c) = static_cast<std::uint8_t>(
                    image(x, y, 0, 0, c) + 90 +
                    60 * std::sin(0.1 * static_cast<double>(x * (c + 1) + y)));
    return image;
}

// The planes in levels, by the reference of colors.
std::array<reference::Plane, 3> lab_of(const Image<std::uint8_t>& image) {
    std::array<reference::Plane, 3> planes;
    for (reference::Plane& plane : planes)
        plane = {static_cast<int>(image.shape().x), static_cast<int>(image.shape().y), {}};
    for (std::size_t i = 0; i < image.pixels().size(); i += 3) {
        const auto* rgb = image.data() + i;
        const reference::Color lab = reference::lab_bytes(rgb[0], rgb[1], rgb[2]);
        for (std::size_t c = 0; c < 3; ++c)
            planes[c].values.push_back(static_cast<int>(std::floor(lab[c] + 0.5)));
    }
    return planes;
}

reference::Plane levels_of(reference::Plane plane, int count, bool half) {
    for (int& v : plane.values)
        v = half ? std::clamp(v - 64, 0, 127) * count / 128 : v * count / 256;
    return plane;
}

TEST_P(TileFeatures, ThesisVectorIsThatOfTheReference) {
    const Image<std::uint8_t> image = tile_picture(64, 1);
    const auto lab = lab_of(image);
    for (const int levels : {4, 8, 16}) {
        const FeatureSet set("thesis-" + std::to_string(levels));
        ASSERT_EQ(set.size(), 13u);
        const std::vector<double> found = tile_features(image, set, queue);
        for (std::size_t c = 0; c < 3; ++c) {
            const auto d = reference::descriptors(
                reference::cooccurrence(levels_of(lab[c], levels, false), {}, levels, 1, 0));
            const double expected[] = {d.at("contrast"), d.at("correlation"), d.at("asm"),
                                       d.at("homogeneity")};
            for (std::size_t k = 0; k < 4; ++k)
                EXPECT_NEAR(found[4 * c + k], expected[k], 1e-4 * std::abs(expected[k]))
                    << set.names()[4 * c + k];
        }
        std::vector<double> classes(10);
        for (int y = 1; y < 63; ++y)
            for (int x = 1; x < 63; ++x)
                ++classes[uniform_class(reference::square_code(lab[0], x, y))];
        double sum = 0;
        for (const double count : classes) sum += std::sqrt(count / (62 * 62) * 0.1);
        EXPECT_NEAR(found[12], -std::log(sum), 1e-5);
    }
}

TEST_P(TileFeatures, DefaultVectorIsThatOfTheReference) {
    const Image<std::uint8_t> image = tile_picture(50, 2);
    const auto lab = lab_of(image);
    const FeatureSet set;
    ASSERT_EQ(set.size(), 193u);
    const std::vector<double> found = tile_features(image, set, queue);
    const auto value = [&](const std::string& name) {
        const auto place = std::find(set.names().begin(), set.names().end(), name);
        EXPECT_NE(place, set.names().end()) << name;
        return found[static_cast<std::size_t>(place - set.names().begin())];
    };
    const char* channels[] = {"L", "a", "b"};
    for (std::size_t c = 0; c < 3; ++c) {
        const std::string channel = channels[c];
        double mean = 0, square = 0, cube = 0;
        for (const int v : lab[c].values) mean += v / 2500.0;
        for (const int v : lab[c].values) {
            square += std::pow(v - mean, 2) / 2500;
            cube += std::pow(v - mean, 3) / 2500;
        }
        EXPECT_NEAR(value(channel + "-mean"), mean, 1e-9);
        EXPECT_NEAR(value(channel + "-deviation"), std::sqrt(square), 1e-9);
        EXPECT_NEAR(value(channel + "-skewness"), std::cbrt(cube), 1e-6);
        const int offsets[4][2] = {{3, 0}, {2, 2}, {0, 3}, {-2, 2}};
        double lowest = 1e9, highest = -1e9, sum = 0;
        for (const auto& [dx, dy] : offsets) {
            auto matrix = reference::cooccurrence(levels_of(lab[c], 16, c > 0), {}, 16, dx, dy);
            auto both = matrix;
            for (int i = 0; i < 16; ++i)
                for (int j = 0; j < 16; ++j) both[i][j] += matrix[j][i];
            const double entropy = reference::descriptors(both).at("entropy");
            lowest = std::min(lowest, entropy);
            highest = std::max(highest, entropy);
            sum += entropy;
        }
        EXPECT_NEAR(value("haralick-3-" + channel + "-entropy-mean"), sum / 4, 1e-9);
        EXPECT_NEAR(value("haralick-3-" + channel + "-entropy-range"), highest - lowest, 1e-9);
    }
    double shares = 0;
    for (int code = 0; code < 18; ++code) shares += value("lbp-16-2-" + std::to_string(code));
    EXPECT_NEAR(shares, 1, 1e-12);
}

// A batch gives what each tile gives alone, and the same bits as the processor.
TEST_P(TileFeatures, BatchesAndDevicesGiveTheSameBits) {
    Queue processor(Device::parse("cpu"));
    std::vector<std::uint8_t> batch;
    for (unsigned k = 0; k < 5; ++k) {
        const auto image = tile_picture(40, 10 + k);
        batch.insert(batch.end(), image.pixels().begin(), image.pixels().end());
    }
    const auto tiles = queue.lend(std::span<const std::uint8_t>(batch), "tiles");
    for (const char* groups : {"default", "thesis", "lbp-24-3,haralick-2"}) {
        const FeatureSet set(groups);
        const TileCounts counts = set.count(queue, tiles, 40, 40, 5, 3);
        for (unsigned k = 0; k < 5; ++k) {
            std::vector<double> found(set.size());
            set.describe(counts, k, found);
            EXPECT_EQ(found, tile_features(tile_picture(40, 10 + k), set, processor));
        }
    }
}

// Flat tiles, of one pixel and smaller than a circle: finite numbers.
TEST_P(TileFeatures, FlatAndTinyTiles) {
    for (const std::int64_t side : {1, 2, 3, 16}) {
        Image<std::uint8_t> flat({side, side, 1, 1, 3});
        for (std::uint8_t& v : flat.pixels()) v = 200;
        for (const char* groups : {"default", "thesis"})
            for (const double value : tile_features(flat, FeatureSet(groups), queue))
                EXPECT_TRUE(std::isfinite(value));
    }
}

TEST_P(TileFeatures, MemoryIsAsPlanned) {
    const FeatureSet set;
    const auto image = noise({128, 128 * 6, 1, 1, 3}, 256, 3);
    const auto tiles = queue.lend(std::span<const std::uint8_t>(image.pixels()), "tiles");
    const std::int64_t before = queue.counters().bytes_in_use;
    set.count(queue, tiles, 128, 128, 6, 3);
    EXPECT_LE(queue.counters().peak_bytes_in_use - before,
              set.device_bytes(128 * 128, 6) * 17 / 16);
    const std::int64_t allocations = queue.counters().allocations;
    set.count(queue, tiles, 128, 128, 6, 3);
    EXPECT_EQ(queue.counters().allocations, allocations);
}

TEST(FeatureSets, AreNamed) {
    EXPECT_EQ(FeatureSet("color").size(), 9u);
    EXPECT_EQ(FeatureSet("haralick-1").size(), 78u);
    EXPECT_EQ(FeatureSet("lbp-8-1,lbp-16-2,lbp-24-3").size(), 54u);
    EXPECT_EQ(FeatureSet("default").names(), FeatureSet(FeatureSet().groups()).names());
    for (const char* wrong : {"", "colors", "color,", "haralick-0", "haralick-x", "thesis-1",
                              "thesis-100", "thesis,color", "color,thesis", "lbp-8-2"})
        EXPECT_THROW(FeatureSet{wrong}, InvalidArgument) << wrong;
}

TEST_P(TileFeatures, OtherImagesAreRefused) {
    EXPECT_THROW(tile_features(Image<std::uint8_t>({5, 5}), FeatureSet(), queue),
                 UnsupportedFormat);
    EXPECT_THROW(tile_features(Image<std::uint16_t>({5, 5, 1, 1, 3}), FeatureSet(), queue),
                 UnsupportedFormat);
}

}  // namespace
}  // namespace tesela
