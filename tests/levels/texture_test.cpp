// Stains and textures of tissue.
#include "level_results.h"
#include "tesela/glcm.h"
#include "tesela/lbp.h"
#include "tesela/stain.h"
#include "tesela/texture_thesis.h"
#include "tesela/tile_features.h"

namespace tesela::testing {
namespace {

void matrices(Queue& queue, Hash& hash, const AnyImage& image,
              const std::optional<AnyImageView>& mask, const GlcmOptions& options) {
    for (const CooccurrenceMatrix& matrix : glcm(image, mask, options, queue).matrices)
        hash.add(matrix.counts, descriptors_of(matrix));
}

void patterns(Queue& queue, Hash& hash, const LbpOptions& options) {
    const AnyImage mask = noise_mask({97, 61});
    for (const int channels : {1, 3}) {
        const LbpResult result = lbp(picture(channels), mask, options, queue);
        hash.add(result.codes, result.histogram);
    }
}

void features_of_tiles(Queue& queue, Hash& hash) {
    hash.add(tile_features(picture(3), FeatureSet("thesis"), queue));
    const FeatureSet set("color,haralick-3,lbp-8-1,lbp-24-3");
    const Image<std::uint8_t> tiles =
        quantized<std::uint8_t>(patches({32, 32, 5, 1, 4}, 0.2, 6), 255);
    const Buffer<const std::uint8_t> lent =
        queue.lend(std::span<const std::uint8_t>(tiles.pixels()), "tiles");
    const TileCounts found = set.count(queue, lent, 32, 32, 5, 4);
    hash.add(found.colors, found.matrices, found.patterns);
}

void texture_of_the_thesis(Queue& queue, Hash& hash) {
    for (const auto& [way, name] : enum_names(ThesisMatrixWay{}))
        for (const int levels : {4, 16}) {
            const ThesisTextureResult found =
                texture_thesis(picture(3), {.levels = levels, .matrices = way}, queue);
            hash.add(found.features, found.histogram, found.codes);
        }
}

const std::vector<Case> cases{
    {"stain",
     [](Queue& q, Hash& h) {
         const StainMatrix he = stain_matrix(StainSet::he), hdab = stain_matrix(StainSet::hdab);
         h.add(separate_stains(picture(3), he, q));
         h.add(stain_picture(picture(3), he, 1, q));
         h.add(normalize_stains(picture(3), he, hdab, q));
     }},
    {"texture glcm",
     [](Queue& q, Hash& h) {
         const AnyImage mask = noise_mask({97, 61});
         matrices(q, h, picture(1), {}, {.distances = "1,3"});
         matrices(q, h, picture(1), mask, {.levels = 256, .symmetric = true});
         matrices(q, h, picture(3), mask, {.levels = 8, .color_range = ColorRange::half});
     }},
    {"texture lbp",
     [](Queue& q, Hash& h) {
         patterns(q, h, {.shape = LbpShape::square});
         for (const int points : {8, 16, 24})
             patterns(q, h, {.points = points, .radius = 0.125 * points});
     }},
    {"tissue features", features_of_tiles},
    {"thesis texture", texture_of_the_thesis},
};
INSTANTIATE_TEST_SUITE_P(Texture, LevelResults, ::testing::ValuesIn(cases), case_name);

}  // namespace
}  // namespace tesela::testing
