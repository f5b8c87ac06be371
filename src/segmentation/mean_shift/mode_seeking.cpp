#include "segmentation/mean_shift/mode_seeking.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "kernels/mean_shift/mean_shift.kernel.h"

namespace tesela {
namespace {

using kernels::ms_counts_carried, kernels::ms_counts_moving, kernels::ms_counts_rounds,
    kernels::ms_round_counters;

// Where the counters of the kernels hold the length of the list that a pass reads.
constexpr int length_of(int pass) { return pass == 0 ? 0 : 2 + pass; }
constexpr std::size_t counters_size = ms_counts_rounds + ms_round_counters;
using Counters = std::array<std::uint32_t, counters_size>;

// The kernels hold the number of a point in some bits of a key, and rounds in 31.
constexpr std::int64_t most_members = (1 << kernels::ms_member_bits) - 1;
constexpr int most_rounds = 1 << 30;
constexpr std::uint32_t no_checkpoint = 0xFFFFFFFF;

// After a pass of so many rounds points are compacted and leave checkpoints: how many a point there
// is room for, which memory limits, and of how many of 1024 states, such that checkpoints have room
// where as many points go on as in a photograph.
struct CheckpointRule {
    int rounds;
    double room;
    int keep;
};
constexpr std::array<CheckpointRule, 3> checkpoint_rules{
    {{6, 0.24, 400}, {6, 0.15, 700}, {8, 0.24, 1024}}};
// Two buffers of checkpoints alternate: a pass finds those of the pass before, and leaves its own.
constexpr std::size_t checkpoint_buffers = 2;

// Rows of features begin at different banks of a GPU's memory: 8 words apart, modulo 16. Blocks of
// samples may read past the last row.
constexpr std::int64_t bank_words = 16, bank_offset = 8, longest_block = 16;

std::int64_t pitch_of(const Shape& shape) {
    return shape.x + (bank_offset - shape.x % bank_words + bank_words) % bank_words;
}

std::int64_t rows_of(const Shape& shape) { return shape.y * shape.z * shape.t; }

std::int64_t axes_of(const Shape& shape) { return shape.t > 1 ? 4 : shape.z > 1 ? 3 : 2; }

std::int64_t checkpoint_words(const Shape& shape, int channels) {
    return 1 + axes_of(shape) + channels;
}

// Gray images take less memory otherwise: there is room for twice the checkpoints.
int shares_of_room(int channels) { return channels == 1 ? 2 : 1; }

std::int64_t checkpoint_room(std::int64_t points, int channels, std::size_t pass) {
    constexpr std::int64_t fewest = 64;
    const double room = static_cast<double>(points) * checkpoint_rules[pass].room;
    return std::max(static_cast<std::int64_t>(room) * shares_of_room(channels), fewest);
}

// The image and the window as the kernels take them.
kernels::mean_shift_window window_of(const Shape& shape, const Window& window) {
    kernels::mean_shift_window w{};
    w.points = shape.points();
    w.plane = pitch_of(shape) * rows_of(shape);
    w.spatial_limit2 = window.spatial_limit2;
    w.time_limit2 = window.time_limit2;
    w.rows = static_cast<int>(rows_of(shape));
    w.pitch = static_cast<int>(pitch_of(shape));
    const std::array lengths{shape.x, shape.y, shape.z, shape.t};
    for (std::size_t a = 0; a < 4; ++a) {
        const std::int64_t limit2 = a < 3 ? window.spatial_limit2 : window.time_limit2;
        const double radius = std::sqrt(static_cast<double>(limit2));
        w.n[a] = static_cast<int>(lengths[a]);
        w.step[a] = window.steps[a];
        w.inverse_step[a] = 1.0f / static_cast<float>(window.steps[a]);
        w.radius[a] = static_cast<float>(radius / window.steps[a]);
    }
    w.inverse_radius =
        static_cast<float>(1 / std::sqrt(static_cast<double>(window.spatial_limit2)));
    w.range_limit2 = window.range_limit2;
    w.inverse_spatial2 = window.inverse_spatial2;
    w.inverse_time2 = window.inverse_time2;
    w.inverse_range2 = window.inverse_range2;
    w.epsilon2 = window.epsilon2;
    return w;
}

class ModeSeeking {
  public:
    ModeSeeking(Queue& queue, const ModeSeekingPlan& plan, const Shape& shape, int channels,
                const Window& window, Buffer<std::int32_t>& modes)
        : queue_(queue),
          plan_(plan),
          shape_(shape),
          channels_(channels),
          samples_(window.samples),
          window_(window_of(shape, window)),
          modes_(modes),
          most_(std::min(shape.points(), plan.block)),
          features_(queue.allocate<std::int32_t>(
              pitch_of(shape) * rows_of(shape) * channels + longest_block, "features by rows")),
          positions_(queue.allocate<std::int32_t>(axes_of(shape) * most_, "positions")),
          rounds_(queue.allocate<std::uint32_t>(most_, "rounds of points")),
          counters_(queue.allocate<std::uint32_t>(counters_size, "counters of mode seeking")) {
        for (auto& list : lists_) list = queue.allocate<std::uint32_t>(most_, "moving points");
        for (std::size_t i = 0; i < checkpoint_buffers; ++i)
            checkpoints_[i] = queue.allocate<std::uint32_t>(
                checkpoint_room(most_, channels, i) * checkpoint_words(shape, channels),
                "checkpoints of states");
        queue.launch(kernels::mean_shift_arrange_samples, Range{shape.x, rows_of(shape) * channels},
                     modes, features_, static_cast<int>(shape.x), static_cast<int>(rows_of(shape)),
                     channels, static_cast<int>(pitch_of(shape)));
    }

