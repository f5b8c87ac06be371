// From the stored numbers of a volume to its image.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/threads.h"
#include "io/volume.h"

namespace tesela::io {
namespace {

// Goes through the image in the order of the file. Neighboring axes whose numbers lie evenly in the
// image count as one.
class Walk {
  public:
    struct Piece {
        std::int64_t place, stride, count;
    };

    explicit Walk(const VolumeHeader& header) : order_(header.channel_order) {
        const Shape s = header.shape();
        const std::int64_t strides[] = {s.channels, s.channels * s.x, s.channels * s.x * s.y,
                                        s.channels * s.x * s.y * s.z, 1};
        for (const FileAxis& axis : header.axes) {
            const std::int64_t stride = strides[static_cast<std::size_t>(axis.role)];
            const bool ordered = axis.role == AxisRole::channel && !order_.empty();
            if (axis.length == 1) continue;
            if (runs_.empty() && ordered) runs_.push_back({1, 0, false});
            if (!ordered && !runs_.empty() && !runs_.back().ordered &&
                stride == runs_.back().stride * runs_.back().length)
                runs_.back().length *= axis.length;
            else
                runs_.push_back({axis.length, stride, ordered});
        }
        if (runs_.empty()) runs_.push_back({1, 1, false});
        at_.resize(runs_.size());
    }

    // The walk from the stored number `number` on.
    Walk from(std::int64_t number) const {
        Walk walk = *this;
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            walk.at_[i] = number % runs_[i].length;
            number /= runs_[i].length;
        }
        walk.find_base();
        return walk;
    }

    // Whether the file has the order of the image.
    bool is_plain() const { return runs_.size() == 1 && runs_[0].stride == 1; }

    // The next numbers that lie evenly, at most `most`.
    Piece next(std::int64_t most) {
        const Piece piece{base_ + at_[0] * runs_[0].stride, runs_[0].stride,
                          std::min(most, runs_[0].length - at_[0])};
        at_[0] += piece.count;
        if (at_[0] == runs_[0].length) advance();
        return piece;
    }

  private:
    struct Run {
        std::int64_t length, stride;
        bool ordered;
    };

    void advance() {
        at_[0] = 0;
        for (std::size_t i = 1; i < runs_.size(); ++i) {
            if (++at_[i] < runs_[i].length) break;
            at_[i] = 0;
        }
        find_base();
    }

    // The place of the first number of the current run.
    void find_base() {
        base_ = 0;
        for (std::size_t i = 1; i < runs_.size(); ++i)
            base_ += (runs_[i].ordered ? order_[static_cast<std::size_t>(at_[i])] : at_[i]) *
                     runs_[i].stride;
    }

    const std::vector<int>& order_;
    std::vector<Run> runs_;
    std::vector<std::int64_t> at_;
    std::int64_t base_ = 0;
};

// Narrows 64-bit integers to `To` where all fit.
template <class To, class From>
bool narrow(const std::vector<From>& from, const Shape& shape, AnyImage& image) {
    if (!std::all_of(from.begin(), from.end(), [](From v) { return std::in_range<To>(v); }))
        return false;
    Image<To> narrowed(shape);
    std::transform(from.begin(), from.end(), narrowed.data(),
                   [](From value) { return static_cast<To>(value); });
    image = std::move(narrowed);
    return true;
}

class VolumeReader {
  public:
    VolumeReader(const InputFile& file, const VolumeHeader& header, const DecodeOptions& options)
        : file_(file),
          header_(header),
          options_(options),
          shape_(header.shape()),
          swapped_(header.encoding != DataEncoding::text &&
                   header.big_endian == (std::endian::native == std::endian::little)) {}

    AnyImage read() const {
        return with_type(header_.type, [&](auto stored) -> AnyImage {
            using Stored = decltype(stored);
            if (header_.scaling.needed() && !options_.stored) return read_scaled<Stored>();
            if constexpr (std::is_integral_v<Stored> && sizeof(Stored) == 8) {
                return read_wide<Stored>();
            } else {
                AnyImage image = allocate(file_.path(), pixel_type_of<Stored>(), shape_, options_);
                fill<Stored>(std::get<Image<Stored>>(image).data(), std::identity{});
                return image;
            }
        });
    }

  private:
    template <class Stored, class Value, class Convert>
    void fill(Value* pixels, const Convert& convert) const {
        const auto source = open_bytes(file_, header_);
        const Walk walk(header_);
        const std::int64_t numbers = shape_.elements();
        if (std::is_same_v<Convert, std::identity> && walk.is_plain() && !swapped_) {
            source->read({reinterpret_cast<std::uint8_t*>(pixels),
                          static_cast<std::size_t>(numbers) * sizeof(Stored)});
            return source->finish();
        }
        constexpr auto size = static_cast<std::int64_t>(sizeof(Stored));
        std::atomic<bool> are_whole{true};  // the numbers of each part
        const bool placed =
            source->read_parts([&](std::int64_t offset, std::span<const std::uint8_t> bytes) {
                if (offset % size != 0 || std::ssize(bytes) % size != 0)
                    are_whole = false;
                else
                    place<Stored>(bytes.data(), std::ssize(bytes) / size, walk.from(offset / size),
                                  pixels, convert);
            });
        if (placed && are_whole) return source->finish();
        // Read one part after the other, which all cores place.
        constexpr std::int64_t part = (1 << 22) / sizeof(Stored), slice = part / 16;
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(std::min(numbers, part)) *
                                        sizeof(Stored));
        for (std::int64_t done = 0; done < numbers; done += part) {
            const std::int64_t count = std::min(numbers - done, part);
            source->read(std::span(bytes).first(static_cast<std::size_t>(count) * sizeof(Stored)));
            detail::for_each_index((count + slice - 1) / slice, 0, [&](std::int64_t i) {
                place<Stored>(&bytes[static_cast<std::size_t>(i * slice) * sizeof(Stored)],
                              std::min(slice, count - i * slice), walk.from(done + i * slice),
                              pixels, convert);
            });
        }
        source->finish();
    }

