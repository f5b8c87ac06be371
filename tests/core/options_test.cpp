#include "tesela/options.h"

#include <gtest/gtest.h>

#include "tesela/mean_shift.h"

namespace tesela {
namespace {

TEST(OptionRanges, WhatTheyHold) {
    const OptionRange open{.lowest = 0, .highest = 1, .excludes_lowest = true};
    EXPECT_FALSE(open.holds(0));
    EXPECT_TRUE(open.holds(1e-300));
    EXPECT_TRUE(open.holds(1));
    EXPECT_FALSE(open.holds(1.0000001));
    EXPECT_FALSE(open.holds(std::nan("")));
    EXPECT_FALSE(OptionRange{}.holds(std::nan("")));
    EXPECT_TRUE(OptionRange{}.holds(-1e300));
}

TEST(OptionRanges, AsText) {
    EXPECT_EQ((OptionRange{.lowest = 0}).to_string(), "at least 0");
    EXPECT_EQ((OptionRange{.lowest = 0, .excludes_lowest = true}).to_string(), "above 0");
    EXPECT_EQ((OptionRange{.lowest = 1, .highest = 100}).to_string(), "1 to 100");
    EXPECT_EQ((OptionRange{.highest = 2.5}).to_string(), "at most 2.5");
    EXPECT_EQ((OptionRange{.lowest = 0, .highest = 1, .excludes_lowest = true}).to_string(),
              "above 0 and at most 1");
    EXPECT_EQ(OptionRange{}.to_string(), "");
}

void expect_refused(const MeanShiftOptions& options, const std::string& words) {
    try {
        validate_options(options);
        ADD_FAILURE() << words;
    } catch (const InvalidArgument& error) {
        EXPECT_EQ(error.what(), words);
    }
}

TEST(OptionValidation, NamesFieldValueAndRange) {
    EXPECT_NO_THROW(validate_options(MeanShiftOptions{}));
    expect_refused({.spatial_bandwidth = 0}, "--spatial is 0px; it must be above 0");
    expect_refused({.spatial_bandwidth = Length(-2, Length::In::millimeter)},
                   "--spatial is -2mm; it must be above 0");
    expect_refused({.range_bandwidth = -1.5}, "--range is -1.5; it must be above 0");
    expect_refused({.range_bandwidth = std::nan("")}, "--range is nan; it must be above 0");
    expect_refused({.range_bandwidth = INFINITY}, "--range is inf; it must be above 0");
    expect_refused({.epsilon = 2}, "--epsilon is 2; it must be above 0 and at most 1");
    expect_refused({.max_iterations = 0}, "--max-iterations is 0; it must be 1 to 1000000");
}

TEST(OptionEnumerations, NamesBothWays) {
    EXPECT_EQ(enum_name(ColorSpace::automatic), "auto");
    EXPECT_EQ(parse_enum<ColorSpace>("color-space", "lab"), ColorSpace::lab);
    try {
        parse_enum<ColorSpace>("color-space", "hsv");
        FAIL();
    } catch (const InvalidArgument& error) {
        EXPECT_STREQ(error.what(), "--color-space: 'hsv' is not one of auto, luv, lab, intensity");
    }
}

}  // namespace
}  // namespace tesela
