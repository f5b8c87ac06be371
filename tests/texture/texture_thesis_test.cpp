// Rows F21 to F24 of spec 003: texture in the ways of the thesis, on every device.
#include "tesela/texture_thesis.h"

#include "devices.h"
#include "tesela/glcm.h"
#include "tesela/lbp.h"
#include "tesela/tile_features.h"
#include "texture/tile_planes.h"
#include "texture_pictures.h"

namespace tesela {
namespace {

using testing::noise;

class ThesisTexture : public testing::OnDevice {
  protected:
    // Matrices, codes, histogram and features against those of the product and of the reference.
    void expect_those_of_the_references(const Image<std::uint8_t>& image,
                                        const ThesisTextureOptions& options) {
        const ThesisTextureResult found = texture_thesis(image, options, queue);
        const GlcmResult matrices =
            glcm(image, {}, {.levels = options.levels, .angles = "0"}, processor);
        ASSERT_EQ(matrices.matrices.size(), 3u);
        for (std::size_t c = 0; c < 3; ++c)
            EXPECT_EQ(found.matrices[c].counts, matrices.matrices[c].counts);
        const LbpResult patterns = lbp(image, {}, {.shape = LbpShape::square}, processor);
        EXPECT_EQ(found.codes.pixels(), patterns.codes.pixels());
        EXPECT_EQ(found.histogram, patterns.histogram);
        EXPECT_EQ(found.features,
                  tile_features(image, FeatureSet("thesis-" + std::to_string(options.levels)),
                                processor));
    }
    Queue queue{GetParam()}, processor{Device::parse("cpu")};
};
TESELA_ON_EVERY_DEVICE(ThesisTexture);

TEST_P(ThesisTexture, EveryWayOfMatricesIsThatOfTheReferences) {  // F21, F22
    testing::Cases cases(GetParam());
    for (const auto& [way, name] : enum_names(ThesisMatrixWay{}))
        for (const int levels : {4, 8, 16})
            for (const Shape& shape :
                 {Shape{131, 67, 1, 1, 3}, Shape{3, 40, 1, 1, 3}, Shape{300, 5, 1, 1, 3}}) {
                if (!cases.take()) continue;
                SCOPED_TRACE(std::string(name) + ", " + std::to_string(levels));
                expect_those_of_the_references(noise(shape, 256, 1),
                                               {.levels = levels, .matrices = way});
            }
}

// Where all pairs are alike, a byte for each item would overflow first.
TEST_P(ThesisTexture, BytesDoNotOverflow) {  // F22
    Image<std::uint8_t> image({1500, 1100});
    for (std::uint8_t& value : image.pixels()) value = 200;
    for (const ThesisMatrixWay way : {ThesisMatrixWay::shared, ThesisMatrixWay::spread})
        for (const int levels : {4, 16}) {
            const auto found = texture_thesis(image, {.levels = levels, .matrices = way}, queue);
            for (const CooccurrenceMatrix& matrix : found.matrices) {
                EXPECT_EQ(matrix.pairs(), 1499 * 1100);
                EXPECT_EQ(std::ranges::max(matrix.counts), 1499 * 1100);
            }
        }
}

TEST_P(ThesisTexture, PassesGrowWithTheSquareOfLevels) {  // F21
    const Image<std::uint8_t> image = noise({20, 20, 1, 1, 3}, 256, 2);
    for (const auto& [levels, passes] : {std::pair{4, 48}, {8, 192}, {16, 768}}) {
        EXPECT_EQ(
            texture_thesis(image, {.levels = levels, .matrices = ThesisMatrixWay::predicate}, queue)
                .passes,
            passes);
        EXPECT_EQ(texture_thesis(image, {.levels = levels}, queue).passes, 1);
    }
}

TEST_P(ThesisTexture, EveryBlockHasTheCodesOfTheReference) {  // F23
    testing::Cases cases(GetParam());
    const Image<std::uint8_t> image = noise({75, 41, 1, 1, 3}, 256, 3);
    for (const int block : {8, 10, 12, 14, 16, 18, 20}) {
        if (!cases.take()) continue;
        SCOPED_TRACE(block);
        expect_those_of_the_references(image, {.block = block});
    }
    expect_those_of_the_references(image, {.patterns = ThesisPatternWay::halo});
    expect_those_of_the_references(noise({3, 3, 1, 1, 3}, 256, 4), {});
}

TEST_P(ThesisTexture, ColorsAndHistogramsAreTheSameInEveryWay) {  // F24
    const Image<std::uint8_t> image = noise({75, 41, 1, 1, 3}, 256, 5);
    for (const auto& [way, name] : enum_names(ThesisColorWay{})) {
        SCOPED_TRACE(name);
        expect_those_of_the_references(image, {.color = way});
    }
    for (const auto& [way, name] : enum_names(ThesisHistogramWay{})) {
        SCOPED_TRACE(name);
        expect_those_of_the_references(image, {.histogram = way});
    }
}

// Brighter neighbors of each pixel, by the L* that are checked against CIE's formulas.
TEST_P(ThesisTexture, CodesAreThoseOfTheirDefinition) {
    const Image<std::uint8_t> image = noise({40, 30, 1, 1, 3}, 256, 6);
    const Buffer<const std::uint8_t> pixels =
        processor.upload(std::span<const std::uint8_t>(image.pixels()), "picture");
    const auto planes = processor.download(lab_planes(processor, pixels, 40, 30, 1, 3).bytes);
    const reference::Plane lightness{40, 30, {planes.begin(), planes.begin() + 40 * 30}};
    const ThesisTextureResult found = texture_thesis(image, {}, queue);
    ASSERT_EQ(found.codes.shape(), (Shape{38, 28}));
    for (int y = 0; y < 28; ++y)
        for (int x = 0; x < 38; ++x)
            EXPECT_EQ(found.codes(x, y), reference::square_code(lightness, x + 1, y + 1));
}

// a* and b* of gray are 0, of level 2.
TEST_P(ThesisTexture, GrayHasNoColor) {
    const ThesisTextureResult found = texture_thesis(noise({40, 30}, 256, 6), {}, queue);
    EXPECT_EQ(found.matrices[1].counts[2 * 4 + 2], 39 * 30);
    EXPECT_EQ(found.matrices[2].counts[2 * 4 + 2], 39 * 30);
}

// All that is done between a tile and its features is in the time of some stage.
TEST_P(ThesisTexture, StagesBeginWithThePreparation) {
    std::vector<std::string> names;
    for (const StageTime& stage : texture_thesis(noise({20, 20}, 256, 9), {}, queue).stages)
        names.push_back(stage.name);
    EXPECT_EQ(names, (std::vector<std::string>{"prepare", "upload", "color", "matrices", "patterns",
                                               "histogram", "features"}));
}

TEST_P(ThesisTexture, BadInputIsNamed) {
    const Image<std::uint8_t> image = noise({8, 8, 1, 1, 3}, 256, 7);
    EXPECT_THROW(texture_thesis(image, {.levels = 5}, queue), InvalidArgument);
    EXPECT_THROW(texture_thesis(image, {.block = 9}, queue), InvalidArgument);
    EXPECT_THROW(texture_thesis(Image<std::uint8_t>({2, 8}), {}, queue), InvalidArgument);
    EXPECT_THROW(texture_thesis(Image<float>({8, 8}), {}, queue), UnsupportedFormat);
    EXPECT_THROW(texture_thesis(Image<std::uint8_t>({8, 8, 2}), {}, queue), UnsupportedFormat);
}

TEST_P(ThesisTexture, MemoryIsWhatIsTold) {
    const Image<std::uint8_t> image = noise({300, 200, 1, 1, 3}, 256, 8);
    std::vector<ThesisTextureOptions> ways;
    for (const auto& [way, name] : enum_names(ThesisColorWay{})) ways.push_back({.color = way});
    for (const auto& [way, name] : enum_names(ThesisMatrixWay{}))
        ways.push_back({.levels = 16, .matrices = way});
    for (const auto& [way, name] : enum_names(ThesisPatternWay{}))
        ways.push_back({.patterns = way});
    for (const auto& [way, name] : enum_names(ThesisHistogramWay{}))
        ways.push_back({.histogram = way});
    for (std::size_t i = 0; i < ways.size(); ++i) {
        Queue fresh(GetParam());
        texture_thesis(image, ways[i], fresh);
        EXPECT_LE(fresh.counters().peak_bytes_in_use, texture_thesis_bytes(image.shape(), ways[i]))
            << i;
    }
}

}  // namespace
}  // namespace tesela
