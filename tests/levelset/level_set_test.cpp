// Level sets from images and seeds, on every device: quality on phantoms, options, sessions, and
// what is refused.
#include "tesela/level_set.h"

#include <cmath>
#include <limits>

#include "devices.h"
#include "tesela/components.h"
#include "tesela/region_grow.h"
#include "tesela/synthetic_volume.h"

namespace tesela {
namespace {

class LevelSet : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(LevelSet);

Seeds seeds_of(const std::string& text) { return *parse_seeds(text); }

double dice(const LabelImage& labels, const LabelImage& truth, std::uint32_t label) {
    double both = 0, either = 0;
    for (std::size_t i = 0; i < truth.pixels().size(); ++i) {
        const bool a = labels.pixels()[i] == label, b = truth.pixels()[i] == label;
        both += a && b;
        either += double(a) + double(b);
    }
    return 2 * both / either;
}

SyntheticVolume phantom(VolumeScene scene, std::int64_t side = 64) {
    return synthetic_volume(
        {.scene = scene, .shape = {side, side, side}, .noise = 0.05, .bias = 0.2});
}

// One setting for all of them.
constexpr LevelSetOptions above_the_middle{.lower = 120};
constexpr LevelSetOptions by_statistics{.speed = LevelSetSpeed::statistics};

TEST_P(LevelSet, PhantomsAreFound) {
    for (const auto& [scene, seeds] : std::vector<std::pair<VolumeScene, std::string>>{
             {VolumeScene::sphere, "ball:32,32,32,5"},
             {VolumeScene::cube, "ball:32,32,32,5"},
             {VolumeScene::torus, "ball:49,32,32,4"}}) {
        const SyntheticVolume made = phantom(scene);
        const LevelSetResult found =
            level_set(made.image, seeds_of(seeds), above_the_middle, queue);
        EXPECT_GE(dice(found.labels, made.truth, 1), 0.99) << enum_name(scene);
        EXPECT_EQ(found.end, LevelSetEnd::stable);
        EXPECT_TRUE(found.warnings.empty()) << found.warnings.front();
    }
}

// Two balls of one label become one component without a rule for it.
TEST_P(LevelSet, TwoSeedsBecomeOneObject) {
    const SyntheticVolume made = phantom(VolumeScene::sphere);
    const Seeds seeds = seeds_of("ball:22,32,32,4=1;ball:42,32,32,4=1");
    const LabelImage labels = level_set(made.image, seeds, above_the_middle, queue).labels;
    EXPECT_GE(dice(labels, made.truth, 1), 0.99);
    EXPECT_EQ(components(labels, {}, queue).table.size(), 1u);
}

TEST_P(LevelSet, ObjectsThatTouchDoNotOverlap) {
    const SyntheticVolume made = phantom(VolumeScene::kissing_spheres);
    const LevelSetResult found =
        level_set(made.image, seeds_of("ball:19,32,32,4=4;45,32,32,4=9"), above_the_middle, queue);
    ASSERT_EQ(found.objects.size(), 2u);
    LabelImage truth = made.truth;
    for (std::uint32_t& label : truth.pixels()) label = label == 1 ? 4 : label == 2 ? 9 : 0;
    EXPECT_GE(dice(found.labels, truth, 4), 0.97);
    EXPECT_GE(dice(found.labels, truth, 9), 0.97);
    EXPECT_EQ(found.objects[1].label, 9u);
    EXPECT_EQ(*found.objects[1].volume, static_cast<double>(found.objects[1].points));
}

TEST_P(LevelSet, ALeakIsCutOffOrHeldBack) {
    const SyntheticVolume made = phantom(VolumeScene::bridged_spheres);
    const Seeds seeds = seeds_of("ball:16,32,32,4");
    const LevelSetResult leaked = level_set(made.image, seeds, above_the_middle, queue);
    EXPECT_LT(dice(leaked.labels, made.truth, 1), 0.8);
    ASSERT_EQ(leaked.warnings.size(), 1u);
    EXPECT_NE(leaked.warnings[0].find("of it hang by necks thinner than 4 pixels, around 4"),
              std::string::npos)
        << leaked.warnings[0];
    LevelSetOptions neck = above_the_middle;
    neck.neck = Length(3, Length::In::millimeter);
    const LevelSetResult cut = level_set(made.image, seeds, neck, queue);
    EXPECT_GE(dice(cut.labels, made.truth, 1), 0.98);
    ASSERT_EQ(cut.warnings.size(), 1u);
    EXPECT_NE(cut.warnings[0].find("mm^3 behind necks were cut off, around 4"), std::string::npos)
        << cut.warnings[0];
    const LevelSetStart with_background{.background = seeds_of("ball:48,32,32,4")};
    const LevelSetResult held =
        level_set(made.image, seeds, above_the_middle, queue, with_background);
    EXPECT_GE(dice(held.labels, made.truth, 1), 0.98);
    ASSERT_EQ(held.objects.size(), 1u);  // what is not wanted is no object
}

TEST_P(LevelSet, StatisticsFindTheLimits) {
    const SyntheticVolume made = phantom(VolumeScene::sphere);
    const LevelSetResult found =
        level_set(made.image, seeds_of("ball:32,32,32,8"), by_statistics, queue);
    EXPECT_FALSE(found.objects[0].found.has_value());
    // Their options ask for them too.
    EXPECT_EQ(level_set(made.image, seeds_of("ball:32,32,32,8"), {.multiplier = 3}, queue).speed,
              LevelSetSpeed::statistics);
    // Half of the blurred edge is beyond 2.5 deviations.
    EXPECT_GE(dice(found.labels, made.truth, 1), 0.95);
    // With the blurred edge; the deviation at most twice that of the seeds, of noise and bias.
    EXPECT_NEAR(*found.objects[0].mean, 158, 5);
    EXPECT_NEAR(*found.objects[0].deviation, 12, 5);
}

// The same sphere at two resolutions.
TEST_P(LevelSet, SpacingCounts) {
    const SyntheticVolume fine = phantom(VolumeScene::sphere);
    const SyntheticVolume coarse = synthetic_volume({.scene = VolumeScene::sphere,
                                                     .shape = {64, 64, 22},
                                                     .spacing = {1, 1, 3},
                                                     .noise = 0.05,
                                                     .bias = 0.2});
    LevelSetOptions options = above_the_middle;
    options.smoothing = Length(1, Length::In::millimeter);
    const LevelSetResult a = level_set(fine.image, seeds_of("ball:32,32,32,5mm"), options, queue);
    const LevelSetResult b = level_set(coarse.image, seeds_of("ball:32,32,32,5mm"), options, queue);
    EXPECT_GE(dice(b.labels, coarse.truth, 1), 0.95);
    EXPECT_NEAR(*b.objects[0].volume, *a.objects[0].volume, 0.03 * *a.objects[0].volume);
}

// Without smoothing the voxels of region growing by limits.
TEST_P(LevelSet, EqualsGrowthByLimits) {
    const SyntheticVolume made = phantom(VolumeScene::head, 48);
    const LimitGrowOptions limits{.lower = 100, .upper = 190, .connectivity = Connectivity::six};
    const Seeds seeds = seeds_of("32,24,24");
    const RegionGrowResult grown = region_grow(made.image, seeds, limits, queue);
    const LevelSetOptions options{.lower = 100, .upper = 190, .smoothing = 0};
    const LevelSetResult found = level_set(made.image, seeds, options, queue);
    EXPECT_TRUE(found.labels.pixels() == grown.labels.pixels());
    // A fixed point: going on changes nothing.
    const LevelSetStart again{.from = found.labels};
    const LevelSetResult same = level_set(made.image, AutomaticSeeds{}, options, queue, again);
    EXPECT_TRUE(same.labels.pixels() == found.labels.pixels());
}

// Those of one object may be, where those of others are not.
TEST_P(LevelSet, SeedsOutsideOfTheLimitsAreTold) {
    Image<std::uint8_t> image({60, 40});
    for (std::int64_t y = 0; y < 40; ++y)
        for (std::int64_t x = 0; x < 60; ++x) image(x, y) = x < 30 ? 20 : 200;
    const LevelSetOptions options{.lower = 150, .upper = 250};
    const auto warnings = [&](const std::string& seeds) {
        return level_set(image, seeds_of(seeds), options, queue).warnings;
    };
    const auto tells = [](const std::vector<std::string>& all, const std::string& words) {
        return std::any_of(all.begin(), all.end(), [&](const std::string& warning) {
            return warning.find(words) != std::string::npos;
        });
    };
    EXPECT_TRUE(tells(warnings("ball:45,20,4=1;ball:10,20,1=2"),
                      "object 2: 5 of 5 seed points are outside of the limits, with values 20"));
    EXPECT_TRUE(tells(warnings("ball:30,20,4"), "object 1: "));
    EXPECT_FALSE(tells(warnings("ball:45,20,4"), "outside of the limits"));
}

TEST_P(LevelSet, GoingOnChangesLittle) {
    const SyntheticVolume made = phantom(VolumeScene::torus);
    const LevelSetResult first =
        level_set(made.image, seeds_of("ball:49,32,32,4"), above_the_middle, queue);
    const LevelSetStart again{.from = first.labels};
    const LevelSetResult second =
        level_set(made.image, AutomaticSeeds{}, above_the_middle, queue, again);
    EXPECT_GE(dice(first.labels, second.labels, 1), 0.995);
}

TEST_P(LevelSet, ASessionIsMended) {
    const SyntheticVolume made = phantom(VolumeScene::bridged_spheres);
    const AnyImage image = made.image;
    LevelSetSession session(image, above_the_middle, queue);
    session.add_seeds(seeds_of("ball:16,32,32,4"));
    EXPECT_EQ(session.advance(10).end, LevelSetEnd::none);  // not grown yet
    EXPECT_EQ(session.advance(5000).end, LevelSetEnd::stable);
    EXPECT_LT(dice(session.labels(), made.truth, 1), 0.8);
    session.erase(seeds_of("box:30,0,0,63,63,63"));
    session.add_background(seeds_of("ball:48,32,32,4"));
    session.advance(5000);
    EXPECT_GE(dice(session.labels(), made.truth, 1), 0.97);  // half of the bridge stays
    session.add_seeds(seeds_of("ball:48,32,32,4=2"));        // it is wanted after all
    LevelSetOptions options = above_the_middle;
    options.lower = 119;
    session.set_options(options);
    const LevelSetReport report = session.advance(5000);
    EXPECT_EQ(report.objects.size(), 2u);
}

// What is erased altogether stays away, with limits and with statistics.
TEST_P(LevelSet, AnObjectMayBeErasedAltogether) {
    const SyntheticVolume made = phantom(VolumeScene::kissing_spheres);
    const LevelSetResult both =
        level_set(made.image, seeds_of("ball:19,32,32,4=4;45,32,32,4=9"), above_the_middle, queue);
    const Seeds second = seeds_of("box:28,0,0,63,63,63"), all = seeds_of("box:0,0,0,63,63,63");
    for (const LevelSetOptions& options : {above_the_middle, by_statistics, LevelSetOptions{}}) {
        const LevelSetResult left = level_set(made.image, AutomaticSeeds{}, options, queue,
                                              {.from = both.labels, .erase = second});
        ASSERT_EQ(left.objects.size(), 2u);
        EXPECT_GT(left.objects[0].points, 0);
        EXPECT_EQ(left.objects[1].points, 0);
        EXPECT_FALSE(left.objects[1].mean.has_value());
        EXPECT_THROW(level_set(made.image, AutomaticSeeds{}, options, queue,
                               {.from = both.labels, .erase = all}),
                     InvalidArgument);
    }
}

// What grew from seeds that are gone goes on from its points.
TEST_P(LevelSet, ErasedSeedsLeaveWhatGrew) {
    const SyntheticVolume made = phantom(VolumeScene::kissing_spheres);
    const AnyImage image = made.image;
    LevelSetSession session(image, by_statistics, queue);
    session.add_seeds(seeds_of("ball:19,32,32,8=4;45,32,32,8=9"));
    const LevelSetReport grown = session.advance(5000);
    session.erase(seeds_of("ball:45,32,32,8"));
    const LevelSetReport report = session.advance(5000);
    ASSERT_EQ(report.objects.size(), 2u);
    EXPECT_GT(report.objects[1].points, grown.objects[1].points / 2);
    EXPECT_NEAR(*report.objects[1].mean, *grown.objects[1].mean, 10);
}

// Labels that are refused leave the session as it was.
TEST_P(LevelSet, ARefusedStartChangesNothing) {
    const SyntheticVolume made = phantom(VolumeScene::sphere, 32);
    const AnyImage image = made.image;
    LevelSetSession session(image, above_the_middle, queue);
    session.add_seeds(seeds_of("ball:16,16,16,3"));
    LabelImage many(shape_of(image));
    for (std::size_t i = 0; i < 300; ++i) many.pixels()[i] = static_cast<std::uint32_t>(i + 1);
    EXPECT_THROW(session.start_from(many), InvalidArgument);
    LevelSetSession other(image, above_the_middle, queue);
    other.add_seeds(seeds_of("ball:16,16,16,3"));
    EXPECT_EQ(session.advance(5000).objects[0].points, other.advance(5000).objects[0].points);
    EXPECT_TRUE(session.labels().pixels() == other.labels().pixels());
}

TEST_P(LevelSet, ASecondRunAllocatesNothing) {
    const SyntheticVolume made = phantom(VolumeScene::sphere, 32);
    const AnyImage image = made.image;
    LevelSetSession session(image, above_the_middle, queue);
    session.add_seeds(seeds_of("ball:16,16,16,3"));
    const LabelImage start = session.labels();
    const auto run = [&] {
        session.start_from(start);
        session.advance(5000);
        return session.labels();
    };
    const LabelImage first = run();
    const auto before = queue.counters();
    const LabelImage second = run();
    EXPECT_EQ(queue.counters().allocations, before.allocations);
    EXPECT_TRUE(first.pixels() == second.pixels());
}

TEST_P(LevelSet, MemoryStaysWithinThePlan) {
    for (const Shape& shape : {Shape{300, 200}, Shape{70, 60, 50}})
        for (const std::string second : {"", ";40,40,3=2"})
            for (const double edge : {0.0, 0.5})
                for (const double neck : {0.0, 3.0}) {
                    const std::string seeds =
                        shape.z > 1
                            ? "ball:30,30,20,4" + std::string(second.empty() ? "" : ";40,40,20,3=2")
                            : "ball:30,30,4" + second;
                    Image<std::uint8_t> image(shape);
                    for (std::int64_t i = 0; i < shape.points(); ++i)
                        image.pixels()[static_cast<std::size_t>(i)] = i % 251 < 248 ? 200 : 50;
                    LevelSetOptions options{.lower = 100.0, .neck = neck};
                    if (edge > 0) options.edge = edge;
                    Queue fresh(GetParam());
                    level_set(image, seeds_of(seeds), options, fresh);
                    EXPECT_LE(fresh.counters().peak_bytes_in_use,
                              level_set_device_bytes(image, options) * 17 / 16 + 65536)
                        << shape.x << "x" << shape.y << ", edge " << edge << ", neck " << neck;
                }
    // Beside the image 9 bytes a voxel with --edge until growth begins; 17.2 where an object whose
    // box is the whole image is searched for necks, 18.2 where these are cut.
    const Image<std::uint8_t> large({256, 256, 256});
    const auto bytes = [&](const LevelSetOptions& options) {
        return static_cast<double>(level_set_device_bytes(large, options)) /
                   static_cast<double>(large.shape().points()) -
               1;
    };
    EXPECT_LE(bytes({}), 18.3);  // necks may be cut
    EXPECT_LE(bytes({.lower = 1}), 17.3);
    EXPECT_LE(bytes({.lower = 1, .edge = 0.5}), 17.3);
    EXPECT_LE(bytes({.neck = 3}), 18.3);
}

TEST_P(LevelSet, MaskHolesAndLimitsOfVolume) {
    Image<std::uint8_t> image({40, 30});
    std::fill(image.pixels().begin(), image.pixels().end(), 100);
    for (std::int64_t y = 12; y < 16; ++y) image(20, y) = 0;
    Image<std::uint8_t> mask({40, 30});
    for (std::int64_t y = 5; y < 25; ++y)
        for (std::int64_t x = 5; x < 35; ++x) mask(x, y) = 1;
    const AnyImage any_mask = mask;
    const Seeds seeds = seeds_of("ball:10,10,2");
    LevelSetOptions options{.lower = 50, .smoothing = 0};
    const LevelSetResult within = level_set(image, seeds, options, queue, {.mask = any_mask});
    EXPECT_EQ(within.objects[0].points, 20 * 30 - 4);
    EXPECT_TRUE(within.warnings.empty());
    options.fill_holes = true;
    const LevelSetResult filled = level_set(image, seeds, options, queue, {.mask = any_mask});
    EXPECT_EQ(filled.objects[0].points, 20 * 30);
    const LevelSetResult whole = level_set(image, seeds, options, queue);
    EXPECT_EQ(whole.objects[0].points, 40 * 30);
    ASSERT_EQ(whole.warnings.size(), 1u);
    EXPECT_NE(whole.warnings[0].find("border"), std::string::npos);
    options.max_volume = 60;
    const LevelSetResult stopped = level_set(image, seeds, options, queue);
    EXPECT_EQ(stopped.end, LevelSetEnd::max_volume);
    EXPECT_LT(stopped.objects[0].points, 40 * 30);
    options = {.lower = 50, .smoothing = 0, .data_steps = 2, .max_iterations = 4};
    EXPECT_EQ(level_set(image, seeds, options, queue).end, LevelSetEnd::max_iterations);
}

TEST_P(LevelSet, AnObserverStopsARun) {
    Image<std::uint8_t> image({60, 60});
    std::vector<std::int64_t> seen;
    const LevelSetResult found = level_set(
        image, seeds_of("30,30"), {.upper = 10, .data_steps = 5}, queue, {},
        [&](const LevelSetReport& report, LevelSetSession& session) {
            seen.push_back(report.iterations);
            EXPECT_EQ(session.labels()(30, 30), 1u);
            return report.iterations < 15;
        },
        5);
    EXPECT_EQ(seen, (std::vector<std::int64_t>{5, 10, 15}));
    EXPECT_EQ(found.end, LevelSetEnd::stopped);
}

TEST_P(LevelSet, SmallAndConstantImages) {
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 1, 5}, Shape{7, 1}, Shape{5, 4, 3}}) {
        Image<float> image(shape);
        const LevelSetResult found = level_set(image, seeds_of("box:0,0,0,0,0,0"), {}, queue);
        EXPECT_EQ(found.objects[0].points, shape.points());
    }
}