    ModeSeekingCounts run(int max_iterations, const std::function<void(double)>& report,
                          const std::function<void()>& then) {
        ModeSeekingCounts counts;
        const std::int64_t points = shape_.points();
        for (first_ = 0; first_ < points; first_ += most_) {
            count_ = std::min(most_, points - first_);
            report_ = [&](double part) {
                if (report)
                    report((static_cast<double>(first_) + part * static_cast<double>(count_)) /
                           static_cast<double>(points));
            };
            seek_block(std::min(max_iterations, most_rounds));
            const Counters found = first_ + most_ < points ? read_counters() : end(then);
            counts.iterations =
                std::accumulate(found.begin() + ms_counts_rounds, found.end(), counts.iterations);
            counts.iterations += std::int64_t{found[ms_counts_carried]} << 32;
            counts.still_moving += found[ms_counts_moving];
        }
        return counts;
    }

  private:
    // The points of a block go together from pass to pass: those that are done leave, and so do
    // those that come to the states of others, with which they are merged. Many items a point
    // suit a GPU where few points are left.
    void seek_block(int cap) {
        report_(0);
        queue_.fill(counters_, std::uint32_t{0});
        left_ = count_;
        int before = 0;
        for (int pass = 0; pass < plan_.passes && before < cap; ++pass) {
            queue_.fill(checkpoints_left_by(pass), no_checkpoint);
            const int until = std::min(cap, before + checkpoint_rules[pass].rounds);
            run_pass(pass, before, until, cap);
            before = until;
        }
        if (before < cap && plan_.shares_windows)
            launch_last_pass(before, cap);
        else if (before < cap)
            run_pass(plan_.passes, before, cap, cap);
        resolve_merged(before, cap);
    }

    Counters read_counters() {
        Counters found{};
        queue_.read(counters_, std::span<std::uint32_t>(found));
        return found;
    }

    Counters end(const std::function<void()>& then) {
        Counters found{};
        queue_.read_while(counters_, std::span<std::uint32_t>(found), [&] {
            for (Buffer<std::int32_t>* buffer : {&features_, &positions_}) *buffer = {};
            for (auto& list : lists_) list = {};
            for (auto& checkpoints : checkpoints_) checkpoints = {};
            rounds_ = {};
            then();
        });
        return found;
    }

    // The part that is done after a round, about.
    static double part_done(int round) { return 1 - std::exp(-round / 6.0); }

