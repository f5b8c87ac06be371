// OME-Zarr: images of ours, and hierarchies written by hand.
#include <zlib.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include "io/archive_mutants.h"
#include "io/ome_zarr_files.h"
#include "tesela/volume_io.h"

namespace tesela::io::testing {
namespace {

class OmeZarrTest : public OmeZarrFiles {
  protected:
    // The array's first four chunks have the numbers 10 to 15, 20 to 25, 30 to 35; the last is
    // missing.
    void write_by_hand(const std::string& name, const Json& description) {
        put(name + "/.zattrs", image(rows_and_columns(), Json::array({scale({0.002, 3})})));
        put(name + "/0/.zarray", description);
        for (const int chunk : {0, 1, 2}) {
            Bytes bytes;
            for (int i = 0; i < 6; ++i)
                bytes.push_back(static_cast<std::uint8_t>(10 * chunk + 10 + i));
            put(name + "/0/" + std::to_string(chunk / 2) + "/" + std::to_string(chunk % 2), bytes);
        }
    }
    template <class T>
    void expect_round_trip(const Shape& shape) {
        SCOPED_TRACE(std::string(pixel_type_name(pixel_type_of<T>())) + " " +
                     std::to_string(shape.x) + " " + std::to_string(shape.channels));
        Geometry g = micrometers();
        if (shape.t > 1) g.time_step = 2.5;
        const Image<T> written = pattern<T>(shape, g);
        for (const std::string name : {"a.ome.zarr", "a.ome.zarr.zip"})
            for (const Compression packed : {Compression::automatic, Compression::none,
                                             Compression::fast, Compression::small}) {
                // The slowest, whatever the type.
                if (packed == Compression::small && sizeof(T) != 2) continue;
                const ZarrVersion version =
                    packed == Compression::none || packed == Compression::automatic
                        ? ZarrVersion::v0_5
                        : ZarrVersion::v0_4;
                const WriteOptions options{.compression = packed, .zarr = version};
                ASSERT_TRUE(write_image(written, file(name), options).empty());
                const ReadResult result = read_image(file(name));
                expect_same_pixels(result.image, written);
                EXPECT_EQ(geometry_of(result.image), g);
                EXPECT_EQ(result.format, "OME-Zarr");
                EXPECT_EQ(result.spacing_source, "OME");
                EXPECT_TRUE(result.warnings.empty());
            }
    }
};

TEST_F(OmeZarrTest, EveryTypeAndShapeComesBack) {
    for (const Shape& shape :
         {Shape{1, 1}, Shape{7, 5}, Shape{3, 4, 5}, Shape{9, 8, 1, 1, 3}, Shape{9, 8, 1, 1, 7},
          Shape{6, 5, 4, 1, 2}, Shape{6, 5, 1, 3}, Shape{2, 5, 4, 3, 2}}) {
        expect_round_trip<std::uint8_t>(shape);
        expect_round_trip<std::int8_t>(shape);
        expect_round_trip<std::uint16_t>(shape);
        expect_round_trip<std::int16_t>(shape);
        expect_round_trip<std::uint32_t>(shape);
        expect_round_trip<std::int32_t>(shape);
        expect_round_trip<float>(shape);
        expect_round_trip<double>(shape);
    }
    expect_round_trip<std::uint16_t>({530, 515, 1, 1, 2});
    expect_round_trip<std::int8_t>({70, 66, 65, 2, 2});
}

TEST_F(OmeZarrTest, ColorsAndOpacityAreKept) {
    const auto colors = pattern<std::uint8_t>({9, 8, 1, 1, 3});
    write_image(colors, file("color.zarr"));
    EXPECT_FALSE(read_image(file("color.zarr")).separate_channels);
    write_image(pattern<std::uint16_t>({9, 8, 1, 1, 3}), file("channels.zarr"));
    EXPECT_TRUE(read_image(file("channels.zarr")).separate_channels);
    for (const int channels : {2, 4}) {
        Image<std::uint16_t> seen = pattern<std::uint16_t>({9, 8, 1, 1, channels});
        seen.has_alpha = true;
        write_image(seen, file("alpha.zarr"));
        expect_same_pixels(read_image(file("alpha.zarr")).image, seen);
        EXPECT_FALSE(read_image(file("alpha.zarr")).separate_channels);
    }
}

TEST_F(OmeZarrTest, GeometryThatIsLostIsTold) {
    Geometry turned = micrometers();
    turned.direction = {0, 1, 0, 1, 0, 0, 0, 0, -1};
    const auto lost = write_image(pattern<float>({5, 4, 3}, turned), file("a.zarr"));
    ASSERT_EQ(lost.size(), 1u);
    EXPECT_NE(lost[0].find("OME-Zarr does not hold its origin"), std::string::npos) << lost[0];
    EXPECT_NE(lost[0].find("orientation"), std::string::npos) << lost[0];
    EXPECT_EQ(geometry_of(read_image(file("a.zarr")).image).origin, (std::array<double, 3>{}));
    write_image(pattern<float>({5, 4, 3}), file("b.zarr"));
    EXPECT_FALSE(geometry_of(read_image(file("b.zarr")).image).known());
}

// ---- levels -------------------------------------------------------------------------------------

TEST_F(OmeZarrTest, LevelsAreMeansAndKnowWhereTheyLie) {
    Image<std::uint8_t> picture({1025, 3}, micrometers_per_pixel(0.5, 2));
    picture(0, 0) = 1;
    picture(1, 0) = 2;
    picture(0, 1) = 4;
    picture(1, 1) = 3;  // the mean is 2.5
    picture(1024, 2) = 9;
    write_image(picture, file("a.zarr"));
    const auto slide = open_slide(file("a.zarr"));
    ASSERT_EQ(slide->facts().levels.size(), 3u);
    EXPECT_EQ(slide_format(file("a.zarr")), "OME-Zarr");
    const auto half = std::get<Image<std::uint8_t>>(slide->read(1, {0, 0, 513, 2}));
    EXPECT_EQ(half(0, 0), 3);
    EXPECT_EQ(half(512, 1), 9);  // the last column and row count twice
    const auto whole = std::get<Image<std::uint8_t>>(slide->read(0, {0, 0, 1025, 3}));
    EXPECT_EQ(whole.pixels(), picture.pixels());
    EXPECT_DOUBLE_EQ(slide->facts().levels[0].geometry.spacing_mm()[0], 0.0005);
    EXPECT_DOUBLE_EQ(slide->facts().levels[0].geometry.spacing_mm()[1], 0.002);
    const Json datasets = json_at("a.zarr/.zattrs")["multiscales"][0]["datasets"];
    EXPECT_EQ(datasets[1]["coordinateTransformations"][0]["scale"], Json({4.0, 1.0}));
    EXPECT_EQ(datasets[1]["coordinateTransformations"][1]["translation"], Json({1.0, 0.25}));
    EXPECT_EQ(datasets[2]["coordinateTransformations"][1]["translation"], Json({3.0, 0.75}));
    const Json top = json_at("a.zarr/0/.zarray");
    EXPECT_EQ(top["chunks"], Json({3, 512}));
    EXPECT_EQ(top["dimension_separator"], "/");
    EXPECT_FALSE(fs::exists(file("a.zarr/0/0/1")));  // zeros
    EXPECT_TRUE(fs::exists(file("a.zarr/0/0/2")));
}

// Slices are halved once their distance is below two pixels.
TEST_F(OmeZarrTest, SlicesAreHalvedWhereTheSpacingSaysSo) {
    Geometry g = micrometers();
    g.spacing = {0.5, 0.5, 1.5};
    Image<float> volume({257, 64, 5}, g);
    volume(0, 0, 0) = 8;
    volume(0, 0, 1) = 16;
    write_image(volume, file("a.zarr"));
    EXPECT_EQ(json_at("a.zarr/1/.zarray")["shape"], Json({5, 32, 129}));
    EXPECT_EQ(json_at("a.zarr/2/.zarray")["shape"], Json({3, 16, 65}));
    EXPECT_EQ(json_at("a.zarr/3/.zarray")["shape"], Json({2, 8, 33}));
    EXPECT_EQ(json_at("a.zarr/0/.zarray")["chunks"], Json({5, 64, 64}));
    const auto level = std::get<Image<float>>(read_image(file("a.zarr/1")).image);
    EXPECT_EQ(level(0, 0, 0), 2);
    EXPECT_EQ(level(0, 0, 1), 4);
    EXPECT_EQ(std::get<Image<float>>(read_image(file("a.zarr/2")).image)(0, 0, 0), 0.75f);
    volume.geometry = {};
    write_image(volume, file("b.zarr"));
    EXPECT_EQ(json_at("b.zarr/2/.zarray")["shape"], Json({5, 16, 65}));
}

TEST_F(OmeZarrTest, LabelsKeepTheirNumbersInAllLevels) {
    LabelImage labels({1024, 1024});
    for (std::int64_t y = 0; y < 1024; ++y)
        for (std::int64_t x = 0; x < 1024; ++x) labels(x, y) = x % 2 == 0 && y % 2 == 0 ? 300 : 7;
    write_labels(labels, file("a.ome.zarr"));
    EXPECT_EQ(read_labels(file("a.ome.zarr")).pixels(), labels.pixels());
    const auto half = std::get<Image<std::uint16_t>>(read_image(file("a.ome.zarr/1")).image);
    EXPECT_TRUE(std::all_of(half.pixels().begin(), half.pixels().end(),
                            [](std::uint16_t value) { return value == 300; }));
    const Json colors = json_at("a.ome.zarr/.zattrs")["image-label"]["colors"];
    ASSERT_EQ(colors.size(), 2u);
    EXPECT_EQ(colors[1]["label-value"], 300);
    EXPECT_EQ(colors[1]["rgba"][0], label_color(300)[0]);
    EXPECT_FALSE(fs::exists(file("a.labels.json")));
}

// ---- files of others ----------------------------------------------------------------------------

TEST_F(OmeZarrTest, ChunksWrittenByHand) {
    write_by_hand("a.zarr", array("|u1"));
    const ReadResult result = read_image(file("a.zarr"));
    const auto& read = std::get<Image<std::uint8_t>>(result.image);
    EXPECT_EQ(read.pixels(), (Bytes{10, 11, 12, 20, 13, 14, 15, 23, 30, 31, 32, 200}));
    EXPECT_EQ(read.geometry.unit, Unit::micrometer);
    EXPECT_DOUBLE_EQ(read.geometry.spacing[0], 3);
    EXPECT_DOUBLE_EQ(read.geometry.spacing[1], 2);

    Json columns = array("|u1");
    columns["order"] = "F";
    write_by_hand("b.zarr", columns);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(read_image(file("b.zarr")).image).pixels(),
              (Bytes{10, 12, 14, 20, 11, 13, 15, 21, 30, 32, 34, 200}));