TEST_P(LevelSet, BadInput) {
    Image<float> image({10, 10});
    image(3, 3) = std::numeric_limits<float>::quiet_NaN();
    const AnyImage input = image;
    const auto refused = [&](const AnyImage& any, const std::string& seeds,
                             const LevelSetOptions& options, const std::string& word,
                             const LevelSetStart& start = {}) {
        try {
            level_set(any, seeds_of(seeds), options, queue, start);
            ADD_FAILURE() << "taken; expected: " << word;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    };
    refused(input, "ball:30,5,2", {}, "outside of the image");
    refused(input, "ball:3,3,1", {}, "not a finite number");
    refused(input, "auto", {}, "auto");
    refused(input, "5,5", {.lower = 3, .upper = 2}, "above --upper");
    refused(input, "5,5", {.lower = 3}, "seeds have values from 0 to 0");
    refused(input, "5,5", {.lower = 0, .speed = LevelSetSpeed::statistics}, "limits of --speed");
    refused(input, "5,5", {.smoothing = 2}, "--smoothing");
    refused(input, "5,5", {.neck = Length(2, Length::In::millimeter)}, "--spacing");
    refused(input, "5,5", {.multiplier = 0}, "multiplier");
    refused(Image<std::uint8_t>({4, 4, 1, 1, 3}), "1,1", {}, "one channel");
    refused(Image<std::uint8_t>({4, 4, 1, 2}), "1,1,0,0", {}, "frames");
    const AnyImage mask = Image<std::uint8_t>({10, 10}), small = Image<std::uint8_t>({4, 4});
    refused(input, "5,5", {}, "outside of the mask", {.mask = mask});
    refused(input, "5,5", {}, "size", {.mask = small});
    const LabelImage other({4, 4});
    refused(input, "5,5", {}, "size", {.from = other});
    std::string many;
    for (int i = 0; i < 40 * 40; i += 6)
        many += std::to_string(i % 40) + "," + std::to_string(i / 40) + ";";
    refused(Image<std::uint8_t>({40, 40}), many, {}, "at most 254");
}

}  // namespace
}  // namespace tesela
