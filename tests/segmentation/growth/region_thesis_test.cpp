// The thesis's region growing: merging, coloring and the whole (spec 001, groups D and E, X4).
#include <map>
#include <random>
#include <set>

#include "devices.h"
#include "segmentation/growth/region_thesis_pictures.h"
#include "tesela/evaluate_labels.h"

namespace tesela::region_thesis {
namespace {

class RegionThesis : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};

    ThesisGrowResult grow(const Image<std::uint8_t>& image, const ThesisGrowOptions& options = {}) {
        return region_grow_thesis(image, options, queue);
    }
    ThesisGrowResult grow(Figure figure, const ThesisGrowOptions& options = {}) {
        return grow(paint_figure({.figure = figure}), options);
    }
};
TESELA_ON_EVERY_DEVICE(RegionThesis);

using Counts = std::vector<std::pair<std::uint32_t, int>>;

TEST_P(RegionThesis, RightAndUpLeavesADeadAngle) {  // D2
    const ThesisGrowResult result = grow(Figure::disc, {.merging = ThesisGrowMerging::right_up});
    EXPECT_EQ(label_counts(result),
              (Counts{{1, 291}, {80, 68}, {101, 19}, {123, 7}, {168, 3}, {293, 2}, {315, 1}}));
    // Columns 6 to 16 of rows 13 to 3, the lowest being row 0.
    const std::vector<std::vector<std::uint32_t>> printed{
        {1, 1, 1, 101, 80, 80, 80, 80, 80, 315, 293},
        {1, 1, 101, 101, 80, 80, 80, 80, 80, 80, 293},
        {1, 123, 101, 101, 80, 80, 80, 80, 80, 80, 80},
        {1, 123, 101, 101, 80, 80, 80, 80, 80, 80, 80},
        {168, 123, 101, 101, 80, 80, 80, 80, 80, 80, 80},
        {168, 123, 101, 101, 80, 80, 80, 80, 80, 80, 80},
        {168, 123, 101, 101, 80, 80, 80, 80, 80, 80, 80},
        {1, 123, 101, 101, 80, 80, 80, 80, 80, 80, 80},
        {1, 123, 101, 101, 80, 80, 80, 80, 80, 80, 1},
        {1, 1, 101, 101, 80, 80, 80, 80, 80, 1, 1},
        {1, 1, 1, 1, 80, 80, 80, 80, 1, 1, 1}};
    for (std::size_t line = 0; line < printed.size(); ++line)
        for (std::size_t k = 0; k < 11; ++k)
            EXPECT_EQ(result.tiles[(13 - line) * 23 + 6 + k].label, printed[line][k])
                << "row " << 13 - line << ", column " << 6 + k;
    EXPECT_EQ(
        grow(Figure::disc, {.block = 16, .merging = ThesisGrowMerging::right_up}).region_count, 10);
}

TEST_P(RegionThesis, LeftAndDownMendsIt) {  // D3
    const ThesisGrowResult result = grow(Figure::disc);
    EXPECT_EQ(label_counts(result), (Counts{{1, 294}, {80, 97}}));
    EXPECT_EQ(result.merge_rounds, 1);
    EXPECT_EQ(grow(Figure::disc, {.block = 16}).region_count, 2);
}

TEST_P(RegionThesis, FiguresNeedRounds) {  // D6
    for (const auto& [figure, once, stable, rounds] :
         {std::tuple{Figure::disc, 2, 2, 1}, std::tuple{Figure::ring, 5, 3, 2},
          std::tuple{Figure::c_shape, 6, 2, 3}, std::tuple{Figure::spiral, 8, 2, 4}}) {
        EXPECT_EQ(grow(figure).region_count, once);
        const ThesisGrowResult result = grow(figure, {.merging = ThesisGrowMerging::until_stable});
        EXPECT_EQ(result.region_count, stable);
        EXPECT_EQ(result.merge_rounds, rounds);
        // X4
        EXPECT_EQ(grow(figure, {.merging = ThesisGrowMerging::union_find}).labels.pixels(),
                  result.labels.pixels());
    }
}

TEST_P(RegionThesis, ThresholdDecides) {  // D5
    EXPECT_EQ(grow(Figure::ring, {.merge_threshold = 0}).region_count, 391);
    EXPECT_EQ(grow(Figure::ring, {.merge_threshold = 1000}).region_count, 1);
}

