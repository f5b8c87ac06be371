// The thesis's region growing: tiles and their growth (spec 001, groups C and F, G2, G3).
#include <random>

#include "devices.h"
#include "segmentation/growth/region_thesis_pictures.h"

namespace tesela::region_thesis {
namespace {

class RegionThesisGrowth : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};

    ThesisGrowResult grow(const Image<std::uint8_t>& image, const ThesisGrowOptions& options = {}) {
        return region_grow_thesis(image, options, queue);
    }
    ThesisGrowResult grow(Figure figure, const ThesisGrowOptions& options = {}) {
        return grow(paint_figure({.figure = figure}), options);
    }
    // As the reference has it: tiles, labels of pixels, counts.
    void expect_model(const Image<std::uint8_t>& image, const ThesisGrowOptions& options) {
        const Modeled expected = model(image, options);
        const ThesisGrowResult found = grow(image, options);
        const reference::ThesisGrid& grid = expected.tiles.grid;
        ASSERT_EQ(found.tiles_x, grid.nx);
        ASSERT_EQ(found.tiles_y, grid.ny);
        int iterations = 0;
        for (std::size_t t = 0; t < found.tiles.size(); ++t) {
            const reference::ThesisRegion& region = expected.tiles.regions[t];
            ASSERT_EQ(found.tiles[t].size, region.size) << "tile " << t;
            ASSERT_EQ(found.tiles[t].sum, region.sum) << "tile " << t;
            ASSERT_EQ(found.tiles[t].mean, region.mean) << "tile " << t;
            ASSERT_EQ(found.tiles[t].iterations, region.iterations) << "tile " << t;
            ASSERT_EQ(found.tiles[t].label, grid.label[t]) << "tile " << t;
            iterations = std::max(iterations, region.iterations);
        }
        EXPECT_EQ(found.growth_iterations, iterations);
        EXPECT_EQ(found.merge_rounds, expected.rounds);
        const auto stride = static_cast<std::int64_t>(expected.tiles.pixel_labels.size()) /
                            image.shape().y;  // with padding
        for (std::int64_t y = 0; y < image.shape().y; ++y)
            for (std::int64_t x = 0; x < image.shape().x; ++x) {
                const std::uint32_t tile = expected.tiles.pixel_labels[static_cast<std::size_t>(
                    (image.shape().y - 1 - y) * stride + x)];
                ASSERT_EQ(found.labels(x, y), tile == 0 ? 0 : grid.label[tile - 1])
                    << x << ", " << y;
            }
    }
};
TESELA_ON_EVERY_DEVICE(RegionThesisGrowth);

constexpr std::array all_means{ThesisGrowMeans::running, ThesisGrowMeans::reduction,
                               ThesisGrowMeans::atomics};

Image<std::uint8_t> noise(std::int64_t width, std::int64_t height, unsigned seed) {
    Image<std::uint8_t> image({width, height, 1, 1, 3});
    std::mt19937 generator(seed);
    for (auto& value : image.pixels()) value = static_cast<std::uint8_t>(generator() % 256);
    return image;
}

TEST_P(RegionThesisGrowth, TilesCoverThePicture) {  // C1
    const ThesisGrowResult result = grow(Figure::none);
    EXPECT_EQ(result.tiles_x, 23);
    EXPECT_EQ(result.tiles_y, 17);
    EXPECT_EQ(result.tiles.size(), 391u);
    EXPECT_EQ(result.owned_pixels, 156400);
    // C2: no gaps among columns 1 to 460 and rows 1 to 340 from the bottom, and nothing beyond.
    EXPECT_EQ(result.unlabeled_pixels, 0);
    for (std::int64_t y = 0; y < 350; ++y)
        for (std::int64_t x = 0; x < 477; ++x) {
            const std::int64_t row = 349 - y;
            ASSERT_EQ(result.labels(x, y) != 0, x >= 1 && x <= 460 && row >= 1 && row <= 340)
                << x << ", " << y;
        }
}

