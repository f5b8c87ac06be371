// OME-TIFF files as they are written: read back, and by other readers.
#ifdef TESELA_HAS_OPENSLIDE
    #include <openslide.h>
#endif

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>
#include <thread>

#include "io/tiled_tiff.h"
#include "tesela/slide_io.h"

namespace tesela::io::testing {
namespace {

class OmeTiffTest : public FileTest {
  protected:
    // All tiles in a mixed order, another one for each seed.
    void write(const fs::path& path, const AnyImage& image, const SlideWriteOptions& options,
               unsigned seed = 1) {
        const Shape& shape = shape_of(image);
        const auto writer = create_ome_tiff(
            path, {pixel_type_of(image), shape, geometry_of(image), has_alpha(image)}, options);
        const std::int64_t columns = (shape.x + options.tile - 1) / options.tile;
        const std::int64_t rows = (shape.y + options.tile - 1) / options.tile;
        std::vector<std::int64_t> order(static_cast<std::size_t>(columns * rows));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), std::mt19937(seed));
        for (const std::int64_t i : order)
            writer->write(i % columns, i / columns,
                          tile_of(image, i % columns, i / columns, options.tile));
        writer->finish();
    }
    static AnyImage tile_of(const AnyImage& image, std::int64_t column, std::int64_t row,
                            std::int64_t side) {
        const Shape& s = shape_of(image);
        const TileBox box{column * side, row * side, std::min(side, s.x - column * side),
                          std::min(side, s.y - row * side)};
        AnyImage tile =
            filled_image(pixel_type_of(image), {box.width, box.height, 1, 1, s.channels});
        copy_box(image, box, tile, 0, 0);
        return tile;
    }
    static AnyImage level(const TileSource& slide, std::size_t index) {
        const Shape& shape = slide.facts().levels[index].shape;
        return slide.read(static_cast<int>(index), {0, 0, shape.x, shape.y});
    }
};

// Every level, bit for bit, of every type and odd sizes.
template <class T>
class OmeTiffTypes : public OmeTiffTest {};
using Types = ::testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t,
                               std::uint32_t, std::int32_t, float, double>;
TYPED_TEST_SUITE(OmeTiffTypes, Types);

TYPED_TEST(OmeTiffTypes, ReadsBackBitForBit) {
    for (const auto& shape : {Shape{1, 1}, {1, 40}, {37, 23}, {131, 67, 1, 1, 2}, {64, 32}})
        for (const bool labels : {false, true})
            for (const TileCompression compression :
                 {TileCompression::automatic, TileCompression::none}) {
                const Image<TypeParam> image =
                    pattern<TypeParam>(shape, micrometers_per_pixel(0.123456789, 0.25));
                this->write(this->file("a.ome.tif"), image,
                            {.tile = 16, .compression = compression, .labels = labels});
                const auto slide = open_slide(this->file("a.ome.tif"));
                EXPECT_EQ(slide->facts().format, "OME-TIFF");
                EXPECT_TRUE(slide->facts().warnings.empty());
                EXPECT_EQ(slide->facts().levels[0].geometry.spacing[0], 0.123456789);
                EXPECT_EQ(slide->facts().spacing_source, "OME");
                AnyImage expected = image;
                for (std::size_t i = 0; i < slide->facts().levels.size(); ++i) {
                    expect_same_pixels(this->level(*slide, i),
                                       std::get<Image<TypeParam>>(expected));
                    expected = halved(expected, labels);
                }
                const Shape& last = slide->facts().levels.back().shape;
                EXPECT_LE(std::max(last.x, last.y), 16);
            }
}

