// tesela register mosaic as a program.
#include <cmath>
#include <fstream>
#include <random>

#include "../io/tiff_sample.h"
#include "files/mosaic_files.h"
#include "program.h"
#include "tesela/tile_source.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

class MosaicProgram : public ProgramTest {
  protected:
    static constexpr std::int64_t width = 150, height = 120;

    // Smooth noise, of which tiles are cut.
    static const Image<std::uint8_t>& whole() {
        static const Image<std::uint8_t> made = [] {
            Image<std::uint8_t> picture({400, 240});
            std::mt19937 random(2);
            for (auto& value : picture.pixels())
                value = static_cast<std::uint8_t>(100 + random() % 100);
            return picture;
        }();
        return made;
    }
    // Six tiles, 30 pixels or 24 in common, of a stage that is off by up to 4.
    static std::vector<std::array<std::int64_t, 2>> places() {
        return {{2, 3}, {121, 0}, {243, 4}, {0, 99}, {124, 96}, {240, 100}};
    }
    void make_tiles(const std::string& suffix = ".png", int channels = 1) const {
        fs::create_directory(file("tiles"));
        for (std::size_t i = 0; i < places().size(); ++i)
            write("tiles/t" + std::to_string(i + 1) + suffix, tile(i, channels));
    }
    static AnyImage tile(std::size_t i, int channels = 1) {
        Image<std::uint8_t> cut({width, height, 1, 1, channels}, micrometers_per_pixel(0.5, 0.5));
        for (std::int64_t y = 0; y < height; ++y)
            for (std::int64_t x = 0; x < width; ++x)
                for (int c = 0; c < channels; ++c)
                    cut(x, y, 0, 0, c) = static_cast<std::uint8_t>(
                        whole()(places()[i][0] + x, places()[i][1] + y) + 5 * c);
        return cut;
    }
    static Names words(const Names& more) {
        Names all{"register", "mosaic", "tiles", "--device", "cpu", "--whole-pixels"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    const Names grid{"--grid", "3x2", "--overlap", "20%"};
    Names in_grid(const Names& more) const {
        Names all = words(grid);
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    // Equal to the picture of which tiles were cut.
    static void expect_whole(const AnyImage& made, int channels = 1) {
        const auto& picture = std::get<Image<std::uint8_t>>(made);
        ASSERT_EQ(picture.shape(), (Shape{393, 220, 1, 1, channels}));
        for (std::int64_t y = 5; y < 215; ++y)
            for (std::int64_t x = 5; x < 385; ++x)
                for (int c = 0; c < channels; ++c)
                    ASSERT_EQ(picture(x, y, 0, 0, c), whole()(x, y) + 5 * c) << x << " " << y;
    }
    std::string text_of(const std::string& name) const {
        std::ifstream in(file(name));
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

TEST_F(MosaicProgram, AGridBecomesAPicture) {
    make_tiles();
    const Outcome outcome =
        run(in_grid({"-o", "mosaic.ome.tif", "--positions-out", "places.csv", "--json"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json report = outcome.json();
    EXPECT_EQ(report["verb"], "register mosaic");
    EXPECT_EQ(report["statistics"]["registered"], 6);
    EXPECT_EQ(report["statistics"]["accepted"], 7);
    EXPECT_EQ(report["tiles_of_mosaic"][3]["state"], "registered");
    for (const char* figure : {"score", "second", "residual", "weight", "state", "found"})
        EXPECT_TRUE(report["pairs_of_tiles"][0].contains(figure)) << figure;
    const io::ReadResult made = io::read_image(file("mosaic.ome.tif"));
    expect_whole(made.image);
    EXPECT_NEAR(geometry_of(made.image).spacing_mm()[0], 5e-4, 1e-9);
    EXPECT_TRUE(text_of("places.csv")
                    .starts_with("file,x,y,given_x,given_y,state,neighbors,residual\nt1.png,"));
    // The places are read again, and kept.
    const Names again{"--positions", "places.csv", "--as-given", "-o", "again.ome.tif"};
    ASSERT_EQ(run(words(again)).code, 0);
    const auto pixels = [](const AnyImage& image) {
        return std::get<Image<std::uint8_t>>(image).pixels();
    };
    EXPECT_EQ(pixels(io::read_image(file("again.ome.tif")).image), pixels(made.image));
}

// Formats that are written as a whole, any channels, a list of files, and tiles that are missing.
TEST_F(MosaicProgram, PicturesOfAllForms) {
    make_tiles(".tif", 2);
    for (const char* name : {"mosaic.tif", "mosaic.ome.tif"}) {
        ASSERT_EQ(run(in_grid({"-o", name, "--quiet"})).code, 0) << name;
        expect_whole(io::read_image(file(name)).image, 2);
    }
    write_text("list.txt", "tiles/t1.tif\ntiles/t2.tif\r\n\ntiles/t3.tif\n");
    ASSERT_EQ(run({"register", "mosaic", "list.txt", "--grid", "3x1", "--overlap", "30px",
                   "--compare", "1", "-o", "row.tif", "--quiet"})
                  .code,
              0);
    fs::remove(file("tiles/t5.tif"));
    const Outcome outcome = run(in_grid({"--json", "--blend", "none"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["statistics"]["registered"], 5);
    EXPECT_NE(outcome.err.find("the grid lacks 1 tile"), std::string::npos) << outcome.err;
}

// Tables in pixels and micrometers, and the file of Fiji's stitching.
TEST_F(MosaicProgram, PositionsAreReadFromTables) {
    make_tiles();
    std::string pixels = "file,x,y\n", lengths = "y_um;x_um;name\n",
                fiji = "# Define the number of dimensions we are working on\ndim = 2\n\n";
    for (int i = 0; i < 6; ++i) {
        const std::string name = "t" + std::to_string(i + 1) + ".png";
        const int x = 120 * (i % 3), y = 96 * (i / 3);
        pixels += "tiles/" + name + "," + std::to_string(x) + "," + std::to_string(y) + "\n";
        lengths += std::to_string(0.5 * y) + ";" + std::to_string(0.5 * x) + ";" + name + "\n";
        fiji += name + "; ; (" + std::to_string(x) + ".0, " + std::to_string(y) + ".0)\r\n";
    }
    write_text("pixels.csv", pixels);
    write_text("lengths.csv", lengths);
    write_text("TileConfiguration.txt", fiji);
    for (const char* table : {"pixels.csv", "lengths.csv", "TileConfiguration.txt"}) {
        ASSERT_EQ(run(words({"--positions", table, "-o", "mosaic.png", "--force", "--quiet"})).code,
                  0)
            << table;
        expect_whole(io::read_image(file("mosaic.png")).image);
    }
    const auto refused = [&](const std::string& table, const std::string& word) {
        write_text("table.csv", table);
        expect_failure(3, {"table.csv", word}, words({"--positions", "table.csv", "-o", "m.png"}));
    };
    refused("file,x\nt1.png,1\n", "columns file, x and y");
    refused("file,x,y\n", "no positions");
    refused("file,x,y\nt1.png,1,far\n", "far");
    refused("file,x,y\nt1.png,1,1e300\n", "no position");
    refused("file,x,y\nb/t1.png,1,2\nb/t1.png,1,2\n", "two positions");
    refused("dim = 2\nt1.png; ; (1, 2\n", "(x, y)");
    refused("dim = 3\nt1.png; ; (1, 2, 3)\n", "(x, y)");
}

TEST_F(MosaicProgram, TheStageIsReadFromOmeTiff) {
    fs::create_directory(file("tiles"));
    for (std::size_t i = 0; i < 6; ++i) {
        io::testing::TiffSample sample;
        sample.width = width;
        sample.height = height;
        const auto pixels = std::get<Image<std::uint8_t>>(tile(i)).pixels();
        sample.pages = {{{pixels.begin(), pixels.end()}}};
        const auto x = std::to_string(-7000 + 60.0 * static_cast<double>(i % 3)),
                   y = std::to_string(-0.048 * static_cast<double>(i / 3));
        sample.description =
            "<?xml version=\"1.0\"?><OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME/"
            "2016-06\"><Image ID=\"Image:0\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"XYCZT\" "
            "Type=\"uint8\" SizeX=\"150\" SizeY=\"120\" SizeZ=\"1\" SizeC=\"1\" SizeT=\"1\" "
            "PhysicalSizeX=\"0.5\" PhysicalSizeY=\"0.5\"><TiffData/><Plane TheZ=\"0\" TheC=\"0\" "
            "TheT=\"0\" PositionX=\"" +
            x + "\" PositionXUnit=\"reference frame\" PositionY=\"" + y +
            "\" PositionYUnit=\"mm\"/></Pixels></Image></OME>";
        const auto bytes = io::testing::TiffSampleWriter(sample).bytes();
        std::ofstream(file("tiles/t" + std::to_string(6 - i) + ".ome.tif"), std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    }
    const Outcome outcome = run(words({"--flip-y", "-o", "mosaic.png", "--json"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["statistics"]["registered"], 6);
    expect_whole(io::read_image(file("mosaic.png")).image);
}

// Tiles of one name in a folder each, as some microscopes write them.
TEST_F(MosaicProgram, FoldersTellTilesOfOneNameApart) {
    make_tiles();
    std::string list;
    for (int i = 1; i <= 6; ++i) {
        const std::string place = "f" + std::to_string(i);
        fs::create_directory(file(place));
        fs::copy_file(file("tiles/t" + std::to_string(i) + ".png"), file(place + "/t.png"));
        list += place + "/t.png\n";
    }
    write_text("list.txt", list);
    const Outcome outcome = run({"register", "mosaic", "list.txt", "--grid", "3x2", "--overlap",
                                 "20%", "-o", "m.png", "--positions-out", "places.csv", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["statistics"]["registered"], 6);
    const Outcome again = run({"register", "mosaic", "list.txt", "--positions", "places.csv",
                               "--as-given", "--whole-pixels", "-o", "again.png", "--quiet"});
    ASSERT_EQ(again.code, 0) << again.err;
    expect_whole(io::read_image(file("again.png")).image);
}

TEST_F(MosaicProgram, WhatCannotBeJoinedIsRefused) {
    make_tiles();
    expect_failure(
        2, {"--compression", ".ome.tif"},
        words({"--grid", "3x2", "--overlap", "20%", "--compression", "jpeg", "-o", "m.png"}));
    expect_failure(2, {"--grid", "'3by2'"}, words({"--grid", "3by2", "-o", "m.png"}));
    expect_failure(2, {"give --positions or --grid"}, words({"--as-given", "-o", "m.png"}));
    expect_failure(2, {"give the folder"}, {"register", "mosaic", "tiles/t1.png", "-o", "m.png"});
    write_text("list.txt", "tiles/t1.png\n");
    expect_failure(2, {"at least two tiles"}, {"register", "mosaic", "list.txt", "-o", "m.png"});
    write_text("list.txt", "tiles/t1.png\ntiles/t9.png\n");
    expect_failure(3, {"line 2", "t9.png"}, {"register", "mosaic", "list.txt", "-o", "m.png"});
    // Not one overlaps as the grid says.
    write_text("list.txt", "tiles/t1.png\ntiles/t6.png\n");
    expect_failure(1, {"no two neighboring tiles match"},
                   {"register", "mosaic", "list.txt", "--grid", "2x1", "-o", "m.png"});
    // A picture that does not fit is refused; tile by tile it is written.
    std::string far = "file,x,y\n";
    for (int i = 0; i < 6; ++i)
        far += "t" + std::to_string(i + 1) + ".png," + std::to_string(5000 * (i % 3)) + "," +
               std::to_string(5000 * (i / 3)) + "\n";
    write_text("far.csv", far);
    const Names apart{"--positions", "far.csv",      "--as-given", "--max-canvas",
                      "1000",        "--max-memory", "20M",        "-o"};
    const auto to = [&](const std::string& name) {
        Names all = words(apart);
        all.push_back(name);
        return all;
    };
    expect_failure(5, {"at least 10150 x 5120", "name a .ome.tif"}, to("m.png"));
    EXPECT_EQ(run(to("m.ome.tif")).code, 0);
    expect_failure(2, {"--max-canvas"},
                   words({"--positions", "far.csv", "--as-given", "-o", "m.png"}));
    // Pixels that the format has no place for.
    fs::create_directory(file("floats"));
    for (const char* name : {"floats/1.tif", "floats/2.tif"}) write(name, Image<float>({40, 40}));
    expect_failure(
        2, {"m.png"},
        {"register", "mosaic", "floats", "--grid", "2x1", "--overlap", "50%", "-o", "m.png"});
}

}  // namespace
}  // namespace tesela::cli::testing