    // So many points that a launch stays short enough to stop on request.
    std::int64_t points_per_launch(int rounds) const {
        constexpr double usual_rounds = 15, most = most_members;
        const double fitting =
            plan_.launch_pairs / (samples_ * std::min<double>(rounds, usual_rounds));
        return static_cast<std::int64_t>(
            std::clamp(fitting, static_cast<double>(plan_.fewest), most));
    }

    void run_pass(int pass, int before, int until, int cap) {
        const std::int64_t slice = points_per_launch(until - before);
        const bool many = left_ > slice;
        for (std::int64_t begin = 0; begin < left_; begin += slice) {
            const std::int64_t points = std::min(slice, left_ - begin);
            launch_pass(pass, before, until, cap, begin, points);
            if (!many) continue;
            queue_.finish();
            const double share = static_cast<double>(begin + points) / static_cast<double>(left_);
            report_(part_done(before) + share * (part_done(until) - part_done(before)));
        }
        // Where only the device knows how many are left, that is not waited for.
        if (many && pass < plan_.passes)
            left_ = read_counters()[static_cast<std::size_t>(length_of(pass + 1))];
    }

    Buffer<std::uint32_t>& list_read_by(int pass) { return lists_[(pass + 1) % 2]; }
    Buffer<std::uint32_t>& list_written_by(int pass) { return lists_[pass % 2]; }
    Buffer<std::uint32_t>& checkpoints_found_by(int pass) {
        return checkpoints_[(pass + 1) % checkpoint_buffers];
    }
    Buffer<std::uint32_t>& checkpoints_left_by(int pass) {
        return checkpoints_[pass % checkpoint_buffers];
    }
    int keep_of(int pass) const {
        const bool leaves_some = pass >= 0 && pass < plan_.passes;
        return leaves_some ? checkpoint_rules[pass].keep * shares_of_room(channels_) : 0;
    }
    int room_found_by(int pass) const {
        return pass == 0 ? 0 : static_cast<int>(checkpoint_room(most_, channels_, pass - 1));
    }

    void launch_pass(int pass, int before, int until, int cap, std::int64_t begin,
                     std::int64_t points) {
        kernels::mean_shift_pass job{};
        job.first = static_cast<int>(first_);
        job.count = static_cast<int>(count_);
        job.before = before;
        job.until = until;
        job.cap = cap;
        job.begin = static_cast<int>(begin);
        job.end = static_cast<int>(begin + points);
        job.source = length_of(pass);
        job.target = length_of(pass + 1);
        job.checkpoints_room = room_found_by(pass);
        job.checkpoints_keep = keep_of(pass - 1);
        job.new_room =
            pass < plan_.passes ? static_cast<int>(checkpoint_room(most_, channels_, pass)) : 0;
        job.new_keep = keep_of(pass);
        const auto go = [&](const auto& kernel) {
            queue_.launch(kernel, Groups{(points + group - 1) / group}, features_, modes_,
                          positions_, rounds_, list_read_by(pass), list_written_by(pass),
                          checkpoints_found_by(pass), checkpoints_left_by(pass), counters_, window_,
                          job);
        };
        if (channels_ == 3)
            go(kernels::mean_shift_seek_modes_3);
        else
            go(kernels::mean_shift_seek_modes_1);
    }

    // The checkpoints of the pass before the one before are no longer needed: paths take their
    // place.
    Buffer<std::uint32_t>& paths() { return checkpoints_left_by(plan_.passes); }

    kernels::mean_shift_last_pass last_pass(int before, int cap) {
        constexpr int stops = 8;
        kernels::mean_shift_last_pass job{};
        job.first = static_cast<int>(first_);
        job.count = static_cast<int>(count_);
        job.before = before;
        job.cap = cap;
        job.source = length_of(plan_.passes);
        job.checkpoints_room = room_found_by(plan_.passes);
        job.checkpoints_keep = keep_of(plan_.passes - 1);
        job.paths_room = static_cast<int>(paths().size() / (2 + axes_of(shape_) + channels_));
        job.stride = std::max(1, (cap - before + stops - 1) / stops);
        job.lanes = lanes;
        return job;
    }

