// Parsing of option types, conversion of pixel types, configuration files.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "config.h"
#include "files/convert.h"
#include "image_values.h"
#include "option_types.h"
#include "shown_text.h"
#include "tesela/error.h"

namespace tesela::cli {
namespace {

using files::Conversion;
using files::convert;

TEST(ByteSizes, AreWrittenAsTheyAreRead) {
    for (const char* text : {"1", "1000", "1023", "2K", "1536K", "512M", "8G", "3T", "2048T"}) {
        EXPECT_EQ(bytes_text(parse_bytes("m", text)), text);
    }
}

TEST(ByteSizes, SuffixesAreBinary) {
    EXPECT_EQ(parse_bytes("m", "1000").bytes, 1000);
    EXPECT_EQ(parse_bytes("m", "2K").bytes, 2048);
    EXPECT_EQ(parse_bytes("m", "1.5M").bytes, 3 << 19);
    EXPECT_EQ(parse_bytes("m", "8G").bytes, std::int64_t{8} << 30);
    EXPECT_EQ(parse_bytes("m", "1T").bytes, std::int64_t{1} << 40);
    for (const char* text : {"", "G", "0", "-1G", "1GB", "1 G", "nan", "inf", "1e300G", "8g"})
        EXPECT_THROW(parse_bytes("m", text), InvalidArgument) << text;
}

TEST(ByteSizes, Readable) {
    EXPECT_EQ(readable_bytes(0), "0 bytes");
    EXPECT_EQ(readable_bytes(1023), "1023 bytes");
    EXPECT_EQ(readable_bytes(1024), "1.00 KiB");
    EXPECT_EQ(readable_bytes(std::int64_t{12} << 30), "12.0 GiB");
}

TEST(Spacings, OneToThreePositiveNumbers) {
    const auto one = parse_spacing("s", "0.5").millimeters;
    EXPECT_EQ(one[0], 0.5);
    EXPECT_EQ(one[1], 0.5);
    EXPECT_NEAR(parse_spacing("s", "0.5um").millimeters[0], 0.0005, 1e-12);
    EXPECT_EQ(parse_spacing("s", "0.5,2").millimeters, (std::array<double, 3>{0.5, 2, 0}));
    EXPECT_EQ(parse_spacing("s", "1,2,3").millimeters, (std::array<double, 3>{1, 2, 3}));
    for (const char* text : {"", "1,", ",1", "1,2,", "1,0", "1,-1", "1,nan", "1,2,3,4", "1;2"})
        EXPECT_THROW(parse_spacing("s", text), InvalidArgument) << text;
}

TEST(ShownText, BytesThatAreNoTextAreEscaped) {
    for (const std::string text :
         {"plain.png", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82", "a\\b", ""}) {
        EXPECT_EQ(as_utf8(text), text);
        EXPECT_EQ(on_one_line(text), text);
    }
    // A lone byte, an overlong form, a surrogate, beyond Unicode, and a character cut off.
    EXPECT_EQ(as_utf8("a\xff\x80z"), "a\\xff\\x80z");
    EXPECT_EQ(as_utf8("\xc0\x80\xe0\x9f\xbf"), "\\xc0\\x80\\xe0\\x9f\\xbf");
    EXPECT_EQ(as_utf8("\xed\xa0\x80"), "\\xed\\xa0\\x80");
    EXPECT_EQ(as_utf8("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
    EXPECT_EQ(as_utf8("\xe2\x82"), "\\xe2\\x82");
    EXPECT_EQ(as_utf8("a\n\x1b\x7f"), "a\n\x1b\x7f");
    EXPECT_EQ(on_one_line("a\n\x1b\x7f\xff"), "a\\x0a\\x1b\\x7f\\xff");
    EXPECT_EQ(on_one_line("\xc2\x85\xe2\x80\xa8"), "\\xc2\\x85\\xe2\\x80\\xa8");
}

TEST(Conversion, RoundsAndSaturates) {
    Image<float> image({6, 1});
    image.pixels() = {-1.f, 0.5f, 1.5f, 254.4f, 300.f, std::nanf("")};
    const Conversion u8 = convert(image, PixelType::u8);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(u8.image).pixels(),
              (std::vector<std::uint8_t>{0, 1, 2, 254, 255, 0}));
    EXPECT_EQ(u8.saturated, 3);
    EXPECT_EQ(u8.rounded, 3);
    const Conversion i8 = convert(image, PixelType::i8);
    EXPECT_EQ(std::get<Image<std::int8_t>>(i8.image).pixels(),
              (std::vector<std::int8_t>{-1, 1, 2, 127, 127, 0}));
}

TEST(Conversion, LimitsOfWideTypes) {
    Image<double> image({3, 1});
    image.pixels() = {1e300, -1e300, 4294967295.0};
    EXPECT_EQ(std::get<Image<std::uint32_t>>(convert(image, PixelType::u32).image).pixels(),
              (std::vector<std::uint32_t>{4294967295u, 0, 4294967295u}));
    const Conversion f32 = convert(image, PixelType::f32);
    EXPECT_EQ(f32.saturated, 2);
    EXPECT_TRUE(std::isfinite(std::get<Image<float>>(f32.image)(0, 0)));
}

TEST(Conversion, KeepsGeometryAndAlpha) {
    Image<std::uint8_t> image({2, 2, 1, 1, 2});
    image.has_alpha = true;
    image.geometry.spacing = {2, 3, 4};
    const AnyImage converted = convert(image, PixelType::i16).image;
    EXPECT_TRUE(has_alpha(converted));
    EXPECT_EQ(geometry_of(converted), image.geometry);
    EXPECT_EQ(shape_of(converted), image.shape());
}

TEST(Statistics, FiniteNaNAndAlpha) {
    Image<float> image({2, 2, 1, 1, 2});
    image.has_alpha = true;
    image.pixels() = {1, 900, -3, 900, std::nanf(""), 900, INFINITY, 900};
    const ValueStatistics s = value_statistics(image);
    EXPECT_EQ(s.lowest, -3);
    EXPECT_EQ(s.highest, 1);
    EXPECT_EQ(s.nan, 1);
    EXPECT_EQ(s.infinite, 1);
}

TEST(ConfigFiles, OwnSectionAndTop) {
    const auto names = [](const std::string& text) {
        std::string found;
        for (const Setting& setting : settings_for("mean-shift", "job", text))
            found += setting.name + "=" + setting.value + ";";
        return found;
    };
    EXPECT_EQ(names("a = 1\n[mean-shift]\nb = 2\n[flow]\nc = 3\n"), "b=2;a=1;");
    EXPECT_EQ(names(R"({"a": 1, "mean-shift": {"b": "2mm", "d": [1, 2]}, "flow": {"c": 3}})"),
              "b=2mm;d=1,2;a=1;");
    EXPECT_EQ(names(R"({"a": null})"), "");
    EXPECT_THROW(names("{nonsense"), InvalidArgument);
}

}  // namespace
}  // namespace tesela::cli
