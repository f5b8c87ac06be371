// Windows of slides on every device, against their formulas.
#include <cmath>
#include <random>

#include "devices.h"
#include "reference/window_match_reference.h"
#include "registration/window_matcher.h"

namespace tesela {
namespace {

class WindowMatch : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(WindowMatch);

// Cells of one plane at random places.
struct Cells {
    explicit Cells(unsigned seed, double extent = 100) {
        std::mt19937 generator(seed);
        std::uniform_real_distribution<double> place(-extent, extent), size(1.5, 3.5);
        for (int i = 0; i < extent * extent / 16; ++i)
            list.push_back({place(generator), place(generator), size(generator)});
    }
    double operator()(double x, double y) const {
        double sum = 0;
        for (const auto& [cx, cy, size] : list) {
            const double far = std::hypot(x - cx, y - cy) / size;
            if (far < 4) sum += std::exp(-far * far);
        }
        return sum;
    }
    std::vector<std::array<double, 3>> list;
};

constexpr WindowSizes sizes{40, 12};

// Boxes of which each has the whole window in whole pixels, with a border of `around`.
struct Sampled {
    WindowBoxes boxes;
    std::vector<reference::Plane> planes;  // what is sampled from them

    // Pixel (x, y) of window `i` shows the place (x + shift, y) of the cells.
    void add(const Cells& cells, double shift_x, double shift_y, double turn = 0) {
        const std::int64_t side = sizes.side(), around = 12, length = side + 2 * around;
        const double middle = static_cast<double>(side - 1) / 2;
        boxes.firsts.push_back(static_cast<std::int64_t>(boxes.pixels.size()));
        boxes.sizes.insert(boxes.sizes.end(), 2, static_cast<std::int32_t>(length));
        for (std::int64_t y = 0; y < length; ++y)
            for (std::int64_t x = 0; x < length; ++x)
                boxes.pixels.push_back(static_cast<std::uint16_t>(std::min(
                    65535.0, 20000 * cells(static_cast<double>(x - around) - middle + shift_x,
                                           static_cast<double>(y - around) - middle + shift_y))));
        // The window lies turned in its box.
        const auto at = [&](double x, double y, int axis) {
            const double c = std::cos(turn), s = std::sin(turn), dx = x - middle, dy = y - middle;
            return static_cast<double>(around) + middle +
                   (axis == 0 ? c * dx - s * dy : s * dx + c * dy);
        };
        for (const int axis : {0, 1})
            for (std::int64_t y = 0; y < sizes.nodes(); ++y)
                for (std::int64_t x = 0; x < sizes.nodes(); ++x)
                    boxes.nodes.push_back(
                        static_cast<float>(at(static_cast<double>(x * WindowSizes::cell),
                                              static_cast<double>(y * WindowSizes::cell), axis)));
        const std::uint16_t* box = boxes.pixels.data() + boxes.firsts.back();
        reference::Plane plane{static_cast<int>(side), {}};
        for (std::int64_t y = 0; y < side; ++y)
            for (std::int64_t x = 0; x < side; ++x)
                plane.values.push_back(
                    between(box, length, at(static_cast<double>(x), static_cast<double>(y), 0),
                            at(static_cast<double>(x), static_cast<double>(y), 1)));
        planes.push_back(plane);
    }
    static double between(const std::uint16_t* box, std::int64_t length, double x, double y) {
        x = std::clamp(x, 0.0, static_cast<double>(length - 1));
        y = std::clamp(y, 0.0, static_cast<double>(length - 1));
        const auto x0 = static_cast<std::int64_t>(x), y0 = static_cast<std::int64_t>(y);
        const std::int64_t x1 = std::min(x0 + 1, length - 1), y1 = std::min(y0 + 1, length - 1);
        const double wx = x - static_cast<double>(x0), wy = y - static_cast<double>(y0);
        const auto value = [&](std::int64_t i, std::int64_t j) {
            return static_cast<double>(box[j * length + i]);
        };
        return (1 - wy) * ((1 - wx) * value(x0, y0) + wx * value(x1, y0)) +
               wy * ((1 - wx) * value(x0, y1) + wx * value(x1, y1));
    }
};

TEST_P(WindowMatch, EqualsTheFormula) {
    Sampled fixed, moving;
    std::mt19937 generator(3);
    std::uniform_real_distribution<double> shift(-11, 11);
    for (unsigned i = 0; i < 6; ++i) {
        const Cells cells(i), others(i + 100);
        fixed.add(cells, 0, 0);
        // The last two show something else.
        moving.add(i < 4 ? cells : others, shift(generator), shift(generator), 0.05 * i);
    }
    WindowMatcher matcher(queue, sizes);
    const auto peaks = matcher.match(matcher.lend(fixed.boxes), matcher.lend(moving.boxes));
    ASSERT_EQ(peaks.size(), 6u);
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        const auto expected = reference::best_shift(reference::directions(fixed.planes[i]),
                                                    reference::directions(moving.planes[i]),
                                                    sizes.window, sizes.search);
        EXPECT_NEAR(peaks[i].score, expected.score, 2e-3) << i;
        EXPECT_NEAR(peaks[i].second, expected.second, 2e-3) << i;
        if (i >= 4) continue;  // of nearly equal scores another one may be the highest
        EXPECT_NEAR(peaks[i].x, expected.x, 0.8) << i;
        EXPECT_NEAR(peaks[i].y, expected.y, 0.8) << i;
    }
}

// Cells that moved by parts of a pixel are found there, and back; others are not.
TEST_P(WindowMatch, ShiftsAreFoundBetweenPixels) {
    const Cells cells(1);
    Sampled fixed, moving;
    std::vector<std::array<double, 2>> shifts{{0, 0}, {3.3, -5.6}, {-9.5, 7.25}, {10.8, -10.2}};
    for (const auto& [x, y] : shifts) {
        fixed.add(cells, 0, 0);
        moving.add(cells, -x, -y);
    }
    WindowMatcher matcher(queue, sizes);
    const auto peaks = matcher.match(matcher.lend(fixed.boxes), matcher.lend(moving.boxes));
    for (std::size_t i = 0; i < shifts.size(); ++i) {
        EXPECT_NEAR(peaks[i].x, shifts[i][0], 0.12);
        EXPECT_NEAR(peaks[i].y, shifts[i][1], 0.12);
        EXPECT_LT(peaks[i].way_back, 0.3);
        EXPECT_GT(peaks[i].score, 0.9);
        EXPECT_LT(peaks[i].second, peaks[i].score - 0.2);
        EXPECT_FALSE(peaks[i].at_border);
    }
}

TEST_P(WindowMatch, ShiftsBeyondTheSearchLieAtItsBorder) {
    const Cells cells(2);
    Sampled fixed, moving;
    for (const double shift : {-11.0, -13.0}) {  // sizes.search is 12
        fixed.add(cells, 0, 0);
        moving.add(cells, shift, 0);
    }
    WindowMatcher matcher(queue, sizes);
    const auto peaks = matcher.match(matcher.lend(fixed.boxes), matcher.lend(moving.boxes));
    EXPECT_FALSE(peaks[0].at_border);
    EXPECT_TRUE(peaks[1].at_border);
}

TEST_P(WindowMatch, FlatWindowsScoreNothing) {
    Sampled fixed, moving;
    Cells none(1);
    none.list.clear();
    fixed.add(none, 0, 0);
    moving.add(Cells(1), 0, 0);
    WindowMatcher matcher(queue, sizes);
    EXPECT_EQ(matcher.match(matcher.lend(fixed.boxes), matcher.lend(moving.boxes))[0].score, 0);
    EXPECT_EQ(matcher.match(matcher.lend(moving.boxes), matcher.lend(fixed.boxes))[0].score, 0);
}

TEST_P(WindowMatch, TheSameBitsTwice) {
    Sampled fixed, moving;
    for (unsigned i = 0; i < 3; ++i) {
        fixed.add(Cells(i), 0, 0);
        moving.add(Cells(i), 1.5, 2.5, 0.02);
    }
    WindowMatcher matcher(queue, sizes);
    const auto run = [&] {
        return matcher.match(matcher.lend(fixed.boxes), matcher.lend(moving.boxes));
    };
    const auto first = run(), second = run();
    for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(first[i].x, second[i].x);
        EXPECT_EQ(first[i].y, second[i].y);
        EXPECT_EQ(first[i].score, second[i].score);
    }
}

}  // namespace
}  // namespace tesela
