// Samples of TIFF files in the forms of other programs, byte by byte.
#include <tiff.h>

#include "io/support.h"

namespace tesela::io::testing {
namespace {

// One strip at byte 8, its directory behind it.
struct RawTiff {
    std::uint32_t width = 4, height = 1, bits = 8, samples = 1, format = SAMPLEFORMAT_UINT;
    std::uint32_t photometric = PHOTOMETRIC_MINISBLACK, compression = COMPRESSION_NONE;
    int orientation = -1, resolution_unit = -1, extra = -1;  // -1: no such tag
    std::vector<std::uint16_t> colors = {};
};

class TiffBytes {
  public:
    TiffBytes(const RawTiff& tiff, const Bytes& strip) {
        bytes_ = {'I', 'I', 42, 0, 0, 0, 0, 0};
        bytes_.insert(bytes_.end(), strip.begin(), strip.end());
        if (bytes_.size() % 2 != 0) bytes_.push_back(0);
        const std::size_t colors = bytes_.size();
        for (const std::uint16_t color : tiff.colors) put(color, 2);
        add(TIFFTAG_IMAGEWIDTH, tiff.width);
        add(TIFFTAG_IMAGELENGTH, tiff.height);
        add_shorts(TIFFTAG_BITSPERSAMPLE, tiff.bits, tiff.samples);
        add(TIFFTAG_COMPRESSION, tiff.compression);
        add(TIFFTAG_PHOTOMETRIC, tiff.photometric);
        add(TIFFTAG_STRIPOFFSETS, 8);
        if (tiff.orientation >= 0) add(TIFFTAG_ORIENTATION, std::uint32_t(tiff.orientation));
        add(TIFFTAG_SAMPLESPERPIXEL, tiff.samples);
        add(TIFFTAG_ROWSPERSTRIP, tiff.height);
        add(TIFFTAG_STRIPBYTECOUNTS, static_cast<std::uint32_t>(strip.size()));
        if (tiff.resolution_unit >= 0)
            add(TIFFTAG_RESOLUTIONUNIT, std::uint32_t(tiff.resolution_unit));
        if (!tiff.colors.empty())
            entries_.push_back({TIFFTAG_COLORMAP, 3, static_cast<std::uint32_t>(tiff.colors.size()),
                                static_cast<std::uint32_t>(colors)});
        if (tiff.extra >= 0) add(TIFFTAG_EXTRASAMPLES, std::uint32_t(tiff.extra));
        add_shorts(TIFFTAG_SAMPLEFORMAT, tiff.format, tiff.samples);
    }
    Bytes bytes() {
        const auto directory = static_cast<std::uint32_t>(bytes_.size());
        for (std::size_t i = 0; i < 4; ++i)
            bytes_[4 + i] = static_cast<std::uint8_t>(directory >> 8 * i);
        put(static_cast<std::uint32_t>(entries_.size()), 2);
        for (const Entry& entry : entries_) {
            put(entry.tag, 2);
            put(entry.type, 2);
            put(entry.count, 4);
            put(entry.value, 4);
        }
        put(0, 4);
        return bytes_;
    }

  private:
    struct Entry {
        std::uint32_t tag, type, count, value;
    };
    void put(std::uint32_t value, int count) {
        for (int i = 0; i < count; ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> 8 * i));
    }
    void add(std::uint32_t tag, std::uint32_t value) { entries_.push_back({tag, 4, 1, value}); }
    // Up to four, all the same.
    void add_shorts(std::uint32_t tag, std::uint32_t value, std::uint32_t count) {
        if (count <= 2) {
            entries_.push_back({tag, 3, count, value | (count == 2 ? value << 16 : 0)});
            return;
        }
        entries_.push_back({tag, 3, count, static_cast<std::uint32_t>(bytes_.size())});
        for (std::uint32_t i = 0; i < count; ++i) put(value, 2);
    }

