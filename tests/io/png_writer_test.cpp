// What is written as PNG: any pixels come back by libpng, from one stream that is the same from any
// number of threads, and no longer than libpng makes it.
#include <png.h>
#include <sched.h>
#include <zlib.h>

#include <cstdlib>

#include "io/png_filter.h"
#include "io/support.h"
#include "tesela/io.h"

namespace tesela::io::testing {
namespace {

using PngWriter = FileTest;

constexpr Compression all_compressions[] = {Compression::automatic, Compression::none,
                                            Compression::fast, Compression::small};

// Smooth, with a little noise, as a camera gives it.
template <class T>
Image<T> photograph(const Shape& shape) {
    Image<T> image = pattern<T>(shape);
    std::int64_t i = 0;
    for (T& value : image.pixels()) {
        const std::int64_t x = i / shape.channels % shape.x, y = i / shape.channels / shape.x;
        value = static_cast<T>((x * 3 + y * 2 + x * y / 64) / 16 * sizeof(T) + value % 4);
        ++i;
    }
    return image;
}

// Squares, each with a number of its own.
Image<std::uint16_t> label_map(const Shape& shape) {
    Image<std::uint16_t> image(shape);
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x)
            if (x % 41 > 7 && (y + x / 5) % 37 > 9)
                image(x, y) = static_cast<std::uint16_t>(y / 37 * 100 + x / 41 + 1);
    return image;
}

// A tile of noise, again and again.
Image<std::uint8_t> wallpaper(const Shape& shape) {
    Image<std::uint8_t> image(shape);
    const Image<std::uint8_t> tile = pattern<std::uint8_t>({256, 256});
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x) image(x, y) = tile(x % 256, y % 256);
    return image;
}

std::uint32_t big_endian(const Bytes& bytes, std::size_t at) {
    return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 |
           std::uint32_t{bytes[at + 2]} << 8 | bytes[at + 3];
}

// The data of all IDAT chunks; every chunk's checksum is looked at.
Bytes stream_of(const Bytes& png, std::size_t* chunks = nullptr) {
    Bytes stream;
    for (std::size_t at = 8; at < png.size();) {
        const std::size_t length = big_endian(png, at);
        EXPECT_EQ(big_endian(png, at + 8 + length),
                  crc32(0, &png[at + 4], static_cast<uInt>(length + 4)));
        if (std::memcmp(&png[at + 4], "IDAT", 4) == 0) {
            stream.insert(stream.end(), &png[at + 8], &png[at + 8] + length);
            if (chunks) ++*chunks;
        }
        at += 12 + length;
    }
    return stream;
}

