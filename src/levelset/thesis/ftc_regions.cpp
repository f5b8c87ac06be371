// The fast two-cycle method by regions: proposals 1 and 2 of the thesis.
#include <array>
#include <span>

#include "levelset/thesis/active_regions.h"
#include "levelset/thesis/methods.h"

namespace tesela {
namespace {

using kernels::i32;
using std::int8_t;
using std::uint32_t;

class Regions {
  public:
    Regions(const ThesisFront& front, const ThesisFtcOptions& options, Queue& queue,
            ThesisLevelSetResult& result)
        : options_(options),
          queue_(queue),
          result_(result),
          filter_(thesis_filter(options)),
          grid_(thesis_regions_of(front.shape, kernels::ftc_thesis_side)),
          shape_(front.shape),
          active_(queue, grid_),
          sums_(queue),
          u_(queue.upload(std::span<const int8_t>(front.state), "front")),
          next_(queue.upload(std::span<const int8_t>(front.state), "front")),
          speed_(queue.upload(std::span<const int8_t>(front.speed), "speeds")),
          weights_(queue.upload(std::span<const uint32_t>(filter_), "filter")),
          counted_(queue.allocate<uint32_t>(1, "unstable regions")) {}

    // Both cycles until the front is stable (figures 4.3 and 4.12).
    void run(const Progress& progress) {
        const bool is_loose = options_.way == ThesisFtcWay::p1;
        take_crossed();
        while (!result_.is_stable && result_.rounds < options_.max_rounds) {
            progress.report(static_cast<double>(result_.rounds) / options_.max_rounds, "cycles");
            ++result_.rounds;
            result_.is_stable = first_cycle(is_loose, "cycle 1");
            second_cycle(is_loose, "cycle 2");
        }
        if (is_loose || options_.fast) return;
        // Smoothing has moved what is stable, so the whole front takes part once more.
        take_crossed();
        ++result_.rounds;
        first_cycle(true, "last cycle 1");
        second_cycle(true, "last cycle 2");
    }

    void repair() {
        for (;;) {
            queue_.fill(counted_, 0u);
            queue_.launch(kernels::ftc_thesis_repair, Range{shape_.x, shape_.y, shape_.z}, u_,
                          next_, counted_, grid_);
            std::swap(u_, next_);
            const uint32_t repaired = counted();
            if (repaired == 0) return;
            result_.repaired += repaired;
        }
    }
    std::vector<int8_t> state() { return queue_.download(u_); }
    std::vector<StageTime> stages() { return sums_.take(); }

  private:
    void take_crossed() {
        sums_.time("lists", [&] {
            queue_.launch(kernels::ftc_thesis_crossed, Range{active_.regions()}, u_,
                          active_.flags(), grid_);
            active_.update();
        });
    }

    // Gives whether the front is stable.
    bool first_cycle(bool is_loose, const std::string& stage) {
        for (i32 launch = 0; launch < options_.launches; ++launch)
            if (iterate(0, options_.data_steps, is_loose, stage)) return true;
        return false;
    }
    void second_cycle(bool is_loose, const std::string& stage) {
        if (options_.smoothing_steps == 0) return;
        const auto radius = static_cast<i32>(filter_.size() / 2);
        iterate(radius, options_.smoothing_steps, is_loose, stage);
    }

    bool iterate(i32 radius, i32 iterations, bool is_loose, const std::string& stage) {
        const double before = sums_.total();
        const std::int64_t regions = active_.count();
        bool is_stable = true;
        if (regions > 0) {
            sums_.time(stage, [&] {
                queue_.launch(kernels::ftc_thesis_cycle, Groups{regions}, active_.list(), u_,
                              speed_, weights_, next_, radius, iterations, grid_);
                queue_.launch(kernels::ftc_thesis_commit,
                              Range{kernels::ftc_thesis_voxels, regions}, active_.list(), next_, u_,
                              grid_);
            });
            sums_.time("stop", [&] {
                queue_.fill(counted_, 0u);
                queue_.launch(kernels::ftc_thesis_explore, Groups{regions}, active_.list(), u_,
                              speed_, active_.flags(), counted_, i32{is_loose}, grid_);
                is_stable = counted() == 0;
            });
            sums_.time("lists", [&] { active_.update(); });
        }
        result_.updates.push_back({stage, result_.rounds, active_.count(),
                                   active_.count() * kernels::ftc_thesis_voxels,
                                   sums_.total() - before});
        return is_stable;
    }

    uint32_t counted() {
        std::array<uint32_t, 1> found{};
        queue_.read(counted_, std::span<uint32_t>(found));
        return found[0];
    }

    const ThesisFtcOptions& options_;
    Queue& queue_;
    ThesisLevelSetResult& result_;
    std::vector<uint32_t> filter_;
    kernels::thesis_regions grid_;
    Shape shape_;
    ActiveRegions active_;
    StageSums sums_;
    Buffer<int8_t> u_, next_, speed_;
    Buffer<uint32_t> weights_, counted_;
};

}  // namespace

void run_ftc_regions(ThesisFront& front, const ThesisFtcOptions& options, Queue& queue,
                     const Progress& progress, ThesisLevelSetResult& result) {
    Regions regions(front, options, queue, result);
    regions.run(progress);
    regions.repair();
    front.state = regions.state();
    result.stages = regions.stages();
}

}  // namespace tesela
