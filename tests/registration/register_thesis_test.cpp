// Rows F34 to F43 of spec 003: registration as the thesis has it.
#include "tesela/register_thesis.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <span>

#include "devices.h"
#include "reference/match_reference.h"
#include "refusal.h"
#include "registration/thesis/gray_matcher.h"
#include "tesela/error.h"
#include "tesela/match_template.h"
#include "tesela/picture_source.h"
#include "tesela/synthetic_sections.h"

namespace tesela {
namespace {

// ---- Polynomials -------------------------------------------------------------------------------

constexpr ThesisPolynomial known{
    {{{3e-6, -2e-6, 1e-6, 0.98, -0.17, 120}, {-1e-6, 4e-6, 2e-6, 0.17, 1.01, -75}}}};

std::vector<SpacePoint> scattered(std::size_t count, double reach = 16000) {
    std::mt19937 generator(5);
    std::uniform_real_distribution<double> place(0, reach);
    std::vector<SpacePoint> points(count);
    for (SpacePoint& point : points) point = {place(generator), place(generator), 0};
    return points;
}
std::vector<SpacePoint> mapped(const std::vector<SpacePoint>& from) {
    std::vector<SpacePoint> to;
    for (const SpacePoint& point : from) to.push_back(known(point));
    return to;
}
void expect_known(const ThesisPolynomial& found) {
    for (std::size_t axis = 0; axis < 2; ++axis)
        for (std::size_t k = 0; k < 6; ++k) {
            const double expected = known.coefficients[axis][k];
            EXPECT_NEAR(found.coefficients[axis][k], expected, 1e-6 * std::abs(expected))
                << axis << ", " << k;
        }
}

TEST(ThesisPolynomials, SixPairsGiveTheCoefficients) {  // F39
    const std::vector<SpacePoint> from = scattered(6);
    const auto fit = fit_thesis_polynomial(from, mapped(from), 0.25);
    ASSERT_TRUE(fit);
    expect_known(fit->polynomial);
    EXPECT_FALSE(fit_thesis_polynomial(scattered(5), mapped(scattered(5)), 0.25));
    std::vector<SpacePoint> line;  // determines none
    for (int i = 0; i < 20; ++i) line.push_back({10.0 * i, 20.0 * i, 0});
    EXPECT_FALSE(fit_thesis_polynomial(line, line, 0.25));
}

TEST(ThesisPolynomials, ATenthOfThePairsMayBeWrong) {  // F39
    const std::vector<SpacePoint> from = scattered(60);
    std::vector<SpacePoint> to = mapped(from);
    std::mt19937 generator(6);
    std::uniform_real_distribution<double> off(-170, 170);
    for (std::size_t i = 0; i < 6; ++i) {
        to[10 * i][0] += 60 + off(generator);
        to[10 * i][1] += off(generator);
    }
    const auto fit = fit_thesis_polynomial(from, to, 0.25);
    ASSERT_TRUE(fit);
    expect_known(fit->polynomial);
    for (std::size_t i = 0; i < from.size(); ++i) EXPECT_EQ(fit->is_outlier[i], i % 10 == 0) << i;
    EXPECT_LT(fit->deviation, 1e-6);
}

TEST(ThesisPolynomials, ASplineIsTheSameMap) {
    const ImageGrid grid{{16000, 12000}, {}};
    const LinearMap rigid{
        LinearKind::rigid,
        {std::cos(0.2), -std::sin(0.2), 0, std::sin(0.2), std::cos(0.2), 0, 0, 0, 1},
        {100, -50, 0}};
    const Transform transform = thesis_transform(known, rigid, grid, grid);
    for (SpacePoint point : scattered(200, 22000)) {
        point = {point[0] - 5000, point[1] - 5000, 0};  // beyond the grid, too
        const SpacePoint expected = known(point), found = transform(point);
        EXPECT_NEAR(found[0], expected[0], 1e-6);
        EXPECT_NEAR(found[1], expected[1], 1e-6);
    }
}

// ---- Votes -------------------------------------------------------------------------------------

// Regions of a section, some of which the other one lacks, with others of its own.
TEST(ThesisVotes, FindAnyRotation) {  // F34
    std::mt19937 generator(7);
    std::uniform_real_distribution<double> place(0, 1000), size(30, 400), noise(-2, 2);
    std::vector<ThesisRegion> fixed;
    for (int i = 0; i < 40; ++i)
        fixed.push_back({{place(generator), place(generator), 0}, size(generator), 0.3 + 0.01 * i});
    for (const double degrees : {0.0, 37.0, 91.5, 180.0, -130.0}) {
        const double angle = degrees * std::numbers::pi / 180;
        const double c = std::cos(angle), s = std::sin(angle);
        std::vector<ThesisRegion> moving;
        for (std::size_t i = 8; i < fixed.size(); ++i) {
            const SpacePoint& p = fixed[i].center;
            moving.push_back({{c * p[0] - s * p[1] + 150 + noise(generator),
                               s * p[0] + c * p[1] - 90 + noise(generator), 0},
                              fixed[i].area * (1 + 0.05 * noise(generator)),
                              fixed[i].eccentricity});
        }
        for (int i = 0; i < 8; ++i)
            moving.push_back({{place(generator), place(generator), 0}, size(generator), 0.5});
        const auto vote = thesis_vote(fixed, moving, 1000);
        ASSERT_TRUE(vote) << degrees;
        const double found = std::atan2(vote->map.matrix[3], vote->map.matrix[0]);
        EXPECT_NEAR(std::remainder(found - angle, 2 * std::numbers::pi), 0,
                    0.2 * std::numbers::pi / 180);
        const SpacePoint middle = vote->map({500, 500, 0});
        EXPECT_NEAR(middle[0], c * 500 - s * 500 + 150, 1.5);
        EXPECT_NEAR(middle[1], s * 500 + c * 500 - 90, 1.5);
        EXPECT_GE(vote->regions, 28);
    }
    EXPECT_FALSE(thesis_vote(fixed, {}, 1000));
    EXPECT_FALSE(thesis_vote({fixed[0], fixed[1]}, {fixed[0], fixed[1]}, 1000));
}

// ---- Sections ----------------------------------------------------------------------------------

struct Pair {
    explicit Pair(std::int64_t side, double deformation = 0.006, double rotation = 170)
        : first(section(side, deformation, rotation, 0)),
          second(section(side, deformation, rotation, 1)),
          fixed(picture_source(AnyImageView(first.picture))),
          moving(picture_source(AnyImageView(second.picture))) {}

