// Textures of the pictures that scikit-image brings (spec 003, rows F15 to F20).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "reference/texture_reference.h"
#include "scikit_image_pictures.h"
#include "tesela/geojson_io.h"
#include "tesela/glcm.h"
#include "tesela/io.h"
#include "tesela/lbp.h"
#include "tesela/slide_io.h"
#include "tesela/tile_features.h"
#include "tesela/tissue_classifier.h"
#include "tesela/tissue_slides.h"

namespace tesela {
namespace {

using Gray = Image<std::uint8_t>;

// Of colors the green channel.
Gray gray_picture(const std::string& name) {
    const char* folder = std::getenv("TESELA_IMAGES");
    if (!folder) throw std::runtime_error("TESELA_IMAGES does not name a folder; run ./dev test");
    const AnyImage any = io::read_image(std::filesystem::path(folder) / (name + ".png")).image;
    const auto& pixels = std::get<Gray>(any);
    const int channels = pixels.shape().channels;
    Gray gray({pixels.shape().x, pixels.shape().y});
    for (std::int64_t i = 0; i < gray.shape().points(); ++i)
        gray.data()[i] = pixels.data()[i * channels + (channels > 1 ? 1 : 0)];
    return gray;
}

class Fnv {
  public:
    void add(std::uint64_t value, int bytes) {
        for (int i = 0; i < bytes; ++i)
            value_ = (value_ ^ (value >> (8 * i) & 0xff)) * 0x100000001b3u;
    }
    std::uint64_t value() const { return value_; }

