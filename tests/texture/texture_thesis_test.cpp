// Rows F21 to F24 of spec 003: texture in the ways of the thesis, on every device.
#include "tesela/texture_thesis.h"

#include "devices.h"
#include "tesela/glcm.h"
#include "tesela/lbp.h"
#include "tesela/tile_features.h"
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

TEST_P(ThesisTexture, CodesAreThoseOfTheirDefinition) {
    const Image<std::uint8_t> gray = noise({40, 30}, 256, 6);
    const ThesisTextureResult found = texture_thesis(gray, {}, queue);
    // L* grows with gray, so that what is brighter stays so, unless both have one L*.
    const GlcmResult levels = glcm(gray, {}, {.levels = 4, .angles = "0"}, processor);
    EXPECT_EQ(found.matrices[1].counts[2 * 4 + 2], 39 * 30);  // a* of gray is 0, of level 2
    EXPECT_EQ(found.matrices[0].pairs(), levels.matrices[0].pairs());
    const reference::Plane plane = testing::plane_of(gray);
    for (std::int64_t y = 0; y < 28; ++y)
        for (std::int64_t x = 0; x < 38; ++x) {
            const int code =
                reference::square_code(plane, static_cast<int>(x + 1), static_cast<int>(y + 1));
            EXPECT_EQ(found.codes(x, y) & ~code, 0);
        }
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
    for (const auto& [way, name] : enum_names(ThesisColorWay{})) {
        Queue fresh(GetParam());
        texture_thesis(image, {.color = way}, fresh);
        EXPECT_LE(fresh.counters().peak_bytes_in_use,
                  texture_thesis_bytes(image.shape(), {.color = way}));
    }
}

}  // namespace
}  // namespace tesela
