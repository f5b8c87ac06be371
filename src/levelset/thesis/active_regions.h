// The lists of regions that a thesis's level sets process.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/levelset/ftc_thesis.kernel.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/stage_times.h"

namespace tesela {

kernels::thesis_regions thesis_regions_of(const Shape& shape, std::int64_t side);

// Regions that kernels flag become a list by stream compaction.
class ActiveRegions {
  public:
    ActiveRegions(Queue& queue, const kernels::thesis_regions& grid);

    std::int64_t regions() const { return ids_.size(); }
    Buffer<std::uint8_t>& flags() { return flags_; }
    // What was flagged is the list, and flags are cleared. Waits for the count.
    void update();
    void take_all();

    std::int64_t count() const { return count_; }
    const Buffer<std::uint32_t>& list() const { return list_; }
    // For each region whether it is in the list.
    const Buffer<std::uint8_t>& members() const { return members_; }

  private:
    Queue& queue_;
    Buffer<std::uint32_t> ids_, list_, found_;
    Buffer<std::uint8_t> flags_, members_;
    std::int64_t count_ = 0;
};

// Sums of the times of stages that come again and again. Work on the device is waited for.
class StageSums {
  public:
    explicit StageSums(Queue& queue) : queue_(queue) {}
    template <class Work>
    void time(const std::string& stage, const Work& work) {
        StageClock clock;
        clock.start(stage);
        work();
        queue_.finish();
        add(clock.take().front());
    }
    void add(const StageTime& time);
    double total() const;  // milliseconds
    std::vector<StageTime> take() { return std::move(sums_); }

  private:
    Queue& queue_;
    std::vector<StageTime> sums_;
};

}  // namespace tesela