    Json big = array(">i2");
    big["shape"] = big["chunks"] = {1, 3};
    big["fill_value"] = -5;
    write_by_hand("c.zarr", big);
    EXPECT_EQ(std::get<Image<std::int16_t>>(read_image(file("c.zarr")).image).pixels(),
              (std::vector<std::int16_t>{0x0a0b, 0x0c0d, 0x0e0f}));

    Json flat = array("|b1");
    flat.erase("dimension_separator");
    flat["fill_value"] = true;
    write_by_hand("d.zarr", flat);
    put("d.zarr/0/1.1", Bytes{0, 7, 7, 7, 7, 7});
    EXPECT_EQ(std::get<Image<std::uint8_t>>(read_image(file("d.zarr")).image).pixels(),
              (Bytes{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}));
}

TEST_F(OmeZarrTest, OtherPackings) {
    const Bytes chunk{10, 11, 12, 13, 14, 15};
    Bytes packed(64);
    uLongf size = packed.size();
    compress(packed.data(), &size, chunk.data(), chunk.size());
    packed.resize(size);
    Json description = array("|u1");
    description["shape"] = description["chunks"];
    description["compressor"] = {{"id", "zlib"}, {"level", 1}};
    write_by_hand("a.zarr", description);
    put("a.zarr/0/0/0", packed);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(read_image(file("a.zarr")).image).pixels(), chunk);
    // A frame of zstd with one raw block (RFC 8878).
    description["compressor"] = {{"id", "zstd"}, {"level", 1}};
    put("a.zarr/0/.zarray", description);
    put("a.zarr/0/0/0", Bytes{0x28, 0xb5, 0x2f, 0xfd, 0x20, 6, 0x31, 0, 0, 10, 11, 12, 13, 14, 15});
    EXPECT_EQ(std::get<Image<std::uint8_t>>(read_image(file("a.zarr")).image).pixels(), chunk);
    // A container of blosc that holds the bytes as they are.
    description["compressor"] = {{"id", "blosc"}};
    put("a.zarr/0/.zarray", description);
    put("a.zarr/0/0/0",
        Bytes{2, 1, 2, 1, 6, 0, 0, 0, 6, 0, 0, 0, 22, 0, 0, 0, 10, 11, 12, 13, 14, 15});
    EXPECT_EQ(std::get<Image<std::uint8_t>>(read_image(file("a.zarr")).image).pixels(), chunk);
    put("a.zarr/0/0/0", Bytes{2, 1, 2, 1, 6, 0, 0, 0, 6, 0, 0, 0, 22, 0, 0, 0, 10, 11, 12, 13, 14});
    expect_unreadable({"a.zarr", "chunk '0/0/0' is damaged"}, [&] { read_image(file("a.zarr")); });
}