    template <class Stored, class Value, class Convert>
    void place(const std::uint8_t* from, std::int64_t count, Walk walk, Value* pixels,
               const Convert& convert) const {
        while (count > 0) {
            const Walk::Piece piece = walk.next(count);
            Value* to = pixels + piece.place;
            for (std::int64_t i = 0; i < piece.count; ++i, from += sizeof(Stored))
                to[i * piece.stride] = convert(load_number<Stored>(from, swapped_));
            count -= piece.count;
        }
    }

    // Single precision holds what becomes of 16 bits; longer numbers need double precision.
    template <class Stored>
    AnyImage read_scaled() const {
        constexpr bool is_single = sizeof(Stored) <= 2 || std::is_same_v<Stored, float>;
        using Value = std::conditional_t<is_single, float, double>;
        AnyImage image = allocate(file_.path(), pixel_type_of<Value>(), shape_, options_);
        std::atomic<bool> overflows{false};
        fill<Stored>(std::get<Image<Value>>(image).data(), [&](Stored stored) {
            const double value =
                header_.scaling.slope * static_cast<double>(stored) + header_.scaling.intercept;
            if (!(std::abs(value) <= std::numeric_limits<Value>::max()) &&
                std::isfinite(static_cast<double>(stored)))
                overflows = true;
            return static_cast<Value>(value);
        });
        if (overflows)
            throw unreadable(file_.path(), "the slope and the offset of its " + header_.format +
                                               " header make values that are too large");
        return image;
    }

    // 32-bit integers, signed where all values fit.
    template <class Stored>
    AnyImage read_wide() const {
        require_memory(file_.path(), shape_.elements() * 12, options_.max_bytes);
        std::vector<Stored> wide(static_cast<std::size_t>(shape_.elements()));
        fill<Stored>(wide.data(), std::identity{});
        AnyImage image;
        if (narrow<std::int32_t>(wide, shape_, image) || narrow<std::uint32_t>(wide, shape_, image))
            return image;
        throw unsupported(file_.path(), "it holds 64-bit integers that do not fit into 32 bits");
    }

    const InputFile& file_;
    const VolumeHeader& header_;
    const DecodeOptions& options_;
    const Shape shape_;
    const bool swapped_;
};

}  // namespace

int number_bytes(NumberType type) {
    return with_type(type, [](auto value) { return static_cast<int>(sizeof value); });
}

Shape VolumeHeader::shape() const {
    Shape shape{1, 1, 1, 1, 1};
    for (const FileAxis& axis : axes) switch (axis.role) {
            case AxisRole::x:
                shape.x = axis.length;
                break;
            case AxisRole::y:
                shape.y = axis.length;
                break;
            case AxisRole::z:
                shape.z = axis.length;
                break;
            case AxisRole::time:
                shape.t = axis.length;
                break;
            case AxisRole::channel:
                shape.channels = static_cast<int>(axis.length);
                break;
        }
    return shape;
}

std::int64_t VolumeHeader::data_bytes() const { return shape().elements() * number_bytes(type); }

namespace {

// 3D Slicer writes colors as vectors of three bytes, which hold no other vector worth the name.
void take_bytes_as_color(VolumeHeader& header) {
    if (header.meaning != ChannelMeaning::vectors || header.type != NumberType::u8 ||
        header.shape().channels != 3)
        return;
    header.meaning = ChannelMeaning::color;
    header.warnings.push_back("its vectors of three bytes are taken as red, green and blue");
}

}  // namespace

ReadResult read_volume(const InputFile& file, VolumeHeader header, const DecodeOptions& options) {
    take_bytes_as_color(header);
    check_data(file, header, options);
    AnyImage image = VolumeReader(file, header, options).read();
    const bool separate = header.meaning != ChannelMeaning::color && shape_of(image).channels > 1;
    geometry_of(image) = header.geometry;
    std::visit([&](auto& i) { i.has_alpha = header.has_alpha; }, image);
    // 64-bit integers are there beside what they become.
    const bool wide = header.type == NumberType::i64 || header.type == NumberType::u64;
    return {.image = std::move(image),
            .format = header.format,
            .warnings = std::move(header.warnings),
            .work_bytes = wide && !header.scaling.needed() ? header.data_bytes() : 0,
            .scaling = options.stored ? header.scaling : ValueScaling{},
            .separate_channels = separate};
}

}  // namespace tesela::io
