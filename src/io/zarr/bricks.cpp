// OME-Zarr as a volume in bricks, of which chunks are read when they are needed.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "core/with_type.h"
#include "io/ome_zarr.h"
#include "io/zarr/ome_image.h"
#include "tesela/tile_cache.h"
#include "tesela/volume_io.h"
#include "volumes/brick_levels.h"

namespace tesela::io {
namespace {

using namespace zarr;
using detail::BrickSize;

// A chunk is smaller at the upper borders of the array.
struct Chunk {
    Lengths place{};
    Box box;
};
Chunk chunk_at(const Array& array, const Lengths& place) {
    Chunk chunk{place, {}};
    for (std::size_t axis = 0; axis < place.size(); ++axis) {
        chunk.box.begin[axis] = place[axis] * array.chunk[axis];
        chunk.box.end[axis] =
            std::min(chunk.box.begin[axis] + array.chunk[axis], array.shape[axis]);
    }
    return chunk;
}
Shape shape_of(const Box& box) {
    const auto length = [&](std::size_t axis) { return box.end[axis] - box.begin[axis]; };
    return {length(4), length(3), length(2), length(0), static_cast<int>(length(1))};
}

// What a chunk has of a box that is one channel at one time.
template <class T>
void copy_chunk(const Image<T>& chunk, const Box& from, const Box& box, Image<T>& to) {
    std::array<std::int64_t, 3> begin{}, end{};  // z, y, x
    for (std::size_t i = 0; i < 3; ++i) {
        begin[i] = std::max(from.begin[i + 2], box.begin[i + 2]);
        end[i] = std::min(from.end[i + 2], box.end[i + 2]);
    }
    const int channel = static_cast<int>(box.begin[1] - from.begin[1]);
    const std::int64_t t = box.begin[0] - from.begin[0], step = chunk.shape().channels;
    for (std::int64_t z = begin[0]; z < end[0]; ++z)
        for (std::int64_t y = begin[1]; y < end[1]; ++y) {
            const T* row =
                &chunk(begin[2] - from.begin[4], y - from.begin[3], z - from.begin[2], t, channel);
            T* out = &to(begin[2] - box.begin[4], y - box.begin[3], z - box.begin[2]);
            for (std::int64_t x = 0; x < end[2] - begin[2]; ++x) out[x] = row[x * step];
        }
}

// Levels that halve every axis are those of the file; others are made of the next finer one.
// Decoded chunks stay in TileCache::global(), as bricks and chunks do not lie on the same grid.
class ZarrBricks : public BrickSource {
  public:
    ZarrBricks(const fs::path& path, std::vector<std::string>& warnings, std::int64_t max_bytes)
        : store_(open_store(path)),
          image_(read_ome_image(*store_, most_levels)),
          id_(TileCache::global().new_source()) {
        const Array& first = image_.levels.front();
        facts_.format = image_.format;
        facts_.type = first.type == NumberType::u64 ? PixelType::u32 : first.pixel_type();
        facts_.coded_type = facts_.type;
        facts_.is_labels = image_.label_table != nullptr;
        facts_.has_alpha = image_.has_alpha;
        facts_.set_levels(first.image_shape(), image_.geometry);
        facts_.stored_bytes = facts_.voxel_bytes();
        warnings.insert(warnings.end(), image_.warnings.begin(), image_.warnings.end());
        for (std::size_t i = 0; i < image_.levels.size(); ++i) add_level(i, max_bytes);
    }
    ~ZarrBricks() override { TileCache::global().forget(id_); }

    const BrickSourceFacts& facts() const override { return facts_; }

    AnyImage brick(int level, const BrickPlace& place) const override {
        const BrickSize size = brick_size(place);
        check_level(level);
        const auto finer = std::find_if(stored_levels_.rbegin(), stored_levels_.rend(),
                                        [&](const auto& stored) { return stored.first <= level; });
        const auto [from, array] = *finer;
        AnyImage fine = read_brick(from, image_.levels[array], size, place);
        if (from == level) return fine;
        return std::visit(
            [&, from = from]<class T>(Image<T>& image) -> AnyImage {
                const BrickSize cut = detail::size_at(size, level);
                Image<T> coarse({cut[0], cut[1], cut[2]});
                coarse.pixels() =
                    detail::coarser_brick<T>(std::move(image.pixels()), detail::size_at(size, from),
                                             from, level, facts_.is_labels);
                return coarse;
            },
            fine);
    }

