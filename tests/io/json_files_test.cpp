// Files of JSON: limits of depth and of numbers.
#include <fstream>

#include "io/json_file.h"
#include "support.h"
#include "tesela/render_io.h"
#include "tesela/transform_io.h"

namespace tesela::io {
namespace {

using testing::expect_unreadable;

class JsonFiles : public testing::HandWrittenTest {};

TEST_F(JsonFiles, DepthIsLimited) {
    const auto nested = [](std::size_t levels) {
        return R"({"x": )" + std::string(levels, '[') + std::string(levels, ']') + "}";
    };
    EXPECT_NO_THROW(read_json(text("a.json", nested(60)), 0));
    expect_unreadable({"more than 64 levels deep"},
                      [&] { read_json(text("a.json", nested(70)), 0); });
    for (const std::size_t levels : {100u, 100000u}) {
        const fs::path deep = text("deep.json", nested(levels));
        expect_unreadable({"64 levels"}, [&] { read_transform(deep); });
        expect_unreadable({"64 levels"}, [&] { read_camera(deep); });
        expect_unreadable({"64 levels"}, [&] { read_label_entries(deep); });
    }
}

TEST_F(JsonFiles, WholeNumbers) {
    EXPECT_EQ(whole_number<int>(Json::parse("7"), "n"), 7);
    EXPECT_EQ(whole_number<std::uint32_t>(Json::parse("4294967295"), "n"), 4294967295u);
    for (const char* wrong : {"4.5", "1e300", "2147483648", "18446744073709551615", "true", "\"7\"",
                              "[7]", "-2147483649"})
        EXPECT_THROW(whole_number<int>(Json::parse(wrong), "n"), InvalidArgument) << wrong;
    EXPECT_THROW(whole_number<std::uint32_t>(Json::parse("-1"), "n"), InvalidArgument);
}

std::string camera(const std::string& position, const std::string& size) {
    return R"({"position": [)" + position + R"(], "target": [0, 0, 0], "up": [0, 0, 1], )" + size +
           "}";
}

TEST_F(JsonFiles, CamerasWithinSinglePrecision) {
    EXPECT_EQ(read_camera(text("a.json", camera("0, -10, 0", R"("height": 3)"))).height, 3);
    for (const auto& [position, size] : {std::pair{"0, -10, 0", R"("height": 1e300)"},
                                         {"0, -10, 0", R"("height": 1e39)"},
                                         {"0, -10, 0", R"("height": 1e-300)"},
                                         {"0, -1e39, 0", R"("height": 1)"},
                                         {"0, -10, 0", R"("view_angle": 1e-300)"},
                                         {"0, -10, 0", R"("height": 1e999)"}}) {
        const std::string given = camera(position, size);
        expect_unreadable({"a.json"}, [&] { read_camera(text("a.json", given)); });
    }
}

std::string transfer(const std::string& units, const std::string& value) {
    return R"({"format": "tesela-transfer", "version": 1, "units": ")" + units +
           R"(", "color": [[0, 0, 0, 0], [)" + value + R"(, 1, 1, 1]], "opacity": [[0, 0.5]]})";
}

TEST_F(JsonFiles, TransferFunctionsNameTheirUnits) {
    EXPECT_FALSE(read_transfer_function(text("a.json", transfer("file", "9"))).relative);
    EXPECT_TRUE(read_transfer_function(text("a.json", transfer("percentiles", "9"))).relative);
    expect_unreadable({"units are 'foo'"},
                      [&] { read_transfer_function(text("a.json", transfer("foo", "9"))); });
    expect_unreadable({"point 2 of the color"},
                      [&] { read_transfer_function(text("a.json", transfer("file", "1e39"))); });
    const std::string property = "1\n1\n0.7\n0.25\n0.15\n16\n2 1e300 0.5\n0\n4 0 0 0 0\n";
    expect_unreadable({"point 1 of the opacity"},
                      [&] { read_transfer_function(text("a.vp", property)); });
}