TEST_P(RegionThesis, NoiseIsTolerated) {  // D7
    Painting painting;
    for (const double deviation : {5.0, 10.0, 20.0}) {
        painting.noise = deviation;
        const ThesisGrowResult result = grow(paint_figure(painting));
        EXPECT_EQ(result.region_count, 2);
        EXPECT_EQ(result.tiles[0].label, 1u);
        // No region has pixels of both.
        for (std::int64_t y = 0; y < picture_height; ++y)
            for (std::int64_t x = 0; x < picture_width; ++x)
                ASSERT_TRUE(result.labels(x, y) == 0 ||
                            (result.labels(x, y) == 80) ==
                                is_object(painting, x, picture_height - 1 - y))
                    << x << ", " << y;
    }
}

// A table of tiles as kernel 1 leaves it, of given means, on which merging alone is run.
class RegionThesisMerge : public RegionThesis {
  protected:
    struct Merged {
        std::vector<std::uint32_t> labels;
        int rounds;
    };
    Merged merge(const reference::ThesisGrid& grid, const ThesisGrowOptions& options) {
        Layout layout;
        layout.block = options.block;
        layout.tiles_x = grid.nx;
        layout.tiles_y = grid.ny;
        Tiles tiles = allocate_tiles(queue, layout);
        const std::size_t n = grid.label.size();
        std::vector<std::int32_t> table(5 * n, 0);
        for (std::size_t t = 0; t < n; ++t) {
            table[t] = 3;
            for (std::size_t c = 0; c < 3; ++c)
                table[(1 + c) * n + t] = 3 * grid.mean[t][c] + static_cast<std::int32_t>(t % 3);
        }
        queue.write(tiles.table, std::span<const std::int32_t>(table));
        queue.write(tiles.labels, std::span<const std::uint32_t>(grid.label));
        region_thesis::merge(queue, layout, options, tiles);
        return {queue.download(tiles.labels),
                static_cast<int>(queue.download(tiles.rounds).front())};
    }
    // Tiles of `tones` grays at random.
    static reference::ThesisGrid random_grid(int nx, int ny, int tones, unsigned seed) {
        std::mt19937 generator(seed);
        reference::ThesisGrid grid{nx, ny, {}, {}};
        for (int t = 0; t < nx * ny; ++t) {
            const int tone = static_cast<int>(generator() % static_cast<unsigned>(tones));
            grid.mean.push_back({40 + 200 * tone / tones, 128, 128});
            grid.label.push_back(static_cast<std::uint32_t>(t + 1));
        }
        return grid;
    }
    static reference::ThesisGrowth rules(const ThesisGrowOptions& options) {
        reference::ThesisGrowth growth;
        growth.block = options.block;
        growth.merge_iterations = options.merge_iterations;
        growth.merge_threshold = options.merge_threshold;
        growth.symmetric = options.symmetric;
        return growth;
    }
};
INSTANTIATE_TEST_SUITE_P(Devices, RegionThesisMerge, ::testing::ValuesIn(testing::test_devices()),
                         testing::device_test_name);

constexpr std::array<std::pair<int, int>, 8> grids{
    {{1, 1}, {1, 70}, {70, 1}, {20, 20}, {21, 19}, {23, 17}, {41, 39}, {60, 60}}};

// Labels after either pass equal those of a single window over the grid, and so do those of more
// tones than two, some of which are similar in one direction alone (D1, D4).
TEST_P(RegionThesisMerge, WindowsEqualOneWindow) {
    unsigned seed = 1;
    for (const auto& [nx, ny] : grids)
        for (const int tones : {2, 2, 7}) {
            const reference::ThesisGrid grid = random_grid(nx, ny, tones, seed++);
            for (const auto merging : {ThesisGrowMerging::right_up, ThesisGrowMerging::once}) {
                const ThesisGrowOptions options{
                    .merge_threshold = 0.15, .merge_iterations = 50, .merging = merging};
                ThesisGrowOptions many = options;
                many.merge_iterations = nx + ny;
                reference::ThesisGrid whole = grid, windows = grid;
                for (const int way : {-1, 1}) {
                    if (way == 1 && merging == ThesisGrowMerging::right_up) break;
                    reference::merge_pass(windows, rules(options), 20, way);
                    reference::merge_pass(whole, rules(many), 0, way);
                }
                const Merged found = merge(grid, options);
                ASSERT_EQ(found.labels, windows.label) << nx << "x" << ny << ", seed " << seed;
                ASSERT_EQ(found.rounds, windows.label == grid.label ? 0 : 1);
                ASSERT_EQ(found.labels, whole.label) << nx << "x" << ny << ", seed " << seed;
            }
        }
}