TEST_F(OmeZarrTest, WideIntegersBecomeNarrow) {
    Json description = array("<u8");
    description["shape"] = description["chunks"] = {1, 2};
    write_by_hand("a.zarr", description);
    Bytes numbers(16);
    numbers[0] = 5;
    put("a.zarr/0/0/0", numbers);
    EXPECT_EQ(std::get<Image<std::int32_t>>(read_image(file("a.zarr")).image).pixels(),
              (std::vector<std::int32_t>{5, 0}));
    numbers[11] = 0x80;
    put("a.zarr/0/0/0", numbers);
    EXPECT_EQ(std::get<Image<std::uint32_t>>(read_image(file("a.zarr")).image).pixels(),
              (std::vector<std::uint32_t>{5, 0x80000000}));
    numbers[12] = 1;
    put("a.zarr/0/0/0", numbers);
    expect_error(ErrorCode::unsupported_format, {"a.zarr", "64-bit"},
                 [&] { read_image(file("a.zarr")); });
}

TEST_F(OmeZarrTest, ChannelsHaveNames) {
    Json description = array("|u1");
    description["shape"] = description["chunks"] = {2, 1, 3};
    put("a.zarr/.zattrs", image({axis("c", "channel"), axis("y", "space"), axis("x", "space")},
                                Json::array({scale({1, 1, 1})})));
    Json attributes = json_at("a.zarr/.zattrs");
    attributes["omero"]["channels"] = {{{"label", "DAPI"}, {"color", "0000FF"}},
                                       {{"label", "GFP"}, {"color", "00FF00"}}};
    put("a.zarr/.zattrs", attributes);
    put("a.zarr/0/.zarray", description);
    put("a.zarr/0/0/0/0", Bytes{1, 2, 3, 4, 5, 6});
    const ReadResult all = read_image(file("a.zarr"));
    EXPECT_EQ(all.channel_names, (std::vector<std::string>{"DAPI", "GFP"}));
    EXPECT_TRUE(all.separate_channels);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(all.image).pixels(), (Bytes{1, 4, 2, 5, 3, 6}));
    const ReadResult one = read_image(file("a.zarr"), {.choice = {.channel = "gfp"}});
    EXPECT_EQ(std::get<Image<std::uint8_t>>(one.image).pixels(), (Bytes{4, 5, 6}));
    EXPECT_EQ(one.channel_names, (std::vector<std::string>{"GFP"}));
}