  private:
    std::uint64_t value_ = 0xcbf29ce484222325u;
};

TEST(ScikitImagePictures, MatricesAreEqualAndPropertiesToRounding) {
    Queue queue(Device::parse("cpu"));
    for (const testing::PictureVectors& vectors : testing::picture_vectors) {
        const Gray gray = gray_picture(vectors.name);
        GlcmOptions options{.levels = 16, .distances = "1,3", .angles = "0,45,90,135"};
        Fnv hash;
        for (const CooccurrenceMatrix& matrix : glcm(gray, {}, options, queue).matrices)
            for (const auto count : matrix.counts) hash.add(static_cast<std::uint64_t>(count), 4);
        EXPECT_EQ(hash.value(), vectors.matrices) << vectors.name;
        options.symmetric = true;
        const GlcmResult symmetric = glcm(gray, {}, options, queue);
        ASSERT_EQ(symmetric.matrices.size(), 8u);
        const char* names[] = {
            "asm",        "energy", "contrast", "dissimilarity", "inverse-difference-moment",
            "correlation"};
        for (std::size_t k = 0; k < 8; ++k) {
            const Descriptors found = descriptors_of(symmetric.matrices[k]);
            for (std::size_t p = 0; p < 6; ++p) {
                const auto place = std::find(std::begin(descriptor_names),
                                             std::end(descriptor_names), std::string(names[p])) -
                                   std::begin(descriptor_names);
                const double expected = vectors.properties[p][k];
                EXPECT_NEAR(found[static_cast<std::size_t>(place)], expected, 1e-6 * expected)
                    << vectors.name << ", " << names[p];
            }
        }
    }
}

// But for samples between pixels that are as bright as the center, which rounding tells by chance.
TEST(ScikitImagePictures, PatternsAreEqualButForTies) {
    Queue queue(Device::parse("cpu"));
    for (const testing::PictureVectors& vectors : testing::picture_vectors) {
        const Gray gray = gray_picture(vectors.name);
        const reference::Plane plane{static_cast<int>(gray.shape().x),
                                     static_cast<int>(gray.shape().y),
                                     {gray.pixels().begin(), gray.pixels().end()}};
        for (int i = 0; i < 2; ++i) {
            const int points = i == 0 ? 8 : 16, radius = i + 1;
            const LbpResult found =
                lbp(gray, {}, {.points = points, .radius = static_cast<double>(radius)}, queue);
            Fnv hash;
            std::int64_t ties = 0;
            for (int y = 0; y < found.codes.shape().y; ++y)
                for (int x = 0; x < found.codes.shape().x; ++x) {
                    const auto exact =
                        reference::circle_code(plane, x + radius, y + radius, points, radius);
                    ASSERT_EQ(found.codes(x, y), exact.code) << vectors.name;
                    ties += exact.ties > 0;
                    hash.add(exact.ties > 0 ? 255 : found.codes(x, y), 1);
                }
            EXPECT_EQ(ties, vectors.patterns[i].ties) << vectors.name;
            EXPECT_EQ(hash.value(), vectors.patterns[i].hash) << vectors.name;
        }
    }
}

// ---- Left halves teach, right halves are tested -------------------------------------------------

Gray tile_at(const Gray& from, std::int64_t x, std::int64_t y) {
    constexpr std::int64_t side = 128;
    Gray tile({side, side, 1, 1, 3});
    for (std::int64_t j = 0; j < side; ++j)
        for (std::int64_t i = 0; i < side; ++i)
            for (int c = 0; c < 3; ++c) tile(i, j, 0, 0, c) = from(x + i, y + j);
    return tile;
}

Gray turned(const Gray& tile) {
    const std::int64_t side = tile.shape().x;
    Gray result(tile.shape());
    for (std::int64_t y = 0; y < side; ++y)
        for (std::int64_t x = 0; x < side; ++x)
            for (int c = 0; c < 3; ++c) result(side - 1 - y, x, 0, 0, c) = tile(x, y, 0, 0, c);
    return result;
}

TEST(ScikitImagePictures, TexturesAreToldApartAndKeepTheirLabelWhenTurned) {
    Queue queue(Device::parse("cpu"));
    const FeatureSet set("default");
    TissueSamples training;
    training.width = set.size();
    training.feature_names = set.names();
    std::vector<std::pair<int, Gray>> tests;
    for (const char* name : {"brick", "grass", "gravel"}) {
        const Gray picture = gray_picture(name);
        const int label = static_cast<int>(training.classes.size());
        training.classes.emplace_back(name);
        for (std::int64_t y = 0; y < 512; y += 128)
            for (std::int64_t x = 0; x < 512; x += 128) {
                const Gray tile = tile_at(picture, x, y);
                if (x >= 256) {
                    tests.emplace_back(label, tile);
                    continue;
                }
                const auto row = tile_features(tile, set, queue);
                training.features.insert(training.features.end(), row.begin(), row.end());
                training.labels.push_back(label);
                training.groups.push_back(static_cast<int>(training.group_names.size()));
                training.group_names.push_back(std::to_string(training.groups.back()));
            }
    }
    const Classifier classifier = train_classifier(training, {});
    int right = 0;
    for (const auto& [label, tile] : tests) {
        const std::vector<double> upright = tile_features(tile, set, queue);
        const int found = most_probable(classifier.probabilities(upright));
        right += found == label;
        Gray other = tile;
        for (int quarter = 0; quarter < 3; ++quarter) {
            other = turned(other);
            const std::vector<double> features = tile_features(other, set, queue);
            for (std::size_t i = 0; i < features.size(); ++i)
                ASSERT_NEAR(features[i], upright[i], 1e-9 * (1 + std::abs(upright[i])))
                    << set.names()[i];
            EXPECT_EQ(most_probable(classifier.probabilities(features)), found);
        }
    }
    EXPECT_GE(right, 0.98 * static_cast<double>(tests.size()));
}

// ---- A section of skin, of which polygons were drawn by hand ------------------------------------

class DataTest : public ::testing::Test {
  protected:
    void SetUp() override {
        const char* data = std::getenv("TESELA_DATA");
        if (!data || !std::filesystem::is_directory(data))
            GTEST_SKIP() << "TESELA_DATA does not name the folder of test images";
        slide = io::open_slide(std::filesystem::path(data) / "slides/CMU-1-Small-Region.svs");
    }
    // The tiles in every second polygon of each class.
    TissueSamples tiles(std::size_t first, const FeatureSet& set, Queue& queue) const {
        const Annotations drawn = io::read_geojson(TESELA_DRAWN_ANNOTATIONS);
        Annotations half;
        for (std::size_t i = first; i < drawn.list.size(); i += 2)
            half.list.push_back(drawn.list[i]);
        TissueSamples samples;
        for (const char* name : {"Dermis", "Epithelium", "Keratin"})
            samples.classes.emplace_back(name);
        constexpr int side = 32;
        add_annotated_tiles(*slide, half, "skin", tissue_grid(*slide, 0.5, side), {}, set, queue,
                            samples);
        return samples;
    }
    std::unique_ptr<TileSource> slide;
};

TEST_F(DataTest, HalfOfTheDrawnPolygonsTeachesTheOther) {
    Queue queue(Device::parse("cpu"));
    const FeatureSet set("default");
    const TissueSamples training = tiles(0, set, queue), test = tiles(1, set, queue);
    ASSERT_GT(training.rows(), 200u);
    ASSERT_GT(test.rows(), 200u);
    const Classifier classifier = train_classifier(training, {});
    std::array<double, 3> right{}, all{};
    for (std::size_t i = 0; i < test.rows(); ++i) {
        const auto label = static_cast<std::size_t>(test.labels[i]);
        ++all[label];
        right[label] += most_probable(classifier.probabilities(test.row(i))) == test.labels[i];
    }
    for (std::size_t c = 0; c < 3; ++c)  // one polygon alone teaches loose strips of keratin
        EXPECT_GE(right[c], 0.8 * all[c])
            << test.classes[c] << ": " << right[c] << " of " << all[c];
    EXPECT_GE(right[0] + right[1] + right[2], 0.95 * static_cast<double>(test.rows()));
}

}  // namespace
}  // namespace tesela
