// Volumes decoded on every device, against what was compressed and against the host's decoder.
#include "tesela/volume_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <random>

#include "devices.h"
#include "kernels/volumes/bricks.kernel.h"
#include "volumes/brick_coder.h"

namespace tesela {
namespace {

class VolumeCodec : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(VolumeCodec);

enum class Content { noise, extremes, ramp, constant };

template <class T>
Image<T> image_of(const Shape& shape, Content content) {
    Image<T> image(shape);
    std::mt19937 random(11);
    std::int64_t i = 0;
    for (T& voxel : image.pixels()) {
        const auto number = static_cast<std::uint32_t>(random());
        const std::int64_t x = i++ / shape.channels;
        switch (content) {
            case Content::noise:
                voxel = static_cast<T>(number);
                break;
            case Content::extremes:
                voxel = number % 2 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
                break;
            case Content::ramp:
                voxel = static_cast<T>(x % shape.x + x / shape.x % shape.y * 2 + number % 3);
                break;
            case Content::constant:
                voxel = static_cast<T>(77);
                break;
        }
    }
    return image;
}

AnyImage downloaded(const AnyDeviceImage& decoded, Queue& queue) {
    return std::visit(
        [&](const auto& image) -> AnyImage {
            using T = typename std::decay_t<decltype(image.pixels)>::value_type;
            Image<T> host(image.shape, image.geometry);
            host.has_alpha = image.has_alpha;
            queue.read(image.pixels, std::span(host.pixels()));
            return host;
        },
        decoded);
}

void expect_equal(const AnyImage& given, const AnyImage& wanted) {
    ASSERT_EQ(given.index(), wanted.index());
    std::visit(
        [&](const auto& image) {
            const auto& other = std::get<std::decay_t<decltype(image)>>(wanted);
            EXPECT_EQ(image.shape(), other.shape());
            EXPECT_EQ(image.geometry, other.geometry);
            EXPECT_TRUE(image.pixels() == other.pixels());
        },
        given);
}

// All levels as the host decodes them, and level 0 as it was.
void check(const BrickSource& source, const AnyImage* volume, Queue& queue) {
    for (int level = 0; level < 5; ++level) {
        SCOPED_TRACE(level);
        VolumeDecoder decoder(source, level, queue);
        const AnyImage decoded = downloaded(decoder.decode(), queue);
        expect_equal(decoded, source.read(level));
        if (level == 0 && volume) expect_equal(decoded, *volume);
    }
}

template <class T>
void check_type(Queue& queue) {
    testing::Cases cases(queue.device());
    for (const Shape& shape : {Shape{1, 1, 1}, Shape{17, 33, 65}, Shape{64, 1, 1}, Shape{1, 65, 2},
                               Shape{70, 64, 3}, Shape{19, 5, 66, 2, 3}})
        for (const Content content :
             {Content::noise, Content::extremes, Content::ramp, Content::constant}) {
            if (!cases.take()) continue;
            SCOPED_TRACE(shape.x);
            SCOPED_TRACE(static_cast<int>(content));
            const AnyImage volume = image_of<T>(shape, content);
            check(*compressed_volume(volume), &volume, queue);
        }
}

TEST_P(VolumeCodec, Unsigned8BitsAsCompressed) { check_type<std::uint8_t>(queue); }
TEST_P(VolumeCodec, Signed8BitsAsCompressed) { check_type<std::int8_t>(queue); }
TEST_P(VolumeCodec, Unsigned16BitsAsCompressed) { check_type<std::uint16_t>(queue); }
TEST_P(VolumeCodec, Signed16BitsAsCompressed) { check_type<std::int16_t>(queue); }

// A source with something about it changed.
class Changed : public BrickSource {
  public:
    explicit Changed(const AnyImage& volume)
        : source_(compressed_volume(volume)), facts_(source_->facts()) {}

    const BrickSourceFacts& facts() const override { return facts_; }
    AnyImage brick(int level, const BrickPlace& place) const override {
        return source_->brick(level, place);
    }
    BrickCoding coding(const BrickPlace& place) const override { return source_->coding(place); }
    std::vector<std::uint8_t> chunk(int level, const BrickPlace& place) const override {
        return source_->chunk(level, place);
    }
    BlockRange block_range(const BrickPlace& place) const override {
        return source_->block_range(place);
    }

