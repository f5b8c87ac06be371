// Slices against the pixels of the image, and images as the page is told of them.
#include <zlib.h>

#include <cstring>

#include "tesela/io.h"
#include "viewer_test.h"

namespace tesela::viewer::testing {
namespace {

std::string inflated(const std::string& gzip) {
    z_stream stream{};
    inflateInit2(&stream, 15 + 16);
    std::string out(std::size_t{1} << 22, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
    stream.avail_in = static_cast<uInt>(gzip.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    inflateEnd(&stream);
    return out;
}

// No two pixels are alike, nor is a constant stretch in it.
template <class T>
Image<T> numbered(const Shape& shape) {
    Image<T> image(shape, {.unit = Unit::millimeter});
    std::uint32_t state = 1;
    for (T& value : image.pixels()) {
        state = state * 1664525u + 1013904223u;
        const auto number = static_cast<std::int64_t>(state >> 16) - 30000;
        value = static_cast<T>(std::is_floating_point_v<T> ? static_cast<double>(number) / 3
                                                           : static_cast<double>(number & 0x7f));
    }
    return image;
}

class Slices : public ViewerTest {
  protected:
    // Every slice of every axis, with every step, against the image, which is image 1.
    template <class T, class Sent>
    void expect_all(const Image<T>& image, const std::string& type) {
        const Shape& s = image.shape();
        const std::int64_t lengths[] = {s.x, s.y, s.z};
        for (int axis = 0; axis < 3; ++axis)
            for (const std::int64_t step : {1, 2, 4, 8})
                for (const std::int64_t index : {std::int64_t{0}, lengths[axis] - 1})
                    for (std::int64_t t = 0; t < s.t; ++t)
                        for (int channel = -1; channel < s.channels; ++channel)
                            expect_slice<T, Sent>(image, type, axis, index, t, channel, step);
    }

  private:
    template <class T, class Sent>
    void expect_slice(const Image<T>& image, const std::string& type, int axis, std::int64_t index,
                      std::int64_t t, int channel, std::int64_t step) {
        const Shape& s = image.shape();
        const std::int64_t width = axis == 0 ? s.y : s.x, height = axis == 2 ? s.y : s.z;
        std::string expected;
        std::int64_t columns = 0, rows = 0;
        for (std::int64_t row = 0; row < height; row += step, ++rows)
            for (std::int64_t column = columns = 0; column < width; column += step, ++columns)
                for (int c = 0; c < s.channels; ++c) {
                    if (channel >= 0 && c != channel) continue;
                    const T value = axis == 0   ? image(index, column, row, t, c)
                                    : axis == 1 ? image(column, index, row, t, c)
                                                : image(column, row, index, t, c);
                    const auto sent = static_cast<Sent>(value);
                    expected.append(reinterpret_cast<const char*>(&sent), sizeof sent);
                }
        std::string address = "/api/images/1/slice?axis=" + std::string(1, "xyz"[axis]) +
                              "&index=" + std::to_string(index) + "&t=" + std::to_string(t) +
                              "&step=" + std::to_string(step);
        if (channel >= 0) address += "&channel=" + std::to_string(channel);
        const Answer answer = client().get(address);
        ASSERT_EQ(answer.status, 200) << address << answer.body;
        EXPECT_EQ(answer.headers.at("x-tesela-slice"),
                  std::to_string(columns) + " " + std::to_string(rows) + " " + type + " " +
                      std::to_string(channel >= 0 ? 1 : s.channels));
        EXPECT_TRUE(answer.body == expected) << address << " " << answer.body.size() << " bytes";
    }
};

TEST_F(Slices, AreTheSamplesOfTheImageAlongAllAxes) {
    const Shape volume{11, 7, 5}, colors{9, 6, 1, 1, 3}, series{5, 4, 3, 2};
    const auto shown = [&](const AnyImage& image, const std::string& name) {
        write(name, image);
        start(std::vector<std::string>{name});
    };
    shown(numbered<std::uint8_t>(volume), "u8.nii");
    expect_all<std::uint8_t, std::uint8_t>(numbered<std::uint8_t>(volume), "u8");
    shown(numbered<std::int8_t>(volume), "i8.nii");
    expect_all<std::int8_t, std::int8_t>(numbered<std::int8_t>(volume), "i8");
    shown(numbered<std::uint16_t>(series), "u16.nii");
    expect_all<std::uint16_t, std::uint16_t>(numbered<std::uint16_t>(series), "u16");
    shown(numbered<std::int16_t>(volume), "i16.nii");
    expect_all<std::int16_t, std::int16_t>(numbered<std::int16_t>(volume), "i16");
    shown(numbered<std::uint32_t>(volume), "u32.nii");
    expect_all<std::uint32_t, std::uint32_t>(numbered<std::uint32_t>(volume), "u32");
    shown(numbered<std::int32_t>(volume), "i32.nii");
    expect_all<std::int32_t, std::int32_t>(numbered<std::int32_t>(volume), "i32");
    shown(numbered<float>(volume), "f32.nii");
    expect_all<float, float>(numbered<float>(volume), "f32");
    shown(numbered<double>(volume), "f64.nii");
    expect_all<double, float>(numbered<double>(volume), "f32");
    shown(numbered<std::uint8_t>(colors), "colors.png");
    expect_all<std::uint8_t, std::uint8_t>(numbered<std::uint8_t>(colors), "u8");
}

TEST_F(Slices, AreCompressedWhereThatIsAskedForAndMakesThemShorter) {
    Image<std::uint16_t> flat({300, 200, 2}), noise({300, 200, 2});
    flat(150, 100, 1) = 7;
    std::uint32_t state = 1;
    for (std::uint16_t& value : noise.pixels()) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<std::uint16_t>(state >> 16);
    }
    write("flat.nii", flat);
    write("noise.nii", noise);
    start({"flat.nii", "noise.nii"});
    const Headers gzip{{"Accept-Encoding", "gzip, deflate, br"}};
    const Answer plain = client().get("/api/images/1/slice?index=1");
    const Answer packed = client().get("/api/images/1/slice?index=1", gzip);
    EXPECT_EQ(plain.headers.count("content-encoding"), 0u);
    EXPECT_EQ(packed.headers.at("content-encoding"), "gzip");
    EXPECT_LT(packed.body.size(), plain.body.size() / 20);
    EXPECT_TRUE(inflated(packed.body) == plain.body);
    EXPECT_EQ(client().get("/api/images/2/slice", gzip).headers.count("content-encoding"), 0u);
}

TEST_F(Slices, WhatTheImageDoesNotHaveIsRefusedByName) {
    write("volume.nii", numbered<std::int16_t>({11, 7, 5}));
    start(std::vector<std::string>{"volume.nii"});
    const auto expect_refused = [&](const std::string& query, const std::string& field,
                                    const std::string& words) {
        const Answer answer = client().get("/api/images/1/slice?" + query);
        EXPECT_EQ(answer.status, 400) << query;
        EXPECT_EQ(answer.field(), field) << query;
        EXPECT_NE(answer.error().find(words), std::string::npos) << answer.error();
    };
    expect_refused("index=5", "index", "0 to 4");
    expect_refused("axis=x&index=11", "index", "0 to 10");
    expect_refused("index=-1", "index", "0 to 4");
    expect_refused("index=99999999999999999999", "index", "whole number");
    expect_refused("index=1.5", "index", "whole number");
    expect_refused("index=", "index", "whole number");
    expect_refused("t=1", "t", "0 to 0");
    expect_refused("channel=1", "channel", "0 to 0");
    expect_refused("axis=w", "axis", "x, y, z");
    expect_refused("axis=xy", "axis", "x, y, z");
    expect_refused("step=3", "step", "1, 2, 4 or 8");
    expect_refused("step=0", "step", "1, 2, 4 or 8");
    expect_refused("zoom=2", "zoom", "no part");
    EXPECT_EQ(client().get("/api/images/2/slice").status, 404);
    EXPECT_EQ(client().get("/api/images/0/slice").status, 404);
    EXPECT_EQ(client().get("/api/images/x/slice").status, 404);
    EXPECT_EQ(client().get("/api/images/1/slices").status, 404);
    EXPECT_EQ(client().ask("POST", "/api/images/1/slice", "{}").status, 405);
}

TEST_F(Slices, OfMoreThan64MebibytesNeedAStep) {
    write("large.png", Image<std::uint8_t>({8200, 8200}));
    start(std::vector<std::string>{"large.png"});
    const Answer answer = client().get("/api/images/1/slice");
    EXPECT_EQ(answer.status, 413);
    EXPECT_EQ(answer.field(), "step");
    EXPECT_EQ(client().get("/api/images/1/slice?step=8").body.size(), 1025u * 1025u);
}

TEST_F(Slices, ImagesAreDescribedWithPlaceAndValues) {
    Image<std::int16_t> head({10, 20, 5}, {.spacing = {1, 2, 3},
                                           .origin = {-5, 7, 9},
                                           .direction = {-1, 0, 0, 0, 0, 1, 0, -1, 0},
                                           .unit = Unit::millimeter});
    for (std::size_t i = 0; i < head.pixels().size(); ++i)
        head.pixels()[i] = static_cast<std::int16_t>(i) - 100;
    write("head.nii.gz", head);
    write("photo.png", cli::testing::color_picture(40, 30));
    start({"head.nii.gz", "photo.png"});
    const Json json = client().get("/api/images/1").json();
    EXPECT_EQ(json.at("id"), 1);
    EXPECT_EQ(json.at("name"), "head.nii.gz");
    EXPECT_EQ(json.at("role"), "image");
    EXPECT_TRUE(json.at("of").is_null());
    EXPECT_EQ(json.at("shape"), Json({{"x", 10}, {"y", 20}, {"z", 5}, {"t", 1}, {"channels", 1}}));
    EXPECT_EQ(json.at("pixel_type"), "i16");
    EXPECT_EQ(json.at("spacing"), Json({1.0, 2.0, 3.0}));
    EXPECT_EQ(json.at("unit"), "mm");
    EXPECT_EQ(json.at("origin"), Json({-5.0, 7.0, 9.0}));
    EXPECT_EQ(json.at("direction")[0], Json({-1.0, 0.0, 0.0}));
    EXPECT_TRUE(json.at("has_geometry"));
    // x runs to the right, y to the feet, z to the back.
    EXPECT_EQ(json.at("axes"), Json({{"x", {"L", "R"}}, {"y", {"S", "I"}}, {"z", {"A", "P"}}}));
    const Json& channel = json.at("channels").at(0);
    EXPECT_EQ(channel.at("lowest"), -100);
    EXPECT_EQ(channel.at("highest"), 899);
    EXPECT_EQ(channel.at("window"), Json({-96.0, 894.0}));  // 0.5 and 99.5 % of 1000 values
    const Json photo = client().get("/api/images/2").json();
    EXPECT_TRUE(photo.at("is_color"));
    EXPECT_FALSE(photo.contains("axes"));
    EXPECT_EQ(photo.at("channels").size(), 3u);
    EXPECT_EQ(photo.at("channels")[1].at("color"), "#00ff00");
    EXPECT_EQ(photo.at("channels")[1].at("window"), Json({0.0, 255.0}));
}

TEST_F(Slices, ConstantImagesAndThoseWithoutNumbersHaveAWindow) {
    Image<float> constant({4, 3, 2}), empty({4, 3, 2});
    for (float& value : constant.pixels()) value = 5;
    for (float& value : empty.pixels()) value = std::nanf("");
    write("constant.nii", constant);
    write("empty.nii", empty);
    start({"constant.nii", "empty.nii"});
    EXPECT_EQ(client().get("/api/images/1").json().at("channels")[0].at("window"),
              Json({5.0, 6.0}));
    EXPECT_EQ(client().get("/api/images/2").json().at("channels")[0].at("window"),
              Json({0.0, 1.0}));
}

TEST_F(Slices, LabelsAreShownOnTheFirstImageWithTheirNames) {
    LabelImage labels({10, 20, 5});
    labels(3, 4, 2) = 2;
    io::write_labels(labels, file("regions.nii.gz"), {},
                     {{1, {.name = "bone", .color = Rgb{1, 2, 3}}},
                      {2, {.name = "liver", .color = Rgb{200, 16, 9}}}});
    write("head.nii.gz", Image<std::int16_t>({10, 20, 5}));
    ViewerSettings made = settings({"head.nii.gz"});
    made.labels = file("regions.nii.gz");
    start(made);
    EXPECT_EQ(client().get("/api/session").json().at("images"),
              Json::array({{{"id", 1},
                            {"name", "head.nii.gz"},
                            {"role", "image"},
                            {"of", nullptr},
                            {"is_file", true},
                            {"editable", false}},
                           {{"id", 2},
                            {"name", "regions.nii.gz"},
                            {"role", "labels"},
                            {"of", 1},
                            {"is_file", true},
                            {"editable", false}}}));
    const Json json = client().get("/api/images/2").json();
    EXPECT_EQ(json.at("role"), "labels");
    EXPECT_EQ(json.at("of"), 1);
    EXPECT_EQ(json.at("labels"),
              Json::array({{{"label", 2}, {"name", "liver"}, {"color", "#c81009"}}}));
    EXPECT_TRUE(samples<std::uint32_t>(2) == labels.pixels());
}

TEST_F(Slices, FilesThatCannotBeReadAreToldAndTheOthersShown) {
    write("good.png", cli::testing::gray_picture(31, 17));
    write_text("bad.png", "no picture");
    write("labels.nii", LabelImage({5, 5, 5}));
    ViewerSettings made = settings({"good.png", "bad.png"});
    made.labels = file("labels.nii");
    start(made);
    EXPECT_EQ(client().get("/api/session").json().at("images").size(), 3u);
    EXPECT_EQ(client().get("/api/images/2").status, 422);
    EXPECT_NE(client().get("/api/images/2/slice").error().find("bad.png"), std::string::npos);
    EXPECT_EQ(client().get("/api/images/3").status, 400);  // another grid
    EXPECT_EQ(client().get("/api/images/1").status, 200);
    EXPECT_EQ(client().remove("/api/images/1").status, 403);
}

TEST_F(Slices, ImagesKeepToTheirMemoryAndFilesThatChangedAreRefused) {
    const Shape shape{100, 100, 10};
    write("a.nii", Image<std::uint8_t>(shape));
    write("b.nii", Image<std::uint8_t>(shape));
    write("large.nii", Image<std::uint16_t>(shape));
    ViewerSettings made = settings({"a.nii", "b.nii", "large.nii"});
    made.max_memory = 150'000;
    start(made);
    EXPECT_EQ(client().get("/api/images/1/slice").status, 200);
    EXPECT_EQ(client().get("/api/images/2/slice").status, 200);
    EXPECT_EQ(client().get("/api/images/1/slice").status, 200);  // read again
    EXPECT_EQ(client().get("/api/images/2/slice").status, 200);
    EXPECT_EQ(client().get("/api/images/3/slice").status, 507);
    fs::last_write_time(file("a.nii"), fs::file_time_type::clock::now() + std::chrono::hours(1));
    EXPECT_EQ(client().get("/api/images/1/slice").status, 410);
    fs::remove(file("a.nii"));
    EXPECT_EQ(client().get("/api/images/1/slice").status, 410);
    EXPECT_EQ(client().get("/api/images/2/slice").status, 200);
}

}  // namespace
}  // namespace tesela::viewer::testing
