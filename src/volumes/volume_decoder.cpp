// Decodes bricks on a device, with one launch for each level however many bricks there are.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/threads.h"
#include "kernels/volumes/bricks.kernel.h"
#include "tesela/volume_codec.h"
#include "volumes/brick_coder.h"

namespace tesela {
namespace {

constexpr int brick_levels = BrickSource::level_count;
constexpr int coarsest = brick_levels - 1;

constexpr const auto& decode_kernel(std::uint8_t) { return kernels::brick_decode_u8; }
constexpr const auto& decode_kernel(std::uint16_t) { return kernels::brick_decode_u16; }
constexpr const auto& paste_kernel(std::uint8_t) { return kernels::brick_paste_u8; }
constexpr const auto& paste_kernel(std::int8_t) { return kernels::brick_paste_i8; }
constexpr const auto& paste_kernel(std::uint16_t) { return kernels::brick_paste_u16; }
constexpr const auto& paste_kernel(std::int16_t) { return kernels::brick_paste_i16; }
constexpr const auto& paste_kernel(float) { return kernels::brick_paste_f32; }
// From coded numbers to stored ones.
constexpr const auto& values_kernel(std::uint8_t, std::uint8_t) {
    return kernels::brick_values_u8_u8;
}
constexpr const auto& values_kernel(std::uint8_t, std::int8_t) {
    return kernels::brick_values_u8_i8;
}
constexpr const auto& values_kernel(std::uint8_t, float) { return kernels::brick_values_u8_f32; }
constexpr const auto& values_kernel(std::uint16_t, std::uint16_t) {
    return kernels::brick_values_u16_u16;
}
constexpr const auto& values_kernel(std::uint16_t, std::int16_t) {
    return kernels::brick_values_u16_i16;
}
constexpr const auto& values_kernel(std::uint16_t, float) { return kernels::brick_values_u16_f32; }

UnreadableInput damaged(const BrickPlace& p, int level) {
    return UnreadableInput("brick " + std::to_string(p.x) + ", " + std::to_string(p.y) + ", " +
                           std::to_string(p.z) + " at time " + std::to_string(p.t) +
                           " of channel " + std::to_string(p.channel) + " is damaged at level " +
                           std::to_string(level) + ": its data cannot be decoded");
}

// Elements of bricks, concatenated, and the numbers that say where each brick belongs.
template <class V>
struct Parts {
    std::vector<V> elements;
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> bricks;

    void add(std::span<const V> part) {
        elements.insert(elements.end(), part.begin(), part.end());
        starts.push_back(static_cast<std::int64_t>(elements.size()));
    }
    void add_brick(const BrickPlace& p, int channels, std::int32_t step) {
        for (const std::int64_t number :
             {p.x, p.y, p.z, p.t * channels + p.channel, std::int64_t{step}})
            bricks.push_back(static_cast<std::int32_t>(number));
    }
};
template <class V>
struct DeviceParts {
    Buffer<V> elements;
    Buffer<std::int64_t> starts;
    std::int64_t count = 0;

    DeviceParts() = default;
    DeviceParts(const Parts<V>& parts, Queue& queue)
        : elements(queue.upload(std::span<const V>(parts.elements), "bricks")),
          starts(queue.upload(std::span<const std::int64_t>(parts.starts), "starts of bricks")),
          count(std::ssize(parts.starts) - 1) {}
};
Buffer<std::int32_t> upload_bricks(const std::vector<std::int32_t>& bricks, Queue& queue) {
    return queue.upload(std::span<const std::int32_t>(bricks), "numbers of bricks");
}

}  // namespace

class VolumeDecoder::Implementation {
  public:
    virtual ~Implementation() = default;
    virtual AnyDeviceImage decode() = 0;
};

namespace {

// Volumes of stored numbers T, which are coded as U.
template <class T, class U>
class WaveletDecoder : public VolumeDecoder::Implementation {
  public:
    WaveletDecoder(const BrickSource& source, int level, Queue& queue, const Progress& progress)
        : facts_(source.facts()), level_(level), queue_(queue) {
        sort_bricks(source);
        for (int at = coarsest; at >= level; --at) {
            progress.throw_if_cancelled();
            progress.report(static_cast<double>(coarsest - at) / brick_levels, "read bricks");
            upload_chunks(source, at);
        }
        upload_others(source);
        set_values();
        damaged_ = queue.allocate<std::int32_t>(1, "damaged bricks");
    }

    AnyDeviceImage decode() override {
        const auto l = static_cast<std::size_t>(level_);
        DeviceImage<T> image{{}, facts_.levels[l], facts_.geometries[l], facts_.has_alpha};
        if (wavelet_.empty())
            image.pixels = allocate<T>(level_);
        else
            image.pixels = stored(decode_chunks());
        paste(others_, other_bricks_, level_, image.pixels);
        check();
        return image;
    }