// Bytes as libpng writes them when left alone.
std::size_t size_by_libpng(const fs::path& path, const AnyImage& image) {
    const Shape& shape = shape_of(image);
    const bool wide = pixel_type_of(image) == PixelType::u16;
    std::FILE* file = std::fopen(path.c_str(), "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_set_IHDR(png, info, static_cast<png_uint_32>(shape.x), static_cast<png_uint_32>(shape.y),
                 wide ? 16 : 8, shape.channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (wide) png_set_swap(png);
    std::visit(
        [&](const auto& pixels) {
            for (std::int64_t y = 0; y < shape.y; ++y)
                png_write_row(png, reinterpret_cast<png_const_bytep>(&pixels(0, y)));
        },
        image);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    std::fclose(file);
    return fs::file_size(path);
}

TEST_F(PngWriter, KeepsPixelsOfEveryShape) {
    for (const Compression compression : all_compressions) {
        SCOPED_TRACE(enum_name(compression));
        const WriteOptions how{.compression = compression};
        for (const Shape& shape : {Shape{1, 1}, Shape{1, 700}, Shape{700, 1}, Shape{33, 20},
                                   Shape{1001, 1100}, Shape{600000, 3}})
            for (const int channels : {1, 2, 3, 4}) {
                Shape of = shape;
                of.channels = channels;
                Image<std::uint8_t> bytes = pattern<std::uint8_t>(of);
                Image<std::uint16_t> words = photograph<std::uint16_t>(of);
                bytes.has_alpha = words.has_alpha = channels % 2 == 0;
                write_image(bytes, file("a.png"), how);
                write_image(words, file("b.png"), how);
                expect_same_pixels(read_image(file("a.png")).image, bytes);
                expect_same_pixels(read_image(file("b.png")).image, words);
                if (shape.x * shape.y > 500000 && channels > 1) break;
            }
    }
}

TEST_F(PngWriter, MakesOneStreamOfAllStripes) {
    const Image<std::uint8_t> image = photograph<std::uint8_t>({1000, 2000});
    for (const Compression compression : all_compressions) {
        SCOPED_TRACE(enum_name(compression));
        write_image(image, file("a.png"), {.compression = compression});
        std::size_t chunks = 0;
        const Bytes stream = stream_of(read_bytes(file("a.png")), &chunks);
        EXPECT_EQ(chunks, 2u);
        Bytes rows(2000 * 1001);
        uLongf length = rows.size(), taken = stream.size();
        ASSERT_EQ(uncompress2(rows.data(), &length, stream.data(), &taken), Z_OK);
        EXPECT_EQ(length, rows.size());
        EXPECT_EQ(taken, stream.size());
    }
}

TEST_F(PngWriter, IsTheSameFromAnyNumberOfThreads) {
    cpu_set_t all, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (std::size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
        if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    const AnyImage images[] = {photograph<std::uint8_t>({1000, 2000}), label_map({1500, 1500}),
                               wallpaper({1500, 1500})};
    for (const AnyImage& image : images) {
        write_image(image, file("many.png"));
        ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
        write_image(image, file("one.png"));
        ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
        EXPECT_TRUE(read_bytes(file("many.png")) == read_bytes(file("one.png")));
    }
}

TEST_F(PngWriter, IsNoLongerThanThatOfLibpng) {
    const std::pair<const char*, AnyImage> images[] = {
        {"photograph", photograph<std::uint8_t>({1200, 900})},
        {"in color", photograph<std::uint8_t>({700, 500, 1, 1, 3})},
        {"of 16 bits", photograph<std::uint16_t>({700, 500})},
        {"label map", label_map({1200, 900})},
        {"small label map", label_map({60, 50})},
        {"wallpaper", wallpaper({1200, 900})},
        {"noise", pattern<std::uint8_t>({400, 400})},
        {"one color", Image<std::uint8_t>({1200, 900})},
        {"one pixel", Image<std::uint8_t>({1, 1})}};
    for (const auto& [name, image] : images) {
        write_image(image, file("a.png"));
        std::size_t stripes = 0;
        stream_of(read_bytes(file("a.png")), &stripes);
        constexpr std::size_t ends = 80;  // of a stripe
        EXPECT_LE(fs::file_size(file("a.png")),
                  size_by_libpng(file("b.png"), image) + stripes * ends)
            << name;
        write_image(image, file("c.png"), {.compression = Compression::small});
        const auto usual = fs::file_size(file("a.png"));
        EXPECT_LE(fs::file_size(file("c.png")), usual + usual / 1000) << name;
    }
}

// The filters as the specification has them, one byte after the other.
Bytes by_definition(int number, const Bytes& row, const Bytes& above, std::size_t pixel) {
    Bytes out;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const int a = i < pixel ? 0 : row[i - pixel], b = above[i],
                  c = i < pixel ? 0 : above[i - pixel];
        const int p = a + b - c, pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
        const int guesses[] = {0, a, b, (a + b) / 2, pa <= pb && pa <= pc ? a : pb <= pc ? b : c};
        out.push_back(static_cast<std::uint8_t>(row[i] - guesses[number]));
    }
    return out;
}

TEST(PngFilter, TakesTheFilterOfTheSmallestDifferences) {
    std::array<int, 5> taken{};
    for (const std::size_t pixel : {1, 2, 3, 4, 6, 8})
        for (unsigned seed = 0; seed < 60; ++seed) {
            const std::size_t length = pixel * (1 + seed % 23);
            Bytes row(length), above(length);
            std::uint32_t state = seed + 1;
            for (std::size_t i = 0; i < length; ++i) {
                state = state * 1664525u + 1013904223u;
                // Flat, sloping, like the row above, or noise.
                const std::uint32_t noise = state >> 24 & (seed % 2 ? 3 : 255);
                above[i] = static_cast<std::uint8_t>(seed % 5 == 0 ? noise : 9 * i + noise);
                row[i] = static_cast<std::uint8_t>(seed % 3 == 0   ? above[i] + 3
                                                   : seed % 3 == 1 ? i * seed
                                                                   : (state >> 16) & 15);
            }
            Bytes out(length + 1);
            tesela::io::PngFilter(length, pixel).apply(row, above, out);
            ASSERT_LE(out[0], 4);
            ++taken[out[0]];
            EXPECT_EQ(Bytes(out.begin() + 1, out.end()), by_definition(out[0], row, above, pixel));
            const auto sum = [](const Bytes& bytes) {
                int total = 0;
                for (const std::uint8_t byte : bytes)
                    total += std::abs(static_cast<std::int8_t>(byte));
                return total;
            };
            for (int number = 0; number < 5; ++number)
                EXPECT_GE(sum(by_definition(number, row, above, pixel)),
                          sum(by_definition(out[0], row, above, pixel)));
        }
    for (const int count : taken) EXPECT_GT(count, 0);
}

// A stripe that does not fit on the disk ends all of them.
TEST_F(PngWriter, LeavesNothingWhereTheDiskIsFull) {
    const Image<std::uint8_t> noise = pattern<std::uint8_t>({3000, 2000});
    {
        const FileSizeLimit limit(1 << 20);
        EXPECT_THROW(write_image(noise, file("a.png")), UnwritableOutput);
    }
    EXPECT_TRUE(names().empty());
}

TEST_F(PngWriter, RefusesRowsThatNoStripeHolds) {
    const Shape wide{(std::int64_t{1} << 29) + 1, 1};
    expect_error(ErrorCode::unsupported_format, {"a.png", "too large for PNG"},
                 [&] { write_image(Image<std::uint8_t>(wide), file("a.png")); });
}

}  // namespace
}  // namespace tesela::io::testing
