#include "segmentation/climb.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <tuple>

#include "kernels/mean_shift.kernel.h"

namespace tesela {
namespace {

using kernels::t_counts_moving, kernels::t_counts_rounds, kernels::t_round_counters;

// The climb goes by passes: those that leave marks, one to the end, and one for points that went
// astray. Each takes its points from a list, the first takes all.
enum Pass { first_pass, second_pass, last_pass, astray_pass };
// Counters of the kernels: points that groups have taken, and the lengths of the lists.
constexpr int ticket_of(Pass pass) { return pass == last_pass ? 0 : 1; }
constexpr int length_of(Pass pass) { return pass == first_pass ? 0 : 2 + pass; }
constexpr std::size_t counters_size = t_counts_rounds + t_round_counters;
using Counters = std::array<std::uint32_t, counters_size>;

// The kernels hold the number of a point in some bits of a mark, and rounds in 31.
constexpr std::int64_t most_members = (1 << kernels::t_number_bits) - 1;
constexpr int most_rounds = 1 << 30;
constexpr std::uint32_t no_mark = 0xFFFFFFFF;

// After a pass of so many rounds points are listed anew and leave marks: how many marks a point
// there is room for, which memory limits, and of how many of 1024 states, such that marks have room
// where as many points go on as in a photograph.
struct Marking {
    int rounds;
    double room;
    int keep;
};
constexpr std::array<Marking, 2> markings{{{4, 0.24, 330}, {6, 0.15, 600}}};

// Rows of features begin at different banks of a GPU's memory: 8 words apart, modulo 16. Blocks of
// samples may read past the last row.
constexpr std::int64_t bank_words = 16, bank_offset = 8, longest_block = 16;

std::int64_t pitch_of(const Shape& shape) {
    return shape.x + (bank_offset - shape.x % bank_words + bank_words) % bank_words;
}

std::int64_t rows_of(const Shape& shape) { return shape.y * shape.z * shape.t; }

std::int64_t axes_of(const Shape& shape) { return shape.t > 1 ? 4 : shape.z > 1 ? 3 : 2; }

std::int64_t mark_words(const Shape& shape, int channels) { return 1 + axes_of(shape) + channels; }

std::int64_t mark_room(std::int64_t points, const Marking& marking) {
    constexpr std::int64_t fewest = 64;
    return std::max(static_cast<std::int64_t>(static_cast<double>(points) * marking.room), fewest);
}

class Climb {
  public:
    Climb(Queue& queue, ClimbForm form, const Shape& shape, int channels, const Window& window,
          Buffer<std::int32_t>& modes)
        : queue_(queue),
          form_(form),
          shape_(shape),
          channels_(channels),
          window_(window),
          modes_(modes),
          most_(std::min(shape.points(), most_members)),
          features_(queue.allocate<std::int32_t>(
              pitch_of(shape) * rows_of(shape) * channels + longest_block, "features by rows")),
          positions_(queue.allocate<std::int32_t>(axes_of(shape) * most_, "positions")),
          rounds_(queue.allocate<std::uint32_t>(most_, "rounds of points")),
          counters_(queue.allocate<std::uint32_t>(counters_size, "counters of the climb")) {
        for (auto& list : lists_) list = queue.allocate<std::uint32_t>(most_, "moving points");
        for (std::size_t i = 0; i < markings.size(); ++i)
            marks_[i] = queue.allocate<std::uint32_t>(
                mark_room(most_, markings[i]) * mark_words(shape, channels), "marks of states");
        queue.launch(kernels::mean_shift_spread, Range{shape.x, rows_of(shape) * channels}, modes,
                     features_, static_cast<int>(shape.x), static_cast<int>(pitch_of(shape)));
    }

    ClimbCounts run(int max_iterations, const std::function<void(double)>& report) {
        ClimbCounts counts;
        const std::int64_t points = shape_.points();
        for (first_ = 0; first_ < points; first_ += most_) {
            count_ = std::min(most_, points - first_);
            report_ = [&](double part) {
                if (report)
                    report((static_cast<double>(first_) + part * static_cast<double>(count_)) /
                           static_cast<double>(points));
            };
            const Counters found = climb_block(std::min(max_iterations, most_rounds));
            counts.iterations =
                std::accumulate(found.begin() + t_counts_rounds, found.end(), counts.iterations);
            counts.still_moving += found[t_counts_moving];
        }
        return counts;
    }