    void launch_last_pass(int before, int cap) {
        constexpr std::int64_t groups_per_unit = 16;
        const std::int64_t resident = queue_.device().properties().compute_units * groups_per_unit;
        const Groups groups{std::min((left_ * lanes + group - 1) / group, resident)};
        const auto go = [&](const auto& kernel) {
            queue_.launch(kernel, groups, features_, modes_, positions_, rounds_,
                          list_read_by(plan_.passes), checkpoints_found_by(plan_.passes), paths(),
                          counters_, window_, last_pass(before, cap));
        };
        if (channels_ == 3)
            go(kernels::mean_shift_seek_last_modes_3);
        else
            go(kernels::mean_shift_seek_last_modes_1);
    }

    void resolve_merged(int before, int cap) {
        const auto go = [&](const auto& kernel) {
            queue_.launch(kernel, Groups{(count_ + group - 1) / group}, features_, modes_,
                          positions_, rounds_, checkpoints_found_by(plan_.passes), paths(),
                          counters_, window_, last_pass(before, cap));
        };
        if (channels_ == 3)
            go(kernels::mean_shift_resolve_merged_3);
        else
            go(kernels::mean_shift_resolve_merged_1);
    }

    static constexpr std::int64_t group = kernels::ms_group;
    static constexpr int lanes = 4;  // items for a point in the last pass

    Queue& queue_;
    const ModeSeekingPlan plan_;
    const Shape& shape_;
    const int channels_;
    const double samples_;  // of a window
    const kernels::mean_shift_window window_;
    Buffer<std::int32_t>& modes_;
    const std::int64_t most_;  // points of a block
    Buffer<std::int32_t> features_;
    Buffer<std::int32_t> positions_;
    Buffer<std::uint32_t> rounds_, counters_;
    std::array<Buffer<std::uint32_t>, 2> lists_;
    std::array<Buffer<std::uint32_t>, checkpoint_buffers> checkpoints_;
    std::int64_t first_ = 0, count_ = 0;  // of the block's points
    std::int64_t left_ = 0;               // points of the next pass, at most
    std::function<void(double)> report_;  // of the block
};

}  // namespace

ModeSeekingCounts seek_modes(Queue& queue, const Shape& shape, int channels, const Window& window,
                             int max_iterations, Buffer<std::int32_t>& modes,
                             const std::function<void(double)>& report,
                             const std::function<void()>& then) {
    return seek_modes_by_plan(usual_plan(queue.device(), shape), queue, shape, channels, window,
                              max_iterations, modes, report, then);
}

ModeSeekingPlan usual_plan(const Device& device, const Shape& shape) {
    // Where many points are left for the pass to the end, one more before it pays.
    const int passes = shape.points() < 1 << 20 ? 2 : 3;
    if (prefers_groups(device)) return {true, passes, most_members, 2e11, 65536};
    return {false, passes, most_members, 1e8, 256};
}

ModeSeekingCounts seek_modes_by_plan(const ModeSeekingPlan& plan, Queue& queue, const Shape& shape,
                                     int channels, const Window& window, int max_iterations,
                                     Buffer<std::int32_t>& modes,
                                     const std::function<void(double)>& report,
                                     const std::function<void()>& then) {
    return ModeSeeking(queue, plan, shape, channels, window, modes)
        .run(max_iterations, report, then);
}

std::int64_t mode_seeking_bytes(const Shape& shape, int channels) {
    const std::int64_t most = std::min(shape.points(), most_members);
    std::int64_t values = pitch_of(shape) * rows_of(shape) * channels + longest_block +
                          most * (axes_of(shape) + 3) + static_cast<std::int64_t>(counters_size);
    for (std::size_t i = 0; i < checkpoint_buffers; ++i)
        values += checkpoint_room(most, channels, i) * checkpoint_words(shape, channels);
    return values * static_cast<std::int64_t>(sizeof(std::int32_t));
}

}  // namespace tesela
