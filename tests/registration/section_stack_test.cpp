// Series of sections, from pictures to a volume, on every device.
#include "tesela/section_stack.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "devices.h"
#include "reference/section_graph_reference.h"
#include "tesela/error.h"
#include "tesela/synthetic_sections.h"
#include "tesela/tile_source.h"

namespace tesela {
namespace {

constexpr std::int64_t side = 224;

SyntheticSectionsOptions tissue(int count) {
    return {.width = side,
            .height = side,
            .count = count,
            .rotation = 8,
            .mirror = SectionMirror::no,
            .scale = 0.02,
            .shift = 0.05,
            .tear = 0.03,
            .damaged = 2,
            .seed = 21};
}
// In order to make each once.
const StackedSection& made_section(int index) {
    static std::map<int, StackedSection> made;
    const auto found = made.find(index);
    if (found != made.end()) return found->second;
    return made.emplace(index, synthetic_stack_section(tissue(40), index)).first->second;
}

SeriesSection section_of(int index, AnyImage picture) {
    return {"s" + std::to_string(index) + ".png", index, [picture] { return picture; }};
}
SectionSeries series_of(int count) {
    SectionSeries series;
    for (int i = 0; i < count; ++i) series.push_back(section_of(i, made_section(i).picture));
    return series;
}
// Without the search of rotations, which takes most of the time.
SectionStackOptions rigid() {
    return {.model = RegistrationModel::rigid, .rotation = RotationRange::none};
}

template <class Change>
SectionSeries changed(int count, std::size_t which, const Change& change) {
    SectionSeries series = series_of(count);
    AnyImage picture = series[which].read();
    change(picture);
    series[which] = section_of(static_cast<int>(which), std::move(picture));
    return series;
}

class SectionStacks : public testing::OnDevice {
  protected:
    SectionStack stacked(const SectionSeries& series, const SectionStackOptions& options = {},
                         const PairStore& store = {}, const Progress& progress = {}) {
        return stack_sections(series, options, queue, store, progress);
    }
    template <class Failure>
    std::string failure(const SectionSeries& series, const SectionStackOptions& options = rigid()) {
        try {
            stacked(series, options);
        } catch (const Failure& error) {
            return error.what();
        }
        return {};
    }
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(SectionStacks);

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// What points of the canvas show of the tissue in all sections but the torn one.
double residual_of(const SectionStack& stack) {
    std::vector<std::pair<SpacePoint, SpacePoint>> shown;
    for (const SectionOfStack& section : stack.sections) {
        if (section.state != SectionState::aligned || section.number == 2) continue;
        const StackedSection& truth = made_section(static_cast<int>(section.number));
        for (std::int64_t y = 10; y < side; y += 12)
            for (std::int64_t x = 10; x < side; x += 12) {
                if (!truth.remaining(x, y)) continue;
                const SpacePoint tissue{static_cast<double>(x), static_cast<double>(y), 0};
                shown.emplace_back(section.transform->inverse_of(truth.transform(tissue)), tissue);
            }
    }
    return reference::residual_after_affine(shown);
}

TEST_P(SectionStacks, SectionsLieOnEachOther) {
    const SectionStack bent = stacked(series_of(5), {.rotation = RotationRange::none});
    for (const SectionOfStack& section : bent.sections)
        EXPECT_EQ(section.state, SectionState::aligned) << section.number;
    EXPECT_EQ(bent.pairs.size(), 7u);
    EXPECT_LT(residual_of(bent), 1.2);
    EXPECT_EQ(bent.canvas.shape.z, 5);
    for (const SectionOfStack& section : bent.sections)
        for (const auto& step : section.transform->steps)
            if (std::holds_alternative<SplineMap>(step)) {
                EXPECT_GT(least_jacobian({.steps = {step}}, bent.canvas, 8), 0.05);
            }
}

// A run that is stopped and continued gives the bits of one that is not.
TEST_P(SectionStacks, KeptPairsGiveTheSameBits) {
    const SectionSeries series = series_of(3);
    std::map<std::pair<std::int64_t, std::int64_t>, RegisteredPair> kept;
    CancelToken token;
    PairStore store;
    store.keep = [&](std::int64_t fixed, std::int64_t moving, const RegisteredPair& pair) {
        kept[{fixed, moving}] = pair;
        if (kept.size() == 1) token.cancel();
    };
    EXPECT_THROW(stacked(series, rigid(), store, Progress({}, &token)), Cancelled);
    EXPECT_EQ(kept.size(), 1u);
    store.find = [&](std::int64_t fixed, std::int64_t moving) -> std::optional<RegisteredPair> {
        const auto found = kept.find({fixed, moving});
        if (found == kept.end()) return {};
        return found->second;
    };
    const SectionStack continued = stacked(series, rigid(), store),
                       whole = stacked(series, rigid());
    EXPECT_EQ(std::count_if(continued.pairs.begin(), continued.pairs.end(),
                            [](const PairOfStack& pair) { return pair.is_kept; }),
              1);
    for (std::size_t i = 0; i < series.size(); ++i)
        EXPECT_EQ(continued.sections[i].transform->steps, whole.sections[i].transform->steps);
    // Other options need other pairs.
    SectionStackOptions options = rigid();
    options.stiffness = 2;
    const SectionStack others = stacked(series, options, store);
    for (const PairOfStack& pair : others.pairs) EXPECT_FALSE(pair.is_kept);
}

TEST_P(SectionStacks, AbsentSectionsAreNamedAndBridged) {
    SectionSeries series = series_of(7);
    series[1].read = []() -> AnyImage { throw UnreadableInput("'s1.png' is truncated"); };
    series[4] = section_of(4, Image<std::uint8_t>({60, 50, 1, 1, 3}));
    series.erase(series.begin() + 3);
    SectionStackOptions options = rigid();
    options.mpp = 1;
    options.thickness = Length(2);
    const SectionStack stack = stacked(series, options);
    const auto state = [&](std::size_t i) { return stack.sections[i].state; };
    EXPECT_EQ(state(1), SectionState::unreadable);
    EXPECT_EQ(state(3), SectionState::blank);
    EXPECT_EQ(stack.missing, std::vector<std::int64_t>{3});
    std::string warnings;
    for (const std::string& warning : stack.warnings) warnings += warning + "\n";
    for (const char* part : {"the number 3", "section 1 ('s1.png') is left out: 's1.png' is trunc",
                             "section 4 ('s4.png') is left out: all pixels have one value"})
        EXPECT_TRUE(contains(warnings, part)) << warnings;
    for (const std::size_t i : {0u, 2u, 4u, 5u}) EXPECT_EQ(state(i), SectionState::aligned);
    EXPECT_EQ(stack.canvas.shape.z, 7);
    // An absent plane is white, or that of the nearest section, of two the first.
    const auto plane = [&](PlaneBridge bridge, std::int64_t z) {
        options.bridge = bridge;
        const auto volume = stack_volume(series, stack, options, queue);
        EXPECT_NEAR(volume->facts().geometry.spacing_mm()[2], 2e-3, 1e-12);
        return std::get<Image<std::uint8_t>>(volume->read({{100, 100, z}, {140, 130, z + 1}}, 0))
            .pixels();
    };
    const auto empty = plane(PlaneBridge::empty, 1);
    EXPECT_TRUE(std::all_of(empty.begin(), empty.end(), [](auto value) { return value == 255; }));
    EXPECT_NE(plane(PlaneBridge::empty, 0), empty);
    EXPECT_EQ(plane(PlaneBridge::nearest, 1), plane(PlaneBridge::nearest, 0));
    EXPECT_EQ(plane(PlaneBridge::nearest, 3), plane(PlaneBridge::nearest, 2));
    EXPECT_NE(plane(PlaneBridge::nearest, 3), plane(PlaneBridge::nearest, 5));
}

TEST_P(SectionStacks, PlanesAreTheAlignedSections) {
    SectionSeries series = series_of(3);
    SectionStackOptions options = rigid();
    options.mpp = 0.5;
    options.thickness = Length(4, Length::In::micrometer);
    const SectionStack stack = stacked(series, options);
    const auto volume = stack_volume(series, stack, options, queue);
    const VolumeInputFacts& facts = volume->facts();
    EXPECT_EQ(facts.shape.z, 3);
    EXPECT_EQ(facts.shape.channels, 3);
    EXPECT_NEAR(facts.geometry.spacing_mm()[0], 0.5e-3, 1e-12);
    EXPECT_NEAR(facts.geometry.spacing_mm()[2], 4e-3, 1e-12);
    const auto whole = std::get<Image<std::uint8_t>>(aligned_section(series, stack, 1, queue));
    const auto part = std::get<Image<std::uint8_t>>(volume->read({{30, 40, 0}, {90, 80, 3}}, 0));
    for (std::int64_t y = 0; y < 40; y += 3)
        for (std::int64_t x = 0; x < 60; x += 3)
            EXPECT_NEAR(part(x, y, 1, 0, 1), whole(x + 30, y + 40, 0, 0, 1), 1);
    options.thickness = {};
    EXPECT_THROW(stack_volume(series, stack, options, queue), InvalidArgument);
}

// Of three planes two fit into what may be kept.
TEST_P(SectionStacks, PlanesThatAreKeptAreMadeOnce) {
    SectionStackOptions options = rigid();
    options.mpp = 1;
    options.thickness = Length(1);
    SectionSeries series = series_of(3);
    const SectionStack stack = stacked(series, options);
    std::vector<int> reads(3);
    for (std::size_t i = 0; i < 3; ++i)
        series[i].read = [&reads, i, read = series[i].read] {
            ++reads[i];
            return read();
        };
    const Shape& canvas = stack.canvas.shape;
    const auto volume =
        stack_volume(series, stack, options, queue, {}, 3 * 2 * canvas.x * canvas.y);
    const auto whole =
        std::get<Image<std::uint8_t>>(volume->read({{0, 0, 0}, {canvas.x, canvas.y, 3}}, 0));
    EXPECT_EQ(reads, (std::vector<int>{1, 1, 1}));
    for (std::int64_t y = 0; y < 90; y += 30) {
        const auto strip =
            std::get<Image<std::uint8_t>>(volume->read({{20, y, 0}, {canvas.x, y + 30, 3}}, 0));
        for (std::int64_t z = 0; z < 3; ++z)
            for (std::int64_t x = 0; x + 20 < canvas.x; x += 7)
                EXPECT_NEAR(strip(x, 11, z, 0, 1), whole(x + 20, y + 11, z, 0, 1), 1);
    }
    EXPECT_EQ(reads, (std::vector<int>{2, 2, 4}));
}

TEST_P(SectionStacks, SizesAndPixelSizesMayDiffer) {
    SectionSeries series = series_of(3);
    for (int i = 0; i < 3; ++i) {
        AnyImage picture = series[static_cast<std::size_t>(i)].read();
        if (i == 1) picture = halved(picture);
        geometry_of(picture) = micrometers_per_pixel(i == 1 ? 2 : 1, i == 1 ? 2 : 1);
        series[static_cast<std::size_t>(i)] = section_of(i, std::move(picture));
    }
    const SectionStack stack = stacked(series, rigid());
    EXPECT_NEAR(stack.canvas.geometry.spacing_mm()[0], 1e-3, 1e-12);
    // As far apart as when all have the same pixels, but for half a pixel of the coarse ones.
    const SectionStack alike = stacked(series_of(3), rigid());
    const SpacePoint p{0.1, 0.12, 0}, q{100, 120, 0};
    const auto between = [](const SectionStack& stack_of, const SpacePoint& at) {
        return (*stack_of.sections[1].transform)(stack_of.sections[0].transform->inverse_of(at));
    };
    const SpacePoint a = between(stack, p), b = between(alike, q);
    EXPECT_NEAR(a[0], b[0] / 1000, 1.5e-3);
    EXPECT_NEAR(a[1], b[1] / 1000, 1.5e-3);
}

TEST_P(SectionStacks, AReferenceStays) {
    const SectionStackOptions options{.reference = 1, .rotation = RotationRange::none};
    const SectionStack stack = stacked(series_of(3), options);
    const Transform& still = *stack.sections[1].transform;
    const SpacePoint a = still({0, 0, 0}), b = still({50, 80, 0});
    EXPECT_NEAR(b[0] - a[0], 50, 1e-9);
    EXPECT_NEAR(b[1] - a[1], 80, 1e-9);
}

TEST_P(SectionStacks, WhatCannotBeStackedIsRefused) {
    EXPECT_TRUE(contains(failure<InvalidArgument>(series_of(1)), "at least two sections"));
    SectionSeries twice = series_of(3);
    twice[2].number = 1;
    EXPECT_TRUE(contains(failure<InvalidArgument>(twice), "numbers must increase"));
    SectionSeries far = series_of(2);
    far[1].number = 100000;
    EXPECT_TRUE(contains(failure<InvalidArgument>(far), "far apart"));
    const auto wide = changed(3, 1, [](AnyImage& picture) {
        picture = Image<std::uint16_t>(shape_of(picture));
        std::get<Image<std::uint16_t>>(picture)(1, 1) = 7;
    });
    EXPECT_TRUE(contains(failure<InvalidArgument>(wide), "pixel types uint8 and uint16"));
    const auto sized = changed(
        3, 2, [](AnyImage& picture) { geometry_of(picture) = micrometers_per_pixel(1, 1); });
    EXPECT_TRUE(contains(failure<InvalidArgument>(sized), "--mpp"));
    SectionStackOptions options = rigid();
    options.thickness = Length(4, Length::In::micrometer);
    EXPECT_TRUE(contains(failure<InvalidArgument>(series_of(3), options), "--mpp"));
    options = rigid();
    options.reference = 9;
    EXPECT_TRUE(contains(failure<InvalidArgument>(series_of(3), options), "--reference 9"));
    options = rigid();
    options.resolution = Length(10, Length::In::micrometer);
    EXPECT_TRUE(contains(failure<InvalidArgument>(series_of(3), options), "--resolution 10um"));
    SectionSeries apart;
    for (int i = 0; i < 3; ++i) {
        SyntheticSectionsOptions other = tissue(3);
        other.seed = 100 + static_cast<std::uint64_t>(i);
        apart.push_back(section_of(i, synthetic_stack_section(other, i).picture));
    }
    EXPECT_TRUE(contains(failure<NoMatch>(apart), "no two neighboring sections match"));
}

// Sections of 224 and 112 pixels of the same size, and three planes: before any pair is registered.
TEST_P(SectionStacks, TheLeastVolumeIsKnownBeforeTheWork) {
    SectionSeries series = series_of(2);
    series[1].number = 2;
    for (SeriesSection& section : series) {
        AnyImage picture = section.read();
        const bool is_coarse = section.number == 2;
        if (is_coarse) picture = halved(picture);
        geometry_of(picture) = micrometers_per_pixel(is_coarse ? 2 : 1, is_coarse ? 2 : 1);
        section = section_of(static_cast<int>(section.number), std::move(picture));
    }
    PairStore store;
    store.keep = [](std::int64_t, std::int64_t, const RegisteredPair&) { FAIL(); };
    Shape least;
    EXPECT_THROW(stack_sections(series, rigid(), queue, store, {},
                                [&](const VolumeInputFacts& facts) {
                                    least = facts.shape;
                                    throw OutOfMemory("", -1, -1);
                                }),
                 OutOfMemory);
    EXPECT_EQ(least, (Shape{side, side, 3, 1, 3}));
    const Shape canvas = stacked(series, rigid()).canvas.shape;
    EXPECT_GE(canvas.x, least.x);
    EXPECT_GE(canvas.y, least.y);
}

// Before any pair is registered.
TEST_P(SectionStacks, AReferenceThatIsBlankIsRefused) {
    const auto blank = changed(3, 1, [](AnyImage& picture) {
        picture = Image<std::uint8_t>({side, side, 1, 1, 3});
    });
    SectionStackOptions options = rigid();
    options.reference = 1;
    PairStore store;
    store.keep = [](std::int64_t, std::int64_t, const RegisteredPair&) { FAIL(); };
    EXPECT_THROW(stacked(blank, options, store), InvalidArgument);
    EXPECT_TRUE(contains(failure<InvalidArgument>(blank, options), "--reference 1 is blank"));
}

// A section in which no tissue is found leaves the pairs of the others as they are.
TEST_P(SectionStacks, SectionsWithoutTissueArePassedOver) {
    const auto faint = changed(4, 2, [](AnyImage& picture) {
        auto& pixels = picture.emplace<Image<std::uint8_t>>(Shape{side, side, 1, 1, 3});
        std::fill(pixels.pixels().begin(), pixels.pixels().end(), std::uint8_t{240});
        pixels(100, 100) = 241;
    });
    const SectionStack stack = stacked(faint, rigid());
    EXPECT_EQ(stack.sections[2].state, SectionState::blank);
    EXPECT_TRUE(contains(stack.sections[2].reason, "no tissue")) << stack.sections[2].reason;
    ASSERT_EQ(stack.pairs.size(), 3u);
    for (const PairOfStack& pair : stack.pairs) EXPECT_TRUE(pair.fixed != 2 && pair.moving != 2);
}

// A pair is kept for the same pictures in the same places only.
TEST_P(SectionStacks, PairsOfTurnedPicturesAreOthers) {
    const auto key_of = [&](double along_x) {
        SectionSeries series = series_of(2);
        for (SeriesSection& section : series) {
            AnyImage picture = section.read();
            geometry_of(picture) = micrometers_per_pixel(1, 1);
            geometry_of(picture).direction[0] = along_x;
            section = section_of(static_cast<int>(section.number), std::move(picture));
        }
        return stacked(series, rigid()).pairs.front().found.key;
    };
    const std::string key = key_of(1);
    EXPECT_EQ(key_of(1), key);
    EXPECT_NE(key_of(-1), key);
}

TEST_P(SectionStacks, CopiesAndGraySectionsAreTold) {
    SectionSeries series = series_of(3);
    series[2] = section_of(2, series[1].read());
    AnyImage gray = Image<std::uint8_t>({side, side});
    const auto first = std::get<Image<std::uint8_t>>(series[0].read());
    for (std::int64_t y = 0; y < side; ++y)
        for (std::int64_t x = 0; x < side; ++x)
            std::get<Image<std::uint8_t>>(gray)(x, y) = first(x, y, 0, 0, 1);
    series[0] = section_of(0, gray);
    const SectionStack stack = stacked(series, rigid());
    ASSERT_EQ(stack.warnings.size(), 2u);
    EXPECT_TRUE(contains(stack.warnings[0], "is gray and others have colors"));
    EXPECT_TRUE(contains(stack.warnings[1], "has the pixels of 's1.png'"));
    EXPECT_EQ(stack.channels, 3);
}

}  // namespace
}  // namespace tesela
