// Slides in tiles: against the pixels of their levels, with label maps and annotations over them.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "sanitized.h"
#include "tesela/geojson_io.h"
#include "tesela/slide_io.h"
#include "viewer_test.h"

namespace tesela::viewer::testing {
namespace {

constexpr std::int64_t width = 1500, height = 1100;

// Colors that change slowly, so that JPEG keeps them.
Image<std::uint8_t> section(int channels = 3) {
    Image<std::uint8_t> image({width, height, 1, 1, channels});
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x)
            for (int c = 0; c < channels; ++c)
                image(x, y, 0, 0, c) = static_cast<std::uint8_t>(
                    128 + 100 * std::sin(0.004 * static_cast<double>((c + 1) * x + 2 * y)));
    return image;
}

// Blocks of labels, of which no two neighbors are alike.
LabelImage blocks(std::int64_t w, std::int64_t h, std::int64_t side) {
    LabelImage labels({w, h});
    for (std::int64_t y = 0; y < h; ++y)
        for (std::int64_t x = 0; x < w; ++x)
            labels(x, y) = static_cast<std::uint32_t>(1 + x / side + 70'000 * (y / side));
    return labels;
}

class Slides : public ViewerTest {
  protected:
    void write_slide(const std::string& name, const AnyImage& image,
                     const io::SlideWriteOptions& how = {}) const {
        const std::int64_t side = how.tile;
        const Shape& shape = shape_of(image);
        const auto writer = io::create_ome_tiff(
            file(name), {pixel_type_of(image), shape, geometry_of(image), false}, how);
        for (std::int64_t y = 0; y < shape.y; y += side)
            for (std::int64_t x = 0; x < shape.x; x += side)
                writer->write(x / side, y / side,
                              part_of(image, {x, y, std::min(side, shape.x - x),
                                              std::min(side, shape.y - y)}));
        writer->finish();
    }
    void write_section(double micrometers = 0.5) const {
        Image<std::uint8_t> image = section();
        image.geometry = micrometers_per_pixel(micrometers, micrometers);
        write_slide("slide.ome.tif", image, {.compression = TileCompression::deflate});
    }
    Json facts(int id = 1) const {
        const Answer answer = client().get("/api/images/" + std::to_string(id));
        EXPECT_EQ(answer.status, 200) << answer.body;
        return answer.json();
    }
    Answer tile(const std::string& query, int id = 1) const {
        return client().get("/api/images/" + std::to_string(id) + "/tile?" + query);
    }
    // A slide of two levels whose chunks are all left out; those of the second may be others.
    void write_huge_slide(std::int64_t side, std::int64_t first_chunk,
                          std::int64_t second_chunk = 0) const {
        Json datasets = Json::array();
        for (int level = 0; level < 2; ++level) {
            const std::int64_t step = 1 << level;
            const std::int64_t chunk = level > 0 && second_chunk > 0 ? second_chunk : first_chunk;
            const std::string path = std::to_string(level);
            const Json scale{{"type", "scale"}, {"scale", {step, step}}};
            datasets.push_back(
                {{"path", path}, {"coordinateTransformations", Json::array({scale})}});
            fs::create_directories(file("huge.zarr") / path);
            write_text("huge.zarr/" + path + "/.zarray", Json{{"zarr_format", 2},
                                                              {"shape", {side / step, side / step}},
                                                              {"chunks", {chunk, chunk}},
                                                              {"dtype", "|u1"},
                                                              {"compressor", nullptr},
                                                              {"fill_value", 7},
                                                              {"filters", nullptr},
                                                              {"order", "C"},
                                                              {"dimension_separator", "/"}}
                                                             .dump());
        }
        const Json y{{"name", "y"}, {"type", "space"}}, x{{"name", "x"}, {"type", "space"}};
        const Json image{{"version", "0.4"}, {"axes", {y, x}}, {"datasets", datasets}};
        write_text("huge.zarr/.zgroup", R"({"zarr_format": 2})");
        write_text("huge.zarr/.zattrs", Json{{"multiscales", Json::array({image})}}.dump());
    }
    // A request for a tile of the coarsest level, which would take minutes to be made, when it is
    // being made.
    std::unique_ptr<Socket> ask_for_all() const {
        const std::size_t levels = facts().at("levels").size();
        auto socket = std::make_unique<Socket>(client().port());
        const std::int64_t before = TileCache::global().counts().decoded;
        socket->send(
            client().request("GET", "/api/images/1/tile?level=" + std::to_string(levels - 1), ""));
        while (TileCache::global().counts().decoded < before + 20)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return socket;
    }
    // The pixels of a JPEG.
    Image<std::uint8_t> decoded(const Answer& answer) const {
        EXPECT_EQ(answer.status, 200) << answer.body;
        EXPECT_EQ(answer.headers.at("content-type"), "image/jpeg");
        std::ofstream(file("tile.jpg"), std::ios::binary) << answer.body;
        return std::get<Image<std::uint8_t>>(io::read_image(file("tile.jpg")).image);
    }
    static int largest_difference(const Image<std::uint8_t>& a, const Image<std::uint8_t>& b) {
        EXPECT_EQ(a.shape(), b.shape());
        if (a.shape() != b.shape()) return 255;
        return std::transform_reduce(
            a.pixels().begin(), a.pixels().end(), b.pixels().begin(), 0,
            [](int x, int y) { return std::max(x, y); },
            [](int x, int y) { return std::abs(x - y); });
    }
    // All numbers of the tiles of a level, put together.
    LabelImage labels_of(int id, int level, const Json& at) const {
        constexpr std::int64_t side = 512;
        const std::int64_t w = at.at("width"), h = at.at("height");
        LabelImage all({w, h});
        for (std::int64_t y = 0; y < h; y += side)
            for (std::int64_t x = 0; x < w; x += side) {
                const Answer answer =
                    tile("level=" + std::to_string(level) + "&column=" + std::to_string(x / side) +
                             "&row=" + std::to_string(y / side),
                         id);
                EXPECT_EQ(answer.status, 200) << answer.body;
                const std::int64_t across = std::min(side, w - x), down = std::min(side, h - y);
                EXPECT_EQ(answer.headers.at("x-tesela-slice"),
                          std::to_string(across) + " " + std::to_string(down) + " u32 1");
                for (std::int64_t row = 0; row < down; ++row)
                    std::memcpy(&all(x, y + row), answer.body.data() + 4 * row * across,
                                static_cast<std::size_t>(4 * across));
            }
        return all;
    }
};

TEST_F(Slides, AreDescribedWithoutBeingRead) {
    write_section();
    start(std::vector<std::string>{"slide.ome.tif"});
    const auto before = TileCache::global().counts();
    const Json json = facts();
    EXPECT_EQ(json.at("shape"),
              (Json{{"x", width}, {"y", height}, {"z", 1}, {"t", 1}, {"channels", 3}}));
    EXPECT_EQ(json.at("spacing"), Json({0.5, 0.5, 1.0}));
    EXPECT_EQ(json.at("unit"), "um");
    EXPECT_EQ(json.at("slide").at("format"), "OME-TIFF");
    EXPECT_EQ(json.at("is_color"), true);
    EXPECT_EQ(json.at("channels")[0].at("window"), Json({0.0, 255.0}));
    const auto& levels = json.at("levels");
    ASSERT_GE(levels.size(), 2u);
    EXPECT_EQ(
        levels[0],
        (Json{{"width", width}, {"height", height}, {"downsample", {1.0, 1.0}}, {"stored", true}}));
    EXPECT_LE(levels.back().at("width").get<int>(), 512);
    // Of level 0, which has 30 tiles, none was decoded.
    EXPECT_LE(TileCache::global().counts().decoded - before.decoded, 4);
}

TEST_F(Slides, TilesAreThePixelsOfEachLevel) {
    write_section();
    const auto source = io::open_slide(file("slide.ome.tif"));
    start(std::vector<std::string>{"slide.ome.tif"});
    const Json levels = facts().at("levels");
    for (std::size_t level = 0; level < levels.size(); ++level) {
        ASSERT_TRUE(levels[level].at("stored"));
        const std::int64_t w = levels[level].at("width"), h = levels[level].at("height");
        for (const std::int64_t size : {256, 512})
            for (std::int64_t row = 0; row * size < h; ++row)
                for (std::int64_t column = 0; column * size < w; ++column) {
                    const TileBox box{column * size, row * size, std::min(size, w - column * size),
                                      std::min(size, h - row * size)};
                    const auto pixels =
                        std::get<Image<std::uint8_t>>(source->read(static_cast<int>(level), box));
                    const auto shown = decoded(tile("quality=95&level=" + std::to_string(level) +
                                                    "&size=" + std::to_string(size) +
                                                    "&column=" + std::to_string(column) +
                                                    "&row=" + std::to_string(row)));
                    EXPECT_LE(largest_difference(shown, pixels), 10) << level << " " << column;
                }
    }
    EXPECT_LT(tile("quality=20").body.size(), tile("quality=95").body.size() / 2);
}

TEST_F(Slides, LevelsThatTheFileLacksAreMeansOfFinerOnes) {
    write("picture.tif", section());
    write_slide("flat.ome.tif", section(), {.tile = 4096, .compression = TileCompression::deflate});
    start(std::vector<std::string>{"picture.tif", "flat.ome.tif"});
    EXPECT_FALSE(facts(1).contains("slide"));
    EXPECT_FALSE(facts(2).contains("slide"));  // one level of some pixels
    // In tiles all the same.
    const AnyImage half = halved(AnyImageView(AnyImage(section())));
    const auto made = decoded(tile("level=1&column=1&row=0&size=256&quality=95", 2));
    const auto expected = std::get<Image<std::uint8_t>>(part_of(half, {256, 0, 256, 256}));
    EXPECT_LE(largest_difference(made, expected), 10);
    EXPECT_EQ(tile("level=2", 2).status, 200);
    EXPECT_EQ(tile("level=3", 2).status, 400);
}

TEST_F(Slides, ValuesAreShownThroughAWindow) {
    Image<std::uint16_t> image({width, height});
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x)
            image(x, y) = static_cast<std::uint16_t>(1000 + 2 * x);
    write_slide("slide.ome.tif", image);
    start(std::vector<std::string>{"slide.ome.tif"});
    EXPECT_GT(facts().at("channels")[0].at("window")[0].get<double>(), 900);
    const auto shown = decoded(tile("column=1&row=1&low=2000&high=3000&quality=95"));
    EXPECT_NEAR(shown(0, 0), (1000 + 2 * 512 - 2000) * 255 / 1000, 3);
    EXPECT_EQ(decoded(tile("column=0&row=0&low=2200&high=3000"))(3, 3), 0);
    EXPECT_EQ(tile("low=5&high=5").field(), "low");
    EXPECT_EQ(tile("low=nan").status, 400);
    EXPECT_EQ(tile("channel=1").field(), "channel");
}

TEST_F(Slides, WhatTheSlideDoesNotHaveIsRefusedByName) {
    write_section();
    write("head.nii", Image<std::uint8_t>({8, 8, 8}));
    start(std::vector<std::string>{"slide.ome.tif", "head.nii"});
    const auto expect_refused = [&](const std::string& query, const std::string& field) {
        const Answer answer = tile(query);
        EXPECT_EQ(answer.status, 400) << query << answer.body;
        EXPECT_EQ(answer.field(), field) << query;
    };
    expect_refused("level=9", "level");
    expect_refused("level=-1", "level");
    expect_refused("column=3", "column");
    expect_refused("row=99999999999", "row");
    expect_refused("row=1e3", "row");
    expect_refused("size=63", "size");
    expect_refused("size=1025", "size");
    expect_refused("quality=0", "quality");
    expect_refused("quality=101", "quality");
    expect_refused("path=/etc/passwd", "path");
    expect_refused("margin=1", "margin");
    EXPECT_EQ(tile("level=0", 3).status, 404);
    EXPECT_EQ(tile("level=0", 2).status, 400);  // a volume
    EXPECT_EQ(client().get("/api/images/1/tile", {{"X-Tesela-Token", ""}}).status, 401);
    EXPECT_EQ(client().post("/api/images/1/tile", Json::object()).status, 405);
}

TEST_F(Slides, DamagedOnesAndThoseThatChangeAreRefused) {
    write_section();
    fs::copy_file(file("slide.ome.tif"), file("damaged.ome.tif"));
    fs::resize_file(file("damaged.ome.tif"), fs::file_size(file("damaged.ome.tif")) / 2);
    start(std::vector<std::string>{"slide.ome.tif", "damaged.ome.tif"});
    EXPECT_EQ(client().get("/api/images/2").status, 422);
    EXPECT_NE(tile("level=0", 2).error().find("damaged.ome.tif"), std::string::npos);
    EXPECT_EQ(tile("level=0").status, 200);
    fs::last_write_time(file("slide.ome.tif"),
                        fs::file_time_type::clock::now() + std::chrono::hours(1));
    EXPECT_EQ(tile("level=0&column=1").status, 410);
    fs::remove(file("slide.ome.tif"));
    EXPECT_EQ(tile("level=0").status, 410);
}

TEST_F(Slides, CacheKeepsToTheLimitAndAWholeSlideThatDoesNotFitIsRefused) {
    write_section();
    ViewerSettings made = settings({"slide.ome.tif"});
    made.max_memory = 4 << 20;
    start(made);
    for (int column = 0; column < 3; ++column)
        for (int row = 0; row < 3; ++row)
            EXPECT_EQ(
                tile("column=" + std::to_string(column) + "&row=" + std::to_string(row)).status,
                200);
    EXPECT_LE(TileCache::global().used_bytes(), 1 << 20);
    const Answer answer = client().post(
        "/api/jobs", {{"operation", "threshold otsu"}, {"inputs", {{"input", {{"image", 1}}}}}});
    EXPECT_EQ(answer.status, 507);
    EXPECT_NE(answer.error().find("a slide of 1500 x 1100 pixels"), std::string::npos)
        << answer.body;
}

TEST_F(Slides, LabelsOnThemAreExactOnAllLevels) {
    write_section();
    const LabelImage labels = blocks(width, height, 37);
    io::write_labels(labels, file("labels.tif"), {}, {{2, {.name = "Fibers"}}});
    write_slide("labels.ome.tif", labels, {.labels = true});
    for (const char* name : {"labels.tif", "labels.ome.tif"}) {
        ViewerSettings made = settings({"slide.ome.tif"});
        made.labels = file(name);
        start(made);
        const Json json = facts(2);
        EXPECT_EQ(json.at("of"), 1);
        EXPECT_EQ(json.at("place"), (Json{{"left", 0.0}, {"top", 0.0}, {"scale", {1.0, 1.0}}}))
            << name;
        AnyImage expected = labels;
        for (std::size_t level = 0; level < json.at("levels").size(); ++level) {
            const LabelImage shown =
                labels_of(2, static_cast<int>(level), json.at("levels")[level]);
            EXPECT_TRUE(shown.pixels() == std::get<LabelImage>(expected).pixels())
                << name << " level " << level;
            expected = halved(AnyImageView(expected), true);
        }
        // With the pixels around it, 0 beyond the map.
        const Answer wider = tile("column=1&row=0&size=64&margin=1", 2);
        ASSERT_EQ(wider.headers.at("x-tesela-slice"), "66 66 u32 1");
        std::uint32_t numbers[66 * 2];
        std::memcpy(numbers, wider.body.data(), sizeof numbers);
        EXPECT_EQ(numbers[0], 0u);
        EXPECT_EQ(numbers[66], labels(63, 0));
        stop();
    }
    ViewerSettings made = settings({"slide.ome.tif"});
    made.labels = file("labels.tif");
    start(made);
    EXPECT_EQ(facts(2).at("labels")[1].at("name"), "Fibers");
}

TEST_F(Slides, MapsOfOtherPixelSizesLieWhereTheirGeometrySays) {
    write_section(0.5);
    const auto place_of = [&](const LabelImage& map) {
        write("map.tif", map);
        ViewerSettings made = settings({"slide.ome.tif"});
        made.labels = file("map.tif");
        start(made);
        const Answer answer = client().get("/api/images/2");
        return answer.status == 200 ? answer.json().at("place") : answer.json().at("error");
    };
    // A tissue map: a pixel is 32 um, its first one begins with the slide.
    LabelImage map = blocks(24, 18, 5);
    map.geometry = micrometers_per_pixel(32, 32);
    EXPECT_EQ(place_of(map), (Json{{"left", 0.0}, {"top", 0.0}, {"scale", {64.0, 64.0}}}));
    // Without a pixel size it is a level of the slide, or nothing.
    map = blocks(375, 275, 5);
    EXPECT_EQ(place_of(map), (Json{{"left", 0.0}, {"top", 0.0}, {"scale", {4.0, 4.0}}}));
    map = blocks(300, 275, 5);
    EXPECT_NE(place_of(map).get<std::string>().find("pixel size"), std::string::npos);

    const auto with_origin = [&](double x, double y) {
        LabelImage placed = blocks(20, 10, 5);
        placed.geometry = micrometers_per_pixel(2, 4);
        placed.geometry.origin = {x, y, 0};
        io::write_image(placed, file("map.nii"), {true});
        ViewerSettings made = settings({"slide.ome.tif"});
        made.labels = file("map.nii");
        start(made);
        return client().get("/api/images/2").json();
    };
    const Json placed = with_origin(100.75, 51.75).at("place");
    EXPECT_NEAR(placed.at("left").get<double>(), 200, 1e-3);  // its corner is at 100 um less 0.25
    EXPECT_NEAR(placed.at("top").get<double>(), 100, 1e-3);
    EXPECT_NEAR(placed.at("scale")[1].get<double>(), 8, 1e-3);
    EXPECT_NE(with_origin(5000, 0).at("error").get<std::string>().find("beside"),
              std::string::npos);
}

TEST_F(Slides, OperationsOnThemGiveLabelsThatLieOnThem) {
    write_section();
    start(std::vector<std::string>{"slide.ome.tif"});
    const Json state =
        done({{"operation", "threshold otsu"}, {"inputs", {{"input", {{"image", 1}}}}}});
    const int id = state.at("outputs").begin().value();
    const Json json = facts(id);
    EXPECT_EQ(json.at("of"), 1);
    EXPECT_EQ(json.at("place").at("scale"), Json({1.0, 1.0}));
    const auto mask = samples<std::uint8_t>(id);
    const Answer answer = tile("column=0&row=0&size=64", id);
    ASSERT_EQ(answer.headers.at("x-tesela-slice"), "64 64 u8 1");
    for (std::int64_t y = 0; y < 64; ++y)
        for (std::int64_t x = 0; x < 64; ++x)
            EXPECT_EQ(static_cast<std::uint8_t>(answer.body[static_cast<std::size_t>(64 * y + x)]),
                      mask[static_cast<std::size_t>(width * y + x)]);
    EXPECT_TRUE(runs(state.at("command")));
}

TEST_F(Slides, OperationsGoOverThoseThatDoNotFitInBoxesIntoFiles) {
    constexpr std::int64_t w = 5120, h = 4096;  // 63 MB
    io::write_repeated_slide(part_of(AnyImage(section()), {0, 0, 512, 512}), w, h,
                             file("slide.ome.tif"), {.compression = TileCompression::deflate});
    fs::create_directory(file("saved"));
    ViewerSettings made = settings({"slide.ome.tif"});
    made.max_memory = 64 << 20;
    const Json wanted{{"operation", "edges sobel"}, {"inputs", {{"input", {{"image", 1}}}}}};
    start(made);
    const Answer refused = client().post("/api/jobs", wanted);
    EXPECT_EQ(refused.status, 507);
    EXPECT_NE(refused.error().find("--save-to"), std::string::npos);
    made.save_to = file("saved");
    start(made);
    const Json state = done(wanted);
    const int id = state.at("outputs").begin().value();
    const Json json = facts(id);
    EXPECT_TRUE(json.contains("slide"));
    const std::string name = json.at("name");
    EXPECT_NE(state.at("command").get<std::string>().find(name), std::string::npos);
    // The same bits as the whole image gives.
    ASSERT_TRUE(runs(state.at("command")));
    const auto boxes = io::open_slide(file("saved") / name), whole = io::open_slide(again() / name);
    const AnyImage expected = whole->read(0, {0, 0, w, h});
    std::visit(
        [&]<class T>(const Image<T>& pixels) {
            EXPECT_TRUE(pixels.pixels() == std::get<Image<T>>(expected).pixels());
        },
        boxes->read(0, {0, 0, w, h}));
    const std::string address = "/api/images/" + std::to_string(id);
    EXPECT_EQ(client().get(address + "/tile").status, 200);
    EXPECT_EQ(client().remove(address).status, 200);
    EXPECT_FALSE(fs::exists(file("saved") / name));
}

TEST_F(Slides, AnnotationsComeWithTheirClassesAndAllOfTheirPoints) {
    write_section();
    Annotations drawn;
    drawn.list = {{.shape = Polygons{{.outer = {{0, 0}, {10, 0}, {10, 10}},
                                      .holes = {{{7, 1}, {9, 1}, {9, 3}}}},
                                     {.outer = {{20, 20}, {30, 20}, {30, 30}}, .holes = {}}},
                   .classes = {"Tumor", "Positive"},
                   .color = Rgb{200, 0, 10}},
                  {.shape = Points{{5, 6}, {7.5, 8}}},
                  {.shape = Lines{{{1, 2}, {3, 4}}}, .classes = {"Tumor", "Positive"}}};
    io::write_geojson(drawn, file("cells.geojson"));
    write_text("bad.geojson", "{\"type\": 3}");
    start(std::vector<std::string>{"slide.ome.tif", "cells.geojson", "bad.geojson"});
    EXPECT_EQ(client().get("/api/session").json().at("annotations"),
              Json::array({{{"id", 1}, {"name", "cells.geojson"}, {"of", 1}},
                           {{"id", 2}, {"name", "bad.geojson"}, {"of", 1}}}));
    const Json json = client().get("/api/annotations/1").json();
    EXPECT_EQ(json.at("objects"), 3);
    EXPECT_EQ(json.at("shapes"), 4);
    ASSERT_EQ(json.at("classes").size(), 2u);
    EXPECT_EQ(json.at("classes")[0],
              (Json{{"name", "Tumor: Positive"}, {"color", "#c8000a"}, {"count", 2}}));
    EXPECT_EQ(json.at("classes")[1].at("name"), "");
    const std::string body = client().get("/api/annotations/1/shapes").body;
    const std::vector<std::uint32_t> numbers{4, 5, 13,           // shapes, rings, points
                                             0, 0, 1,  0,        // classes
                                             2, 2, 0,  1,        // areas, points, lines
                                             2, 3, 4,  5,        // ends of rings
                                             3, 6, 9,  11, 13};  // ends of points
    ASSERT_EQ(body.size(), 4 * (numbers.size() + 26));
    EXPECT_EQ(std::memcmp(body.data(), numbers.data(), 4 * numbers.size()), 0);
    float points[26];
    std::memcpy(points, body.data() + 4 * numbers.size(), sizeof points);
    EXPECT_EQ(points[2], 10);  // the second point of the first ring, as it turns in the file
    EXPECT_EQ(points[20], 7.5f);
    EXPECT_EQ(client().get("/api/annotations/2").status, 422);
    EXPECT_EQ(client().get("/api/annotations/3").status, 404);
    EXPECT_EQ(client().get("/api/annotations/1/other").status, 404);
}

TEST_F(Slides, AnnotationsWithoutASlideBeforeThemAreRefused) {
    io::write_geojson({}, file("cells.geojson"));
    EXPECT_THROW(start(std::vector<std::string>{"cells.geojson"}), InvalidArgument);
}

TEST_F(Slides, ALevelThatNobodyWaitsForIsNotMadeAnyFurther) {
    write_huge_slide(300'000, 512);
    start(std::vector<std::string>{"huge.zarr"});
    ask_for_all();  // and nobody waits
    std::int64_t last = -1;
    const auto is_working = [&] {
        const std::int64_t before = std::exchange(last, TileCache::global().counts().decoded);
        return before != last;
    };
    const auto begin = std::chrono::steady_clock::now();
    while (is_working()) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_LT(std::chrono::steady_clock::now() - begin,
              std::chrono::duration<double>(3 * tesela::testing::patience));
    EXPECT_EQ(tile("level=0&column=3&row=5").status, 200);
}

TEST_F(Slides, ALevelThatIsBeingMadeHoldsUpNoEnd) {
    write_huge_slide(300'000, 512);
    start(std::vector<std::string>{"huge.zarr"});
    const auto waiting = ask_for_all();
    const auto begin = std::chrono::steady_clock::now();
    stop();
    EXPECT_LT(std::chrono::steady_clock::now() - begin,
              std::chrono::duration<double>(3 * tesela::testing::patience));
}

TEST_F(Slides, TilesAndWhatTheyAreMadeOfKeepToAQuarterOfTheMemory) {
    write_huge_slide(300'000, 512);
    ViewerSettings made = settings({"huge.zarr"});
    made.max_memory = 64 << 20;
    start(made);
    facts();
    EXPECT_LT(TileCache::global().capacity(), made.max_memory / 4);
    EXPECT_GT(TileCache::global().capacity(), made.max_memory / 16);
    stop();
    fs::remove_all(file("huge.zarr"));
    write_huge_slide(300'000, 4096);
    start(made);
    const Answer refused = client().get("/api/images/1");
    EXPECT_EQ(refused.status, 507) << refused.body;
    EXPECT_NE(refused.error().find("4096 x 4096"), std::string::npos) << refused.error();
    stop();
    fs::remove_all(file("huge.zarr"));
    write_huge_slide(300'000, 512, 4096);
    start(made);
    const Answer below = client().get("/api/images/1");
    EXPECT_EQ(below.status, 507) << below.body;
    EXPECT_NE(below.error().find("4096 x 4096"), std::string::npos) << below.error();
}

// As many bytes as the error of a refusal asks for are enough, however large tiles are; a tile that
// was made is kept.
TEST_F(Slides, TilesOfAnySizeAreShownWithTheMemoryThatIsAskedFor) {
    write_huge_slide(300'000, 4096, 16384);
    ViewerSettings made = settings({"huge.zarr"});
    made.max_memory = std::int64_t{1} << 30;
    start(made);
    const std::string error = client().get("/api/images/1").error();
    const std::string before = "at least ";
    ASSERT_NE(error.find(before), std::string::npos) << error;
    stop();
    made.max_memory = std::stoll(error.substr(error.find(before) + before.size()));
    EXPECT_GT(made.max_memory, std::int64_t{2} << 30);
    start(made);
    EXPECT_EQ(facts().at("id"), 1);
    EXPECT_GE(TileCache::global().capacity(), 16384 * 16384);
    EXPECT_LE(TileCache::global().capacity(), TileCache::default_capacity);
    EXPECT_EQ(tile("level=0&column=3&row=5").status, 200);
}

TEST_F(Slides, RequestsThatNobodyWaitsForAreDropped) {
    write_section();
    start(std::vector<std::string>{"slide.ome.tif"});
    facts();
    const auto looked_up = [] {
        const auto counts = TileCache::global().counts();
        return counts.hits + counts.decoded;
    };
    constexpr int count = 200;
    const std::int64_t before = looked_up();
    for (int i = 0; i < count; ++i) {
        const Socket gone(client().port());
        gone.send(client().request(
            "GET", "/api/images/1/tile?size=64&column=" + std::to_string(i % 8), ""));
    }
    // Behind all of them; its pixels are in one tile of the file.
    EXPECT_EQ(tile("size=64").status, 200);
    EXPECT_LT(looked_up() - before, count / 2);
}

}  // namespace
}  // namespace tesela::viewer::testing