  private:
    template <class V>
    Buffer<V> allocate(int level) {
        return queue_.allocate<V>(facts_.levels[static_cast<std::size_t>(level)].elements(),
                                  "volume");
    }
    kernels::brick_level kernel_level(int level) const {
        const Shape& s = facts_.levels[static_cast<std::size_t>(level)];
        return {{static_cast<std::int32_t>(s.x), static_cast<std::int32_t>(s.y),
                 static_cast<std::int32_t>(s.z)},
                BrickSource::side >> level,
                s.channels,
                level};
    }

    void sort_bricks(const BrickSource& source) {
        for (std::int64_t number = 0; number < source.brick_count(); ++number) {
            const BrickPlace place = source.place_of(number);
            (source.coding(place) == BrickCoding::wavelet ? wavelet_ : other_).push_back(place);
        }
        Parts<U> parts;
        for (const BrickPlace& place : wavelet_)
            parts.add_brick(place, facts_.levels.front().channels, 1);
        bricks_ = upload_bricks(parts.bricks, queue_);
    }

    void upload_chunks(const BrickSource& source, int at) {
        std::vector<std::vector<std::uint8_t>> chunks(wavelet_.size());
        detail::for_each_index(std::ssize(wavelet_), 0, [&](std::int64_t i) {
            const auto k = static_cast<std::size_t>(i);
            chunks[k] = source.chunk(at, wavelet_[k]);
        });
        if (at == coarsest)
            first_ = joined<U>(source, chunks, at);
        else
            chunks_[static_cast<std::size_t>(at)] = joined<std::uint16_t>(source, chunks, at);
    }
    template <class V>
    DeviceParts<V> joined(const BrickSource& source,
                          const std::vector<std::vector<std::uint8_t>>& chunks, int at) {
        const auto voxels = [&](std::size_t i) {
            return detail::voxels_of(detail::size_at(source.brick_size(wavelet_[i]), coarsest));
        };
        Parts<V> parts;
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            const std::vector<std::uint8_t>& chunk = chunks[i];
            const std::size_t count = chunk.size() / sizeof(V);
            if (count == 0 || chunk.size() % sizeof(V) != 0 ||
                (at == coarsest && static_cast<std::int64_t>(count) != voxels(i)))
                throw damaged(wavelet_[i], at);
            parts.elements.resize(parts.elements.size() + count);
            std::memcpy(parts.elements.data() + parts.starts.back(), chunk.data(), chunk.size());
            parts.starts.push_back(static_cast<std::int64_t>(parts.elements.size()));
        }
        return {parts, queue_};
    }

    void upload_others(const BrickSource& source) {
        // A constant brick has its value at every level.
        const auto is_constant = [&](const BrickPlace& place) {
            return source.coding(place) == BrickCoding::constant;
        };
        std::vector<AnyImage> bricks(other_.size());
        detail::for_each_index(std::ssize(other_), 0, [&](std::int64_t i) {
            const BrickPlace& place = other_[static_cast<std::size_t>(i)];
            bricks[static_cast<std::size_t>(i)] =
                source.brick(is_constant(place) ? coarsest : level_, place);
        });
        Parts<T> parts;
        for (std::size_t i = 0; i < other_.size(); ++i) {
            const bool constant = is_constant(other_[i]);
            const std::span<const T> voxels(std::get<Image<T>>(bricks[i]).pixels());
            parts.add(constant ? voxels.first(1) : voxels);
            parts.add_brick(other_[i], facts_.levels.front().channels, constant ? 0 : 1);
        }
        others_ = {parts, queue_};
        other_bricks_ = upload_bricks(parts.bricks, queue_);
    }

    // A table from coded to stored numbers, unless these are the same.
    void set_values() {
        if (std::is_same_v<T, U> && !facts_.quantization.needed()) return;
        const bool is_signed =
            facts_.coded_type == PixelType::i8 || facts_.coded_type == PixelType::i16;
        const int lowest = is_signed ? std::numeric_limits<std::make_signed_t<U>>::min() : 0;
        std::vector<T> values;
        for (int number = 0; number <= std::numeric_limits<U>::max(); ++number)
            values.push_back(facts_.quantization.stored<T>(number + lowest));
        values_ = queue_.upload(std::span<const T>(values), "stored numbers");
    }