  protected:
    std::unique_ptr<BrickSource> source_;
    BrickSourceFacts facts_;
};

// The middle brick is constant, the last one is not coded by the wavelet.
class Mixed : public Changed {
  public:
    using Changed::Changed;
    AnyImage brick(int level, const BrickPlace& place) const override {
        AnyImage voxels = source_->brick(level, place);
        if (place.x == 1)
            std::visit(
                [](auto& image) { std::fill(image.pixels().begin(), image.pixels().end(), 9); },
                voxels);
        return voxels;
    }
    BrickCoding coding(const BrickPlace& place) const override {
        return place.x == 0   ? BrickCoding::wavelet
               : place.x == 1 ? BrickCoding::constant
                              : BrickCoding::packed;
    }
};

TEST_P(VolumeCodec, BricksOfSeveralCodings) {
    check(Mixed(image_of<std::int16_t>({150, 20, 9, 1, 2}, Content::ramp)), nullptr, queue);
}

// Stored numbers with an error, some of them beyond the limits of the type.
template <class Stored, class Coded>
class Quantized : public Changed {
  public:
    Quantized(const AnyImage& volume, const Quantization& quantization) : Changed(volume) {
        facts_.type = pixel_type_of<Stored>();
        facts_.quantization = quantization;
    }
    AnyImage brick(int level, const BrickPlace& place) const override {
        const auto coded = std::get<Image<Coded>>(source_->brick(level, place));
        Image<Stored> stored(coded.shape());
        std::transform(coded.pixels().begin(), coded.pixels().end(), stored.pixels().begin(),
                       [&](Coded number) {
                           return facts_.quantization.stored<Stored>(static_cast<double>(number));
                       });
        return stored;
    }
};

TEST_P(VolumeCodec, QuantizedNumbers) {
    const Shape shape{66, 9, 5};
    check(Quantized<float, std::uint8_t>(image_of<std::uint8_t>(shape, Content::noise),
                                         {0.37, -11.25}),
          nullptr, queue);
    check(
        Quantized<float, std::uint16_t>(image_of<std::uint16_t>(shape, Content::noise), {1e-3, 4}),
        nullptr, queue);
    check(
        Quantized<double, std::uint16_t>(image_of<std::uint16_t>(shape, Content::ramp), {1e-3, 4}),
        nullptr, queue);
    check(Quantized<std::int8_t, std::int8_t>(image_of<std::int8_t>(shape, Content::noise), {5, 0}),
          nullptr, queue);
    check(Quantized<std::int16_t, std::int16_t>(image_of<std::int16_t>(shape, Content::noise),
                                                {7, 0}),
          nullptr, queue);
}

TEST_P(VolumeCodec, SecondDecodingAllocatesNothing) {
    const auto source = compressed_volume(image_of<std::uint8_t>({130, 70, 65}, Content::ramp));
    VolumeDecoder decoder(*source, 0, queue);
    decoder.decode();
    const QueueCounters before = queue.counters();
    decoder.decode();
    const QueueWork work = queue.counters() - before;
    EXPECT_EQ(work.allocations, 0);
    EXPECT_EQ(work.launches, 5);  // one for each level
}

// One chunk that something has happened to, though its checksum would be right.
class Damaged : public Changed {
  public:
    using Changed::Changed;
    std::vector<std::uint8_t> chunk(int level, const BrickPlace& place) const override {
        std::vector<std::uint8_t> bytes = source_->chunk(level, place);
        if (level == 1 && place.x == 2) bytes.resize(bytes.size() - 2);
        return bytes;
    }
};

TEST_P(VolumeCodec, DamagedBrickIsNamed) {
    const Damaged source(image_of<std::uint8_t>({200, 20, 9}, Content::noise));
    try {
        VolumeDecoder(source, 0, queue).decode();
        FAIL() << "nothing was thrown";
    } catch (const UnreadableInput& error) {
        EXPECT_STREQ(
            error.what(),
            "brick 2, 0, 0 at time 0 of channel 0 is damaged at level 1: its data cannot be "
            "decoded");
    }
    EXPECT_NO_THROW(VolumeDecoder(source, 2, queue).decode());
    EXPECT_THROW(VolumeDecoder(source, 5, queue), InvalidArgument);
    EXPECT_THROW(compressed_volume(Image<float>({3, 3, 3})), UnsupportedFormat);
}

TEST(CompressedVolume, BricksThatDoNotExistAreRefused) {
    const auto source = compressed_volume(image_of<std::uint8_t>({70, 20, 9}, Content::ramp));
    for (const BrickPlace& place : {BrickPlace{9, 0, 0}, BrickPlace{0, -1, 0}}) {
        EXPECT_THROW(source->brick(0, place), InvalidArgument);
        EXPECT_THROW(source->chunk(0, place), InvalidArgument);
    }
    EXPECT_THROW(source->brick(5, {}), InvalidArgument);
    EXPECT_THROW(source->chunk(5, {}), InvalidArgument);
}

std::vector<std::uint8_t> mutated(std::vector<std::uint8_t> bytes, std::uint32_t seed) {
    std::mt19937 random(seed);
    for (auto n = 1 + random() % 3; n > 0; --n) {
        const std::size_t among = seed % 2 ? bytes.size() : std::min<std::size_t>(bytes.size(), 60);
        bytes[random() % among] ^= static_cast<std::uint8_t>(1 + random() % 255);
    }
    if (seed % 5 == 0) bytes.resize(random() % bytes.size() / 2 * 2);
    return bytes;
}

// The middle one of three bricks along x is decoded from damaged chunks into a level of which all
// else is guarded: the device takes what the host takes, gives the same, and writes nowhere else.
TEST_P(VolumeCodec, MutatedChunksStayWithinTheBrick) {
    testing::Cases cases(GetParam());
    const detail::BrickSize size{64, 12, 9};
    for (const bool flat : {false, true}) {
        SCOPED_TRACE(flat ? "flat" : "ramp");
        const auto fine =
            flat ? std::vector<std::uint16_t>(64 * 12 * 9, 500)
                 : image_of<std::uint16_t>({size[0], size[1], size[2]}, Content::ramp).pixels();
        const auto coarse = detail::halve<std::uint16_t>(fine, size, 0);
        const auto chunk = detail::encode_details<std::uint16_t>(fine, coarse, size);
        const detail::BrickSize half = detail::halved(size);
        std::vector<std::uint16_t> all_coarse;
        for (std::size_t row = 0; row < static_cast<std::size_t>(half[1] * half[2]); ++row) {
            all_coarse.insert(all_coarse.end(), 32, 0);
            all_coarse.insert(all_coarse.end(),
                              coarse.begin() + static_cast<std::ptrdiff_t>(32 * row),
                              coarse.begin() + static_cast<std::ptrdiff_t>(32 * row + 32));
            all_coarse.insert(all_coarse.end(), 32, 0);
        }
        const kernels::brick_level level{{192, size[1], size[2]}, 64, 1, 0};
        const std::array<std::int32_t, 5> place{1, 0, 0, 0, 1};
        constexpr std::uint16_t guard = 0xabcd;
        constexpr std::int32_t sound = std::numeric_limits<std::int32_t>::max();
        const auto places = queue.upload(std::span<const std::int32_t>(place), "places");
        const auto means = queue.upload(std::span<const std::uint16_t>(all_coarse), "means");
        int taken = 0, refused = 0;
        for (std::uint32_t seed = 0; seed < 400; ++seed) {
            if (seed != 0 && !cases.take()) continue;
            const auto bad = seed == 0 ? chunk : mutated(chunk, seed);
            std::vector<std::uint16_t> by_host(fine.size()), words(bad.size() / 2);
            const bool decodes =
                detail::decode_details<std::uint16_t>(bad, coarse, size, 0, std::span(by_host));
            if (!words.empty()) std::memcpy(words.data(), bad.data(), 2 * words.size());
            const std::array<std::int64_t, 2> starts{0, std::ssize(words)};
            auto damaged = queue.allocate_filled<std::int32_t>(1, sound, "damaged");
            auto level_0 = queue.allocate_filled<std::uint16_t>(
                192 * std::int64_t{size[1]} * size[2], guard, "voxels");
            queue.launch(kernels::brick_decode_u16, Groups{1},
                         queue.upload(std::span<const std::uint16_t>(words), "words"),
                         queue.upload(std::span<const std::int64_t>(starts), "starts"), places,
                         means, level, level_0, damaged);
            ASSERT_EQ(queue.download(damaged).front() == sound, decodes) << seed;
            ++(decodes ? taken : refused);
            const auto voxels = queue.download(level_0);
            for (std::size_t i = 0; i < voxels.size(); ++i) {
                const std::size_t x = i % 192, row = i / 192;
                const bool within = x >= 64 && x < 128;
                if (!within || decodes) {
                    ASSERT_EQ(voxels[i], within ? by_host[row * 64 + x - 64] : guard) << seed;
                }
            }
        }
        EXPECT_GT(taken, 0);
        EXPECT_GT(refused, 0);
    }
}

}  // namespace
}  // namespace tesela