TEST_P(RegionThesisMerge, EqualsTheReference) {
    testing::Cases cases(GetParam());
    unsigned seed = 100;
    for (const auto& [nx, ny] : grids)
        for (const int tones : {2, 5, 30}) {
            if (nx == 60 && tones > 2) continue;  // the reference takes long
            for (const bool symmetric : {false, true})
                for (const auto& [side, steps] : {std::pair{20, 50}, {16, 3}, {2, 1}, {7, 100}}) {
                    if ((side == 2 && nx > 23) || !cases.take()) continue;
                    const reference::ThesisGrid grid = random_grid(nx, ny, tones, seed++);
                    const ThesisGrowOptions options{.merge_threshold = 0.12,
                                                    .merge_iterations = steps,
                                                    .block = side,
                                                    .merging = ThesisGrowMerging::until_stable,
                                                    .symmetric = symmetric};
                    reference::ThesisGrid expected = grid;
                    const int rounds = reference::merge_until_stable(expected, rules(options));
                    const Merged found = merge(grid, options);
                    ASSERT_EQ(found.labels, expected.label) << nx << "x" << ny << ", " << seed;
                    ASSERT_EQ(found.rounds, rounds);
                }
        }
}

// X4: where both directions say the same, the grid as a whole gives what rounds give in the end.
TEST_P(RegionThesisMerge, UnionFindEqualsRounds) {
    unsigned seed = 1000;
    for (const auto& [nx, ny] : grids)
        for (const int tones : {1, 2, 3, 12}) {
            const reference::ThesisGrid grid = random_grid(nx, ny, tones, seed++);
            ThesisGrowOptions options{.merge_threshold = 0.12,
                                      .merging = ThesisGrowMerging::until_stable,
                                      .symmetric = true};
            const std::vector<std::uint32_t> rounds = merge(grid, options).labels;
            options.merging = ThesisGrowMerging::union_find;
            ASSERT_EQ(merge(grid, options).labels, rounds) << nx << "x" << ny << ", " << seed;
        }
}

// ---- Colors and the whole ----------------------------------------------------------------------

using Color = std::array<std::uint8_t, 3>;

Color color_at(const Image<std::uint8_t>& image, std::int64_t x, std::int64_t y) {
    return {image(x, y, 0, 0, 0), image(x, y, 0, 0, 1), image(x, y, 0, 0, 2)};
}

TEST_P(RegionThesis, AColorForEachLabel) {  // E1
    const auto image = paint_figure({.figure = Figure::disc, .noise = 6});
    for (const auto range : {ThesisGrowRange::full, ThesisGrowRange::studio}) {
        const ThesisGrowResult result = grow(image, {.merge_threshold = 0, .range = range});
        std::map<std::uint32_t, Color> color_of;
        for (std::int64_t y = 0; y < picture_height; ++y)
            for (std::int64_t x = 0; x < picture_width; ++x)
                if (result.labels(x, y) != 0) {
                    const auto [at, is_new] =
                        color_of.emplace(result.labels(x, y), color_at(result.colored, x, y));
                    if (!is_new) {
                        ASSERT_EQ(at->second, color_at(result.colored, x, y));
                    }
                }
        EXPECT_EQ(color_of.size(), 391u);
        std::set<Color> colors;
        for (const auto& [label, color] : color_of) colors.insert(color);
        EXPECT_EQ(colors.size(), 391u);
    }
}

TEST_P(RegionThesis, PixelsOfNoRegionKeepTheirColor) {  // C3, E1
    const auto image = paint_figure({.figure = Figure::disc, .noise = 12});
    for (const bool studio : {false, true}) {
        const ThesisGrowResult result =
            grow(image, {.range = studio ? ThesisGrowRange::studio : ThesisGrowRange::full});
        std::int64_t kept = 0;
        for (std::int64_t y = 0; y < picture_height; ++y)
            for (std::int64_t x = 0; x < picture_width; ++x) {
                if (result.labels(x, y) != 0) continue;
                ++kept;
                const Color before = color_at(image, x, y);
                const auto again = reference::to_rgb(
                    reference::to_ycc(before[0], before[1], before[2], studio), studio);
                for (std::size_t c = 0; c < 3; ++c)
                    ASSERT_EQ(color_at(result.colored, x, y)[c], again[c]) << x << ", " << y;
            }
        EXPECT_EQ(kept, 477 * 350 - 156400 + result.unlabeled_pixels);
    }
}

