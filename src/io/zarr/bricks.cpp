// OME-Zarr as a volume in bricks, of which chunks are read when they are needed.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "core/with_type.h"
#include "io/ome_zarr.h"
#include "io/zarr/cached_chunks.h"
#include "io/zarr/ome_image.h"
#include "tesela/volume_io.h"
#include "volumes/brick_levels.h"

namespace tesela::io {
namespace {

using namespace zarr;
using detail::BrickSize;

// Levels that halve every axis are those of the file; others are made of the next finer one.
class ZarrBricks : public BrickSource {
  public:
    ZarrBricks(const fs::path& path, std::vector<std::string>& warnings, std::int64_t max_bytes)
        : store_(open_store(path)),
          image_(read_ome_image(*store_, most_levels)),
          chunks_(*store_, image_.levels.front().type == NumberType::u64
                               ? PixelType::u32
                               : image_.levels.front().pixel_type()) {
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

    AnyImage read_brick(int level, const Array& array, const BrickSize& whole,
                        const BrickPlace& p) const {
        const BrickSize size = detail::size_at(whole, level);
        const std::int64_t length = side >> level;
        Box box{{p.t, p.channel, p.z * length, p.y * length, p.x * length}, {}};
        box.end = {p.t + 1, p.channel + 1, box.begin[2] + size[2], box.begin[3] + size[1],
                   box.begin[4] + size[0]};
        AnyImage brick = filled_image(facts_.type, {size[0], size[1], size[2]});
        chunks_.read(level, array, box, brick);
        return brick;
    }

    std::unique_ptr<Store> store_;
    OmeImage image_;
    CachedChunks chunks_;
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