TEST_F(OmeZarrTest, ChosenPlanesAreAllThatIsRead) {
    const auto all = pattern<std::int16_t>({9, 8, 4, 3, 2}, micrometers());
    write_image(all, file("a.zarr"));
    fs::remove_all(file("a.zarr/0/2"));  // the last time point: zeros
    write_bytes(file("a.zarr/0/0/0/0/0/0"), {1, 2, 3});
    expect_unreadable({"0/0/0/0/0/0"}, [&] { read_image(file("a.zarr")); });
    const auto read =
        read_image(file("a.zarr"), {.choice = {.channel = "1", .slice = 2, .time = 1}});
    const auto& plane = std::get<Image<std::int16_t>>(read.image);
    ASSERT_EQ(plane.shape(), (Shape{9, 8}));
    EXPECT_EQ(plane(3, 5), all(3, 5, 2, 1, 1));
    EXPECT_DOUBLE_EQ(plane.geometry.origin[2], -72.25 + 2 * 3.3);
    const auto last = read_image(file("a.zarr"), {.choice = {.channel = "0", .time = 2}});
    EXPECT_EQ(std::get<Image<std::int16_t>>(last.image)(3, 5, 1), 0);
}

TEST_F(OmeZarrTest, TheFirstOfSeveralImages) {
    write_image(pattern<std::uint8_t>({5, 4}), file("0.zarr"));
    for (const char* name : {"a.zarr/0", "a.zarr/1"}) {
        fs::create_directories(file(name).parent_path());
        fs::copy(file("0.zarr"), file(name), fs::copy_options::recursive);
    }
    put("a.zarr/.zattrs", {{"bioformats2raw.layout", 3}});
    const ReadResult result = read_image(file("a.zarr"));
    EXPECT_EQ(shape_of(result.image), (Shape{5, 4}));
    expect_warning(result, {"several images", "NAME.zarr/1"});
    EXPECT_EQ(shape_of(read_image(file("a.zarr/1")).image), (Shape{5, 4}));
}