TEST_P(RegionThesisGrowth, UniformTilesFillInAsManyIterationsAsTheirSide) {  // C6, C11
    for (const ThesisGrowMeans means : all_means)
        for (const int block : {20, 16, 7, 2}) {
            const ThesisGrowResult result =
                grow(paint_figure({Figure::none, 70, 60}), {.block = block, .means = means});
            EXPECT_EQ(result.unlabeled_pixels, 0);
            // From (block/2, block/2) to (0, 0).
            for (const ThesisGrowTile& tile : result.tiles)
                ASSERT_EQ(tile.iterations, block / 2 * 2) << block;
        }
}

TEST_P(RegionThesisGrowth, FrontIsABallThatGrows) {  // C4, C6, C13
    for (const ThesisGrowMeans means : all_means)
        for (const int iterations : {1, 2, 9, 10, 13, 20}) {
            const ThesisGrowResult result =
                grow(paint_figure({Figure::none, 43, 24}), {.growth_iterations = iterations,
                                                            .means = means,
                                                            .merging = ThesisGrowMerging::once});
            for (std::int64_t row = 1; row <= 20; ++row)
                for (std::int64_t x = 1; x <= 20; ++x) {
                    const std::int64_t away = std::abs(x - 11) + std::abs(row - 11);
                    ASSERT_EQ(result.labels(x, 23 - row) != 0, away <= iterations)
                        << x << ", " << row << " after " << iterations;
                }
        }
}

TEST_P(RegionThesisGrowth, InitialLabelsAreDistinct) {  // C4, D5
    const ThesisGrowResult result = grow(Figure::disc, {.merge_threshold = 0});
    for (std::size_t t = 0; t < result.tiles.size(); ++t) ASSERT_EQ(result.tiles[t].label, t + 1);
    EXPECT_EQ(result.region_count, 391);
    EXPECT_EQ(result.merge_rounds, 0);
}

TEST_P(RegionThesisGrowth, HookNeedsFourNeighbors) {  // C7, G3
    for (const ThesisGrowMeans means : all_means) {
        const auto image = paint_figure({Figure::hook, 22, 22});
        const ThesisGrowResult four = grow(image, {.means = means});
        EXPECT_EQ(four.tiles[0].size, 17);
        EXPECT_EQ(four.tiles[0].iterations, 16);
        const ThesisGrowResult quadrant =
            grow(image, {.means = means, .neighbors = ThesisGrowNeighbors::quadrant});
        EXPECT_EQ(quadrant.tiles[0].size, 13);
        EXPECT_EQ(quadrant.tiles[0].iterations, 12);
    }
}

TEST_P(RegionThesisGrowth, SnakeNeedsIterations) {  // C8
    const auto image = paint_figure({Figure::snake, 22, 22});
    for (const ThesisGrowMeans means : all_means) {
        EXPECT_EQ(grow(image, {.growth_iterations = 50, .means = means}).tiles[0].size, 101);
        EXPECT_LT(grow(image, {.growth_iterations = 113, .means = means}).tiles[0].size, 210);
        EXPECT_EQ(grow(image, {.growth_iterations = 114, .means = means}).tiles[0].size, 210);
        EXPECT_EQ(grow(image, {.growth_iterations = 200, .means = means}).growth_iterations, 114);
    }
}

TEST_P(RegionThesisGrowth, DiscLeavesThePixelsBeyondEdges) {  // C14
    for (const auto& [block, unlabeled, iterations] :
         {std::tuple{20, 3553, 20}, std::tuple{16, 2643, 16}})
        for (const auto range : {ThesisGrowRange::full, ThesisGrowRange::studio})
            for (const auto& [object, background] :
                 {std::pair<Rgb, Rgb>{{0, 0, 255}, {255, 255, 255}},
                  std::pair<Rgb, Rgb>{{0, 0, 0}, {255, 255, 255}},
                  std::pair<Rgb, Rgb>{{200, 30, 30}, {230, 230, 230}}}) {
                Painting disc;
                disc.object = object;
                disc.background = background;
                const ThesisGrowResult result =
                    grow(paint_figure(disc), {.block = block, .range = range});
                EXPECT_EQ(result.unlabeled_pixels, unlabeled);
                EXPECT_EQ(result.growth_iterations, iterations);
                EXPECT_EQ(result.region_count, 2);
            }
}