    Bytes bytes_;
    std::vector<Entry> entries_;
};

class TiffSamples : public FileTest {
  protected:
    ReadResult read(const RawTiff& tiff, const Bytes& strip) {
        write_bytes(file("a.tif"), TiffBytes(tiff, strip).bytes());
        return read_image(file("a.tif"));
    }
    template <class T>
    std::vector<T> values(const RawTiff& tiff, const Bytes& strip) {
        return std::get<Image<T>>(read(tiff, strip).image).pixels();
    }
};

TEST_F(TiffSamples, PackedInTenTwelveAndFourteenBits) {
    using Values = std::vector<std::uint16_t>;
    EXPECT_EQ(values<std::uint16_t>({.width = 3, .bits = 12}, {0x12, 0x3f, 0xff, 0x04, 0x50}),
              (Values{0x123, 0xfff, 0x045}));
    // 1111111111 0000000001 1000000000 0101010101
    EXPECT_EQ(values<std::uint16_t>({.bits = 10}, {0xff, 0xc0, 0x18, 0x01, 0x55}),
              (Values{1023, 1, 512, 341}));
    // 11111111111111 00000000000001, and a second row that begins with a byte.
    EXPECT_EQ(values<std::uint16_t>({.width = 2, .height = 2, .bits = 14},
                                    {0xff, 0xfc, 0x00, 0x10, 0x80, 0x00, 0x00, 0x00}),
              (Values{16383, 1, 8192, 0}));
    EXPECT_EQ(values<std::uint16_t>(
                  {.width = 1, .bits = 12, .samples = 3, .photometric = PHOTOMETRIC_RGB},
                  {0x12, 0x3f, 0xff, 0x04, 0x50}),
              (Values{0x123, 0xfff, 0x045}));
    EXPECT_EQ(values<std::uint16_t>({.width = 3, .bits = 12, .photometric = PHOTOMETRIC_MINISWHITE},
                                    {0x12, 0x3f, 0xff, 0x04, 0x50}),
              (Values{0xfff - 0x123, 0, 0xfff - 0x045}));
    // Colors of less than 8 bits are stretched, as gray is.
    EXPECT_EQ(
        values<std::uint8_t>({.width = 1, .bits = 4, .samples = 3, .photometric = PHOTOMETRIC_RGB},
                             {0x0f, 0x70}),
        (Bytes{0, 255, 119}));
}

TEST_F(TiffSamples, WhiteIsZeroOfEveryKind) {
    RawTiff tiff{.width = 3, .photometric = PHOTOMETRIC_MINISWHITE};
    EXPECT_EQ(values<std::uint8_t>(tiff, {0, 20, 255}), (Bytes{255, 235, 0}));
    EXPECT_TRUE(read(tiff, {0, 20, 255}).warnings.empty());
    tiff.format = SAMPLEFORMAT_INT;
    EXPECT_EQ(values<std::int8_t>(tiff, {0, 20, 0x80}), (std::vector<std::int8_t>{-1, -21, 127}));
    const ReadResult turned = read(tiff, {0, 20, 0x80});
    ASSERT_EQ(turned.warnings.size(), 1u);
    EXPECT_NE(turned.warnings[0].find("0 is white"), std::string::npos);
    tiff.bits = 16;
    EXPECT_EQ(values<std::int16_t>(tiff, {0, 0, 0xff, 0x7f, 0x18, 0xfc}),
              (std::vector<std::int16_t>{-1, -32768, 999}));
    tiff.bits = 32;
    EXPECT_EQ(values<std::int32_t>(tiff, {0, 0, 0, 0, 20, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f}),
              (std::vector<std::int32_t>{-1, -21, -2147483647 - 1}));
    tiff.format = SAMPLEFORMAT_IEEEFP;
    EXPECT_EQ(values<float>(tiff, {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0}),
              (std::vector<float>{-1, 2, 0}));
    EXPECT_EQ(read(tiff, Bytes(12)).warnings.size(), 1u);
}

// As if the samples had been inverted and then stretched.
TEST_F(TiffSamples, WhiteIsZeroOfPackedSamples) {
    for (const std::uint32_t bits : {1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
        const int most = (1 << bits) - 1;
        for (int sample = 0; sample <= most; ++sample)
            EXPECT_EQ(values<std::uint8_t>(
                          {.width = 1, .bits = bits, .photometric = PHOTOMETRIC_MINISWHITE},
                          {static_cast<std::uint8_t>(sample << (8 - bits))}),
                      (Bytes{static_cast<std::uint8_t>((most - sample) * 255 / most)}))
                << sample << " of " << bits << " bits";
    }
}

TEST_F(TiffSamples, OpacityStaysWhereWhiteIsZero) {
    const RawTiff tiff{.width = 2,
                       .samples = 2,
                       .photometric = PHOTOMETRIC_MINISWHITE,
                       .extra = EXTRASAMPLE_UNASSALPHA};
    EXPECT_EQ(values<std::uint8_t>(tiff, {0, 200, 255, 10}), (Bytes{255, 200, 0, 10}));
    const auto channel = [&](const char* index) {
        return std::get<0>(read_image(file("a.tif"), {.choice = {.channel = index}}).image);
    };
    EXPECT_EQ(channel("0").pixels(), (Bytes{255, 0}));
    EXPECT_EQ(channel("1").pixels(), (Bytes{200, 10}));
    EXPECT_FALSE(channel("0").has_alpha);
}

// Red for 1, half green for 2.
std::vector<std::uint16_t> color_map(int bits) {
    const std::size_t entries = std::size_t{1} << bits;
    std::vector<std::uint16_t> colors(3 * entries);
    colors[1] = 0xffff;
    colors[entries + 2] = 0x8000;
    return colors;
}

TEST_F(TiffSamples, PalettesWithOpacity) {
    for (const int bits : {4, 8}) {
        const RawTiff tiff{.width = 2,
                           .bits = static_cast<std::uint32_t>(bits),
                           .samples = 2,
                           .photometric = PHOTOMETRIC_PALETTE,
                           .extra = EXTRASAMPLE_UNASSALPHA,
                           .colors = color_map(bits)};
        const Bytes strip = bits == 4 ? Bytes{0x1f, 0x20} : Bytes{1, 255, 2, 0};
        const ReadResult result = read(tiff, strip);
        EXPECT_TRUE(has_alpha(result.image));
        EXPECT_EQ(std::get<0>(result.image).pixels(), (Bytes{255, 0, 0, 255, 0, 128, 0, 0}));
        EXPECT_EQ(read_labels(file("a.tif")).pixels(), (std::vector<std::uint32_t>{1, 2}));
    }
}

TEST_F(TiffSamples, HarmlessTagsAreWarnings) {
    for (const int orientation : {0, 9}) {
        const ReadResult result = read({.orientation = orientation}, {1, 2, 3, 4});
        EXPECT_EQ(std::get<0>(result.image).pixels(), (Bytes{1, 2, 3, 4}));
        ASSERT_EQ(result.warnings.size(), 1u);
        EXPECT_NE(result.warnings[0].find("Orientation"), std::string::npos);
    }
    const ReadResult result = read({.resolution_unit = 7}, {1, 2, 3, 4});
    EXPECT_EQ(std::get<0>(result.image).pixels(), (Bytes{1, 2, 3, 4}));
    EXPECT_EQ(result.warnings.size(), 1u);
}

// LZW as before TIFF 6.0: codes begin at the lowest bit. A clear code, four values, the end.
TEST_F(TiffSamples, LzwInItsFirstForm) {
    Bytes strip;
    std::uint32_t waiting = 0;
    int bits = 0;
    for (const std::uint32_t code : {256u, 10u, 20u, 30u, 40u, 257u}) {
        waiting |= code << bits;
        for (bits += 9; bits >= 8; bits -= 8, waiting >>= 8)
            strip.push_back(static_cast<std::uint8_t>(waiting));
    }
    strip.push_back(static_cast<std::uint8_t>(waiting));
    const ReadResult result = read({.compression = COMPRESSION_LZW}, strip);
    EXPECT_EQ(std::get<0>(result.image).pixels(), (Bytes{10, 20, 30, 40}));
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("LZW"), std::string::npos);
}

TEST_F(TiffSamples, OthersAreRefused) {
    const auto refused = [&](const RawTiff& tiff, const std::string& word) {
        write_bytes(file("a.tif"), TiffBytes(tiff, Bytes(64)).bytes());
        expect_error(ErrorCode::unsupported_format, {"a.tif", word},
                     [&] { read_image(file("a.tif")); });
    };
    refused({.bits = 24}, "24 bits");
    refused({.bits = 12, .format = SAMPLEFORMAT_INT}, "12 bits");
    refused({.bits = 16, .format = SAMPLEFORMAT_IEEEFP}, "16 bits");
}

// ---- Files of other programs (TESELA_CASES) ----------------------------------------------------

class PictureCases : public ::testing::Test {
  protected:
    static AnyImage read(const char* name) {
        return read_image(fs::path(std::getenv("TESELA_CASES")) / name).image;
    }
    void SetUp() override {
        if (!std::getenv("TESELA_CASES")) GTEST_SKIP() << "TESELA_CASES names no folder of cases";
    }
};

TEST_F(PictureCases, AreReadAsTheyAre) {
    const Bytes ramp{0, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220};
    EXPECT_EQ(std::get<0>(read("18-tiff-samples/o0.tif")).pixels(), ramp);
    const AnyImage white = read("18-tiff-samples/white-i8.tif");
    EXPECT_EQ(std::get<Image<std::int8_t>>(white)(1, 0), -21);
    const AnyImage old = read("43-tiff-old-lzw/old.tif");
    ASSERT_EQ(shape_of(old), (Shape{60, 40}));
    EXPECT_EQ(std::get<0>(old)(1, 0), 47);
    EXPECT_EQ(shape_of(read("15-png/exif6.png")), (Shape{2, 3}));
}

}  // namespace
}  // namespace tesela::io::testing