  private:
    // The points of a block go together from pass to pass: those that are done leave, and so do
    // those that come to the states of others.
    Counters climb_block(int cap) {
        report_(0);
        queue_.fill(counters_, std::uint32_t{0});
        for (auto& marks : marks_) queue_.fill(marks, no_mark);
        left_ = count_;
        int before = 0;
        for (const Pass pass : {first_pass, second_pass}) {
            const int until = std::min(cap, before + markings[pass].rounds);
            if (before < until) climb_pass(pass, before, until, cap);
            before = until;
        }
        if (before < cap) climb_to_end(last_pass, before, cap);
        const auto follow = [&](const auto& kernel) {
            launch(kernel, Range{count_},
                   std::tie(modes_, positions_, rounds_, lists_[0], counters_), cap,
                   length_of(astray_pass));
        };
        if (channels_ == 3)
            follow(kernels::mean_shift_climb_follow_3);
        else
            follow(kernels::mean_shift_climb_follow_1);
        // Rare: points that follow others, and would stop on the way.
        const Counters found = read_counters();
        left_ = found[static_cast<std::size_t>(length_of(astray_pass))];
        if (left_ == 0) return found;
        climb_to_end(astray_pass, 0, cap);
        return read_counters();
    }

    Counters read_counters() {
        Counters found{};
        queue_.read(counters_, std::span<std::uint32_t>(found));
        return found;
    }

    // Many items a point suit a GPU, where few points are left.
    void climb_to_end(Pass pass, int before, int cap) {
        if (form_ == ClimbForm::together)
            launch_together(pass, before, cap);
        else
            climb_pass(pass, before, cap, cap);
    }

    // How far the climb is after a round, about.
    static double part_done(int round) { return 1 - std::exp(-round / 6.0); }

    // So many points that a launch stays short enough to stop on request.
    std::int64_t points_per_launch(int rounds) const {
        constexpr double usual_rounds = 15, most = most_members;
        const bool short_rounds = form_ == ClimbForm::together;
        const double pairs = short_rounds ? 2e11 : 1e8, fewest = short_rounds ? 65536 : 256;
        const double fitting = pairs / (window_.samples * std::min<double>(rounds, usual_rounds));
        return static_cast<std::int64_t>(std::clamp(fitting, fewest, most));
    }

    void climb_pass(Pass pass, int before, int until, int cap) {
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
        if (many && pass < last_pass)
            left_ = read_counters()[static_cast<std::size_t>(length_of(next(pass)))];
    }

    static constexpr Pass next(Pass pass) { return static_cast<Pass>(pass + 1); }
    static constexpr bool is_fresh(Pass pass) { return pass == first_pass || pass == astray_pass; }
    // Lists and marks alternate: a pass reads what the one before has written.
    auto& list_read_by(Pass pass) { return lists_[(pass + 1) % 2]; }
    auto& list_written_by(Pass pass) { return lists_[pass % 2]; }
    auto& marks_met_by(Pass pass) { return marks_[(pass + 1) % 2]; }
    auto& marks_left_by(Pass pass) { return marks_[pass % 2]; }
    int room_met_by(Pass pass) const {
        return is_fresh(pass) ? 0 : static_cast<int>(mark_room(most_, markings[pass - 1]));
    }
    int room_left_for(Pass pass) const {
        return pass < last_pass ? static_cast<int>(mark_room(most_, markings[pass])) : 0;
    }

    void launch_pass(Pass pass, int before, int until, int cap, std::int64_t begin,
                     std::int64_t points) {
        const int keep = pass < last_pass ? markings[pass].keep : 0;
        const auto go = [&](const auto& kernel) {
            launch(
                kernel, Range{points},
                std::tie(features_, modes_, positions_, rounds_, list_read_by(pass),
                         list_written_by(pass), marks_met_by(pass), marks_left_by(pass), counters_),
                before, until, cap, room_met_by(pass), length_of(pass), int{is_fresh(pass)},
                length_of(next(pass)), room_left_for(pass), keep, static_cast<int>(begin));
        };
        if (channels_ == 3)
            go(kernels::mean_shift_climb_pass_3);
        else
            go(kernels::mean_shift_climb_pass_1);
    }

