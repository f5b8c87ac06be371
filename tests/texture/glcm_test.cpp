// Co-occurrence matrices and their descriptors on every device (spec 003, rows F14 to F16).
#include "tesela/glcm.h"

#include <cmath>
#include <limits>

#include "devices.h"
#include "scikit_image_vectors.h"
#include "texture/tile_planes.h"
#include "texture_pictures.h"

namespace tesela {
namespace {

using testing::noise;
using testing::picture;
using testing::plane_of;

class Glcm : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(Glcm);

const std::vector<double> angles{0, 45, 90, 135};

// Levels 0 to `levels` - 1 as bytes that are quantized to just these.
Image<std::uint8_t> spread(Image<std::uint8_t> image, int levels) {
    for (std::uint8_t& pixel : image.pixels())
        pixel = static_cast<std::uint8_t>((pixel * 256 + levels - 1) / levels);
    return image;
}

TEST_P(Glcm, LabIsWithinAGrayLevelOfTheReference) {
    const Image<std::uint8_t> image = noise({512, 300, 1, 1, 3}, 256, 3);
    const Buffer<const std::uint8_t> pixels =
        queue.lend(std::span<const std::uint8_t>(image.pixels()), "tiles");
    const TilePlanes planes = lab_planes(queue, pixels, 256, 150, 4, 3);
    const std::vector<std::uint8_t> found = queue.download(planes.bytes);
    const std::size_t points = 256 * 150;
    double most = 0;
    for (std::size_t tile = 0; tile < 4; ++tile)
        for (std::size_t i = 0; i < points; ++i) {
            const std::uint8_t* rgb = image.data() + 3 * (tile * points + i);
            const reference::Color lab = reference::lab_bytes(rgb[0], rgb[1], rgb[2]);
            for (std::size_t c = 0; c < 3; ++c)
                most = std::max(most, std::abs(found[(3 * tile + c) * points + i] - lab[c]));
        }
    EXPECT_LT(most, 0.5 + 1e-3);  // rounded to the nearest
}

// By one kernel the same bytes as by two.
TEST_P(Glcm, LabAndItsLevelsAtOnce) {
    std::vector<std::uint8_t> colors(4 * 60 * 50 * 3);
    for (std::size_t i = 0; i < colors.size(); ++i)
        colors[i] = static_cast<std::uint8_t>(i * i % 251);
    const auto pixels = queue.lend(std::span<const std::uint8_t>(colors), "colors");
    for (const ColorRange range : {ColorRange::full, ColorRange::half}) {
        const LabLevels both = lab_levels(queue, pixels, 60, 50, 3, 4, 16, range);
        const TilePlanes planes = lab_planes(queue, pixels, 60, 50, 3, 4);
        EXPECT_EQ(queue.download(both.planes.bytes), queue.download(planes.bytes));
        EXPECT_EQ(queue.download(both.levels.bytes),
                  queue.download(quantized(queue, planes, 16, range).bytes));
    }
}

TEST_P(Glcm, GoldenColors) {
    Image<std::uint8_t> image({3, 1, 1, 1, 3});
    image.pixels() = {255, 255, 255, 0, 0, 0, 255, 0, 0};
    std::vector<std::string> warnings;
    const auto planes = queue.download(planes_of(queue, image, warnings).bytes);
    EXPECT_EQ(planes, (std::vector<std::uint8_t>{255, 0, 136, 128, 128, 208, 128, 128, 195}));
}

TEST_P(Glcm, MatricesAreThoseOfScikitImage) {
    for (const CountWay way : {CountWay::groups, CountWay::rows})
        for (int d = 0; d < 2; ++d)
            for (int a = 0; a < 4; ++a) {
                std::vector<std::string> warnings;
                const TilePlanes planes = planes_of(queue, picture(13, 9, 4), warnings);
                const auto counts = queue.download(
                    cooccurrence(queue, planes, {}, 4, {offset_at(d + 1, angles[a])}, way));
                for (std::size_t cell = 0; cell < 16; ++cell)
                    EXPECT_EQ(counts[cell], testing::gray_matrices[d][a][cell]);
            }
}

TEST_P(Glcm, PropertiesAreThoseOfScikitImage) {
    const GlcmResult found =
        glcm(spread(picture(40, 30, 11), 11), {},
             {.levels = 11, .distances = "1,3", .angles = "0,45,90,135", .symmetric = true}, queue);
    // ASM, energy, contrast, dissimilarity, homogeneity, correlation
    const std::size_t places[] = {0, 13, 1, 15, 4, 2};
    ASSERT_EQ(found.matrices.size(), 8u);
    for (std::size_t k = 0; k < 8; ++k) {
        const Descriptors d = descriptors_of(found.matrices[k]);
        for (std::size_t p = 0; p < 6; ++p)
            EXPECT_NEAR(d[places[p]], testing::gray_properties[p][k / 4][k % 4],
                        1e-10 * std::abs(testing::gray_properties[p][k / 4][k % 4]))
                << descriptor_names[places[p]];
    }
}

TEST_P(Glcm, CountsEqualTheReference) {
    testing::Cases cases(GetParam());
    unsigned seed = 10;
    const std::vector<PixelOffset> offsets{{1, 0}, {-1, 2}, {0, 3}, {40, -1}, {0, 0}};
    for (const Shape& shape :
         {Shape{1, 1}, Shape{1, 9}, Shape{9, 1}, Shape{37, 23}, Shape{129, 65}, Shape{513, 100}})
        for (const int levels : {2, 16, 90, 91, 256})
            for (const bool masked : {false, true})
                for (const CountWay way : {CountWay::groups, CountWay::rows}) {
                    if (!cases.take()) continue;
                    const auto image = noise(shape, static_cast<std::uint32_t>(levels), ++seed);
                    const AnyImage mask = noise(shape, 3, seed + 1000);
                    std::vector<std::string> warnings;
                    const TilePlanes planes = planes_of(queue, image, warnings);
                    const TileMasks inside = mask_of(
                        queue, masked ? std::optional<AnyImageView>(mask) : std::nullopt, shape);
                    const auto counts =
                        queue.download(cooccurrence(queue, planes, inside, levels, offsets, way));
                    std::size_t at = 0;
                    for (const PixelOffset& offset : offsets)
                        for (const auto& row : reference::cooccurrence(
                                 plane_of(image),
                                 masked ? plane_of(std::get<Image<std::uint8_t>>(mask))
                                        : reference::Plane{},
                                 levels, offset.x, offset.y))
                            for (const std::int64_t count : row)
                                ASSERT_EQ(counts[at++], count)
                                    << shape.x << "x" << shape.y << ", " << levels << " levels";
                }
}

// More offsets than one launch takes, several tiles, masks shared by the planes of a tile.
TEST_P(Glcm, BatchesOfTiles) {
    const Image<std::uint8_t> colors = noise({60, 50 * 3, 1, 1, 3}, 256, 4);
    const Image<std::uint8_t> mask = noise({60, 150}, 2, 5);
    const auto pixels = queue.lend(std::span<const std::uint8_t>(colors.pixels()), "tiles");
    const TileMasks masks{queue.lend(std::span<const std::uint8_t>(mask.pixels()), "masks")};
    std::vector<PixelOffset> offsets;
    for (int k = 0; k < 70; ++k) offsets.push_back({k % 10, k / 10});
    const TilePlanes levels =
        quantized(queue, lab_planes(queue, pixels, 60, 50, 3, 3), 8, ColorRange::half);
    const auto groups =
        queue.download(cooccurrence(queue, levels, masks, 8, offsets, CountWay::groups));
    EXPECT_EQ(groups,
              queue.download(cooccurrence(queue, levels, masks, 8, offsets, CountWay::rows)));
    const std::vector<std::uint8_t> bytes = queue.download(levels.bytes);
    const std::size_t plane = 2 * 3 + 1, k = 63;  // a* of the last tile, offset (3, 6)
    const reference::Plane own{60,
                               50,
                               {bytes.begin() + static_cast<long>(plane * 3000),
                                bytes.begin() + static_cast<long>((plane + 1) * 3000)}};
    const reference::Plane inside{
        60, 50, {mask.pixels().begin() + 6000, mask.pixels().begin() + 9000}};
    const auto expected = reference::cooccurrence(own, inside, 8, 3, 6);
    std::int64_t total = 0;
    for (std::size_t cell = 0; cell < 64; ++cell) {
        EXPECT_EQ(groups[(plane * 70 + k) * 64 + cell], expected[cell / 8][cell % 8]);
        total += expected[cell / 8][cell % 8];
    }
    EXPECT_GT(total, 0);
}

// Levels of equal width, by hand; a* and b* over half the range.
TEST_P(Glcm, LevelsHaveEqualWidth) {
    TilePlanes planes{{}, 6, 1, 3, 3};
    const std::vector<std::uint8_t> values{0,  63, 64, 127, 128, 255,   // L*
                                           63, 64, 71, 72,  191, 192,   // a*
                                           0,  96, 95, 128, 159, 160};  // b*
    planes.bytes = queue.upload(std::span<const std::uint8_t>(values), "planes");
    EXPECT_EQ(queue.download(quantized(queue, planes, 4, ColorRange::full).bytes),
              (std::vector<std::uint8_t>{0, 0, 1, 1, 2, 3, 0, 1, 1, 1, 2, 3, 0, 1, 1, 2, 2, 2}));
    EXPECT_EQ(
        queue.download(quantized(queue, planes, 16, ColorRange::half).bytes),
        (std::vector<std::uint8_t>{0, 3, 4, 7, 8, 15, 0, 0, 0, 1, 15, 15, 0, 4, 3, 8, 11, 12}));
    EXPECT_EQ(queue.download(quantized(queue, planes, 256, ColorRange::full).bytes), values);
}

TEST(Descriptors, EqualTheDefinitions) {
    for (const int levels : {2, 5, 16, 64}) {
        const auto image =
            noise({40, 40}, static_cast<std::uint32_t>(levels), static_cast<unsigned>(levels));
        const auto expected_matrix = reference::cooccurrence(plane_of(image), {}, levels, 1, 0);
        CooccurrenceMatrix matrix{levels, {}};
        for (const auto& row : expected_matrix)
            matrix.counts.insert(matrix.counts.end(), row.begin(), row.end());
        auto expected = reference::descriptors(expected_matrix);
        const Descriptors found = descriptors_of(matrix);
        ASSERT_EQ(expected.size(), found.size());
        for (std::size_t k = 0; k < found.size(); ++k) {
            const double value = expected.at(std::string(descriptor_names[k]));
            EXPECT_NEAR(found[k], value, 1e-11 * std::max(1.0, std::abs(value)))
                << descriptor_names[k];
        }
    }
}

// A matrix by hand: [[2, 1], [0, 1]].
TEST(Descriptors, ByHand) {
    const Descriptors d = descriptors_of({2, {2, 1, 0, 1}});
    EXPECT_DOUBLE_EQ(d[0], 0.375);  // 1/4 + 1/16 + 1/16
    EXPECT_DOUBLE_EQ(d[1], 0.25);
    EXPECT_NEAR(d[2], 0.125 / std::sqrt(0.1875 * 0.25), 1e-15);  // i: 1/4; j: 1/2; ij: 1/4
    EXPECT_DOUBLE_EQ(d[3], 0.1875);
    EXPECT_DOUBLE_EQ(d[14], 0.875);
    EXPECT_DOUBLE_EQ(d[4], 0.875);
    EXPECT_NEAR(d[8], 0.5 * std::log(2) + 0.5 * std::log(4), 1e-15);
    EXPECT_DOUBLE_EQ(d[5], 0.75);
    const CooccurrenceMatrix both = symmetric({2, {2, 1, 0, 1}});
    EXPECT_EQ(both.counts, (std::vector<std::int64_t>{4, 1, 1, 2}));
}

TEST(Descriptors, OfFlatAndOfEmptyMatrices) {
    const Descriptors flat = descriptors_of({4, {0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}});
    EXPECT_EQ(flat[0], 1);
    EXPECT_EQ(flat[1], 0);
    EXPECT_EQ(flat[2], 0);  // scikit-image has 1, Matlab NaN
    EXPECT_EQ(flat[4], 1);
    EXPECT_EQ(flat[11], 0);
    EXPECT_EQ(flat[12], 0);
    for (const double value : descriptors_of({2, {0, 0, 0, 0}})) EXPECT_EQ(value, 0);
    for (const double value : flat) EXPECT_TRUE(std::isfinite(value));
}

TEST(Offsets, TurnFromRightToDown) {
    EXPECT_EQ(offset_at(1, 0), (PixelOffset{1, 0}));
    EXPECT_EQ(offset_at(1, 45), (PixelOffset{1, 1}));
    EXPECT_EQ(offset_at(1, 90), (PixelOffset{0, 1}));
    EXPECT_EQ(offset_at(3, 135), (PixelOffset{-2, 2}));
    EXPECT_EQ(offset_at(2, 45), (PixelOffset{1, 1}));
    EXPECT_THROW(offset_at(0, 0), InvalidArgument);
    EXPECT_THROW(offset_at(std::numeric_limits<double>::quiet_NaN(), 0), InvalidArgument);
}

TEST_P(Glcm, SameBitsAsOnTheProcessor) {
    Queue processor(Device::parse("cpu"));
    const Image<std::uint8_t> image = noise({257, 130, 1, 1, 3}, 256, 12);
    const GlcmResult found = glcm(image, {}, {.distances = "1,5"}, queue);
    const GlcmResult expected = glcm(image, {}, {.distances = "1,5"}, processor);
    ASSERT_EQ(found.matrices.size(), 24u);
    for (std::size_t k = 0; k < found.matrices.size(); ++k) {
        EXPECT_EQ(found.matrices[k].counts, expected.matrices[k].counts);
        EXPECT_EQ(descriptors_of(found.matrices[k]), descriptors_of(expected.matrices[k]));
    }
}

TEST_P(Glcm, OtherPixelTypes) {
    const Image<std::uint8_t> bytes = spread(picture(40, 30, 7), 7);
    Image<float> floats({40, 30});
    Image<std::uint16_t> words({40, 30});
    for (std::size_t i = 0; i < bytes.pixels().size(); ++i) {
        floats.pixels()[i] = 0.5f * bytes.pixels()[i];
        words.pixels()[i] = static_cast<std::uint16_t>(257 * bytes.pixels()[i]);
    }
    const GlcmOptions options{.levels = 7};
    const GlcmResult of_bytes = glcm(bytes, {}, options, queue);
    const GlcmResult of_words = glcm(words, {}, options, queue);
    EXPECT_EQ(of_bytes.matrices[0].counts, of_words.matrices[0].counts);
    EXPECT_TRUE(of_bytes.warnings.empty());
    EXPECT_EQ(of_words.warnings.size(), 1u);
    EXPECT_EQ(glcm(floats, {}, options, queue).matrices[0].pairs(), 39 * 30);
    EXPECT_EQ(of_bytes.channels, (std::vector<std::string>{"gray"}));
}

TEST_P(Glcm, MemoryIsAsPlanned) {
    const Image<std::uint8_t> image = noise({300, 200, 1, 1, 3}, 256, 9);
    const GlcmOptions options{.levels = 64};
    glcm(image, {}, options, queue);
    EXPECT_LE(queue.counters().peak_bytes_in_use, glcm_device_bytes(image, options) * 17 / 16);
    const std::int64_t allocations = queue.counters().allocations;
    glcm(image, {}, options, queue);
    EXPECT_EQ(queue.counters().allocations, allocations);
}

TEST_P(Glcm, BadInputIsRefused) {
    const Image<std::uint8_t> image({5, 4});
    const auto with = [&](const GlcmOptions& options) { glcm(image, {}, options, queue); };
    EXPECT_THROW(with({.levels = 1}), InvalidArgument);
    EXPECT_THROW(with({.levels = 257}), InvalidArgument);
    EXPECT_THROW(with({.distances = ""}), InvalidArgument);
    EXPECT_THROW(with({.distances = "1,"}), InvalidArgument);
    EXPECT_THROW(with({.distances = "0"}), InvalidArgument);
    EXPECT_THROW(with({.angles = "0;90"}), InvalidArgument);
    EXPECT_THROW(with({.angles = "nan"}), InvalidArgument);
    const AnyImage small = Image<std::uint8_t>({4, 4}), wide = Image<std::uint16_t>({5, 4});
    EXPECT_THROW(glcm(image, small, {}, queue), InvalidArgument);
    EXPECT_THROW(glcm(image, wide, {}, queue), UnsupportedFormat);
    EXPECT_THROW(glcm(Image<std::uint8_t>({5, 4, 2}), {}, {}, queue), UnsupportedFormat);
    EXPECT_THROW(glcm(Image<std::uint8_t>({5, 4, 1, 1, 2}), {}, {}, queue), UnsupportedFormat);
    EXPECT_THROW(glcm(Image<std::uint16_t>({5, 4, 1, 1, 3}), {}, {}, queue), UnsupportedFormat);
    CancelToken token;
    token.cancel();
    EXPECT_THROW(glcm(image, {}, {}, queue, Progress({}, &token)), Cancelled);
}

}  // namespace
}  // namespace tesela