TEST_F(OmeTiffTest, JpegStaysWithinItsError) {
    const AnyImage image = colors(300, 200);
    write(file("a.ome.tif"), image, {.tile = 64});
    const auto slide = open_slide(file("a.ome.tif"));
    AnyImage expected = image;
    for (std::size_t i = 0; i < slide->facts().levels.size(); ++i) {
        const AnyImage read = level(*slide, i);
        const auto& a = std::get<0>(read).pixels();
        const auto& b = std::get<0>(expected).pixels();
        ASSERT_EQ(a.size(), b.size());
        double sum = 0;
        for (std::size_t p = 0; p < a.size(); ++p) sum += std::abs(int{a[p]} - int{b[p]});
        EXPECT_LT(sum / double(a.size()), 2.5) << "level " << i;
        expected = halved(expected);
    }
    EXPECT_LT(fs::file_size(file("a.ome.tif")), 60000u);
}

TEST_F(OmeTiffTest, PicturesWithOpacityKeepIt) {
    Image<std::uint8_t> image = pattern<std::uint8_t>({70, 50, 1, 1, 4});
    image.has_alpha = true;
    write(file("a.ome.tif"), image, {.tile = 32});
    expect_same_pixels(level(*open_slide(file("a.ome.tif")), 0), image);
    expect_same_pixels(read_image(file("a.ome.tif")).image, image);  // the first directory
}

TEST_F(OmeTiffTest, ThreadsWriteTheSamePixels) {
    const Image<std::uint16_t> image = pattern<std::uint16_t>({500, 300});
    const auto writer =
        create_ome_tiff(file("a.ome.tif"), {PixelType::u16, image.shape()}, {.tile = 32});
    std::vector<std::thread> threads;
    for (std::int64_t part = 0; part < 4; ++part)
        threads.emplace_back([&, part] {
            for (std::int64_t i = part; i < 160; i += 4)
                writer->write(i % 16, i / 16, tile_of(image, i % 16, i / 16, 32));
        });
    for (std::thread& thread : threads) thread.join();
    writer->finish();
    const auto slide = open_slide(file("a.ome.tif"));
    expect_same_pixels(level(*slide, 0), image);
    expect_same_pixels(level(*slide, 2),
                       std::get<Image<std::uint16_t>>(halved(halved(AnyImage(image)))));
    EXPECT_FALSE(slide->facts().levels[0].geometry.known());
}

// Also of a picture whose coarser tiles have parts in several strips.
TEST_F(OmeTiffTest, TheSameTilesGiveTheSameBytesInAnyOrder) {
    const AnyImage image = colors(1000, 300);
    for (const std::int64_t strip : {3, 8}) {
        write(file("a.ome.tif"), image, {.tile = 16, .strip = strip}, 1);
        write(file("b.ome.tif"), image, {.tile = 16, .strip = strip}, 2);
        EXPECT_EQ(read_bytes("a.ome.tif"), read_bytes("b.ome.tif")) << strip;
        const auto slide = open_slide(file("a.ome.tif"));
        EXPECT_EQ(slide->facts().levels.size(), 7u);
    }
}

TEST_F(OmeTiffTest, RefusesWhatDoesNotFit) {
    const SlideForm form{PixelType::u8, {100, 60, 1, 1, 3}};
    const auto create = [&](const SlideForm& what, const SlideWriteOptions& options) {
        return [=, this] { create_ome_tiff(file("a.ome.tif"), what, options); };
    };
    for (const std::int64_t tile : {0, 8, 100, 1000000, -16})
        expect_error(ErrorCode::invalid_argument, {"--tile", std::to_string(tile)},
                     create(form, {.tile = tile}));
    expect_error(ErrorCode::invalid_argument, {"--quality"}, create(form, {.quality = 101}));
    expect_error(ErrorCode::unsupported_format, {"JPEG", "deflate"},
                 create({PixelType::u16, form.shape}, {.compression = TileCompression::jpeg}));
    expect_error(ErrorCode::unsupported_format, {"a.ome.tif"},
                 create({PixelType::u8, {5, 5, 2}}, {}));
    expect_error(ErrorCode::unwritable_output, {"a.ome.tif"},
                 [&] { create_ome_tiff(file("no/a.ome.tif"), form); });
    const auto writer = create_ome_tiff(file("a.ome.tif"), form, {.tile = 64});
    const AnyImage image = colors(100, 60);
    writer->write(0, 0, tile_of(image, 0, 0, 64));
    expect_error(ErrorCode::invalid_argument, {"twice"},
                 [&] { writer->write(0, 0, tile_of(image, 0, 0, 64)); });
    expect_error(ErrorCode::invalid_argument, {"2, 0"},
                 [&] { writer->write(2, 0, tile_of(image, 0, 0, 64)); });
    expect_error(ErrorCode::invalid_argument, {"size"},
                 [&] { writer->write(1, 0, tile_of(image, 0, 0, 64)); });
    expect_error(ErrorCode::invalid_argument, {"1 tiles"}, [&] { writer->finish(); });
}