TEST_P(RegionThesis, RegionsInTheirMean) {
    Painting painting;
    painting.noise = 9;
    const ThesisGrowResult result =
        grow(paint_figure(painting), {.coloring = ThesisGrowColoring::mean});
    std::map<std::uint32_t, std::array<std::int64_t, 4>> sums;
    for (const ThesisGrowTile& tile : result.tiles) {
        auto& sum = sums[tile.label];
        for (std::size_t c = 0; c < 3; ++c) sum[c] += tile.sum[c];
        sum[3] += tile.size;
    }
    for (std::int64_t y = 0; y < picture_height; ++y)
        for (std::int64_t x = 0; x < picture_width; ++x) {
            if (result.labels(x, y) == 0) continue;
            const auto& sum = sums.at(result.labels(x, y));
            reference::Ycc mean{};
            for (std::size_t c = 0; c < 3; ++c) mean[c] = static_cast<int>(sum[c] / sum[3]);
            const auto expected = reference::to_rgb(mean, false);
            for (std::size_t c = 0; c < 3; ++c)
                ASSERT_EQ(color_at(result.colored, x, y)[c], expected[c]);
        }
}

TEST_P(RegionThesis, DiscFromEndToEnd) {  // E2
    const ThesisGrowResult result = grow(Figure::disc);
    EXPECT_EQ(result.region_count, 2);
    std::int64_t background = 0, disc = 0, both = 0, truth = 0;
    const Painting painting;
    for (std::int64_t y = 0; y < picture_height; ++y)
        for (std::int64_t x = 0; x < picture_width; ++x) {
            const bool is_disc = is_object(painting, x, picture_height - 1 - y);
            background += result.labels(x, y) == 1;
            disc += result.labels(x, y) == 80;
            both += result.labels(x, y) == 80 && is_disc;
            truth += is_disc;
        }
    EXPECT_EQ(truth, 37981);
    EXPECT_EQ(background, 116233);
    EXPECT_EQ(disc, 36614);
    EXPECT_EQ(both, 36614);
    EXPECT_NEAR(static_cast<double>(both) / static_cast<double>(truth), 0.964, 0.0005);
}

// E3: five launches and nothing of the host's between them; a second call allocates nothing.
TEST_P(RegionThesis, FiveLaunches) {
    const auto image = paint_figure({});
    const DeviceImage<const std::uint8_t> uploaded{
        queue.lend(std::span<const std::uint8_t>(image.pixels()), "picture"), image.shape(), {}};
    (void)region_grow_thesis(uploaded, {}, queue);
    const QueueCounters before = queue.counters();
    (void)region_grow_thesis(uploaded, {}, queue);
    const QueueWork work = queue.counters() - before;
    EXPECT_EQ(work.launches, 5);
    EXPECT_EQ(work.fills + work.copies + work.uploads + work.downloads + work.small_transfers, 0);
    EXPECT_EQ(work.allocations, 0);
    const ThesisGrowOptions by_mean{.coloring = ThesisGrowColoring::mean};
    EXPECT_LE(queue.counters().peak_bytes_in_use,
              region_grow_thesis_bytes(image.shape(), by_mean) * 17 / 16 + 4096);
}

TEST_P(RegionThesis, ProgressAndCancellation) {
    std::vector<std::string> stages;
    (void)region_grow_thesis(paint_figure({}), {}, queue,
                             Progress([&](double fraction, std::string_view stage) {
                                 EXPECT_GE(fraction, 0);
                                 EXPECT_LE(fraction, 1);
                                 stages.emplace_back(stage);
                             }));
    EXPECT_EQ(stages, (std::vector<std::string>{"upload", "growth", "download", "done"}));
    CancelToken token;
    token.cancel();
    EXPECT_THROW(region_grow_thesis(paint_figure({}), {}, queue, Progress({}, &token)), Cancelled);
}

}  // namespace
}  // namespace tesela::region_thesis
