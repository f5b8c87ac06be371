// Slides: tiled TIFF files made by libtiff, read again; OpenSlide beside both.
#include "tesela/slide_io.h"

#ifdef TESELA_HAS_OPENSLIDE
    #include <openslide.h>
#endif

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

#include "io/tiled_tiff.h"

namespace tesela::io::testing {
namespace {

class SlideTest : public FileTest {
  protected:
    fs::path written(const TiledTiff& tiff) const {
        const fs::path path = file("slide.tif");
        write_tiled(path, tiff);
        return path;
    }
};

AnyImage whole(const TileSource& slide, int level) {
    const Shape& shape = slide.facts().levels[static_cast<std::size_t>(level)].shape;
    return slide.read(level, {0, 0, shape.x, shape.y});
}

template <class T>
void expect_levels(const TileSource& slide, const std::vector<AnyImage>& levels) {
    ASSERT_EQ(slide.facts().levels.size(), levels.size());
    for (std::size_t i = 0; i < levels.size(); ++i) {
        EXPECT_DOUBLE_EQ(slide.facts().levels[i].downsample[0], std::pow(2.0, double(i)));
        expect_same_pixels(whole(slide, static_cast<int>(i)), std::get<Image<T>>(levels[i]));
    }
}

TEST_F(SlideTest, EveryLevelOfEveryLayoutReadsBack) {
    for (const bool sub : {false, true})
        for (const bool big : {false, true})
            for (const bool separate : {false, true})
                for (const int compression :
                     {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE}) {
                    const auto levels = pyramid(pattern<std::uint8_t>({301, 203, 1, 1, 3}), 3);
                    const auto path = written({.levels = levels,
                                               .tile_width = 64,
                                               .tile_height = 48,
                                               .compression = compression,
                                               .sub_directories = sub,
                                               .big = big,
                                               .separate = separate});
                    const QuietScope quiet;
                    const auto slide = open_slide(path);
                    EXPECT_EQ(slide->facts().format, "tiled TIFF");
                    EXPECT_EQ(slide->facts().levels[0].tile_height, 48);
                    EXPECT_EQ(slide_format(path), "tiled TIFF");
                    expect_levels<std::uint8_t>(*slide, levels);
                }
}

TEST_F(SlideTest, EveryPixelTypeReadsBack) {
    const auto check = [&](auto zero) {
        using T = decltype(zero);
        if constexpr (!std::is_signed_v<T>) {
            const auto levels = pyramid(pattern<T>({90, 70}), 2, true);
            expect_levels<T>(
                *open_slide(written({.levels = levels, .tile_width = 32, .tile_height = 16})),
                levels);
        }
    };
    check(std::uint8_t{});
    check(std::uint16_t{});
    check(std::uint32_t{});
}

TEST_F(SlideTest, BoxesBeyondTheEdgeAreWhiteForColorsAndZeroForGray) {
    const auto color = open_slide(written({.levels = {colors(100, 80)}}));
    const AnyImage corner = color->read(0, {90, 70, 20, 20});
    EXPECT_EQ(std::get<0>(corner)(15, 15, 0, 0, 1), 255);
    EXPECT_EQ(std::get<0>(corner)(9, 9, 0, 0, 2),
              std::get<0>(AnyImage(colors(100, 80)))(99, 79, 0, 0, 2));
    const auto gray = open_slide(written({.levels = {pattern<std::uint16_t>({100, 80})}}));
    EXPECT_EQ(std::get<Image<std::uint16_t>>(gray->read(0, {99, 79, 2, 2}))(1, 1), 0);
}

TEST_F(SlideTest, OmeTellsTheSizeOfAPixel) {
    const struct {
        const char* attributes;
        double x, y;
    } cases[] = {
        {"PhysicalSizeX=\"0.25\" PhysicalSizeXUnit=\"\xc2\xb5m\" PhysicalSizeY=\"0.5\"", 0.25, 0.5},
        {"PhysicalSizeX=\"500\" PhysicalSizeXUnit=\"nm\"", 0.5, 0.5},
        {"PhysicalSizeX=\"0.002\" PhysicalSizeXUnit=\"mm\" PhysicalSizeY=\"0.002\" "
         "PhysicalSizeYUnit=\"mm\"",
         2, 2},
        {"PhysicalSizeX=\"1\" PhysicalSizeXUnit=\"pixel\"", 0, 0},
        {"PhysicalSizeX=\"-3\"", 0, 0},
        {"PhysicalSizeX=\"nonsense\"", 0, 0},
        {"PhysicalSizeX=\"1e9\"", 0, 0},
        {"SizeX=\"3\"", 0, 0},
    };
    for (const auto& [attributes, x, y] : cases) {
        SCOPED_TRACE(attributes);
        const auto path = written({.levels = pyramid(colors(100, 80), 2),
                                   .sub_directories = true,
                                   .description = ome_text(attributes)});
        const auto slide = open_slide(path);
        EXPECT_EQ(slide_format(path), "OME-TIFF");
        EXPECT_EQ(slide->facts().format, "OME-TIFF");
        const Geometry& g = slide->facts().levels[1].geometry;
        EXPECT_EQ(g.known(), x > 0);
        EXPECT_EQ(slide->facts().spacing_source, x > 0 ? "OME" : "");
        if (x > 0) {
            EXPECT_NEAR(g.spacing[0], 2 * x, 1e-12);
            EXPECT_NEAR(g.spacing[1], 2 * y, 1e-12);
            EXPECT_NEAR(g.origin[0], x / 2, 1e-12);
        }
    }
}

TEST_F(SlideTest, OtherSourcesOfTheSizeOfAPixel) {
    const auto source_of = [&](const TiledTiff& tiff, const SlideReadOptions& options = {}) {
        const auto slide = open_slide(written(tiff), options);
        return std::pair(slide->facts().spacing_source,
                         slide->facts().levels[0].geometry.spacing[0]);
    };
    const std::vector<AnyImage> levels{colors(70, 70)};
    using Found = std::pair<std::string, double>;
    EXPECT_EQ(source_of({.levels = levels}), Found("", 1));
    EXPECT_EQ(source_of({.levels = levels, .resolution = 20000}), Found("TIFF resolution", 0.5));
    // 300 dots per inch are those of a printer, in centimeters too.
    EXPECT_EQ(source_of({.levels = levels, .resolution = 118.11f}), Found("", 1));
    EXPECT_EQ(source_of({.levels = levels, .resolution = 300, .resolution_unit = RESUNIT_INCH}),
              Found("", 1));
    EXPECT_EQ(source_of({.levels = levels, .resolution = 50800, .resolution_unit = RESUNIT_INCH}),
              Found("TIFF resolution", 0.5));
    const std::string aperio = "Aperio Image Library v10\r\nx|AppMag = 20|MPP = 0.4990|Left = 2";
    const SlideReadOptions by_tiff{.reader = SlideReader::tiff};
    EXPECT_EQ(source_of({.levels = levels, .description = aperio}, by_tiff),
              Found("Aperio MPP", 0.499));
    EXPECT_EQ(source_of({.levels = levels, .resolution = 20000},
                        {.micrometers_per_pixel = std::array{0.7, 0.7}}),
              Found("given", 0.7));
    EXPECT_EQ(source_of({.levels = levels, .resolution = 1}), Found("", 1));  // a centimeter
    expect_error(ErrorCode::invalid_argument, {"-1"}, [&] {
        open_slide(file("slide.tif"), {.micrometers_per_pixel = std::array{-1.0, 1.0}});
    });
}

TEST_F(SlideTest, TurnedSlidesAreReadUpright) {
    for (const bool sub : {false, true}) {
        const auto path = written({.levels = pyramid(colors(100, 80), 2),
                                   .sub_directories = sub,
                                   .orientation = ORIENTATION_RIGHTTOP});
        const auto slide = open_slide(path);
        EXPECT_EQ(slide->facts().levels[0].shape, (Shape{80, 100, 1, 1, 3}));
        expect_same_pixels(whole(*slide, 0), std::get<Image<std::uint8_t>>(read_image(path).image));
    }
}

// Without levels they are pictures, of which all planes are read.
TEST_F(SlideTest, PlanesAreCounted) {
    const std::string two = ome_text("SizeC=\"6\" SizeZ=\"1\" SizeT=\"1\"");
    TiledTiff stack{.levels = {colors(100, 80)}, .description = two};
    EXPECT_EQ(slide_format(written(stack)), "");
    stack.levels = pyramid(colors(100, 80), 2);
    stack.sub_directories = true;
    const auto path = written(stack);
    EXPECT_EQ(slide_format(path), "OME-TIFF");
    EXPECT_EQ(open_slide(path)->facts().planes, 2);
}

TEST_F(SlideTest, PicturesAreSlidesOfOneLevel) {
    const auto image = pattern<std::uint8_t>({700, 300, 1, 1, 3});
    write_image(image, file("a.png"));
    const auto slide = open_slide(file("a.png"));
    EXPECT_EQ(slide->facts().format, "PNG");
    expect_levels<std::uint8_t>(*slide, {image});
    EXPECT_EQ(slide_format(file("a.png")), "");
    write_image(pattern<std::uint8_t>({9, 9, 3}), file("a.nii"));
    expect_error(ErrorCode::unsupported_format, {"a.nii", "volume"},
                 [&] { open_slide(file("a.nii")); });
    expect_error(ErrorCode::unsupported_format, {"a.png", "OpenSlide"},
                 [&] { open_slide(file("a.png"), {.reader = SlideReader::openslide}); });
}

TEST_F(SlideTest, ThreadsReadAllTiles) {
    const auto levels = pyramid(pattern<std::uint8_t>({500, 400, 1, 1, 3}), 3);
    const auto slide = open_slide(written({.levels = levels, .sub_directories = true}));
    std::vector<std::thread> threads;
    std::atomic<int> equal{0};
    for (int i = 0; i < 6; ++i)
        threads.emplace_back([&, level = i % 3] {
            equal += std::get<0>(whole(*slide, level)).pixels() ==
                     std::get<0>(levels[static_cast<std::size_t>(level)]).pixels();
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(equal, 6);
}

// ---- What is wrong with a file.

TEST_F(SlideTest, MissingTilesAreBackgroundAndWarned) {
    const auto slide = open_slide(written({.levels = {colors(200, 150)}, .left_out = {1, 6}}));
    ASSERT_EQ(slide->facts().warnings.size(), 1u);
    EXPECT_NE(slide->facts().warnings[0].find("2 tiles are missing"), std::string::npos);
    EXPECT_EQ(std::get<0>(*slide->tile(0, 1, 0))(5, 5), 255);
    EXPECT_NE(std::get<0>(*slide->tile(0, 0, 0))(5, 5), 255);
}

TEST_F(SlideTest, TruncatedFilesAreRefused) {
    for (const bool sub : {false, true}) {
        const auto path = written({.levels = pyramid(pattern<std::uint8_t>({400, 300, 1, 1, 3}), 3),
                                   .sub_directories = sub});
        const Bytes bytes = read_bytes(path);
        for (const double part : {0.02, 0.3, 0.7, 0.95, 0.999}) {
            const auto kept = static_cast<std::ptrdiff_t>(part * double(bytes.size()));
            write_bytes(file("cut.tif"), {bytes.begin(), bytes.begin() + kept});
            const QuietScope quiet;
            expect_error(ErrorCode::unreadable_input, {"cut.tif"}, [&] {
                const auto slide = open_slide(file("cut.tif"), {.reader = SlideReader::tiff});
                if (slide->facts().levels.size() == 3)
                    whole(*slide, 0);
                else
                    throw UnreadableInput("cut.tif lost levels");
            });
        }
    }
}

TEST_F(SlideTest, OffsetsBeyondTheFileAreRefused) {
    const Bytes bytes = read_bytes(written({.levels = {colors(60, 50)}}));
    for (const auto& [tag, value] :
         {std::pair{TIFFTAG_TILEOFFSETS, 2000000000u}, {TIFFTAG_TILEBYTECOUNTS, 2000000000u}}) {
        Bytes far = bytes;
        patch_tag(far, tag, value);
        write_bytes(file("far.tif"), far);
        const QuietScope quiet;
        expect_error(ErrorCode::unreadable_input, {"far.tif"}, [&] {
            open_slide(file("far.tif"), {.reader = SlideReader::tiff})->tile(0, 0, 0);
        });
    }
}

TEST_F(SlideTest, LevelsThatLieAreLeftOutOrRefused) {
    const Bytes bytes =
        read_bytes(written({.levels = pyramid(colors(400, 300), 2), .sub_directories = true}));
    Bytes flat = bytes;
    patch_tag(flat, TIFFTAG_IMAGELENGTH, 64, 1);
    write_bytes(file("flat.tif"), flat);
    const auto slide = open_slide(file("flat.tif"));
    EXPECT_EQ(slide->facts().levels.size(), 1u);
    ASSERT_EQ(slide->facts().warnings.size(), 1u);
    EXPECT_NE(slide->facts().warnings[0].find("200 x 64"), std::string::npos);
    for (const std::uint32_t length : {2000000u, 2147483647u}) {
        Bytes tall = bytes;
        patch_tag(tall, TIFFTAG_IMAGELENGTH, length);
        write_bytes(file("tall.tif"), tall);
        const QuietScope quiet;
        expect_error(ErrorCode::unreadable_input, {"tall.tif"},
                     [&] { open_slide(file("tall.tif"), {.reader = SlideReader::tiff}); });
    }
}

// A length for which the file has too few tiles: the others are missing, which is said.
TEST_F(SlideTest, ALongerSlideThanItsTilesIsWarned) {
    Bytes bytes = read_bytes(written({.levels = {colors(400, 300)}}));
    patch_tag(bytes, TIFFTAG_IMAGELENGTH, 2000);
    write_bytes(file("tall.tif"), bytes);
    const auto slide = open_slide(file("tall.tif"), {.reader = SlideReader::tiff});
    ASSERT_FALSE(slide->facts().warnings.empty());
    EXPECT_NE(slide->facts().warnings.back().find("missing"), std::string::npos);
    EXPECT_EQ(std::get<0>(*slide->tile(0, 0, 20))(0, 0), 255);
}

TEST_F(SlideTest, EnormousTilesAndTilesWithoutPixelsAreRefused) {
    const Bytes bytes =
        read_bytes(written({.levels = {colors(70, 70)}, .compression = COMPRESSION_NONE}));
    for (const std::uint32_t width : {0u, 1000000u}) {
        Bytes wide = bytes;
        patch_tag(wide, TIFFTAG_TILEWIDTH, width);
        write_bytes(file("wide.tif"), wide);
        const QuietScope quiet;
        expect_error(ErrorCode::unreadable_input, {"wide.tif"},
                     [&] { open_slide(file("wide.tif"), {.reader = SlideReader::tiff}); });
    }
}

TEST_F(SlideTest, DamagedTilesAreErrorsAndOthersStillRead) {
    const auto path = written({.levels = {colors(256, 64)}, .compression = COMPRESSION_JPEG});
    const AnyImage before = whole(*open_slide(path), 0);
    Bytes bytes = read_bytes(path);
    // The second tile's start of image.
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i + 3 < bytes.size(); ++i)
        if (bytes[i] == 0xff && bytes[i + 1] == 0xd8 && bytes[i + 2] == 0xff) starts.push_back(i);
    ASSERT_GE(starts.size(), 4u);
    for (std::size_t i = 0; i < 30; ++i) bytes[starts[1] + i] = 7;
    write_bytes(file("bad.tif"), bytes);
    const auto slide = open_slide(file("bad.tif"), {.reader = SlideReader::tiff});
    int errors = 0;
    for (std::int64_t column = 0; column < 4; ++column) try {
            slide->tile(0, column, 0);
        } catch (const UnreadableInput& error) {
            ++errors;
            EXPECT_NE(std::string(error.what()).find("bad.tif"), std::string::npos);
        }
    EXPECT_EQ(errors, 1);
}

TEST_F(SlideTest, AFileThatChangesIsFound) {
    const auto path = written({.levels = {colors(200, 100)}});
    const auto slide = open_slide(path);
    slide->tile(0, 0, 0);
    std::ofstream(path, std::ios::app) << "more";
    expect_error(ErrorCode::unreadable_input, {"slide.tif", "changed"},
                 [&] { slide->tile(0, 1, 0); });
}

TEST_F(SlideTest, OtherFilesAreRefused) {
    expect_error(ErrorCode::unreadable_input, {"none.svs"}, [&] { open_slide(file("none.svs")); });
    expect_error(ErrorCode::unreadable_input, {"none.svs"},
                 [&] { slide_format(file("none.svs")); });
    write_bytes(file("text.svs"), Bytes(500, 'a'));
    expect_error(ErrorCode::unsupported_format, {"text.svs"},
                 [&] { open_slide(file("text.svs")); });
    const auto path = written({.levels = {colors(70, 70)}, .description = ome_text("") + "<<<"});
    const auto slide = open_slide(path);
    EXPECT_EQ(slide->facts().warnings.size(), 1u);
    expect_error(ErrorCode::out_of_memory, {"slide.tif"},
                 [&] { open_slide(path, {.max_bytes = 100}); });
}

// The key file is a JPEG picture, whose folder was left behind or is of a program without
// OpenSlide.
TEST_F(SlideTest, MiraxWithoutItsFolderIsTold) {
    write_image(colors(60, 50), file("key.jpg"));
    fs::rename(file("key.jpg"), file("slide.mrxs"));
    expect_error(ErrorCode::unreadable_input, {"slide.mrxs", "'slide'", "Slidedat.ini"},
                 [&] { open_slide(file("slide.mrxs")); });
    expect_error(ErrorCode::unreadable_input, {"slide.mrxs", "Slidedat.ini"},
                 [&] { slide_format(file("slide.mrxs")); });
    fs::create_directory(file("slide"));
    write_bytes(file("slide/Slidedat.ini"), Bytes(20, 'a'));
    const ErrorCode code =
        has_openslide() ? ErrorCode::unreadable_input : ErrorCode::unsupported_format;
    expect_error(code, {"slide.mrxs"}, [&] { open_slide(file("slide.mrxs")); });
}

// ---- Through OpenSlide.

#ifdef TESELA_HAS_OPENSLIDE

// Without the files that it names the key file of a scanner is no slide.
TEST_F(SlideTest, MissingCompanionsAreToldByName) {
    const std::string text =
        "[Virtual Microscope Specimen]\nNoLayers=1\nNoJpegColumns=1\nNoJpegRows=1\n"
        "ImageFile=missing.jpg\nMacroImage=macro.jpg\nMapFile=map.jpg\n"
        "OptimisationFile=missing.opt\nSourceLens=20\nPhysicalWidth=100\nPhysicalHeight=100\n";
    write_bytes(file("slide.vms"), Bytes(text.begin(), text.end()));
    expect_error(ErrorCode::unreadable_input, {"slide.vms", "map.jpg"},
                 [&] { open_slide(file("slide.vms")); });
}

// RGB on white, as people show it.
std::vector<std::uint8_t> by_openslide(openslide_t* slide, int level, const TileBox& box) {
    const double scale = openslide_get_level_downsample(slide, level);
    std::vector<std::uint32_t> colors(static_cast<std::size_t>(box.width * box.height));
    openslide_read_region(slide, colors.data(), std::llround(double(box.x) * scale),
                          std::llround(double(box.y) * scale), level, box.width, box.height);
    std::vector<std::uint8_t> rgb;
    for (const std::uint32_t color : colors)
        for (int shift = 16; shift >= 0; shift -= 8)
            rgb.push_back(static_cast<std::uint8_t>(color >> 24 ? color >> shift & 0xff : 255));
    return rgb;
}

void expect_openslide_pixels(const fs::path& path, const SlideReadOptions& options, int boxes) {
    const auto slide = open_slide(path, options);
    openslide_t* peer = openslide_open(path.c_str());
    ASSERT_NE(peer, nullptr);
    ASSERT_EQ(slide->facts().levels.size(),
              static_cast<std::size_t>(openslide_get_level_count(peer)));
    std::mt19937 generator(5);
    for (std::size_t l = 0; l < slide->facts().levels.size(); ++l) {
        const TileLevel& level = slide->facts().levels[l];
        std::vector<TileBox> places{{0, 0, level.shape.x, level.shape.y},
                                    {level.tile_width - 3, level.tile_height - 2, 7, 5},
                                    {level.shape.x - 9, level.shape.y - 4, 30, 30},
                                    {0, level.shape.y - 1, 300, 8},
                                    {level.shape.x + 10, 0, 20, 20}};
        for (int i = 0; i < boxes; ++i)
            places.push_back({std::int64_t(generator() % std::uint64_t(level.shape.x)),
                              std::int64_t(generator() % std::uint64_t(level.shape.y)),
                              1 + std::int64_t(generator() % 400),
                              1 + std::int64_t(generator() % 400)});
        for (const TileBox& box : places) {
            const AnyImage read = slide->read(static_cast<int>(l), box);
            EXPECT_TRUE(std::get<0>(read).pixels() == by_openslide(peer, int(l), box))
                << "level " << l << ", box " << box.x << " " << box.y << " " << box.width << " "
                << box.height;
        }
    }
    EXPECT_EQ(openslide_get_error(peer), nullptr);
    openslide_close(peer);
}

TEST_F(SlideTest, GenericTiffHasThePixelsOfOpenSlide) {
    for (const int compression : {COMPRESSION_JPEG, COMPRESSION_LZW}) {
        const auto path = written({.levels = pyramid(colors(1000, 600), 3),
                                   .tile_width = 112,
                                   .tile_height = 80,
                                   .compression = compression});
        for (const SlideReader reader : {SlideReader::tiff, SlideReader::openslide})
            expect_openslide_pixels(path, {.reader = reader}, 8);
    }
}

class SlideDataTest : public FileTest {
  protected:
    void SetUp() override {
        const char* data = std::getenv("TESELA_DATA");
        if (!data || !fs::is_directory(data))
            GTEST_SKIP() << "TESELA_DATA does not name the folder of test images";
        slide = fs::path(data) / "slides/CMU-1-Small-Region.svs";
    }
    fs::path slide;
};

TEST_F(SlideDataTest, AperioHasThePixelsOfOpenSlide) {
    expect_openslide_pixels(slide, {}, 40);
    expect_openslide_pixels(slide, {.reader = SlideReader::tiff}, 40);
}

TEST_F(SlideDataTest, AperioSaysWhatItIs) {
    EXPECT_EQ(slide_format(slide), "aperio");
    for (const SlideReader reader : {SlideReader::automatic, SlideReader::tiff}) {
        const TileSourceFacts facts = open_slide(slide, {.reader = reader})->facts();
        ASSERT_EQ(facts.levels.size(), 1u);
        EXPECT_EQ(facts.levels[0].shape, (Shape{2220, 2967, 1, 1, 3}));
        EXPECT_EQ(facts.levels[0].tile_width, 240);
        EXPECT_DOUBLE_EQ(facts.levels[0].geometry.spacing[0], 0.499);
        EXPECT_EQ(facts.magnification, 20);
        EXPECT_EQ(facts.spacing_source, reader == SlideReader::tiff ? "Aperio MPP" : "OpenSlide");
    }
}

TEST_F(SlideDataTest, ATruncatedSlideIsRefused) {
    const Bytes bytes = read_bytes(slide);
    for (const double part : {0.3, 0.9}) {
        const auto kept = static_cast<std::ptrdiff_t>(part * double(bytes.size()));
        write_bytes(file("cut.svs"), {bytes.begin(), bytes.begin() + kept});
        const QuietScope quiet;
        try {
            const auto cut = open_slide(file("cut.svs"));
            whole(*cut, 0);
            ADD_FAILURE() << "read at " << part;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("cut.svs"), std::string::npos);
        }
    }
}

#endif

}  // namespace
}  // namespace tesela::io::testing