    void launch_together(Pass pass, int before, int cap) {
        constexpr std::int64_t group = 64, groups_per_unit = 16;
        constexpr int lanes = 8;
        const std::int64_t resident = queue_.device().properties().compute_units * groups_per_unit;
        const Groups groups{std::min((left_ * lanes + group - 1) / group, resident)};
        const auto go = [&](const auto& kernel) {
            launch(kernel, groups,
                   std::tie(features_, modes_, positions_, rounds_, list_read_by(pass),
                            marks_met_by(pass), counters_),
                   before, cap, room_met_by(pass), length_of(pass), int{is_fresh(pass)},
                   ticket_of(pass), lanes);
        };
        if (channels_ == 3)
            go(kernels::mean_shift_climb_together_3);
        else
            go(kernels::mean_shift_climb_together_1);
    }

    // Launches with `buffers`, what the kernels know of image, window and block, and `own`.
    template <class Kernel, class Size, class... Buffers, class... Own>
    void launch(const Kernel& kernel, const Size& size, std::tuple<Buffers&...> buffers,
                Own... own) {
        const Window& w = window_;
        const auto go = [&](auto&... buffer) {
            queue_.launch(kernel, size, buffer..., static_cast<int>(shape_.x),
                          static_cast<int>(shape_.y), static_cast<int>(shape_.z),
                          static_cast<int>(shape_.t), static_cast<int>(pitch_of(shape_)),
                          w.steps[0], w.steps[1], w.steps[2], w.steps[3], inverse_step(0),
                          inverse_step(1), inverse_step(2), inverse_step(3), radius_in_steps(0),
                          radius_in_steps(1), radius_in_steps(2), radius_in_steps(3),
                          static_cast<float>(1 / std::sqrt(static_cast<double>(w.spatial_limit2))),
                          w.spatial_limit2, w.time_limit2, w.range_limit2, w.inverse_spatial2,
                          w.inverse_time2, w.inverse_range2, w.epsilon2, static_cast<int>(first_),
                          static_cast<int>(count_), own...);
        };
        std::apply(go, buffers);
    }

    float inverse_step(int axis) const { return 1.0f / static_cast<float>(window_.steps[axis]); }
    float radius_in_steps(int axis) const {
        const std::int64_t limit2 = axis < 3 ? window_.spatial_limit2 : window_.time_limit2;
        return static_cast<float>(std::sqrt(static_cast<double>(limit2)) / window_.steps[axis]);
    }

    Queue& queue_;
    const ClimbForm form_;
    const Shape& shape_;
    const int channels_;
    const Window& window_;
    Buffer<std::int32_t>& modes_;
    const std::int64_t most_;  // points of a block
    Buffer<std::int32_t> features_;
    Buffer<std::int32_t> positions_;
    Buffer<std::uint32_t> rounds_, counters_;
    std::array<Buffer<std::uint32_t>, 2> lists_, marks_;
    std::int64_t first_ = 0, count_ = 0;  // of the block's points
    std::int64_t left_ = 0;               // points of the next pass, at most
    std::function<void(double)> report_;  // of the block
};

}  // namespace

ClimbCounts climb(Queue& queue, const Shape& shape, int channels, const Window& window,
                  int max_iterations, Buffer<std::int32_t>& modes,
                  const std::function<void(double)>& report) {
    const bool is_gpu = queue.device().properties().is_gpu;
    return climb_in_form(is_gpu ? ClimbForm::together : ClimbForm::alone, queue, shape, channels,
                         window, max_iterations, modes, report);
}

ClimbCounts climb_in_form(ClimbForm form, Queue& queue, const Shape& shape, int channels,
                          const Window& window, int max_iterations, Buffer<std::int32_t>& modes,
                          const std::function<void(double)>& report) {
    return Climb(queue, form, shape, channels, window, modes).run(max_iterations, report);
}

std::int64_t climb_bytes(const Shape& shape, int channels) {
    const std::int64_t most = std::min(shape.points(), most_members);
    std::int64_t values = pitch_of(shape) * rows_of(shape) * channels + longest_block +
                          most * (axes_of(shape) + 3) + static_cast<std::int64_t>(counters_size);
    for (const Marking& marking : markings)
        values += mark_room(most, marking) * mark_words(shape, channels);
    return values * static_cast<std::int64_t>(sizeof(std::int32_t));
}

}  // namespace tesela