    template <class V>
    void paste(const DeviceParts<V>& parts, const Buffer<std::int32_t>& bricks, int level,
               Buffer<V>& image) {
        constexpr std::int64_t most = 1 << 14;  // CUDA's grids have at most 65535 groups along z
        const kernels::brick_level to = kernel_level(level);
        for (std::int64_t first = 0; first < parts.count; first += most)
            queue_.launch(paste_kernel(V{}),
                          Range{to.side, std::int64_t{to.side} * to.side,
                                std::min(most, parts.count - first)},
                          parts.elements, parts.starts, bricks, to,
                          static_cast<std::int32_t>(first), image);
    }

    Buffer<U> decode_chunks() {
        queue_.fill(damaged_, std::numeric_limits<std::int32_t>::max());
        Buffer<U> coded = allocate<U>(coarsest);
        paste(first_, bricks_, coarsest, coded);
        for (int at = coarsest - 1; at >= level_; --at) {
            const auto& chunks = chunks_[static_cast<std::size_t>(at)];
            Buffer<U> fine = allocate<U>(at);
            queue_.launch(decode_kernel(U{}), Groups{chunks.count}, chunks.elements, chunks.starts,
                          bricks_, coded, kernel_level(at), fine, damaged_);
            coded = std::move(fine);
        }
        return coded;
    }

    Buffer<T> stored(Buffer<U> coded) {
        if constexpr (std::is_same_v<T, U>)
            if (values_.size() == 0) return coded;
        Buffer<T> image = allocate<T>(level_);
        queue_.launch(values_kernel(U{}, T{}), Range{coded.size()}, coded, values_, image);
        return image;
    }

    void check() {
        if (wavelet_.empty()) return;
        std::array<std::int32_t, 1> found{};
        queue_.read(damaged_, std::span(found));
        if (found[0] == std::numeric_limits<std::int32_t>::max()) return;
        throw damaged(wavelet_[static_cast<std::size_t>(found[0] / 8)], 7 - found[0] % 8);
    }

    const BrickSourceFacts facts_;
    const int level_;
    Queue& queue_;
    std::vector<BrickPlace> wavelet_, other_;  // by coding
    Buffer<std::int32_t> bricks_, other_bricks_;
    DeviceParts<U> first_;  // voxels of the coarsest level
    std::array<DeviceParts<std::uint16_t>, brick_levels - 1> chunks_;
    DeviceParts<T> others_;
    Buffer<T> values_;
    Buffer<std::int32_t> damaged_;
};

class HostDecoder : public VolumeDecoder::Implementation {
  public:
    HostDecoder(const BrickSource& source, int level, Queue& queue)
        : image_(source.read(level)), queue_(queue) {}

    AnyDeviceImage decode() override {
        return std::visit(
            [&](const auto& image) -> AnyDeviceImage {
                using T = typename std::decay_t<decltype(image)>::value_type;
                return DeviceImage<T>{queue_.upload(std::span<const T>(image.pixels()), "volume"),
                                      image.shape(), image.geometry, image.has_alpha};
            },
            image_);
    }

  private:
    AnyImage image_;
    Queue& queue_;
};

std::unique_ptr<VolumeDecoder::Implementation> decoder_of(const BrickSource& source, int level,
                                                          Queue& queue, const Progress& progress) {
    const auto make = [&](auto stored, auto coded) {
        return std::make_unique<WaveletDecoder<decltype(stored), decltype(coded)>>(source, level,
                                                                                   queue, progress);
    };
    const BrickSourceFacts& facts = source.facts();
    const int bytes = pixel_type_bytes(facts.coded_type);
    const bool fits =
        facts.type == PixelType::f32 ? bytes <= 2 : bytes == pixel_type_bytes(facts.type);
    if (!facts.is_labels && fits && bytes <= 2) switch (facts.type) {
            case PixelType::u8:
                return make(std::uint8_t{}, std::uint8_t{});
            case PixelType::i8:
                return make(std::int8_t{}, std::uint8_t{});
            case PixelType::u16:
                return make(std::uint16_t{}, std::uint16_t{});
            case PixelType::i16:
                return make(std::int16_t{}, std::uint16_t{});
            case PixelType::f32:
                if (bytes == 1) return make(float{}, std::uint8_t{});
                return make(float{}, std::uint16_t{});
            default:
                break;
        }
    return std::make_unique<HostDecoder>(source, level, queue);
}

}  // namespace

VolumeDecoder::VolumeDecoder(const BrickSource& source, int level, Queue& queue,
                             const Progress& progress) {
    if (level < 0 || level >= brick_levels)
        throw InvalidArgument("level " + std::to_string(level) +
                              " does not exist; levels are 0 to 4");
    implementation_ = decoder_of(source, level, queue, progress);
}
VolumeDecoder::~VolumeDecoder() = default;
VolumeDecoder::VolumeDecoder(VolumeDecoder&&) noexcept = default;

AnyDeviceImage VolumeDecoder::decode() { return implementation_->decode(); }

}  // namespace tesela