TEST_F(OmeTiffTest, NothingIsLeftWithoutFinishAndOnAFullDisk) {
    const AnyImage image = pattern<std::uint8_t>({200, 200, 1, 1, 3});
    create_ome_tiff(file("a.ome.tif"), {PixelType::u8, shape_of(image)})->write(0, 0, image);
    EXPECT_TRUE(names().empty());
    {
        const FileSizeLimit limit(20000);
        expect_error(ErrorCode::unwritable_output, {"a.ome.tif"}, [&] {
            write(file("a.ome.tif"), image, {.tile = 64, .compression = TileCompression::deflate});
        });
    }
    EXPECT_TRUE(names().empty());
    write(file("a.ome.tif"), image, {});
    expect_error(ErrorCode::invalid_argument, {"a.ome.tif"},
                 [&] { write(file("a.ome.tif"), image, {.overwrite = false}); });
}

// What an independent reader makes of structure, size of a pixel and pixels.
TEST_F(OmeTiffTest, TifffileReadsIt) {
    ASSERT_EQ(std::system("/usr/bin/python3 -c 'import tifffile'"), 0)
        << "install python3-tifffile";
    const Image<std::uint16_t> image =
        pattern<std::uint16_t>({150, 90}, micrometers_per_pixel(0.2527, 0.5));
    write(file("a.ome.tif"), image, {.tile = 32, .labels = true});
    write_bytes(file("raw"), {reinterpret_cast<const std::uint8_t*>(image.data()),
                              reinterpret_cast<const std::uint8_t*>(image.data() + 150 * 90)});
    const std::string program =
        "import sys, tifffile, numpy\n"
        "import xml.etree.ElementTree as E\n"
        "with tifffile.TiffFile('" +
        file("a.ome.tif").string() +
        "') as t:\n"
        "    assert t.is_ome and t.is_bigtiff\n"
        "    s = t.series[0]\n"
        "    assert [l.shape for l in s.levels] == [(90,150),(45,75),(23,38),(12,19)], s.levels\n"
        "    p = E.fromstring(t.ome_metadata).find('.//{*}Pixels').attrib\n"
        "    assert abs(float(p['PhysicalSizeX']) - 0.2527) < 1e-6 and p['PhysicalSizeXUnit'] == "
        "'\\xb5m'\n"
        "    a = s.asarray()\n"
        "    b = numpy.fromfile('" +
        file("raw").string() +
        "', dtype='<u2').reshape(90, 150)\n"
        "    assert (a == b).all()\n"
        "    c = s.levels[1].asarray()\n"
        "    assert (c == b[::2, ::2]).all()\n";
    write_bytes(file("check.py"), {program.begin(), program.end()});
    EXPECT_EQ(std::system(("/usr/bin/python3 '" + file("check.py").string() + "'").c_str()), 0);
}

