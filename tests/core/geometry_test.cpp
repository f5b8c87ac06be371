#include "tesela/geometry.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tesela/error.h"

namespace tesela {
namespace {

TEST(LengthText, NumbersWithUnits) {
    EXPECT_EQ(Length::parse("8"), Length(8));
    EXPECT_EQ(Length::parse("8px"), Length(8));
    EXPECT_EQ(Length::parse("2.5mm"), Length(2.5, Length::In::millimeter));
    EXPECT_EQ(Length::parse("12um"), Length(12, Length::In::micrometer));
    EXPECT_EQ(Length::parse("1e-3mm"), Length(1e-3, Length::In::millimeter));
    EXPECT_FALSE(Length::parse("8px").physical());
    EXPECT_DOUBLE_EQ(Length::parse("12um").millimeters(), 0.012);
}

TEST(LengthText, GarbageIsRefused) {
    for (const char* text : {"", "px", "mm", "8cm", "8 mm", "8mmm", "eight", "8,5", "--8", "0x8"})
        EXPECT_THROW(Length::parse(text), InvalidArgument) << text;
}

TEST(LengthText, RoundTrip) {
    for (const char* text : {"8px", "2.5mm", "12um", "0.125px"})
        EXPECT_EQ(Length::parse(text).to_string(), text);
}

TEST(GeometryOf, SpacingInMillimeters) {
    Geometry geometry;
    EXPECT_FALSE(geometry.known());
    EXPECT_THROW(geometry.spacing_mm(), InvalidArgument);
    geometry.spacing = {500, 250, 1000};
    geometry.unit = Unit::micrometer;
    EXPECT_DOUBLE_EQ(geometry.spacing_mm()[0], 0.5);
    EXPECT_DOUBLE_EQ(geometry.spacing_mm()[2], 1);
}

TEST(GeometryOf, OrientationLetters) {
    Geometry geometry;
    EXPECT_EQ(geometry.orientation(), "LPS");
    geometry.direction = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
    EXPECT_EQ(geometry.orientation(), "RAS");
    geometry.direction = {0, 0, 1, 1, 0, 0, 0, -1, 0};  // sagittal slices
    EXPECT_EQ(geometry.orientation(), "PIL");
    const double c = std::cos(0.3), s = std::sin(0.3);
    geometry.direction = {c, -s, 0, s, c, 0, 0, 0, -1};
    EXPECT_EQ(geometry.orientation(), "LPI");
}

}  // namespace
}  // namespace tesela