TEST_F(JsonFiles, TransferFunctionsAndCamerasAreRightAsTextsAsWell) {
    const std::string given = transfer("file", "9");
    const TransferFunction read = read_transfer_function(text("a.json", given));
    EXPECT_EQ(parse_transfer_function(given), read);
    EXPECT_EQ(parse_transfer_function(transfer_function_text(read)), read);
    const std::string seen = camera("0, -10.25, 0", R"("height": 3)");
    EXPECT_EQ(parse_camera(seen), read_camera(text("a.json", seen)));
    for (const std::string& wrong :
         {std::string("{"), std::string("{}"), std::string("7"), std::string(100000, '['),
          std::string(std::size_t{2} << 20, ' ')}) {
        EXPECT_THROW(parse_transfer_function(wrong), InvalidArgument) << wrong.substr(0, 20);
        EXPECT_THROW(parse_camera(wrong), InvalidArgument) << wrong.substr(0, 20);
    }
    EXPECT_THROW(parse_camera(camera("0, 0, 0", R"("height": 3)")), InvalidArgument);
    EXPECT_THROW(parse_transfer_function(transfer("foo", "9")), InvalidArgument);
}

std::string spline(const std::string& size, const std::string& spacing,
                   const std::string& displacement) {
    std::string text =
        R"({"format": "tesela-transform", "version": 1, "dimensions": 2, "unit": "px",)"
        R"( "steps": [{"type": "bspline", "size": [)" +
        size + R"(], "origin": [0, 0], "spacing": [)" + spacing + R"(], "displacements": [)" +
        displacement;
    for (int i = 1; i < 32; ++i) text += ", 1";
    return text + "]}]}";
}

TEST_F(JsonFiles, SplinesWithinSinglePrecision) {
    EXPECT_NO_THROW(read_transform(text("a.json", spline("4, 4", "1e-9, 2", "1"))));
    for (const char* spacing : {"1e-308, 1", "1, 1e-40", "0, 1", "1e300, 1"})
        expect_unreadable({"node spacing"},
                          [&] { read_transform(text("a.json", spline("4, 4", spacing, "1"))); });
    for (const char* size : {"4, 4.5", "4, 1e300"})
        expect_unreadable({"'size' is ", "not a whole number"},
                          [&] { read_transform(text("a.json", spline(size, "1, 1", "1"))); });
    for (const char* size : {"4, 1000000000", "4, 4000000", "9223372036854775807, 4", "-4, -4"})
        expect_unreadable({"B-spline"},
                          [&] { read_transform(text("a.json", spline(size, "1, 1", "1"))); });
    expect_unreadable({"1e+39", "beyond 1e+12"},
                      [&] { read_transform(text("a.json", spline("4, 4", "1, 1", "1e39"))); });
    const std::string itk =
        "#Insight Transform File V1.0\n#Transform 0\nTransform: BSplineTransform_double_2_2\n"
        "Parameters: 1 2\nFixedParameters: 1048576 256 0 0 1 1 1 0 0 1\n";
    expect_unreadable({"268435456 nodes"}, [&] { read_transform(text("a.tfm", itk)); });
}

TEST_F(JsonFiles, MatricesWithinSinglePrecision) {
    const auto affine = [](const std::string& first) {
        return R"({"format": "tesela-transform", "version": 1, "dimensions": 2, "unit": "px",)"
               R"( "steps": [{"type": "affine", "matrix": [[)" +
               first + R"(, 0], [0, 1]], "translation": [0, 0]}]})";
    };
    EXPECT_NO_THROW(read_transform(text("a.json", affine("1e-6"))));
    for (const char* first : {"1e300", "1e39", "1e13"})
        expect_unreadable({"beyond 1e+12"}, [&] { read_transform(text("a.json", affine(first))); });
}

}  // namespace
}  // namespace tesela::io
