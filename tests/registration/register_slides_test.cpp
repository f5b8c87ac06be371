// Slides registered to the pixel, on every device.
#include "tesela/register_slides.h"

#include <algorithm>
#include <cmath>

#include "core/tiled_image.h"
#include "devices.h"
#include "registration/compared_slide.h"
#include "registration/slide_tiles.h"
#include "tesela/error.h"
#include "tesela/picture_source.h"
#include "tesela/synthetic_sections.h"

namespace tesela {
namespace {

class RegisterSlides : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
    bool is_slow() const {
        return GetParam().back_end() == BackEnd::opencl && !GetParam().properties().is_gpu;
    }
};
TESELA_ON_EVERY_DEVICE(RegisterSlides);

testing::TiledImage pyramid(AnyImage first, int levels = 3) {
    std::vector<AnyImage> images{std::move(first)};
    while (std::ssize(images) < levels) images.push_back(halved(images.back()));
    return {std::move(images), 256, 256};
}

SyntheticSectionsOptions series(std::int64_t side, std::uint64_t seed = 4) {
    return {.width = side, .height = side, .rotation = 40, .deformation = 0.01, .seed = seed};
}

// Thumbnails of a fourth of the side, as of slides of 8192 pixels.
SlideRegistrationOptions options_for(std::int64_t side) {
    SlideRegistrationOptions options;
    options.thumbnail = static_cast<int>(side / 4);
    options.window = 96;
    options.search = 32;
    return options;
}

struct Errors {
    double median = 0, within_3 = 0;
};
Errors errors_of(const StackedSection& section, const Transform& found, double scale = 1) {
    std::vector<double> errors;
    const Shape& shape = section.remaining.shape();
    for (std::int64_t y = 0; y < shape.y; y += 16)
        for (std::int64_t x = 0; x < shape.x; x += 16) {
            if (!section.remaining(x, y)) continue;
            const SpacePoint p{static_cast<double>(x), static_cast<double>(y), 0};
            const SpacePoint at = found({p[0] * scale, p[1] * scale, 0}), truth = section.moved(p);
            errors.push_back(std::hypot(at[0] / scale - truth[0], at[1] / scale - truth[1]));
        }
    std::sort(errors.begin(), errors.end());
    const auto near = std::upper_bound(errors.begin(), errors.end(), 3.0) - errors.begin();
    return {errors[errors.size() / 2],
            static_cast<double>(near) / static_cast<double>(errors.size())};
}

// Two stains, a smooth deformation of 1 %.
TEST_P(RegisterSlides, SectionsFitToThePixel) {
    const std::int64_t side = is_slow() ? 1024 : 2048;
    const StackedSection first = synthetic_stack_section(series(side), 0);
    const StackedSection second = synthetic_stack_section(series(side), 1);
    const auto fixed = pyramid(first.picture), moving = pyramid(second.picture);
    const SlideRegistration found = register_slides(fixed, moving, options_for(side), queue);
    ASSERT_TRUE(found.is_match);
    ASSERT_TRUE(found.is_refined);
    const Errors errors = errors_of(second, found.transform);
    EXPECT_LT(errors.median, 1);
    EXPECT_GT(errors.within_3, 0.95);
    EXPECT_LT(found.estimated_error, 2 * errors.median);
    EXPECT_GT(found.estimated_error, 0.5 * errors.median);
    EXPECT_GT(found.kept, found.tiles / 4);
    EXPECT_GT(found.least_jacobian, 0.5);
    // What is accepted lies where it does.
    int accepted = 0, right = 0;
    for (const SlideMatch& match : found.matches) {
        if (match.state != MatchState::accepted) continue;
        const SpacePoint truth = second.moved({match.fixed[0], match.fixed[1], 0});
        ++accepted;
        right += std::hypot(match.moving[0] - truth[0], match.moving[1] - truth[1]) < 3;
    }
    EXPECT_GT(accepted, 20);
    EXPECT_GT(right, 0.95 * accepted);
}

// Slides of other sizes and pixel sizes, in millimeters.
TEST_P(RegisterSlides, PixelSizesMayDiffer) {
    const StackedSection first = synthetic_stack_section(series(1024), 0);
    const StackedSection second = synthetic_stack_section(series(1024), 1);
    AnyImage here = first.picture;
    AnyImage there = part_of(halved(second.picture), {0, 0, 512, 500});
    geometry_of(here) = micrometers_per_pixel(0.5, 0.5);
    // The centers of the larger pixels lie half a small one further.
    geometry_of(there) = micrometers_per_pixel(1, 1);
    geometry_of(there).origin = {0.00025, 0.00025, 0};
    const auto fixed = pyramid(here, 2), moving = pyramid(there, 1);
    const SlideRegistration found = register_slides(fixed, moving, options_for(1024), queue);
    ASSERT_TRUE(found.is_refined);
    EXPECT_EQ(found.transform.unit, Unit::millimeter);
    const Errors errors = errors_of(second, found.transform, 0.0005);
    EXPECT_LT(errors.median, 1.5);
    EXPECT_LT(found.estimated_error, 0.0005 * 3);
}

// Slides without coarser levels are averaged as they are read.
TEST_P(RegisterSlides, SlidesOfOneLevel) {
    const StackedSection first = synthetic_stack_section(series(1024), 0);
    const StackedSection second = synthetic_stack_section(series(1024), 1);
    SlideRegistrationOptions options = options_for(1024);
    options.thumbnail = 128;  // so that windows have pixels of 4 and of 1
    options.window = 48;
    const auto fixed = pyramid(first.picture, 1), moving = pyramid(second.picture, 1);
    const SlideRegistration found = register_slides(fixed, moving, options, queue);
    ASSERT_TRUE(found.is_refined);
    EXPECT_LT(errors_of(second, found.transform).median, 1);
}

TEST_P(RegisterSlides, TheSameBitsTwice) {
    const auto fixed = pyramid(synthetic_stack_section(series(512), 0).picture);
    const auto moving = pyramid(synthetic_stack_section(series(512), 1).picture);
    const SlideRegistrationOptions options = options_for(512);
    const auto run = [&](int threads) {
        return register_slides(fixed, moving, options, queue, {}, threads);
    };
    const SlideRegistration first = run(1), second = run(2);
    ASSERT_TRUE(first.is_refined);
    EXPECT_EQ(first.transform.steps, second.transform.steps);
    ASSERT_EQ(first.matches.size(), second.matches.size());
    for (std::size_t i = 0; i < first.matches.size(); ++i)
        EXPECT_EQ(first.matches[i].moving, second.matches[i].moving);
}

TEST_P(RegisterSlides, DevicesAgree) {
    const auto fixed = pyramid(synthetic_stack_section(series(512), 0).picture);
    const auto moving = pyramid(synthetic_stack_section(series(512), 1).picture);
    Queue on_cpu(Device::parse("cpu"));
    const SlideRegistrationOptions options = options_for(512);
    const SlideRegistration expected = register_slides(fixed, moving, options, on_cpu);
    const SlideRegistration found = register_slides(fixed, moving, options, queue);
    for (double y = 20; y < 500; y += 60)
        for (double x = 20; x < 500; x += 60) {
            const SpacePoint a = expected.transform({x, y, 0}), b = found.transform({x, y, 0});
            EXPECT_LT(std::hypot(a[0] - b[0], a[1] - b[1]), 0.1);
        }
    ASSERT_EQ(found.matches.size(), expected.matches.size());
    int equal = 0;
    for (std::size_t i = 0; i < found.matches.size(); ++i)
        equal += found.matches[i].state == expected.matches[i].state;
    EXPECT_GE(equal, 0.99 * static_cast<double>(found.matches.size()));
}

TEST_P(RegisterSlides, OtherSlidesAreRefused) {
    const auto fixed = pyramid(synthetic_stack_section(series(512), 0).picture);
    const auto other = pyramid(synthetic_stack_section(series(512, 77), 1).picture);
    const auto blank = pyramid(filled_image(PixelType::u8, {512, 512, 1, 1, 3}, {243, 243, 243}));
    SlideRegistrationOptions options = options_for(512);
    EXPECT_THROW(register_slides(fixed, other, options, queue), NoMatch);
    options.accept_poor = true;
    EXPECT_FALSE(register_slides(fixed, other, options, queue).is_match);
    // Their windows do not match, either.
    const SlideRegistration found =
        register_slides(fixed, other, options, queue, {.refine_poor = true});
    EXPECT_FALSE(found.matches.empty());
    EXPECT_FALSE(found.is_refined);
    const auto sentence = [&](const TileSource& a, const TileSource& b) -> std::string {
        try {
            register_slides(a, b, options, queue);
        } catch (const InvalidArgument& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_NE(sentence(blank, fixed).find("the fixed image: it contains no tissue"),
              std::string::npos);
    EXPECT_NE(sentence(fixed, blank).find("the moving image: it contains no tissue"),
              std::string::npos);
}

TEST_P(RegisterSlides, MasksLeaveWindowsOut) {
    const StackedSection first = synthetic_stack_section(series(512), 0);
    const auto fixed = pyramid(first.picture);
    Image<std::uint8_t> half({512, 512});
    for (std::int64_t y = 0; y < 512; ++y)
        for (std::int64_t x = 0; x < 512; ++x) half(x, y) = x < 256 ? 255 : 0;
    const auto mask = picture_source(AnyImageView(half));
    SlideRegistrationOptions options = options_for(512);
    options.window = 64;
    options.rotation = RotationRange::none;
    options.mirror = MirrorChoice::no;
    options.accept_poor = true;
    const SlideRegistration found = register_slides(
        fixed, fixed, options, queue, {.fixed_mask = mask.get(), .refine_poor = true});
    ASSERT_FALSE(found.matches.empty());
    for (const SlideMatch& match : found.matches) EXPECT_LT(match.fixed[0], 256);
    const SlideRegistration of_moving = register_slides(
        fixed, fixed, options, queue, {.moving_mask = mask.get(), .refine_poor = true});
    ASSERT_FALSE(of_moving.matches.empty());
    for (const SlideMatch& match : of_moving.matches)
        if (match.state == MatchState::accepted) {
            EXPECT_LT(match.moving[0], 256 + options.search);
        }
    EXPECT_LT(of_moving.kept, register_slides(fixed, fixed, options, queue).kept * 3 / 5);
    const auto small = picture_source(AnyImageView(Image<std::uint8_t>({511, 512})));
    EXPECT_THROW(register_slides(fixed, fixed, options, queue, {.fixed_mask = small.get()}),
                 InvalidArgument);
}

// What lies beyond the moving slide says nothing about the matches within.
TEST_P(RegisterSlides, SlidesThatOverlapLittleAreRefined) {
    const AnyImage picture = synthetic_stack_section(series(1024), 0).picture;
    const auto whole = pyramid(picture), part = pyramid(part_of(picture, {400, 0, 136, 1024}));
    SlideRegistrationOptions options = options_for(1024);
    options.window = 48;
    options.search = 16;
    options.accept_poor = true;
    Transform initial{.steps = {LinearMap{}}};
    std::get<LinearMap>(initial.steps.front()).translation[0] = -400;
    const SlideRegistration found =
        register_slides(whole, part, options, queue, {.initial = &initial, .refine_poor = true});
    const std::int64_t within = windows_within(found.matches);
    EXPECT_LT(within, 0.5 * static_cast<double>(found.matches.size()));
    const auto accepted =
        std::count_if(found.matches.begin(), found.matches.end(),
                      [](const SlideMatch& match) { return match.state == MatchState::accepted; });
    // Fewer than a fourth of all, but more of those.
    EXPECT_LT(accepted, 0.25 * static_cast<double>(found.matches.size()));
    EXPECT_GT(accepted, 0.25 * static_cast<double>(within));
    EXPECT_TRUE(found.is_refined);
}

TEST_P(RegisterSlides, InitialTransformsInAnotherUnitAreRefused) {
    AnyImage picture = synthetic_stack_section(series(512), 0).picture;
    const auto in_pixels = pyramid(picture);
    geometry_of(picture) = micrometers_per_pixel(1, 1);
    const auto in_millimeters = pyramid(picture);
    Transform initial{.steps = {LinearMap{}}};
    const auto is_taken = [&](const TileSource& slide) {
        try {
            return register_slides(slide, slide, options_for(512), queue, {.initial = &initial})
                .is_refined;
        } catch (const InvalidArgument&) {
            return false;
        }
    };
    EXPECT_TRUE(is_taken(in_pixels));
    EXPECT_FALSE(is_taken(in_millimeters));
    initial.fixed = ImageGrid{{256, 256}, {}};  // fitted to smaller pictures
    EXPECT_FALSE(is_taken(in_pixels));
    initial = {.unit = Unit::millimeter, .steps = {LinearMap{}}};
    EXPECT_FALSE(is_taken(in_pixels));
    EXPECT_TRUE(is_taken(in_millimeters));
    initial = {.steps = {LinearMap{}}, .has_unit = false};
    EXPECT_TRUE(is_taken(in_millimeters));
}

TEST_P(RegisterSlides, WhatIsNotRefined) {
    const auto fixed = pyramid(synthetic_stack_section(series(512), 0).picture);
    const auto moving = pyramid(synthetic_stack_section(series(512), 1).picture);
    SlideRegistrationOptions options = options_for(512);
    options.model = RegistrationModel::affine;
    EXPECT_FALSE(register_slides(fixed, moving, options, queue).is_refined);
    options.model = {};
    options.resolution = Length(4);  // that of the thumbnails
    EXPECT_FALSE(register_slides(fixed, moving, options, queue).is_refined);
    options.resolution = Length(2, Length::In::micrometer);
    EXPECT_THROW(register_slides(fixed, moving, options, queue), InvalidArgument);
    options.resolution = {};
    options.score = 1;  // nothing is as similar as that
    const SlideRegistration found = register_slides(fixed, moving, options, queue);
    EXPECT_FALSE(found.is_refined);
    ASSERT_FALSE(found.warnings.empty());
    EXPECT_NE(found.warnings.back().find("0 of "), std::string::npos) << found.warnings.back();
}

TEST_P(RegisterSlides, StopsBetweenWindows) {
    const auto fixed = pyramid(synthetic_stack_section(series(512), 0).picture);
    const auto moving = pyramid(synthetic_stack_section(series(512), 1).picture);
    CancelToken token;
    const Progress progress(
        [&](double, std::string_view stage) {
            if (stage == "match") token.cancel();
        },
        &token);
    EXPECT_THROW(register_slides(fixed, moving, options_for(512), queue, {}, 0, progress),
                 Cancelled);
}

// Stripes of 1 % of the range of brightness, and pixels that have all of it.
TEST(ComparedSlide, ContrastsAreSharesOfTheRange) {
    Image<std::uint8_t> picture({256, 128});
    for (std::int64_t y = 0; y < 128; ++y)
        for (std::int64_t x = 0; x < 256; ++x)
            picture(x, y) = static_cast<std::uint8_t>(x < 128 ? 100 + 2 * (x % 2) : x % 2 * 200);
    const auto slide = picture_source(AnyImageView(picture));
    const ComparedSlide compared("fixed", *slide, {}, {RegistrationChannel::gray, picture});
    const std::vector<double> contrasts = compared.contrasts({2, 1}, {128, 128}, 1, {});
    ASSERT_EQ(contrasts.size(), 2u);
    EXPECT_NEAR(contrasts[0], 1.0 / 200, 1e-4);
    EXPECT_NEAR(contrasts[1], 0.5, 1e-4);
}

// Windows at a sixteenth of the only level are those of a level of eighths.
TEST(ComparedSlide, BlocksLieWherePixelsOfACoarserLevelDo) {
    Image<std::uint16_t> picture({1504, 1304});
    for (std::int64_t y = 0; y < 1304; ++y)
        for (std::int64_t x = 0; x < 1504; ++x)
            picture(x, y) =
                static_cast<std::uint16_t>(20000 + 9000 * std::sin(0.02 * static_cast<double>(x)) +
                                           7000 * std::cos(0.03 * static_cast<double>(y)));
    const auto flat = pyramid(part_of(picture, {0, 0, 1500, 1300}), 1), deep = pyramid(picture, 4);
    const WindowSizes sizes{32, 16};
    const auto read = [&](const TileSource& source) {
        const ComparedSlide slide("fixed", source, {}, {RegistrationChannel{}, picture});
        const std::vector<ComparedSlide::ToPoints> windows{[](const SpacePoint& pixel) {
            return SpacePoint{16 * pixel[0] + 100.5, 16 * pixel[1] + 300.25, 0};
        }};
        return slide.read(slide.sampling(16 * 16), sizes, windows, 1);
    };
    const WindowBoxes blocks = read(flat), pixels = read(deep);
    EXPECT_EQ(blocks.samples, 2);
    EXPECT_EQ(blocks.samples, pixels.samples);
    // The box ends at the lower border of the slide, where the last blocks are smaller.
    EXPECT_EQ(blocks.sizes, (std::vector<std::int32_t>{132, 163 - 36}));
    EXPECT_EQ(blocks.sizes, pixels.sizes);
    ASSERT_EQ(blocks.nodes.size(), pixels.nodes.size());
    for (std::size_t i = 0; i < blocks.nodes.size(); ++i)
        EXPECT_NEAR(blocks.nodes[i], pixels.nodes[i], 1e-3);
    for (std::int32_t y = 0; y < 126; ++y)
        for (std::int32_t x = 0; x < 132; ++x) {
            const auto at = [&](const WindowBoxes& boxes) {
                return int{boxes.pixels[static_cast<std::size_t>(y * boxes.sizes[0] + x)]};
            };
            ASSERT_NEAR(at(blocks), at(pixels), 8) << x << " " << y;
        }
}

// As many candidates as the thesis has of a section of 16000^2 pixels.
TEST(SlideTiles, CoverTheSlide) {
    const ImageGrid grid{{16000, 16000}, {}};
    EXPECT_EQ(SlideTiles(grid, 1, 350).count(), 2025);
    EXPECT_EQ(SlideTiles(grid, 1, 150).count(), 11236);
    const SlideTiles coarse(grid, 4, 100);
    EXPECT_EQ(coarse.count(), 1600);
    EXPECT_EQ(coarse.in_level_0(coarse.middle(0)), (std::array{199.5, 199.5}));
    const SpacePoint place = coarse.placed(coarse.middle(41));
    EXPECT_NEAR(place[0], 599.5, 1e-9);
    EXPECT_NEAR(place[1], 599.5, 1e-9);
}

TEST(SlideTiles, FewerAreSpreadEvenly) {
    const SlideTiles tiles({{6400, 6400}, {}}, 1, 100);
    std::vector<std::int64_t> all(static_cast<std::size_t>(tiles.count()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
    const std::vector<std::int64_t> spread = spread_tiles(tiles, all, 256);
    ASSERT_EQ(spread.size(), 256u);
    std::array<int, 16> counts{};  // in the squares of a sixteenth each
    for (const std::int64_t tile : spread)
        ++counts[static_cast<std::size_t>(tile / 64 / 16 * 4 + tile % 64 / 16)];
    for (const int count : counts) EXPECT_EQ(count, 16);
    EXPECT_EQ(spread_tiles(tiles, {3, 1, 2}, 256).size(), 3u);
}

}  // namespace
}  // namespace tesela