// Sums and sizes after each iteration, of every form (C9, C10, H2).
TEST_P(RegionThesisGrowth, EveryIterationEqualsTheReference) {
    const auto image = paint_figure({Figure::disc, 100, 110, {0, 0, 255}, {240, 250, 255}, 25, 3});
    for (const ThesisGrowMeans means : all_means)
        for (int iterations = 1; iterations <= 22; ++iterations)
            expect_model(image, {.growth_iterations = iterations, .means = means});
}

TEST_P(RegionThesisGrowth, EqualsTheReferenceOnNoise) {  // C10, C11, H2
    unsigned seed = 1;
    for (const auto& [width, height] :
         {std::pair{22, 22}, std::pair{23, 41}, std::pair{41, 22}, std::pair{133, 90}})
        for (const ThesisGrowMeans means : all_means)
            for (const int block : {20, 16, 5})
                for (const double threshold : {0.2, 0.55}) {
                    ThesisGrowOptions options{.growth_threshold = threshold,
                                              .merge_threshold = 0.05,
                                              .block = block,
                                              .means = means};
                    options.symmetric = seed % 2 == 0;
                    options.merging = seed % 3 == 0   ? ThesisGrowMerging::until_stable
                                      : seed % 3 == 1 ? ThesisGrowMerging::once
                                                      : ThesisGrowMerging::right_up;
                    if (seed % 5 == 0) options.tiles = ThesisGrowTiles::disjoint;
                    if (seed % 7 == 0) options.grid = ThesisGrowGrid::pitch;
                    if (seed % 11 == 0) options.neighbors = ThesisGrowNeighbors::quadrant;
                    if (seed % 4 == 0) options.range = ThesisGrowRange::studio;
                    SCOPED_TRACE(seed);
                    expect_model(noise(width, height, seed++), options);
                }
}

TEST_P(RegionThesisGrowth, NoisyFiguresEqualTheReference) {
    for (const Figure figure : {Figure::disc, Figure::ring, Figure::spiral})
        for (const double deviation : {10.0, 40.0}) {
            Painting painting;
            painting.figure = figure;
            painting.noise = deviation;
            expect_model(paint_figure(painting), {});
        }
}

// The predicate is strict, exact, and holds for colors without a norm, which no picture has (C5).
TEST_P(RegionThesisGrowth, ThePredicateIsStrictAndExact) {
    const Layout layout = make_layout({4, 4, 1, 1, 3}, {.block = 2});
    // A tile of four pixels, of which (1, 1) from its corner is the seed; the others in Y' alone.
    const auto sizes = [&](int seed, int left, int below, double threshold) {
        std::vector<std::uint8_t> planes(static_cast<std::size_t>(3 * layout.places()), 0);
        const auto set = [&](int x, int row, int value) {
            planes[static_cast<std::size_t>(row * layout.pitch + x)] =
                static_cast<std::uint8_t>(value);
        };
        set(2, 2, seed);
        set(1, 2, left);
        set(2, 1, below);
        set(1, 1, 255);
        std::vector<std::int64_t> found;
        for (const ThesisGrowMeans means : all_means) {
            const auto input = queue.upload(std::span<const std::uint8_t>(planes), "planes");
            auto labels = queue.allocate<std::uint32_t>(16, "labels");
            Tiles tiles = allocate_tiles(queue, layout);
            region_thesis::grow(
                queue, layout,
                {.growth_threshold = threshold, .growth_iterations = 1, .block = 2, .means = means},
                input, tiles, labels);
            found.push_back(queue.download(tiles.table)[0]);
        }
        EXPECT_EQ(found[0], found[1]);
        EXPECT_EQ(found[0], found[2]);
        return found[0];
    };
    // |100 - 80| / 100 is 0.2, which is not below 0.2.
    EXPECT_EQ(sizes(80, 100, 255, 0.2), 1);
    EXPECT_EQ(sizes(80, 100, 255, 0.200001), 2);
    EXPECT_EQ(sizes(80, 99, 255, 0.2), 2);
    EXPECT_EQ(sizes(80, 80, 80, 0), 1);
    // No norm: 0 to itself, beyond everything else.
    EXPECT_EQ(sizes(0, 0, 0, 0.2), 3);
    EXPECT_EQ(sizes(0, 0, 0, 0), 1);
    EXPECT_EQ(sizes(10, 0, 0, 4), 1);
    EXPECT_EQ(sizes(1, 1, 2, 1e9), 3);
}

