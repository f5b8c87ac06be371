// The parts of the thesis's variant of mean shift: grid, sorts and labels (spec 000, rows F12 to
// F18, F30 and F32).
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "devices.h"
#include "kernels/mean_shift/thesis_grid.kernel.h"
#include "reference/labels_reference.h"
#include "segmentation/mean_shift/thesis/bitonic_sort.h"
#include "segmentation/mean_shift/thesis/grid.h"
#include "segmentation/mean_shift/thesis/labels.h"

namespace tesela {
namespace {

class ThesisParts : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(ThesisParts);

constexpr int unit = 1 << 16;

Window window_of(double spatial, double range) {
    Window window;
    for (int& step : window.steps) step = unit;
    window.spatial_limit2 = static_cast<std::int64_t>(std::ceil(std::pow(spatial * unit, 2)));
    window.range_limit2 = static_cast<float>(std::pow(range * unit, 2));
    return window;
}

std::vector<std::int32_t> random_features(const Shape& shape, int channels, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<std::int32_t> features(static_cast<std::size_t>(shape.points() * channels));
    for (std::int32_t& value : features)
        value = static_cast<std::int32_t>(generator() % (100 * unit)) - 30 * unit;
    return features;
}

// ---- Phases 1 and 2 ----------------------------------------------------------------------------

const std::vector<Shape> shapes{{1, 1}, {1, 300}, {37, 23}, {32, 32}, {513, 11}, {13, 11, 9}};

// The limits of the grid's coordinates are those of all points (F12).
TEST_P(ThesisParts, LimitsAreMinimaAndMaxima) {
    for (const Shape& shape : shapes)
        for (const int channels : {1, 3}) {
            const std::vector<std::int32_t> features = random_features(shape, channels, 5);
            const auto uploaded = queue.upload(std::span<const std::int32_t>(features), "features");
            const thesis::Samples samples =
                thesis::make_samples(queue, shape, channels, window_of(3, 8), uploaded);
            const std::vector<std::int32_t> vectors = queue.download(samples.vectors);
            EXPECT_EQ(queue.download(samples.positions), vectors);
            const int dimension = samples.layout.dimension();
            for (int axis = 0; axis < 3; ++axis) {
                std::vector<std::int32_t> values;
                for (std::size_t i = axis; i < vectors.size(); i += dimension)
                    values.push_back(vectors[i]);
                EXPECT_EQ(samples.lowest[axis], *std::min_element(values.begin(), values.end()));
                EXPECT_EQ(samples.highest[axis], *std::max_element(values.begin(), values.end()));
            }
            // X in pixels and in units of the color reproduces both (F11).
            const std::int64_t last = shape.points() - 1;
            const std::int32_t* vector = &vectors[static_cast<std::size_t>(last * dimension)];
            const int spatial = samples.layout.spatial;
            EXPECT_EQ(vector[spatial - 1], (shape.x - 1) * unit);
            EXPECT_EQ(vector[spatial - 2], (shape.y - 1) * unit);
            EXPECT_EQ(vector[0], (spatial == 3 ? shape.z - 1 : shape.y - 1) * unit);
            for (int c = 0; c < channels; ++c)
                EXPECT_EQ(vector[spatial + c],
                          features[static_cast<std::size_t>(c * shape.points() + last)]);
        }
}

// No coordinate falls out of the grid, whole numbers of cells and constant axes included (F13).
TEST(ThesisGrid, EveryCellIsInside) {
    for (int width = 1; width <= 600; ++width)
        for (int radius = 1; radius <= 73; ++radius) {
            const std::int32_t edge = radius * unit, highest = (width - 1) * unit;
            const std::int64_t count = kernels::thesis_cell_count(0, highest, edge);
            ASSERT_EQ(count, (width - 1) / radius + 1);
            // Unclamped, so that the count itself is tested.
            ASSERT_LT(kernels::thesis_cell(highest, 0, edge, 1 << 30), count);
            ASSERT_EQ(kernels::thesis_cell(highest, 0, edge, static_cast<int>(count)), count - 1);
        }
    EXPECT_EQ(kernels::thesis_cell_count(-2147483647 - 1, 2147483647, 1 << 30), 4);
    EXPECT_EQ(kernels::thesis_cell(2147483647, -2147483647 - 1, 1 << 30, 4), 3);
    EXPECT_EQ(kernels::thesis_hash(2, 3, 4, 5, 6), 2u * 30 + 3 * 6 + 4);
}

// A cell is as long as the window's radius: one unit more than any difference inside.
TEST(ThesisGrid, EdgesHoldTheWindow) {
    for (const double radius : {0.5, 1.0, 2.7, 8.0, 31.9}) {
        const Window window = window_of(radius, radius);
        const std::int64_t spatial = thesis::spatial_edge(window);
        EXPECT_GE(spatial * spatial, window.spatial_limit2);
        EXPECT_LT((spatial - 1) * (spatial - 1), window.spatial_limit2);
        const auto range = static_cast<float>(thesis::range_edge(window));
        EXPECT_GE(range * range, window.range_limit2);
        EXPECT_NEAR(range, radius * unit, 2);
    }
}

// The pairs are sorted and complete (F14), and the limits of the cells are those of a histogram;
// empty cells carry the marker (F18). Lengths that are powers of two are sorted on the device,
// others on the host (F17).
TEST_P(ThesisParts, GridHoldsEveryPointInItsCell) {
    for (const Shape& shape : shapes)
        for (const int channels : {1, 3}) {
            const std::vector<std::int32_t> features = random_features(shape, channels, 6);
            const auto uploaded = queue.upload(std::span<const std::int32_t>(features), "features");
            const Window window = window_of(3.5, 20);
            const thesis::Samples samples =
                thesis::make_samples(queue, shape, channels, window, uploaded);
            ThesisReport report;
            const std::int64_t points = shape.points();
            const thesis::Grid grid = thesis::make_grid(queue, samples, window, points, report);
            const bool power_of_two = (points & (points - 1)) == 0;
            EXPECT_EQ(report.sort, power_of_two ? ThesisSort::device : ThesisSort::host);
            EXPECT_EQ(report.cells[2], grid.axes.count[2]);

            const std::vector<std::uint32_t> cells = queue.download(grid.cells);
            std::vector<std::uint32_t> order = queue.download(grid.points);
            const std::vector<std::int32_t> vectors = queue.download(samples.vectors);
            std::map<std::uint32_t, std::pair<int, int>> limits;
            for (std::size_t i = 0; i < cells.size(); ++i) {
                if (i > 0) {
                    ASSERT_LT(std::pair(cells[i - 1], order[i - 1]), std::pair(cells[i], order[i]));
                }
                std::array<std::int64_t, 3> cell{};
                for (int axis = 0; axis < 3; ++axis)
                    cell[axis] = (vectors[order[i] * samples.layout.dimension() + axis] -
                                  std::int64_t{grid.axes.lowest[axis]}) /
                                 grid.axes.edge[axis];
                ASSERT_EQ(cells[i],
                          (cell[0] * grid.axes.count[1] + cell[1]) * grid.axes.count[2] + cell[2]);
                const int place = static_cast<int>(i);
                limits.try_emplace(cells[i], place, place).first->second.second = place;
            }
            const std::vector<std::int32_t> first = queue.download(grid.first),
                                            last = queue.download(grid.last);
            ASSERT_EQ(first.size(), static_cast<std::size_t>(grid.axes.cells()));
            for (std::uint32_t cell = 0; cell < first.size(); ++cell) {
                const auto found = limits.find(cell);
                const auto expected = found == limits.end() ? std::pair(-1, -1) : found->second;
                ASSERT_EQ(std::pair(first[cell], last[cell]), expected);
            }
            std::sort(order.begin(), order.end());
            for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i);
        }
}

TEST_P(ThesisParts, TooManyCellsAreRefused) {
    const Shape shape{2000, 2000};
    thesis::Samples samples;
    samples.layout = thesis::layout_of(shape, 1);
    samples.highest = {2000 * unit, 2000 * unit, 1000 * unit};
    EXPECT_THROW(thesis::make_axes(samples, window_of(1, 1)), InvalidArgument);
    EXPECT_NO_THROW(thesis::make_axes(samples, window_of(1, 8)));
}

TEST(ThesisSort, ChosenByTheLength) {
    EXPECT_EQ(thesis::sort_for(512 * 512), ThesisSort::device);
    EXPECT_EQ(thesis::sort_for(424 * 512), ThesisSort::host);
    EXPECT_EQ(thesis::sort_for(1), ThesisSort::device);
    EXPECT_EQ(thesis::sort_for(192 * 192 * 160), ThesisSort::host);
}

// Random keys with repetitions; the values tell the pairs apart.
struct Pairs {
    std::vector<std::uint32_t> keys, values;
    Pairs(std::int64_t count, unsigned seed) {
        std::mt19937 generator(seed);
        for (std::int64_t i = 0; i < count; ++i) {
            keys.push_back(static_cast<std::uint32_t>(generator()) >> (i % 2 ? 22 : 0));
            values.push_back(static_cast<std::uint32_t>(i));
        }
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted() const {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
        for (std::size_t i = 0; i < keys.size(); ++i) pairs.emplace_back(keys[i], values[i]);
        std::sort(pairs.begin(), pairs.end());
        return pairs;
    }
};

void expect_sorted(Queue& queue, const Pairs& pairs, bool on_device) {
    const auto count = static_cast<std::int64_t>(pairs.keys.size());
    auto keys = queue.upload(std::span<const std::uint32_t>(pairs.keys), "keys");
    auto values = queue.upload(std::span<const std::uint32_t>(pairs.values), "values");
    if (on_device) {
        const std::int64_t before = queue.counters().launches;
        const std::int64_t launches = thesis::sort_on_device(queue, keys, values, count);
        std::int64_t stages = 0;
        while (std::int64_t{1} << stages < count) ++stages;
        EXPECT_EQ(launches, stages * (stages + 1) / 2);
        EXPECT_EQ(queue.counters().launches - before, launches);
    } else {
        thesis::sort_on_host(queue, keys, values, count);
    }
    const std::vector<std::uint32_t> sorted_keys = queue.download(keys),
                                     sorted_values = queue.download(values);
    const auto expected = pairs.sorted();
    for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(expected[i], std::pair(sorted_keys[i], sorted_values[i])) << count << " at " << i;
}

// S (S + 1) / 2 launches for 2^S pairs (F15).
TEST_P(ThesisParts, BitonicSortOnTheDevice) {
    testing::Cases cases(GetParam());
    for (const int stages : {0, 1, 2, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
        if (cases.take()) expect_sorted(queue, Pairs(std::int64_t{1} << stages, 40 + stages), true);
}

TEST_P(ThesisParts, BitonicSortOnTheHost) {
    std::mt19937 generator(17);
    for (int i = 0; i < 12; ++i) expect_sorted(queue, Pairs(1 + generator() % 100000, i), false);
}

// Every short length, and random ones to 10^5 (F16).
TEST(ThesisSort, BitonicSortOfAnyLength) {
    std::mt19937_64 generator(18);
    const auto check = [&](std::size_t length) {
        std::vector<std::uint64_t> values(length);
        for (std::uint64_t& value : values) value = generator() >> (length % 3 ? 0 : 58);
        std::vector<std::uint64_t> expected = values;
        std::sort(expected.begin(), expected.end());
        thesis::bitonic_sort(values);
        ASSERT_EQ(values, expected) << length;
    };
    for (std::size_t length = 0; length < 600; ++length) check(length);
    for (int i = 0; i < 20; ++i) check(1 + generator() % 100000);
}

// ---- Labels ------------------------------------------------------------------------------------

// Each label replaced by the index of its first point.
std::vector<std::uint32_t> smallest_indices(const std::vector<std::uint32_t>& labels) {
    std::map<std::uint32_t, std::uint32_t> first;
    std::vector<std::uint32_t> indices(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i)
        indices[i] = first.try_emplace(labels[i], static_cast<std::uint32_t>(i)).first->second;
    return indices;
}

// The partition of a flood fill with all neighbors; a label is the smallest index of its component
// (F30).
TEST_P(ThesisParts, LabelsEqualFloodFill) {
    std::mt19937 generator(31);
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 40}, Shape{50, 37}, Shape{64, 64},
                               Shape{11, 9, 8}, Shape{5, 1, 30}})
        for (const int channels : {1, 3})
            for (const int levels : {2, 3, 9}) {
                const auto points = static_cast<std::size_t>(shape.points());
                std::vector<std::int32_t> features(points * channels);
                for (std::int32_t& value : features)
                    value = static_cast<std::int32_t>(generator() % levels);
                reference::Samples samples;
                samples.size = {static_cast<int>(shape.x), static_cast<int>(shape.y),
                                static_cast<int>(shape.z)};
                samples.channels = channels;
                samples.features.resize(features.size());
                for (std::size_t i = 0; i < points; ++i)
                    for (int c = 0; c < channels; ++c)
                        samples.features[i * channels + c] = features[c * points + i];
                const auto uploaded =
                    queue.upload(std::span<const std::int32_t>(features), "features");
                auto labels = queue.allocate<std::uint32_t>(shape.points(), "labels");
                for (const int epsilon : {0, 1, 2}) {
                    (void)thesis::equivalence_labels(queue, shape, channels, uploaded,
                                                     epsilon * epsilon, labels);
                    const std::vector<std::uint32_t> expected =
                        reference::flood_fill(samples, epsilon, shape.z > 1 ? 26 : 8);
                    ASSERT_EQ(queue.download(labels), smallest_indices(expected));
                    const std::uint32_t count =
                        queue.download(thesis::number_labels(queue, shape.points(), labels))[0];
                    ASSERT_EQ(queue.download(labels), expected);
                    ASSERT_EQ(count, *std::max_element(expected.begin(), expected.end()));
                }
            }
}

// A corridor one pixel wide that goes to and fro over the whole picture ends in few passes (F32).
TEST_P(ThesisParts, SerpentineEnds) {
    constexpr int size = 101;
    std::vector<std::int32_t> features(size * size, 100);
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x) {
            const bool wall = y % 2 == 1;
            const bool door = x == (y % 4 == 1 ? size - 1 : 0);
            if (!wall || door) features[static_cast<std::size_t>(y * size + x)] = 0;
        }
    const auto uploaded = queue.upload(std::span<const std::int32_t>(features), "features");
    auto labels = queue.allocate<std::uint32_t>(size * size, "labels");
    const int passes = thesis::equivalence_labels(queue, {size, size}, 1, uploaded, 0, labels);
    EXPECT_GE(passes, 2);
    EXPECT_LE(passes, 10);
    const std::vector<std::uint32_t> found = queue.download(labels);
    for (std::size_t i = 0; i < found.size(); ++i)
        if (features[i] == 0) {
            ASSERT_EQ(found[i], 0u) << i;
        }
}

// An image of one value ends after the pass that joins all and the one that finds nothing.
TEST_P(ThesisParts, UniformImageIsOneBlob) {
    const Shape shape{33, 20, 7};
    const auto features = queue.allocate_filled<std::int32_t>(shape.points(), 5, "features");
    auto labels = queue.allocate<std::uint32_t>(shape.points(), "labels");
    EXPECT_EQ(thesis::equivalence_labels(queue, shape, 1, features, 0, labels), 2);
    EXPECT_EQ(queue.download(thesis::number_labels(queue, shape.points(), labels))[0], 1u);
}

}  // namespace
}  // namespace tesela
