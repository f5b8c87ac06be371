#include <algorithm>
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
        volume.visit([&](const auto& image) { encode(image, threads); });
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
        const Shape& shape = facts_.levels.front();
        const std::array<std::int64_t, 3> at{place.x, place.y, place.z},
            size{shape.x, shape.y, shape.z};
        VoxelBox box;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            box.begin[axis] = std::max<std::int64_t>(0, at[axis] * block_side - 1);
            box.end[axis] = std::min(size[axis], (at[axis] + 1) * block_side + 1);
        }
        return std::visit(
            [&](const auto& image) {
                BlockRange range;
                bool found = false;
                const Shape& s = image.shape();
                for (std::int64_t z = 0; z < s.z; ++z)
                    for (std::int64_t y = 0; y < s.y; ++y)
                        for (std::int64_t x = 0; x < s.x; ++x) {
                            const auto value =
                                static_cast<double>(image(x, y, z, place.t, place.channel));
                            range.lowest = found ? std::min(range.lowest, value) : value;
                            range.highest = found ? std::max(range.highest, value) : value;
                            found = true;
                        }
                return range;
            },
            read(0, box, 1));
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
};

}  // namespace

std::unique_ptr<BrickSource> compressed_volume(const AnyImageView& volume, int threads) {
    validate(volume.shape());
    return std::make_unique<CompressedVolume>(volume, threads);
}

}  // namespace tesela
