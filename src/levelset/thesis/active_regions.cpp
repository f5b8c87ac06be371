#include "levelset/thesis/active_regions.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "tesela/compute/primitives.h"

namespace tesela {

kernels::thesis_regions thesis_regions_of(const Shape& shape, std::int64_t side) {
    const auto regions = [&](std::int64_t length) {
        return static_cast<std::int32_t>((length - 1) / side + 1);
    };
    return {static_cast<std::int32_t>(shape.x),
            static_cast<std::int32_t>(shape.y),
            static_cast<std::int32_t>(shape.z),
            regions(shape.x),
            regions(shape.y),
            regions(shape.z),
            static_cast<std::int32_t>(side)};
}

ActiveRegions::ActiveRegions(Queue& queue, const kernels::thesis_regions& grid) : queue_(queue) {
    std::vector<std::uint32_t> all(static_cast<std::size_t>(grid.rx) *
                                   static_cast<std::size_t>(grid.ry) *
                                   static_cast<std::size_t>(grid.rz));
    std::iota(all.begin(), all.end(), 0u);
    ids_ = queue.upload(std::span<const std::uint32_t>(all), "regions");
    list_ = queue.allocate<std::uint32_t>(ids_.size(), "active regions");
    found_ = queue.allocate<std::uint32_t>(1, "number of active regions");
    flags_ = queue.allocate_filled<std::uint8_t>(ids_.size(), 0, "flags of regions");
    members_ = queue.allocate_filled<std::uint8_t>(ids_.size(), 0, "flags of regions");
}

void ActiveRegions::update() {
    compact(queue_, ids_, flags_, regions(), list_, found_);
    queue_.copy(flags_, members_);
    queue_.fill(flags_, std::uint8_t{0});
    std::array<std::uint32_t, 1> found{};
    queue_.read(found_, std::span<std::uint32_t>(found));
    count_ = found[0];
}

void ActiveRegions::take_all() {
    queue_.fill(flags_, std::uint8_t{1});
    update();
}

void StageSums::add(const StageTime& time) {
    const auto found = std::find_if(sums_.begin(), sums_.end(), [&](const StageTime& stage) {
        return stage.name == time.name;
    });
    if (found == sums_.end())
        sums_.push_back(time);
    else
        found->milliseconds += time.milliseconds;
}

double StageSums::total() const {
    double sum = 0;
    for (const StageTime& stage : sums_) sum += stage.milliseconds;
    return sum;
}

}  // namespace tesela
