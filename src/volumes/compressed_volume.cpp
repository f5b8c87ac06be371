#include <algorithm>
#include <limits>
#include <string>

#include "core/threads.h"
#include "tesela/volume_codec.h"
#include "volumes/brick_coder.h"

namespace tesela {
namespace {

using detail::BrickSize;

class CompressedVolume : public BrickSource {
  public:
    CompressedVolume(const AnyImageView& volume, int threads) {
        facts_.format = "compressed volume";
        facts_.type = facts_.coded_type = volume.pixel_type();
        facts_.has_alpha = volume.has_alpha();
        facts_.set_levels(volume.shape(), volume.geometry());
        chunks_.resize(static_cast<std::size_t>(brick_count()));
        volume.visit([&](const auto& image) {
            encode(image, threads);
            measure(image, threads);
        });
        for (const detail::BrickChunks& brick : chunks_)
            for (const auto& chunk : brick)
                facts_.stored_bytes += static_cast<std::int64_t>(chunk.size());
    }

    const BrickSourceFacts& facts() const override { return facts_; }

    AnyImage brick(int level, const BrickPlace& place) const override {
        check_level(level);
        number_of(place);
        switch (facts_.type) {
            case PixelType::i8:
                return decoded<std::int8_t>(level, place);
            case PixelType::u16:
                return decoded<std::uint16_t>(level, place);
            case PixelType::i16:
                return decoded<std::int16_t>(level, place);
            default:
                return decoded<std::uint8_t>(level, place);
        }
    }

    BrickCoding coding(const BrickPlace& place) const override {
        number_of(place);
        return BrickCoding::wavelet;
    }
    std::vector<std::uint8_t> chunk(int level, const BrickPlace& place) const override {
        check_level(level);
        return chunks_[static_cast<std::size_t>(number_of(place))][static_cast<std::size_t>(level)];
    }

    BlockRange block_range(const BrickPlace& place) const override {
        return ranges_[static_cast<std::size_t>(number_of_block(place))];
    }

  private:
    static void check_level(int level) {
        if (level < 0 || level >= level_count)
            throw InvalidArgument("level " + std::to_string(level) + " does not exist");
    }

    template <class T>
    void encode(const PixelView<T>& image, int threads) {
        if constexpr (!detail::has_wavelet<T>) {
            throw UnsupportedFormat("volumes of " + std::string(pixel_type_name(facts_.type)) +
                                    " have no wavelet; 8 and 16 bits do");
        } else {
            detail::for_each_index(brick_count(), threads, [&](std::int64_t number) {
                const BrickPlace p = place_of(number);
                const BrickSize size = brick_size(p);
                std::vector<T> voxels;
                voxels.reserve(static_cast<std::size_t>(detail::voxels_of(size)));
                for (int z = 0; z < size[2]; ++z)
                    for (int y = 0; y < size[1]; ++y)
                        for (int x = 0; x < size[0]; ++x)
                            voxels.push_back(image(p.x * side + x, p.y * side + y, p.z * side + z,
                                                   p.t, p.channel));
                chunks_[static_cast<std::size_t>(number)] =
                    detail::encode_brick(detail::as_unsigned(std::span<const T>(voxels)), size);
            });
        }
    }

    // Of a block, with one voxel around it.
    template <class T>
    static BlockRange range_of(const PixelView<T>& image, const BrickPlace& block) {
        const Shape& shape = image.shape();
        const auto begin = [](std::int64_t at) {
            return std::max<std::int64_t>(0, at * block_side - 1);
        };
        const auto end = [](std::int64_t at, std::int64_t length) {
            return std::min(length, (at + 1) * block_side + 1);
        };
        T lowest = std::numeric_limits<T>::max(), highest = std::numeric_limits<T>::lowest();
        for (std::int64_t z = begin(block.z); z < end(block.z, shape.z); ++z)
            for (std::int64_t y = begin(block.y); y < end(block.y, shape.y); ++y)
                for (std::int64_t x = begin(block.x); x < end(block.x, shape.x); ++x) {
                    const T value = image(x, y, z, block.t, block.channel);
                    lowest = std::min(lowest, value);
                    highest = std::max(highest, value);
                }
        return {static_cast<double>(lowest), static_cast<double>(highest)};
    }
    template <class T>
    void measure(const PixelView<T>& image, int threads) {
        const auto grid = blocks();
        const Shape& shape = image.shape();
        ranges_.resize(
            static_cast<std::size_t>(grid[0] * grid[1] * grid[2] * shape.t * shape.channels));
        detail::for_each_index(std::ssize(ranges_), threads, [&](std::int64_t number) {
            BrickPlace block{number % grid[0], number / grid[0] % grid[1],
                             number / grid[0] / grid[1] % grid[2]};
            const std::int64_t plane = number / grid[0] / grid[1] / grid[2];
            block.channel = static_cast<int>(plane % shape.channels);
            block.t = plane / shape.channels;
            ranges_[static_cast<std::size_t>(number)] = range_of(image, block);
        });
    }

    template <class T>
    AnyImage decoded(int level, const BrickPlace& place) const {
        const BrickSize size = brick_size(place), cut = detail::size_at(size, level);
        std::vector<std::make_unsigned_t<T>> voxels;
        if (detail::decode_brick(
                size, level, [&](int at) { return chunk(at, place); }, voxels))
            throw UnreadableInput("a brick in memory is damaged");
        Image<T> image({cut[0], cut[1], cut[2]});
        image.pixels() = detail::as_signed<T>(voxels);
        return image;
    }

    BrickSourceFacts facts_;
    std::vector<detail::BrickChunks> chunks_;
    std::vector<BlockRange> ranges_;
};

}  // namespace

std::unique_ptr<BrickSource> compressed_volume(const AnyImageView& volume, int threads) {
    validate(volume.shape());
    return std::make_unique<CompressedVolume>(volume, threads);
}

}  // namespace tesela
