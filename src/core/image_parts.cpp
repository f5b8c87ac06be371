#include "tesela/image_parts.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "core/stages.h"

namespace tesela {
namespace {

class SlideInput : public PartSource {
  public:
    explicit SlideInput(std::shared_ptr<const TileSource> slide) : slide_(std::move(slide)) {
        const TileSourceFacts& facts = slide_->facts();
        if (facts.planes > 1)
            throw InvalidArgument(
                "the slide holds " + std::to_string(facts.planes) +
                " channels, slices or times, and tiles have the first alone; choose one with "
                "--channel, --slice or --time, which takes the whole image at once");
        const TileLevel& level = facts.levels.front();
        facts_ = {.shape = level.shape,
                  .type = facts.type,
                  .geometry = level.geometry,
                  .scaling = {},
                  .has_alpha = facts.has_alpha};
    }

    const VolumeInputFacts& facts() const override { return facts_; }
    PartSize stored_part() const override {
        const TileLevel& level = slide_->facts().levels.front();
        return {level.tile_width, level.tile_height, 1};
    }
    AnyImage read(const VoxelBox& box, std::int64_t) const override {
        return slide_->read(0, {box.begin[0], box.begin[1], box.length(0), box.length(1)});
    }

  private:
    std::shared_ptr<const TileSource> slide_;
    VolumeInputFacts facts_;
};

// Bricks that are decoded once for all boxes near them.
class CachedBricks : public BrickSource {
  public:
    explicit CachedBricks(std::shared_ptr<const BrickSource> volume)
        : volume_(std::move(volume)), id_(TileCache::global().new_source()) {}
    ~CachedBricks() override { TileCache::global().forget(id_); }

    const BrickSourceFacts& facts() const override { return volume_->facts(); }
    AnyImage brick(int level, const BrickPlace& place) const override {
        return *shared_brick(level, place);
    }
    Tile shared_brick(int level, const BrickPlace& place) const override {
        return TileCache::global().get({id_, level, number_of(place), 0},
                                       [&] { return volume_->brick(level, place); });
    }
    BrickCoding coding(const BrickPlace& place) const override { return volume_->coding(place); }
    std::vector<std::uint8_t> chunk(int level, const BrickPlace& place) const override {
        return volume_->chunk(level, place);
    }
    BlockRange block_range(const BrickPlace& place) const override {
        return volume_->block_range(place);
    }

  private:
    std::shared_ptr<const BrickSource> volume_;
    std::uint64_t id_;
};

class BrickInput : public PartSource {
  public:
    explicit BrickInput(std::shared_ptr<const BrickSource> volume) : volume_(std::move(volume)) {
        const BrickSourceFacts& facts = volume_.facts();
        const bool scales = facts.scaling.needed();
        facts_ = {.shape = facts.levels.front(),
                  .type = scales
                              ? pixel_type_of(scaled(filled_image(facts.type, {1}), facts.scaling))
                              : facts.type,
                  .geometry = facts.geometries.front(),
                  .scaling = {},
                  .has_alpha = facts.has_alpha};
    }

    const VolumeInputFacts& facts() const override { return facts_; }
    PartSize stored_part() const override {
        return {BrickSource::side, BrickSource::side, BrickSource::side};
    }
    AnyImage read(const VoxelBox& box, std::int64_t) const override {
        return scaled(volume_.read(0, box, 1), volume_.facts().scaling);
    }

  private:
    CachedBricks volume_;
    VolumeInputFacts facts_;
};

std::array<std::int64_t, 3> lengths_of(const Shape& shape) { return {shape.x, shape.y, shape.z}; }

}  // namespace

std::shared_ptr<const PartSource> in_parts(std::shared_ptr<const TileSource> slide) {
    return std::make_shared<const SlideInput>(std::move(slide));
}
std::shared_ptr<const PartSource> in_parts(std::shared_ptr<const BrickSource> volume) {
    return std::make_shared<const BrickInput>(std::move(volume));
}

PartGrid::PartGrid(const Shape& shape, const PartSize& size) : shape_(shape), size_(size) {
    validate(shape);
    if (shape.t != 1)
        throw InvalidArgument("an image of " + std::to_string(shape.t) +
                              " time points cannot be cut into parts; choose one with --time");
    const auto lengths = lengths_of(shape);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (size[axis] < 1)
            throw InvalidArgument("parts of " + std::to_string(size[axis]) + " points along " +
                                  "xyz"[axis] + " cannot be; give 1 at least");
        counts_[axis] = (lengths[axis] - 1) / size[axis] + 1;
    }
}

std::array<std::int64_t, 3> PartGrid::place(std::int64_t part) const {
    return {part / counts_[2] / counts_[1], part / counts_[2] % counts_[1], part % counts_[2]};
}
std::int64_t PartGrid::number(const std::array<std::int64_t, 3>& place) const {
    return (place[0] * counts_[1] + place[1]) * counts_[2] + place[2];
}

VoxelBox PartGrid::box(std::int64_t part, std::int64_t halo) const {
    const auto lengths = lengths_of(shape_), at = place(part);
    VoxelBox box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        box.begin[axis] = std::max<std::int64_t>(at[axis] * size_[axis] - halo, 0);
        box.end[axis] = std::min((at[axis] + 1) * size_[axis] + halo, lengths[axis]);
    }
    return box;
}

PartSize part_size(const PartSource& source) {
    constexpr std::int64_t points = picture_part * picture_part, most = 16 * points;
    const Shape& shape = source.facts().shape;
    if (shape.z == 1) return {picture_part, picture_part, 1};
    const auto lengths = lengths_of(shape);
    PartSize size = source.stored_part();
    for (std::size_t axis = 0; axis < 3; ++axis)
        size[axis] = std::clamp<std::int64_t>(size[axis], 1, lengths[axis]);
    const auto points_of_part = [&] { return size[0] * size[1] * size[2]; };
    while (points_of_part() > most) {
        auto longest = std::max_element(size.begin(), size.end());
        *longest = (*longest + 1) / 2;
    }
    while (points_of_part() <= points / 2) {
        std::size_t shortest = 3;
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (size[axis] < lengths[axis] && (shortest == 3 || size[axis] < size[shortest]))
                shortest = axis;
        if (shortest == 3) break;
        size[shortest] = std::min(2 * size[shortest], lengths[shortest]);
    }
    return size;
}

void for_each_part(std::int64_t count, std::size_t workers, const Progress& progress,
                   std::string_view stage,
                   const std::function<void(std::int64_t part, std::size_t worker)>& work) {
    std::atomic<std::int64_t> next{0};
    detail::Channel<std::exception_ptr> ended;
    const auto work_on_parts = [&](std::size_t worker) {
        try {
            for (std::int64_t part = next++; part < count; part = next++) {
                work(part, worker);
                ended.push({});
            }
        } catch (...) {
            next = count;
            ended.push(std::current_exception());
        }
    };
    detail::StageThreads threads([&] { next = count; });
    for (std::size_t worker = 0; worker < workers; ++worker)
        threads.start([&work_on_parts, worker] { work_on_parts(worker); });
    detail::await_parts(ended, count, progress, stage);
}

}  // namespace tesela