TEST_F(OmeTiffTest, GenericPyramidsHaveTheSamePixels) {
    const Image<std::uint16_t> image =
        pattern<std::uint16_t>({150, 90}, micrometers_per_pixel(0.25, 0.5));
    write(file("a.ome.tif"), image, {.tile = 32});
    write(file("b.tif"), image, {.tile = 32, .pyramid = PyramidForm::generic});
    const auto ome = open_slide(file("a.ome.tif")), generic = open_slide(file("b.tif"));
    EXPECT_EQ(slide_format(file("b.tif")), "tiled TIFF");
    ASSERT_EQ(generic->facts().levels.size(), 2u);  // the third is narrower than a tile
    for (int i = 0; i < 2; ++i)
        expect_same_pixels(level(*generic, i), std::get<Image<std::uint16_t>>(level(*ome, i)));
    EXPECT_DOUBLE_EQ(generic->facts().levels[0].geometry.spacing[0], 0.25);
    expect_error(ErrorCode::invalid_argument, {"--pyramid", "c.ome.tif"}, [&] {
        create_ome_tiff(file("c.ome.tif"), {PixelType::u16, image.shape()},
                        {.pyramid = PyramidForm::generic});
    });
}

// tiffinfo's view of it: as many directories as levels, none of them with others below.
TEST_F(OmeTiffTest, TifffileReadsGenericPyramids) {
    const Image<std::uint8_t> image =
        pattern<std::uint8_t>({150, 90, 1, 1, 3}, micrometers_per_pixel(0.25, 0.5));
    write(file("a.tif"), image,
          {.tile = 32,
           .compression = TileCompression::deflate,
           .labels = true,
           .pyramid = PyramidForm::generic});
    write_bytes(file("raw"), image.pixels());
    const std::string program =
        "import tifffile, numpy\n"
        "with tifffile.TiffFile('" +
        file("a.tif").string() +
        "') as t:\n"
        "    assert not t.is_ome and t.is_bigtiff\n"
        "    assert [p.shape[:2] for p in t.pages] == [(90,150),(45,75)]\n"
        "    assert all(not p.subifds for p in t.pages)\n"
        "    assert [p.is_reduced for p in t.pages] == [False, True]\n"
        "    assert [l.shape[:2] for l in t.series[0].levels] == [p.shape[:2] for p in t.pages]\n"
        "    assert t.pages[0].tags['XResolution'].value[0] / "
        "t.pages[0].tags['XResolution'].value[1] == 40000\n"
        "    b = numpy.fromfile('" +
        file("raw").string() +
        "', dtype='u1').reshape(90, 150, 3)\n"
        "    assert (t.pages[0].asarray() == b).all()\n"
        "    assert (t.pages[1].asarray() == b[::2, ::2]).all()\n";
    write_bytes(file("check.py"), {program.begin(), program.end()});
    EXPECT_EQ(std::system(("/usr/bin/python3 '" + file("check.py").string() + "'").c_str()), 0);
}

#ifdef TESELA_HAS_OPENSLIDE
// Of an OME-TIFF it reads the first level alone.
TEST_F(OmeTiffTest, OpenSlideReadsAllLevelsOfGenericPyramids) {
    for (const TileCompression compression : {TileCompression::jpeg, TileCompression::deflate}) {
        write(file("a.tif"), colors(300, 200),
              {.tile = 48, .compression = compression, .pyramid = PyramidForm::generic});
        const auto ours = open_slide(file("a.tif"), {.reader = SlideReader::tiff});
        const auto theirs = open_slide(file("a.tif"), {.reader = SlideReader::openslide});
        ASSERT_EQ(theirs->facts().levels.size(), 3u);
        for (int i = 0; i < 3; ++i)
            EXPECT_EQ(std::get<0>(level(*ours, i)).pixels(),
                      std::get<0>(level(*theirs, i)).pixels())
                << i;
    }
}

TEST_F(OmeTiffTest, OpenSlideReadsTheFirstLevelOfJpeg) {
    write(file("a.ome.tif"), colors(300, 200), {.tile = 64});
    const AnyImage ours = level(*open_slide(file("a.ome.tif")), 0);
    const AnyImage theirs =
        level(*open_slide(file("a.ome.tif"), {.reader = SlideReader::openslide}), 0);
    EXPECT_EQ(std::get<0>(ours).pixels(), std::get<0>(theirs).pixels());
}
#endif

}  // namespace
}  // namespace tesela::io::testing
