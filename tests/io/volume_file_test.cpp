// Compressed volumes: equal bits back, coarse levels, quantization, damaged files.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <thread>

#include "tesela/volume_io.h"
#include "tesela/volume_quality.h"

namespace tesela {
namespace {

namespace fs = std::filesystem;

fs::path scratch(const std::string& name) { return fs::path(::testing::TempDir()) / name; }

std::vector<char> content_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
void write_content(const fs::path& path, const std::vector<char>& bytes) {
    std::ofstream out(path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

enum class Filling { noise, extremes, ramp, smooth };

template <class T>
Image<T> made(const Shape& shape, Filling filling) {
    Image<T> image(shape);
    std::mt19937_64 random(7);
    const auto lowest = std::numeric_limits<T>::lowest(), highest = std::numeric_limits<T>::max();
    std::int64_t i = 0;
    for (T& value : image.pixels()) {
        const std::uint64_t bits = random();
        if (filling == Filling::noise) {
            std::memcpy(&value, &bits, sizeof value);  // of floating point, NaN among them
        } else if (filling == Filling::extremes) {
            value = bits & 1 ? lowest : highest;
        } else if (filling == Filling::ramp) {
            value = static_cast<T>(i % 100);
        } else {
            value = static_cast<T>(60 + 50 * std::sin(0.001 * static_cast<double>(i)) +
                                   static_cast<double>(bits % 3));
        }
        ++i;
    }
    return image;
}

template <class T>
bool same_bits(const Image<T>& a, const AnyImage& any) {
    const auto* b = std::get_if<Image<T>>(&any);
    return b && a.shape() == b->shape() &&
           std::memcmp(a.data(), b->data(), a.pixels().size() * sizeof(T)) == 0;
}

template <class T>
class VolumeFileTypes : public ::testing::Test {};
using Types = ::testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t,
                               std::uint32_t, std::int32_t, float, double>;
TYPED_TEST_SUITE(VolumeFileTypes, Types);

TYPED_TEST(VolumeFileTypes, GiveEqualBits) {
    const fs::path path = scratch("equal_bits.tvol");
    for (const Shape& shape :
         {Shape{1, 1, 1}, Shape{17, 33, 65}, Shape{66, 5, 2, 2, 3}, Shape{9, 70, 67, 2, 2}})
        for (const Filling filling :
             {Filling::noise, Filling::extremes, Filling::ramp, Filling::smooth}) {
            const auto image = made<TypeParam>(shape, filling);
            const AnyImage any = image;
            io::write_volume_file(*io::volume_input(any), path);
            EXPECT_TRUE(same_bits(image, io::read_image(path).image))
                << shape.x << " " << static_cast<int>(filling);
        }
}

// Of noise with 16 values, each of which needs 4 bits, zstd's frame is the shorter coding, and
// needs few bits more.
TEST(VolumeFile, NoiseTakesWhatItsFrequenciesAskFor) {
    constexpr std::int64_t side = BrickSource::side, voxels = side * side * side;
    Image<std::uint8_t> image({side, side, side});
    std::mt19937 random(11);
    for (std::uint8_t& value : image.pixels())
        value = static_cast<std::uint8_t>(random() % 16 * 16);
    const fs::path path = scratch("noise.tvol");
    const AnyImage any = image;
    const io::VolumeWriteResult result = io::write_volume_file(*io::volume_input(any), path);
    EXPECT_EQ(result.packed, 1);
    EXPECT_GT(result.bytes, voxels / 2);
    EXPECT_LT(result.bytes, voxels / 2 * 101 / 100);
    EXPECT_TRUE(same_bits(image, io::read_image(path).image));
}

TEST(VolumeFile, RangesOfBlocksLeaveOutNan) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                    infinity = std::numeric_limits<float>::infinity();
    Image<float> image({48, 16, 1});  // three blocks, and a voxel around each
    for (float& value : image.pixels()) value = nan;
    image(0, 0, 0) = infinity;
    image(16, 3, 0) = -2;
    image(20, 15, 0) = 7;
    const fs::path path = scratch("ranges.tvol");
    const AnyImage any = image;
    io::write_volume_file(*io::volume_input(any), path);
    const auto source = io::open_volume_file(path);
    const BlockRange first = source->block_range({0, 0, 0}),
                     second = source->block_range({1, 0, 0}),
                     third = source->block_range({2, 0, 0});
    EXPECT_EQ(first.lowest, -2);
    EXPECT_EQ(first.highest, infinity);
    EXPECT_EQ(second.lowest, -2);
    EXPECT_EQ(second.highest, 7);
    EXPECT_TRUE(std::isnan(third.lowest) && std::isnan(third.highest));
}

// A voxel of a coarse level is within 1 of the mean of what it covers.
TEST(VolumeFile, CoarseLevelsAreMeans) {
    for (const Filling filling : {Filling::noise, Filling::smooth}) {
        const AnyImage any = made<std::uint8_t>({70, 64, 48}, filling);
        const auto& image = std::get<Image<std::uint8_t>>(any);
        const fs::path path = scratch("means.tvol");
        io::write_volume_file(*io::volume_input(any), path);
        const auto source = io::open_volume_file(path);
        for (int level = 1; level < 5; ++level) {
            const auto coarse = std::get<Image<std::uint8_t>>(source->read(level));
            const std::int64_t step = std::int64_t{1} << level;
            for (std::int64_t z = 0; z < 48 / step; ++z)
                for (std::int64_t y = 0; y < 64 / step; ++y)
                    for (std::int64_t x = 0; x < 64 / step; ++x) {
                        double sum = 0;
                        for (std::int64_t i = 0; i < step * step * step; ++i)
                            sum += image(x * step + i % step, y * step + i / step % step,
                                         z * step + i / step / step);
                        const double mean = sum / static_cast<double>(step * step * step);
                        ASSERT_NEAR(coarse(x, y, z), mean, 1) << level;
                    }
        }
    }
}

TEST(VolumeFile, MaxErrorIsKept) {
    const fs::path path = scratch("error.tvol");
    const auto check = [&](const auto& image, double error) {
        const AnyImage any = image;
        io::write_volume_file(*io::volume_input(any), path, {.max_error = error});
        const AnyImage back = io::read_image(path).image;
        const auto& given = std::get<std::decay_t<decltype(image)>>(back);
        for (std::size_t i = 0; i < image.pixels().size(); ++i)
            ASSERT_LE(std::abs(static_cast<double>(image.pixels()[i]) -
                               static_cast<double>(given.pixels()[i])),
                      error);
    };
    check(made<std::uint8_t>({40, 30, 20}, Filling::noise), 3);
    check(made<std::int16_t>({40, 30, 20}, Filling::extremes), 100);
    check(made<float>({40, 30, 20}, Filling::smooth), 0.01);
}

// A series decodes one slice after the other, and slices may be larger than memory.
TEST(VolumeFile, ErrorsAreFoundInStripsThatOneThreadAtATimeReads) {
    class Strict : public VolumeInput {
      public:
        explicit Strict(const AnyImage& image) : input_(io::volume_input(image)) {}
        const VolumeInputFacts& facts() const override { return input_->facts(); }
        AnyImage read(const VoxelBox& box, std::int64_t t) const override {
            if (reading_++ > 0) is_shared_ = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            AnyImage part = input_->read(box, t);
            largest_ = std::max(largest_, shape_of(part).elements());
            --reading_;
            return part;
        }
        bool is_shared() const { return is_shared_; }
        std::int64_t largest() const { return largest_; }

      private:
        std::unique_ptr<VolumeInput> input_;
        mutable std::atomic<int> reading_{0};
        mutable std::atomic<bool> is_shared_{false};
        mutable std::int64_t largest_ = 0;
    };
    const auto check = [](const AnyImage& image) {
        const Strict input(image);
        const VolumeQuality found = io::error_for_psnr(input, 40, 4);
        EXPECT_GE(found.psnr, 40);
        EXPECT_GT(found.max_error, 0);
        EXPECT_FALSE(input.is_shared());
        EXPECT_LE(input.largest(), std::int64_t{1} << 22);
        EXPECT_LE(input.largest() * pixel_type_bytes(input.facts().type),
                  error_for_psnr_bytes(input.facts(), 1));
        EXPECT_EQ(io::error_for_psnr(*io::volume_input(image), 40, 1).max_error, found.max_error);
    };
    check(made<std::uint8_t>({40, 30, 9, 2}, Filling::smooth));
    check(made<std::uint8_t>({2300, 1900}, Filling::smooth));
    check(made<std::int16_t>({40, 30, 9}, Filling::smooth));
    check(made<float>({40, 30, 9}, Filling::smooth));
}

// 3 times 0.7, divided by 0.7, is a little less than 3.
TEST(VolumeFile, ErrorsAreWholeStepsOfTheScaling) {
    const AnyImage image = made<std::int16_t>({40, 30, 9}, Filling::smooth);
    const fs::path path = scratch("slope.tvol");
    const auto bytes_with = [&](double slope, double error) {
        io::write_volume_file(*io::volume_input(image, {slope, 0}), path, {.max_error = error});
        return fs::file_size(path);
    };
    for (const int error : {1, 3, 6})
        for (const double slope : {0.7, -0.1})
            EXPECT_EQ(bytes_with(slope, std::abs(slope) * error), bytes_with(1, error))
                << slope << " * " << error;
}

// Errors up to 5 keep 0 and 99 well, and some above, the last of which is 51.
TEST(VolumeFile, TheLargestErrorOfBytesIsFound) {
    Image<std::uint8_t> image({50, 20, 1});
    for (std::size_t i = 0; i < image.pixels().size(); ++i) image.pixels()[i] = i % 2 == 0 ? 0 : 99;
    const VolumeQuality found = io::error_for_psnr(*io::volume_input(image), 30, 1);
    EXPECT_EQ(found.max_error, 51);  // in steps of 103, of which 99 is nearly one
    EXPECT_NEAR(found.psnr, 10 * std::log10(99.0 * 99 / 8), 1e-9);
    const VolumeQuality kept = io::error_for_psnr(*io::volume_input(image), 60, 1);
    EXPECT_EQ(kept.max_error, 49);  // in steps of 99; 2, 3 and 6 to 15 lose more
    EXPECT_TRUE(std::isinf(kept.psnr));
}

// One for the range and one for each time that the number of errors is halved.
TEST(VolumeFile, NinePassesFindAnErrorOfFloatingPoint) {
    class Counted : public VolumeInput {
      public:
        explicit Counted(const AnyImage& image) : input_(io::volume_input(image)) {}
        const VolumeInputFacts& facts() const override { return input_->facts(); }
        AnyImage read(const VoxelBox& box, std::int64_t t) const override {
            values_ += box.length(0) * box.length(1) * box.length(2);
            return input_->read(box, t);
        }
        std::int64_t passes() const { return values_ / facts().shape.points(); }

      private:
        std::unique_ptr<VolumeInput> input_;
        mutable std::int64_t values_ = 0;
    };
    const AnyImage image = made<float>({40, 30, 9}, Filling::smooth);
    const Counted input(image);
    EXPECT_GE(io::error_for_psnr(input, 45).psnr, 45);
    EXPECT_LE(input.passes(), 9);
    CancelToken token;
    token.cancel();
    const Counted cancelled(image);
    EXPECT_THROW(io::error_for_psnr(cancelled, 45, 1, Progress({}, &token)), Cancelled);
    EXPECT_EQ(cancelled.passes(), 0);
}

TEST(VolumeFile, LabelsBecomeTheMostFrequent) {
    Image<std::uint8_t> labels({4, 2, 2});
    labels(0, 0, 0) = 9;
    for (std::int64_t x = 2; x < 4; ++x) labels(x, 1, 1) = labels(x, 0, 1) = labels(x, 1, 0) = 5;
    const AnyImage any = labels;
    const fs::path path = scratch("labels.tvol");
    io::write_volume_file(*io::volume_input(any), path, {.labels = true});
    const auto coarse = std::get<Image<std::uint8_t>>(io::open_volume_file(path)->read(1));
    EXPECT_EQ(coarse.pixels(), (std::vector<std::uint8_t>{0, 5}));
}

TEST(VolumeFile, ScalingIsKeptBesideStoredNumbers) {
    const AnyImage any = made<std::uint8_t>({20, 20, 20}, Filling::smooth);
    const fs::path path = scratch("scaled.tvol");
    io::write_volume_file(*io::volume_input(any, {2.25, -1}), path);
    EXPECT_EQ(io::open_volume_file(path)->facts().type, PixelType::u8);
    const AnyImage back = io::read_image(path).image;
    EXPECT_EQ(std::get<Image<float>>(back)(3, 2, 1),
              2.25f * static_cast<float>(std::get<Image<std::uint8_t>>(any)(3, 2, 1)) - 1);
}

void expect_refused(const std::string& part, const std::function<void()>& call) {
    try {
        call();
        FAIL() << "nothing was thrown for " << part;
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
}

TEST(VolumeFile, BricksAndLevelsThatDoNotExistAreRefused) {
    const AnyImage any = made<std::uint8_t>({80, 40, 30}, Filling::smooth);
    const fs::path path = scratch("places.tvol");
    io::write_volume_file(*io::volume_input(any), path);
    const auto source = io::open_volume_file(path);
    for (const BrickPlace& place :
         {BrickPlace{9, 0, 0}, BrickPlace{0, 1, 0}, BrickPlace{0, 0, 1}, BrickPlace{-1, 0, 0},
          BrickPlace{0, 0, 0, 1}, BrickPlace{0, 0, 0, 0, 1}, BrickPlace{1LL << 40, 0, 0}}) {
        const std::string name = "there is no brick " + std::to_string(place.x) + ", " +
                                 std::to_string(place.y) + ", " + std::to_string(place.z);
        expect_refused(name, [&] { source->brick(0, place); });
        expect_refused(name, [&] { source->chunk(0, place); });
        expect_refused(name, [&] { source->coding(place); });
        expect_refused(name, [&] { source->brick_size(place); });
    }
    for (const int level : {-1, 5}) {
        const std::string name = "level " + std::to_string(level) + " does not exist";
        expect_refused(name, [&] { source->brick(level, {}); });
        expect_refused(name, [&] { source->chunk(level, {}); });
        expect_refused(name, [&] { source->read(level); });
    }
    expect_refused("there is no block 5, 0, 0", [&] { source->block_range({5, 0, 0}); });
}

// Whatever is changed or cut off: an error of reading, never other voxels.
TEST(VolumeFile, DamageIsFound) {
    const AnyImage any = made<std::uint8_t>({80, 40, 30}, Filling::smooth);
    const fs::path path = scratch("good.tvol"), bad = scratch("bad.tvol");
    io::write_volume_file(*io::volume_input(any), path);
    const std::vector<char> good = content_of(path);
    for (std::size_t length = 1; length < good.size(); length += 1 + good.size() / 50) {
        write_content(bad, {good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)});
        EXPECT_ANY_THROW(io::open_volume_file(bad)->read(0)) << length;
    }
    for (std::size_t at = 8; at < good.size(); at += 1 + good.size() / 300) {
        std::vector<char> changed = good;
        changed[at] = static_cast<char>(changed[at] ^ 0x41);
        write_content(bad, changed);
        try {
            EXPECT_TRUE(
                same_bits(std::get<Image<std::uint8_t>>(any), io::open_volume_file(bad)->read(0)))
                << at;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("bad.tvol"), std::string::npos);
        }
    }
    std::vector<char> changed = good;
    changed.back() = static_cast<char>(changed.back() ^ 1);
    write_content(bad, changed);
    try {
        io::open_volume_file(bad)->read(0);
        FAIL();
    } catch (const UnreadableInput& error) {
        EXPECT_NE(std::string(error.what()).find("brick 1, 0, 0"), std::string::npos);
    }
}

TEST(VolumeFile, RawLayoutsAreParsed) {
    const io::RawLayout layout = io::RawLayout::parse("5x4x3:u16be:7");
    EXPECT_EQ(layout.shape, (Shape{5, 4, 3}));
    EXPECT_EQ(layout.type, PixelType::u16);
    EXPECT_TRUE(layout.big_endian);
    EXPECT_EQ(layout.offset, 7);
    EXPECT_EQ(io::RawLayout::parse("5x4:u8").shape, (Shape{5, 4}));
    for (const char* text : {"", "5:u8", "5x4x3", "5x4x3:u24", "5x4x3:u8:x", "0x4x3:u8"})
        EXPECT_THROW(io::RawLayout::parse(text), InvalidArgument) << text;
    write_content(scratch("wrong.raw"), std::vector<char>(11));
    EXPECT_THROW(io::open_raw(scratch("wrong.raw"), io::RawLayout::parse("2x2x3:u8")),
                 UnreadableInput);
}

}  // namespace
}  // namespace tesela