TEST_F(OmeZarrTest, VolumesAreReadInParts) {
    const auto volume = pattern<std::uint16_t>({70, 66, 65, 2, 2}, micrometers());
    write_image(volume, file("a.zarr"));
    std::vector<std::string> warnings;
    const auto input = open_zarr_volume(file("a.zarr"), warnings);
    ASSERT_TRUE(input);
    EXPECT_EQ(input->facts().shape, volume.shape());
    EXPECT_EQ(input->facts().geometry, volume.geometry);
    const auto part = std::get<Image<std::uint16_t>>(input->read({{3, 60, 62}, {70, 66, 65}}, 1));
    EXPECT_EQ(part.shape(), (Shape{67, 6, 3, 1, 2}));
    EXPECT_EQ(part(66, 5, 2, 0, 1), volume(69, 65, 64, 1, 1));
    EXPECT_EQ(part(0, 0, 0, 0, 0), volume(3, 60, 62, 1, 0));
    // A chunk is decoded as a whole.
    EXPECT_THROW(open_zarr_volume(file("a.zarr"), warnings, 1 << 10), OutOfMemory);
    EXPECT_THROW(open_bricks(file("a.zarr"), warnings, 1 << 10), OutOfMemory);
    write_image(volume, file("a.nrrd"));
    EXPECT_FALSE(open_zarr_volume(file("a.nrrd"), warnings));
}

// ---- refusals -----------------------------------------------------------------------------------

TEST_F(OmeZarrTest, RefusalsSayWhatAndWhere) {
    const auto refused = [&](ErrorCode code, const std::string& word, const char* key,
                             const Json& value) {
        SCOPED_TRACE(word);
        Json description = array("|u1");
        description[key] = value;
        write_by_hand("a.zarr", description);
        expect_error(code, {"a.zarr", word},
                     [&] { read_image(file("a.zarr"), {.max_bytes = 1 << 26}); });
    };
    refused(ErrorCode::unsupported_format, "<f2", "dtype", "<f2");
    refused(ErrorCode::unsupported_format, "|S3", "dtype", "|S3");
    refused(ErrorCode::unsupported_format, "lz4", "compressor", {{"id", "lz4"}});
    refused(ErrorCode::unsupported_format, "delta", "filters", Json::array({{{"id", "delta"}}}));
    refused(ErrorCode::unreadable_input, "3 axes", "shape", {1, 2, 3});
    refused(ErrorCode::unreadable_input, "0 points", "shape", {0, 2});
    refused(ErrorCode::unreadable_input, "-1", "shape", {-1, 2});
    refused(ErrorCode::unreadable_input, "chunks of 99999999999", "chunks", {1, 99999999999});
    refused(ErrorCode::unreadable_input, "fill value 256", "fill_value", 256);
    refused(ErrorCode::unreadable_input, "separator", "dimension_separator", "..");
    refused(ErrorCode::out_of_memory, "bytes", "shape", {1 << 20, 1 << 20});
    refused(ErrorCode::out_of_memory, "bytes", "chunks", {1 << 14, 1 << 14});
    Json tiny = array("|u1");
    tiny["shape"] = {4096, 4096};
    tiny["chunks"] = {1, 1};
    write_by_hand("a.zarr", tiny);
    expect_error(ErrorCode::unsupported_format, {"a.zarr", "16777216 chunks"},
                 [&] { read_image(file("a.zarr")); });
    put("b.zarr/.zgroup", {{"zarr_format", 2}});
    expect_error(ErrorCode::unsupported_format, {"b.zarr", "multiscales"},
                 [&] { read_image(file("b.zarr")); });
    put("b.zarr/.zattrs", {{"plate", Json::object()}});
    expect_error(ErrorCode::unsupported_format, {"b.zarr", "plate", "A/1/0"},
                 [&] { read_image(file("b.zarr")); });
}

