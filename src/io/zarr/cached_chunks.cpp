#include "io/zarr/cached_chunks.h"

#include <algorithm>
#include <variant>

#include "tesela/tile_source.h"

namespace tesela::io::zarr {

// Smaller at the upper borders of the array.
struct CachedChunks::Chunk {
    Lengths place{};
    Box box;

    Chunk(const Array& array, const Lengths& at) : place(at) {
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            box.begin[axis] = at[axis] * array.chunk[axis];
            box.end[axis] = std::min(box.begin[axis] + array.chunk[axis], array.shape[axis]);
        }
    }
    Shape shape() const {
        const auto length = [&](std::size_t axis) { return box.end[axis] - box.begin[axis]; };
        return {length(4), length(3), length(2), length(0), static_cast<int>(length(1))};
    }
};

namespace {

// What a chunk has of a box.
template <class T>
void copy_common(const Image<T>& chunk, const Box& from, const Box& box, Image<T>& to) {
    Lengths begin{}, end{};
    for (std::size_t axis = 0; axis < begin.size(); ++axis) {
        begin[axis] = std::max(from.begin[axis], box.begin[axis]);
        end[axis] = std::min(from.end[axis], box.end[axis]);
    }
    const std::int64_t from_step = chunk.shape().channels, to_step = to.shape().channels;
    const auto at = [&](auto& image, const Box& origin, std::int64_t t, std::int64_t c,
                        std::int64_t z, std::int64_t y) {
        return &image(begin[4] - origin.begin[4], y - origin.begin[3], z - origin.begin[2],
                      t - origin.begin[0], static_cast<int>(c - origin.begin[1]));
    };
    for (std::int64_t t = begin[0]; t < end[0]; ++t)
        for (std::int64_t c = begin[1]; c < end[1]; ++c)
            for (std::int64_t z = begin[2]; z < end[2]; ++z)
                for (std::int64_t y = begin[3]; y < end[3]; ++y) {
                    const T* row = at(chunk, from, t, c, z, y);
                    T* out = at(to, box, t, c, z, y);
                    const std::int64_t count = end[4] - begin[4];
                    if (from_step == 1 && to_step == 1)
                        std::copy_n(row, count, out);
                    else
                        for (std::int64_t x = 0; x < count; ++x)
                            out[x * to_step] = row[x * from_step];
                }
}

}  // namespace

CachedChunks::CachedChunks(const Store& store, PixelType type)
    : store_(store), type_(type), id_(TileCache::global().new_source()) {}
CachedChunks::~CachedChunks() { TileCache::global().forget(id_); }

Tile CachedChunks::find(int level, const Array& array, const Chunk& chunk) const {
    std::int64_t number = 0;
    for (std::size_t axis = 0; axis < chunk.place.size(); ++axis) {
        const std::int64_t count = (array.shape[axis] - 1) / array.chunk[axis] + 1;
        number = number * count + chunk.place[axis];
    }
    return TileCache::global().get({id_, level, number, 0}, [&] {
        AnyImage made = filled_image(type_, chunk.shape());
        if (!read_box(store_, array, chunk.box, made, 1))
            throw unsupported(store_.path(),
                              "it holds 64-bit integers that do not fit into 32 bits");
        return made;
    });
}

void CachedChunks::read(int level, const Array& array, const Box& box, AnyImage& image) const {
    Lengths first{}, counts{};
    std::int64_t chunks = 1;
    for (std::size_t axis = 0; axis < first.size(); ++axis) {
        first[axis] = box.begin[axis] / array.chunk[axis];
        counts[axis] = (box.end[axis] - 1) / array.chunk[axis] + 1 - first[axis];
        chunks *= counts[axis];
    }
    for (std::int64_t i = 0; i < chunks; ++i) {
        Lengths at = first;
        std::int64_t rest = i;
        for (std::size_t axis = at.size(); axis-- > 0; rest /= counts[axis])
            at[axis] += rest % counts[axis];
        const Chunk chunk(array, at);
        const Tile voxels = find(level, array, chunk);
        std::visit(
            [&]<class T>(Image<T>& to) {
                copy_common(std::get<Image<T>>(*voxels), chunk.box, box, to);
            },
            image);
    }
}

}  // namespace tesela::io::zarr