    BrickCoding coding(const BrickPlace& place) const override {
        number_of(place);
        return BrickCoding::packed;
    }
    std::vector<std::uint8_t> chunk(int level, const BrickPlace& place) const override {
        check_level(level);
        number_of(place);
        return {};
    }
    // Not known before its voxels are read.
    BlockRange block_range(const BrickPlace& place) const override {
        number_of_block(place);
        constexpr double any = std::numeric_limits<double>::infinity();
        return {-any, any};
    }

  private:
    static constexpr std::size_t most_levels = 64;

    static void check_level(int level) {
        if (level < 0 || level >= level_count)
            throw InvalidArgument("level " + std::to_string(level) +
                                  " does not exist; levels are 0 to 4");
    }
    void add_level(std::size_t index, std::int64_t max_bytes) {
        const Array& array = image_.levels[index];
        for (int level = 0; level < level_count; ++level) {
            if (array.image_shape() != facts_.levels[static_cast<std::size_t>(level)]) continue;
            if (!stored_levels_.empty() && stored_levels_.back().first >= level) continue;
            require_memory(store_->path(), array.chunk_bytes(), max_bytes,
                           decoding_bytes(array, 1));
            return stored_levels_.emplace_back(level, index), void();
        }
    }

    Tile read_chunk(int level, const Array& array, const Chunk& chunk) const {
        Lengths counts{};
        std::int64_t number = 0;
        for (std::size_t axis = 0; axis < counts.size(); ++axis) {
            counts[axis] = (array.shape[axis] - 1) / array.chunk[axis] + 1;
            number = number * counts[axis] + chunk.place[axis];
        }
        return TileCache::global().get({id_, level, number, 0}, [&] {
            AnyImage made = filled_image(facts_.type, shape_of(chunk.box));
            if (!read_box(*store_, array, chunk.box, made, 1))
                throw unsupported(store_->path(),
                                  "it holds 64-bit integers that do not fit into 32 bits");
            return made;
        });
    }

    AnyImage read_brick(int level, const Array& array, const BrickSize& whole,
                        const BrickPlace& p) const {
        const BrickSize size = detail::size_at(whole, level);
        const std::int64_t length = side >> level;
        Box box{{p.t, p.channel, p.z * length, p.y * length, p.x * length}, {}};
        box.end = {p.t + 1, p.channel + 1, box.begin[2] + size[2], box.begin[3] + size[1],
                   box.begin[4] + size[0]};
        AnyImage brick = filled_image(facts_.type, {size[0], size[1], size[2]});
        const auto first = [&](std::size_t axis) { return box.begin[axis] / array.chunk[axis]; };
        const auto last = [&](std::size_t axis) { return (box.end[axis] - 1) / array.chunk[axis]; };
        Lengths at{first(0), first(1)};
        for (at[2] = first(2); at[2] <= last(2); ++at[2])
            for (at[3] = first(3); at[3] <= last(3); ++at[3])
                for (at[4] = first(4); at[4] <= last(4); ++at[4]) {
                    const Chunk chunk = chunk_at(array, at);
                    const Tile voxels = read_chunk(level, array, chunk);
                    std::visit(
                        [&]<class T>(Image<T>& to) {
                            copy_chunk(std::get<Image<T>>(*voxels), chunk.box, box, to);
                        },
                        brick);
                }
        return brick;
    }

    std::unique_ptr<Store> store_;
    OmeImage image_;
    std::uint64_t id_;
    BrickSourceFacts facts_;
    std::vector<std::pair<int, std::size_t>> stored_levels_;  // and the arrays that hold them
};

}  // namespace

std::unique_ptr<BrickSource> open_bricks(const fs::path& path, std::vector<std::string>& warnings,
                                         std::int64_t max_bytes) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored) && is_volume_file(path)) return open_volume_file(path);
    if (!is_zarr(path)) return nullptr;
    std::unique_ptr<BrickSource> opened;
    with_memory_guard(path,
                      [&] { opened = std::make_unique<ZarrBricks>(path, warnings, max_bytes); });
    return opened;
}

}  // namespace tesela::io