    static StackedSection section(std::int64_t side, double deformation, double rotation,
                                  int index) {
        return synthetic_stack_section({.width = side,
                                        .height = side,
                                        .stains = SectionStains::he,
                                        .rotation = rotation,
                                        .mirror = SectionMirror::no,
                                        .scale = 0,
                                        .shift = 0.05,
                                        .deformation = deformation,
                                        .landmarks = 0,
                                        .seed = 7},
                                       index);
    }
    // Median distance from where the tissue lies.
    double error(const Transform& transform) const {
        std::vector<double> errors;
        const Shape& shape = second.remaining.shape();
        for (std::int64_t y = 0; y < shape.y; y += 8)
            for (std::int64_t x = 0; x < shape.x; x += 8) {
                if (!second.remaining(x, y)) continue;
                const SpacePoint p{static_cast<double>(x), static_cast<double>(y), 0};
                const SpacePoint found = transform(p), truth = second.moved(p);
                errors.push_back(std::hypot(found[0] - truth[0], found[1] - truth[1]));
            }
        std::sort(errors.begin(), errors.end());
        return errors[errors.size() / 2];
    }

    StackedSection first, second;
    std::unique_ptr<TileSource> fixed, moving;
};

class RegisterThesis : public testing::OnDevice {
  protected:
    ThesisRegistration found(const Pair& pair, const ThesisRegisterOptions& options,
                             std::vector<Queue*> queues = {}) {
        if (queues.empty()) queues.push_back(&queue);
        return register_thesis(*pair.fixed, *pair.moving, options, queues);
    }
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(RegisterThesis);

constexpr ThesisRegisterOptions small{.window = 64};

TEST_P(RegisterThesis, SectionsFit) {  // F34, F38, F40
    const Pair pair(720);
    const ThesisRegistration result = found(pair, small);
    EXPECT_TRUE(result.is_voted);
    EXPECT_GE(std::min(result.fixed_regions, result.moving_regions), 10);
    const auto& truth = std::get<LinearMap>(pair.second.transform.steps.back()).matrix;
    const double turn = std::atan2(truth[3], truth[0]);
    const double angle = std::atan2(result.rigid.matrix[3], result.rigid.matrix[0]);
    EXPECT_LT(std::abs(std::remainder(angle - turn, 2 * std::numbers::pi)), std::numbers::pi / 180);
    const double rigid = pair.error({.steps = {result.rigid}});
    EXPECT_LT(rigid, 64.0 / 4);
    ASSERT_TRUE(result.polynomial);
    const double bent = pair.error(result.transform);
    EXPECT_LT(bent, 2);
    EXPECT_LT(bent, rigid);
    EXPECT_EQ(result.tiles, 11 * 11);
    EXPECT_LT(std::ssize(result.matches), result.tiles / 2);
    EXPECT_GT(result.accepted(), std::ssize(result.matches) / 2);
    for (const ThesisMatch& match : result.matches) {
        if (match.state != ThesisMatchState::accepted) continue;
        const SpacePoint at = pair.second.moved({match.fixed[0], match.fixed[1], 0});
        EXPECT_LT(std::hypot(match.moving[0] - at[0], match.moving[1] - at[1]), 5);
        EXPECT_GE(match.score, 0.8);
    }
}

// A thumbnail so small that fewer than ten vessels are left.
TEST_P(RegisterThesis, FewRegionsAreSearched) {  // F34
    const Pair pair(400);
    const ThesisRegistration result = found(pair, {.window = 48, .thumbnail = 72});
    EXPECT_LT(std::min(result.fixed_regions, result.moving_regions), 10);
    EXPECT_FALSE(result.is_voted);
    EXPECT_LT(pair.error({.steps = {result.rigid}}), 48.0 / 4);
}

// Sections of other tissues have no windows in common, but where both have glass beside tissue.
TEST_P(RegisterThesis, OtherTissueIsRefusedByTheThreshold) {  // F38
    const Pair pair(600);
    const StackedSection other = synthetic_stack_section(
        {.width = 600, .height = 600, .stains = SectionStains::he, .landmarks = 0, .seed = 99}, 0);
    const auto source = picture_source(AnyImageView(other.picture));
    Queue* const queues[]{&queue};
    const ThesisRegistration result = register_thesis(*pair.fixed, *source, small, queues);
    ASSERT_GE(result.matches.size(), 10u);
    int inner = 0, taken = 0;
    for (const ThesisMatch& match : result.matches) {
        bool is_inner = match.state != ThesisMatchState::outside;
        for (const double x : {-32.0, 32.0})
            for (const double y : {-32.0, 32.0})
                is_inner = is_inner && pair.first.remaining(std::lround(match.fixed[0] + x),
                                                            std::lround(match.fixed[1] + y)) != 0;
        inner += is_inner;
        taken += is_inner && match.state == ThesisMatchState::accepted;
    }
    EXPECT_GE(inner, 20);
    EXPECT_LE(20 * taken, inner);
    EXPECT_FALSE(result.polynomial);
    ASSERT_FALSE(result.warnings.empty());
    EXPECT_NE(result.warnings.back().find("the transform is the rigid start"), std::string::npos);
    EXPECT_EQ(result.transform.steps.size(), 1u);
}

TEST_P(RegisterThesis, DevicesAgree) {  // F41
    const Pair pair(600);
    Queue cpu(Device::parse("cpu"));
    const ThesisRegistration here = found(pair, small), there = found(pair, small, {&cpu});
    ASSERT_EQ(here.matches.size(), there.matches.size());
    std::int64_t equal = 0;
    for (std::size_t i = 0; i < here.matches.size(); ++i)
        equal += here.matches[i].state == there.matches[i].state &&
                 std::abs(here.matches[i].moving[0] - there.matches[i].moving[0]) < 0.1 &&
                 std::abs(here.matches[i].moving[1] - there.matches[i].moving[1]) < 0.1;
    EXPECT_GE(100 * equal, 99 * std::ssize(here.matches));
    for (double y = 0; y < 600; y += 50)
        for (double x = 0; x < 600; x += 50) {
            const SpacePoint a = here.transform({x, y, 0}), b = there.transform({x, y, 0});
            EXPECT_LT(std::hypot(a[0] - b[0], a[1] - b[1]), 0.1);
        }
}

TEST_P(RegisterThesis, SharingChangesNoBit) {  // F43
    const Pair pair(600);
    const ThesisRegistration alone = found(pair, small);
    Queue second(GetParam()), third(GetParam());
    for (const ThesisSharing sharing : {ThesisSharing::blocks, ThesisSharing::cyclic})
        for (const std::vector<Queue*>& queues :
             {std::vector{&queue, &second}, std::vector{&queue, &second, &third}}) {
            ThesisRegisterOptions options = small;
            options.sharing = sharing;
            const ThesisRegistration shared = found(pair, options, queues);
            ASSERT_EQ(shared.shares.size(), queues.size());
            std::int64_t tested = 0, processed = 0;
            for (const ThesisShare& share : shared.shares) {
                tested += share.tested;
                processed += share.processed;
                EXPECT_EQ(share.device, GetParam().id());
                EXPECT_GT(share.processed, 0);
            }
            EXPECT_EQ(tested, alone.tiles);
            EXPECT_EQ(processed, std::ssize(alone.matches));
            ASSERT_EQ(shared.matches.size(), alone.matches.size());
            for (std::size_t i = 0; i < alone.matches.size(); ++i) {
                EXPECT_EQ(shared.matches[i].moving, alone.matches[i].moving);
                EXPECT_EQ(shared.matches[i].score, alone.matches[i].score);
            }
            EXPECT_EQ(shared.transform.steps, alone.transform.steps);
        }
    // Rows of windows, the lower ones to the last queue, as table 5.6 has them.
    const ThesisRegistration two = found(pair, small, {&queue, &second});
    EXPECT_EQ(two.shares[0].tested, 4 * 9);
    EXPECT_EQ(two.shares[1].tested, 5 * 9);
    const auto [low, high] = std::minmax(two.shares[0].processed, two.shares[1].processed);
    EXPECT_DOUBLE_EQ(two.imbalance(), 1 - static_cast<double>(low) / static_cast<double>(high));
}

TEST_P(RegisterThesis, MemoryIsWhatIsTold) {
    const Pair pair(600);
    Queue fresh(GetParam());
    found(pair, small, {&fresh});
    EXPECT_LE(fresh.counters().peak_bytes_in_use,
              thesis_register_bytes(*pair.fixed, *pair.moving, small, GetParam()).device);
}

TEST_P(RegisterThesis, SeveralQueuesTakeMoreAndTellHowFarTheyAre) {
    const Pair pair(600);
    const auto one = thesis_register_bytes(*pair.fixed, *pair.moving, small, GetParam()),
               two = thesis_register_bytes(*pair.fixed, *pair.moving, small, GetParam(), 2);
    EXPECT_GT(two.device, one.device);
    EXPECT_GT(two.host, one.host);
    Queue second(GetParam());
    Queue* const queues[]{&queue, &second};
    std::vector<double> fractions;
    register_thesis(*pair.fixed, *pair.moving, small, queues, 2,
                    Progress([&](double fraction, std::string_view stage) {
                        if (stage == "match") fractions.push_back(fraction);
                    }));
    ASSERT_FALSE(fractions.empty());
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
    EXPECT_GT(fractions.back(), 0.4);
    EXPECT_LE(fractions.back(), 1);
}

TEST_P(RegisterThesis, BadInputIsNamed) {
    const Pair pair(200);
    Queue* const queues[]{&queue};
    EXPECT_THROW(register_thesis(*pair.fixed, *pair.moving, small, {}), InvalidArgument);
    EXPECT_THROW(found(pair, {.window = 4}), InvalidArgument);
    EXPECT_NE(testing::refusal([&] { found(pair, {.window = 64, .search = 60}); }).find("--search"),
              std::string::npos);
    AnyImage measured = pair.second.picture;
    geometry_of(measured) = micrometers_per_pixel(0.5, 0.5);
    const auto with_size = picture_source(AnyImageView(measured));
    EXPECT_NE(testing::refusal([&] {
                  register_thesis(*pair.fixed, *with_size, small, queues);
              }).find("physical pixel size"),
              std::string::npos);
}

// ---- Windows -----------------------------------------------------------------------------------

// Boxes that are windows as they are.
WindowBoxes boxes_of(const std::vector<std::vector<std::uint16_t>>& windows, std::int64_t side) {
    const WindowSizes sizes = whole_windows(side);
    WindowBoxes boxes;
    for (const std::vector<std::uint16_t>& window : windows) {
        boxes.firsts.push_back(std::ssize(boxes.pixels));
        boxes.sizes.insert(boxes.sizes.end(), 2, static_cast<std::int32_t>(side));
        boxes.pixels.insert(boxes.pixels.end(), window.begin(), window.end());
        for (const bool along_x : {true, false})
            for (std::int64_t y = 0; y < sizes.nodes(); ++y)
                for (std::int64_t x = 0; x < sizes.nodes(); ++x)
                    boxes.nodes.push_back(
                        static_cast<float>(WindowSizes::cell * (along_x ? x : y)));
    }
    return boxes;
}

TEST_P(RegisterThesis, PeaksAreThoseOfTheFormula) {  // F36, F37
    // Transforms of 74 and of 71 pixels, a prime; at the ends of all shifts nothing wraps around.
    for (const auto& [window, search] : {std::array<std::int64_t, 2>{25, 50}, {24, 48}}) {
        const std::int64_t last = search - window;
        std::mt19937 generator(8);
        std::vector<std::vector<std::uint16_t>> templates, windows;
        std::vector<std::array<std::int64_t, 2>> places{
            {0, 0}, {last, 0}, {0, last}, {last, last}, {7, 11}};
        for (const auto& [x, y] : places) {
            std::vector<std::uint16_t> around(static_cast<std::size_t>(search * search));
            for (auto& value : around) value = static_cast<std::uint16_t>(generator() >> 16);
            std::vector<std::uint16_t> part;
            for (std::int64_t j = 0; j < window; ++j)
                for (std::int64_t i = 0; i < window; ++i)
                    part.push_back(around[static_cast<std::size_t>((y + j) * search + x + i)]);
            // Noise, so that scores are not 1.
            for (auto& value : part)
                value = static_cast<std::uint16_t>(value / 2 + generator() % 9000);
            templates.push_back(part);
            windows.push_back(around);
        }
        templates.push_back(std::vector<std::uint16_t>(templates[0].size(), 900));  // flat
        windows.push_back(windows[0]);
        const ThesisWindows sizes{window, search};
        EXPECT_EQ(sizes.padded(), window + search - 1);
        const std::vector<GrayPeak> peaks =
            gray_peaks(queue, sizes, boxes_of(templates, window), boxes_of(windows, search));
        ASSERT_EQ(peaks.size(), places.size() + 1);
        for (std::size_t i = 0; i < places.size(); ++i) {
            const auto scores =
                reference::match(templates[i], static_cast<int>(window), static_cast<int>(window),
                                 windows[i], static_cast<int>(search), static_cast<int>(search));
            EXPECT_EQ(peaks[i].x, places[i][0]);
            EXPECT_EQ(peaks[i].y, places[i][1]);
            EXPECT_NEAR(peaks[i].score, *std::max_element(scores.begin(), scores.end()), 1e-4);
        }
        EXPECT_EQ(peaks.back().score, 0);
    }
}

// What Fourier transforms round differs by the place of a window in its batch: neither other places
// nor scores that differ by more than that change a bit. One window holds its template twice.
TEST_P(RegisterThesis, RoundingOfTransformsChangesNoBit) {
    constexpr std::int64_t window = 24, search = 50, count = 9, shifts = search - window + 1;
    const ThesisWindows sizes{window, search};
    std::mt19937 generator(5);
    std::vector<std::vector<std::uint16_t>> templates, windows;
    for (int i = 0; i < count; ++i) {
        std::vector<std::uint16_t> around(search * search), part;
        for (auto& value : around) value = static_cast<std::uint16_t>(generator() >> 17);
        for (std::size_t y = 0; y < window; ++y)
            for (std::size_t x = 0; x < window; ++x) {
                part.push_back(around[(y + 3) * search + x + 1]);
                if (i == 4) around[(y + 26) * search + x + 26] = part.back();
            }
        if (i % 2 == 0)
            for (auto& value : part)
                value = static_cast<std::uint16_t>(value / 2 + generator() % 9999);
        templates.push_back(part);
        windows.push_back(around);
    }
    std::reverse_copy(templates[4].begin(), templates[4].end(), templates[7].begin());
    templates[8].assign(templates[8].size(), 700);  // all scores are 0
    const auto flat = [&](const auto& list, bool backward) {
        std::vector<std::uint16_t> all;
        for (std::size_t i = 0; i < list.size(); ++i) {
            const auto& one = list[backward ? list.size() - 1 - i : i];
            all.insert(all.end(), one.begin(), one.end());
        }
        return all;
    };
    const auto peaks_of = [&](bool backward, float noise) {
        const auto pixels = [&](const auto& list) {
            const auto all = flat(list, backward);
            return Buffer<const std::uint16_t>(
                queue.upload(std::span<const std::uint16_t>(all), "windows"));
        };
        const auto patterns = pixels(templates), images = pixels(windows);
        std::vector<float> scores = queue.download(match_scores(
            queue, {window, window, search, search, count, sizes.padded()}, patterns, images));
        std::uniform_real_distribution<float> rounding(-noise, noise);
        if (noise > 0)
            for (float& score : scores)
                if (score != 0) score += rounding(generator);
        auto peaks = direct_peaks(
            queue, sizes, queue.upload(std::span<const float>(scores), "scores"), patterns, images);
        if (backward) std::reverse(peaks.begin(), peaks.end());
        return peaks;
    };
    const std::vector<GrayPeak> peaks = peaks_of(false, 0);
    ASSERT_EQ(peaks.size(), templates.size());
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        const auto scores =
            reference::match(templates[i], window, window, windows[i], search, search);
        const auto best = std::max_element(scores.begin(), scores.end());
        EXPECT_EQ(peaks[i].y * shifts + peaks[i].x, best - scores.begin()) << i;
        EXPECT_NEAR(peaks[i].score, *best, 2e-7) << i;  // a few of the last bits
    }
    for (const float noise : {0.0f, 2e-5f})
        for (const bool backward : {false, true}) {
            const std::vector<GrayPeak> others = peaks_of(backward, noise);
            for (std::size_t i = 0; i < peaks.size(); ++i) {
                EXPECT_EQ(others[i].x, peaks[i].x) << i;
                EXPECT_EQ(others[i].y, peaks[i].y) << i;
                EXPECT_EQ(others[i].score, peaks[i].score) << i;
            }
        }
}

TEST(ThesisWindowSides, AreThoseOfTable52) {  // F37
    const std::array sides{std::array{171, 342, 512}, std::array{250, 500, 749},
                           std::array{342, 683, 1024}, std::array{500, 1000, 1499},
                           std::array{683, 1366, 2048}};
    for (const auto& [window, search, padded] : sides)
        EXPECT_EQ(thesis_windows({.window = window, .search = search}).padded(), padded);
    EXPECT_EQ(thesis_windows({.window = 350}).search, 700);
}

}  // namespace
}  // namespace tesela