TEST_P(RegionThesisGrowth, DisjointTilesLeaveGaps) {  // G2
    const ThesisGrowResult result = grow(Figure::none, {.tiles = ThesisGrowTiles::disjoint});
    EXPECT_EQ(result.tiles_x, 21);
    EXPECT_EQ(result.tiles_y, 15);
    EXPECT_EQ(result.owned_pixels - result.unlabeled_pixels, 126000);
    for (std::int64_t x = 0; x < 21 * 22; ++x)
        for (std::int64_t row = 0; row < 15 * 22; ++row)
            ASSERT_EQ(result.labels(x, 349 - row) == 0,
                      x % 22 == 0 || x % 22 == 21 || row % 22 == 0 || row % 22 == 21)
                << x << ", " << row;
}

TEST_P(RegionThesisGrowth, GridOverThePadding) {  // D.5
    const ThesisGrowResult result = grow(Figure::disc, {.grid = ThesisGrowGrid::pitch});
    EXPECT_EQ(result.tiles_x, 25);
    EXPECT_EQ(result.tiles_y, 17);
    EXPECT_EQ(result.owned_pixels, 170000);
    EXPECT_EQ(result.unlabeled_pixels, 4913);
    EXPECT_EQ(result.region_count, 3);
}

TEST_P(RegionThesisGrowth, SameBitsEveryTime) {  // C15
    const auto image = noise(300, 200, 5);
    const ThesisGrowResult first = grow(image, {.growth_threshold = 0.5});
    for (int run = 0; run < 20; ++run)
        ASSERT_EQ(grow(image, {.growth_threshold = 0.5}).labels.pixels(), first.labels.pixels());
}

TEST_P(RegionThesisGrowth, LargeImages) {  // F1, F4
    // More than 32767 tiles, which the thesis's 16-bit labels could not tell apart.
    const auto image = paint_figure({Figure::two_tones, 1922, 1082, {0, 0, 255}, {255, 255, 255}});
    const ThesisGrowResult result = grow(image, {.block = 6});
    EXPECT_EQ(result.tiles.size(), 320u * 180);
    EXPECT_GT(std::max_element(result.tiles.begin(), result.tiles.end(),
                               [](const auto& a, const auto& b) { return a.label < b.label; })
                  ->label,
              32767u);
}

TEST_P(RegionThesisGrowth, WrongImagesAndOptionsAreRefused) {  // A4, F1
    const auto refused = [&](const Shape& shape, const ThesisGrowOptions& options,
                             const std::string& word) {
        const std::int64_t launches = queue.counters().launches;
        try {
            grow(Image<std::uint8_t>(shape), options);
            ADD_FAILURE() << word;
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
        EXPECT_EQ(queue.counters().launches, launches);
    };
    refused({21, 100, 1, 1, 3}, {}, "21x100");
    refused({100, 1, 1, 1, 3}, {}, "one tile of 22x22");
    refused({17, 40, 1, 1, 3}, {.block = 16}, "18x18");
    refused({40, 40, 1, 1, 1}, {}, "24 bits a pixel; this image has one channel: ");
    refused({40, 40, 1, 1, 4}, {}, "4 channels");
    refused({40, 40, 4, 1, 3}, {}, "3 dimensions");
    refused({40, 40, 1, 1, 3}, {.growth_threshold = -0.1}, "growth-threshold");
    refused({40, 40, 1, 1, 3}, {.merge_threshold = std::nan("")}, "merge-threshold");
    refused({40, 40, 1, 1, 3}, {.growth_iterations = 0}, "growth-iterations");
    refused({40, 40, 1, 1, 3}, {.merge_iterations = 0}, "merge-iterations");
    refused({40, 40, 1, 1, 3}, {.block = 21}, "block");
    refused({40, 40, 1, 1, 3}, {.block = 1}, "block");
}

}  // namespace
}  // namespace tesela::region_thesis
