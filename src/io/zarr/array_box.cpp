// The numbers of an array.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

#include "core/threads.h"
#include "io/zarr/array.h"

namespace tesela::io::zarr {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Of the file at this place along each axis.
std::string key_of(const Array& array, const Lengths& place) {
    std::string key = array.key_prefix;
    for (std::size_t i = 0; i < array.axes.size(); ++i) {
        if (i > 0) key += array.separator;
        key += std::to_string(place[axis_letters.find(array.axes[i])]);
    }
    return key;
}

// The key of a chunk's file, and its number there.
std::pair<std::string, std::int64_t> file_of(const Array& array, const Lengths& place) {
    Lengths file{};
    std::int64_t number = 0;
    for (const char letter : array.axes) {
        const std::size_t axis = axis_letters.find(letter);
        file[axis] = place[axis] / array.in_shard[axis];
        number = number * array.in_shard[axis] + place[axis] % array.in_shard[axis];
    }
    return {key_of(array, file), number};
}

// The unpacked bytes; nothing where the chunk is missing.
std::optional<Bytes> read_chunk(const Store& store, const Array& array, const Lengths& place) {
    const auto [key, number] = file_of(array, place);
    const std::int64_t longest = most_stored(array.chunk_bytes());
    auto stored =
        array.shards ? array.shards->find(store, key, number, longest) : store.find(key, longest);
    if (!stored) return {};
    Bytes bytes(static_cast<std::size_t>(array.chunk_bytes()));
    if (!unpack_chunk(store.path(), array.codec, *stored, bytes))
        throw unreadable(store.path(), "its chunk '" + printable(key) + "' is damaged");
    return bytes;
}

// Copies the points of a box that lie in one chunk.
template <class Stored, class Value>
class ChunkCopy {
  public:
    ChunkCopy(const Array& array, const Box& box, Image<Value>& image)
        : array_(array),
          box_(box),
          image_(image),
          swapped_(array.big_endian == (std::endian::native == std::endian::little)) {
        const Shape& s = image.shape();
        strides_ = {s.channels * s.x * s.y * s.z, 1, s.channels * s.x * s.y, s.channels * s.x,
                    s.channels};
    }

    // `chunk` is null where the file has none.
    void copy(const Lengths& place, const std::uint8_t* chunk) {
        Lengths first{}, end{};
        for (std::size_t axis = 0; axis < first.size(); ++axis) {
            const std::int64_t begin = place[axis] * array_.chunk[axis];
            first[axis] = std::max(begin, box_.begin[axis]);
            end[axis] = std::min(begin + array_.chunk[axis], box_.end[axis]);
        }
        for (Lengths at = first; at[0] < end[0]; ++at[0])
            for (at[1] = first[1]; at[1] < end[1]; ++at[1])
                for (at[2] = first[2]; at[2] < end[2]; ++at[2])
                    for (at[3] = first[3]; at[3] < end[3]; ++at[3]) {
                        at[4] = first[4];
                        Value* out = image_.data() + offset_in_image(at);
                        if (chunk)
                            copy_row(chunk + offset_in_chunk(at, place), end[4] - first[4], out);
                        else
                            fill_row(end[4] - first[4], out);
                    }
    }
    bool all_fit() const { return fits_; }

  private:
    std::int64_t offset_in_image(const Lengths& at) const {
        std::int64_t offset = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis)
            offset += (at[axis] - box_.begin[axis]) * strides_[axis];
        return offset;
    }
    std::int64_t offset_in_chunk(const Lengths& at, const Lengths& place) const {
        std::int64_t offset = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis)
            offset += (at[axis] - place[axis] * array_.chunk[axis]) * array_.strides[axis];
        return offset * static_cast<std::int64_t>(sizeof(Stored));
    }

    Value converted(Stored stored) {
        if constexpr (!std::is_same_v<Stored, Value>)
            if (!std::in_range<Value>(stored)) fits_ = false;
        return static_cast<Value>(stored);
    }
    void copy_row(const std::uint8_t* from, std::int64_t count, Value* out) {
        const std::int64_t from_step = array_.strides[4], step = strides_[4];
        if (std::is_same_v<Stored, Value> && from_step == 1 && step == 1 && !swapped_) {
            std::memcpy(out, from, static_cast<std::size_t>(count) * sizeof(Value));
            return;
        }
        for (std::int64_t x = 0; x < count; ++x)
            out[x * step] = converted(load_number<Stored>(
                from + x * from_step * static_cast<std::int64_t>(sizeof(Stored)), swapped_));
    }
    void fill_row(std::int64_t count, Value* out) {
        const Value value = converted(load_number<Stored>(array_.fill.data(), false));
        for (std::int64_t x = 0; x < count; ++x) out[x * strides_[4]] = value;
    }

    const Array& array_;
    const Box& box_;
    Image<Value>& image_;
    Lengths strides_{};
    bool swapped_;
    std::atomic<bool> fits_{true};
};

template <class Stored, class Value>
bool read_as(const Store& store, const Array& array, const Box& box, Image<Value>& image,
             int threads) {
    Lengths first{}, counts{};
    std::int64_t chunks = 1;
    for (std::size_t axis = 0; axis < first.size(); ++axis) {
        first[axis] = box.begin[axis] / array.chunk[axis];
        counts[axis] = (box.end[axis] - 1) / array.chunk[axis] + 1 - first[axis];
        chunks *= counts[axis];
    }
    constexpr std::int64_t most = 1 << 22;  // each is a file
    if (chunks > most)
        throw unsupported(store.path(), "what is read of its array '" + printable(array.name) +
                                            "' lies in " + std::to_string(chunks) +
                                            " chunks; write it with larger ones");
    ChunkCopy<Stored, Value> copy(array, box, image);
    detail::for_each_index(chunks, threads, [&](std::int64_t number) {
        Lengths place = first;
        for (std::size_t axis = place.size(); axis-- > 0; number /= counts[axis])
            place[axis] += number % counts[axis];
        const auto chunk = read_chunk(store, array, place);
        copy.copy(place, chunk ? chunk->data() : nullptr);
    });
    return copy.all_fit();
}

}  // namespace

std::int64_t decoding_bytes(const Array& array, int threads) {
    const std::int64_t bytes = array.chunk_bytes();
    const std::int64_t checked = array.codec.unpacked_checksum ? bytes : 0;  // is a copy
    return detail::threads_or_all(threads) * (bytes + checked + most_stored(bytes));
}

bool read_box(const Store& store, const Array& array, const Box& box, AnyImage& image,
              int threads) {
    return with_type(array.type, [&]<class Stored>(Stored) {
        return std::visit(
            [&]<class Value>(Image<Value>& pixels) -> bool {
                constexpr bool is_narrowed = std::is_integral_v<Stored> && sizeof(Stored) == 8 &&
                                             std::is_integral_v<Value> && sizeof(Value) == 4;
                if constexpr (std::is_same_v<Stored, Value> || is_narrowed)
                    return read_as<Stored>(store, array, box, pixels, threads);
                else
                    throw std::logic_error("the image has another type than the array");
            },
            image);
    });
}

}  // namespace tesela::io::zarr