TEST_F(OmeZarrTest, NothingOutsideIsRead) {
    write_by_hand("outside", array("|u1"));
    write_by_hand("a.zarr", array("|u1"));
    Json attributes = json_at("a.zarr/.zattrs");
    for (const std::string path : {"../outside/0", "/etc", "0/../../outside/0", ""}) {
        SCOPED_TRACE(path);
        attributes["multiscales"][0]["datasets"][0]["path"] = path;
        put("a.zarr/.zattrs", attributes);
        expect_unreadable({"a.zarr", "none within"}, [&] { read_image(file("a.zarr")); });
    }
    attributes["multiscales"][0]["datasets"][0]["path"] = "link";
    put("a.zarr/.zattrs", attributes);
    fs::create_directory_symlink(file("outside/0"), file("a.zarr/link"));
    expect_unreadable({"a.zarr", "outside of the folder"}, [&] { read_image(file("a.zarr")); });
    // Within it, and where the folder itself is reached by a link, they are as good as files.
    fs::remove(file("a.zarr/link"));
    fs::create_directory_symlink("0", file("a.zarr/link"));
    fs::create_directory_symlink("a.zarr", file("b.zarr"));
    EXPECT_EQ(shape_of(read_image(file("b.zarr")).image), (Shape{4, 3}));
}

TEST_F(OmeZarrTest, AChunkIsNoLongerThanItsPixels) {
    write_by_hand("a.zarr", array("|u1"));
    put("a.zarr/0/0/0", Bytes(1 << 16));
    expect_unreadable({"a.zarr", "0/0/0", "65536 bytes"}, [&] { read_image(file("a.zarr")); });
}

TEST_F(OmeZarrTest, FoldersAreReplacedWhereTheyAreOmeZarr) {
    const auto first = pattern<std::uint8_t>({5, 4}), second = pattern<std::uint8_t>({700, 600});
    write_image(second, file("a.ome.zarr"));
    expect_error(ErrorCode::invalid_argument, {"a.ome.zarr", "exists"},
                 [&] { write_image(first, file("a.ome.zarr"), {.overwrite = false}); });
    write_image(first, file("a.ome.zarr"));
    expect_same_pixels(read_image(file("a.ome.zarr")).image, first);
    EXPECT_FALSE(fs::exists(file("a.ome.zarr/1")));  // nothing of what was there
    fs::create_directory(file("b.ome.zarr"));
    expect_error(ErrorCode::unwritable_output, {"b.ome.zarr", "it is a folder"},
                 [&] { write_image(first, file("b.ome.zarr")); });
    LabelImage labels({5, 4});
    labels(1, 1) = 3;
    write_labels(labels, file("a.ome.zarr"));  // with the file beside it
    EXPECT_EQ(read_labels(file("a.ome.zarr")).pixels(), labels.pixels());
    EXPECT_EQ(files_read(file("a.ome.zarr")), (std::vector{file("a.ome.zarr")}));
    for (const std::string& name : names()) EXPECT_FALSE(name.starts_with(".tesela")) << name;
}

TEST_F(OmeZarrTest, FullDisksLeaveNothing) {
    const auto image = pattern<float>({900, 900});
    const FileSizeLimit limit(100'000);
    for (const std::string name : {"a.zarr", "a.zarr.zip"})
        expect_error(ErrorCode::unwritable_output, {name}, [&] { write_image(image, file(name)); });
    EXPECT_TRUE(names().empty());
}

// ---- damage -------------------------------------------------------------------------------------

TEST_F(OmeZarrTest, MutatedArchivesNeverGiveOtherPixels) {
    const Image<std::int16_t> image = pattern<std::int16_t>({13, 11, 5}, micrometers());
    write_image(image, file("a.zarr.zip"));
    expect_mutants_refused_or_equal(file("a.zarr.zip"), image);
}

// The files of a folder have no checksums.
TEST_F(OmeZarrTest, MutatedFoldersAreReadOrRefused) {
    Image<std::uint16_t> image =
        pattern<std::uint16_t>({600, 30, 1, 1, 2}, micrometers_per_pixel(2, 3));
    std::fill_n(image.pixels().begin(), image.pixels().size() / 2, std::uint16_t{7});
    for (const Compression packed : {Compression::fast, Compression::small}) {
        write_image(image, file("a.zarr"), {.compression = packed});
        expect_mutants_read_or_refused("a.zarr", {".zattrs", "0/.zarray", "0/0/0/0", "0/1/0/1"});
    }
}

}  // namespace
}  // namespace tesela::io::testing
