#include "levelset/fronts.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <span>

#include "kernels/levelset/ftc_bits.kernel.h"
#include "kernels/levelset/ftc_labels.kernel.h"

namespace tesela {
namespace {

using kernels::ftc_grid;
using kernels::ftc_smoothing;
using kernels::i32;
using kernels::u32;

ftc_grid grid_of(const Shape& shape) {
    const auto tiles = [](std::int64_t length, int tile) {
        return static_cast<i32>((length - 1) / tile + 1);
    };
    return {static_cast<i32>(shape.x),
            static_cast<i32>(shape.y),
            static_cast<i32>(shape.z),
            tiles(shape.x, kernels::ftc_word),
            tiles(shape.y, kernels::ftc_tile_rows),
            tiles(shape.z, kernels::ftc_tile_rows)};
}

int radius_of(const std::vector<u32>& weights) { return static_cast<int>(weights.size()) - 1; }

// The weights at distances from -radius to radius.
std::vector<u32> both_sides(const std::vector<u32>& weights) {
    std::vector<u32> both;
    for (int k = -radius_of(weights); k <= radius_of(weights); ++k)
        both.push_back(weights[static_cast<std::size_t>(std::abs(k))]);
    return both;
}

ftc_smoothing smoothing_of(const FrontSmoothing& weights) {
    u32 total = 1;
    for (const auto& axis : weights) {
        u32 sum = 0;
        for (const u32 weight : both_sides(axis)) sum += weight;
        total *= sum;
    }
    return {radius_of(weights[0]), radius_of(weights[1]), radius_of(weights[2]), total / 2};
}

// The part of a run that bits and labels share.
struct Run {
    Queue& queue;
    const Shape& shape;
    FrontSpeeds& speeds;
    const FrontOptions& options;
    ftc_grid grid = grid_of(shape);
    std::int64_t tiles = std::int64_t{grid.words} * grid.tiles_y * grid.tiles_z;
    Buffer<u32> control = queue.allocate_filled<u32>(kernels::ftc_control_words, 0u, "control");
    Buffer<u32> hash = queue.allocate_filled<u32>(2, 0u, "hash of a state");
    Buffer<u32> sums = new_sums(), last = new_sums();
    Buffer<u32> active = queue.allocate_filled<u32>(3 * tiles, 1u, "active tiles");
    Buffer<u32> tile_state = queue.allocate_filled<u32>(3 * tiles, 0u, "state of tiles");

    Buffer<u32> new_sums() {
        return queue.allocate_filled<u32>(
            std::int64_t{kernels::ftc_sum_words} * (options.objects + 1), 0u, "sums of objects");
    }
    Groups groups() const { return {grid.words, grid.tiles_y, grid.tiles_z}; }
};

// One object. Each step reads one of two states and writes the other.
class Bits {
  public:
    Bits(Run& run, Buffer<std::uint8_t>& labels)
        : run_(run),
          states_{allocate("points of an object"), allocate("points of an object")},
          switch_in_(allocate("speeds")),
          switch_out_(allocate("speeds")),
          allowed_(allocate("speeds")) {
        run.queue.launch(kernels::ftc_bits_pack, words(), labels, states_[0], run.grid);
        run.queue.copy(states_[0], states_[1]);
        if (run.options.smoothing_steps > 0) upload_weights();
    }
    void update_speeds() {
        run_.queue.launch(kernels::ftc_bits_planes, words(), run_.speeds.levels, run_.speeds.table,
                          run_.control, switch_in_, switch_out_, allowed_, run_.grid);
    }
    void evolve(int from, i32 step, i32 moved_word) {
        run_.queue.launch(kernels::ftc_bits_evolve, run_.groups(), states_[from], switch_in_,
                          switch_out_, states_[1 - from], run_.active, run_.tile_state,
                          run_.control, step, moved_word, run_.grid);
    }
    void smooth(int from, i32 step) {
        run_.queue.launch(kernels::ftc_bits_smooth, run_.groups(), states_[from], allowed_,
                          row_sums_, weights_, states_[1 - from], run_.active, run_.tile_state,
                          run_.control, step, smoothing_of(run_.options.smoothing), run_.grid);
    }
    void measure(int state) {
        constexpr std::int64_t part = kernels::ftc_measure_items * kernels::ftc_measure_words;
        const std::int64_t count = states_[0].size();
        run_.queue.launch(kernels::ftc_bits_measure, Groups{(count - 1) / part + 1}, states_[state],
                          run_.speeds.levels, run_.control, run_.hash, run_.sums, count,
                          i32{run_.speeds.is_adaptive()}, run_.grid);
    }
    void unpack(int state, Buffer<std::uint8_t>& labels) {
        run_.queue.launch(kernels::ftc_bits_unpack, Range{run_.shape.x, rows()}, states_[state],
                          labels, run_.grid);
    }

  private:
    std::int64_t rows() const { return run_.shape.y * run_.shape.z; }
    Range words() const { return {run_.grid.words, rows()}; }
    Buffer<std::uint64_t> allocate(const char* name) {
        return run_.queue.allocate<std::uint64_t>(run_.grid.words * rows(), name);
    }
    // The weighted sum of each pattern of bits along x, and the weights of rows.
    void upload_weights() {
        const auto& weights = run_.options.smoothing;
        const std::vector<u32> along_x = both_sides(weights[0]);
        std::vector<u32> sums(std::size_t{1} << along_x.size(), 0);
        for (std::size_t bits = 0; bits < sums.size(); ++bits)
            for (std::size_t k = 0; k < along_x.size(); ++k)
                if (bits >> k & 1) sums[bits] += along_x[k];
        std::vector<u32> rows_weights;
        for (const u32 z : both_sides(weights[2]))
            for (const u32 y : both_sides(weights[1])) rows_weights.push_back(z * y);
        row_sums_ = run_.queue.upload(std::span<const u32>(sums), "sums of bits");
        weights_ = run_.queue.upload(std::span<const u32>(rows_weights), "weights of rows");
    }

    Run& run_;
    Buffer<std::uint64_t> states_[2], switch_in_, switch_out_, allowed_;
    Buffer<u32> row_sums_, weights_;
};

// Several objects, as labels.
class Labels {
  public:
    Labels(Run& run, Buffer<std::uint8_t>& labels) : run_(run), states_{allocate(), allocate()} {
        run.queue.copy(labels, states_[0]);
        run.queue.copy(labels, states_[1]);
        if (run.options.smoothing_steps > 0) {
            std::vector<u32> weights;
            for (const auto& axis : run.options.smoothing)
                for (const u32 weight : both_sides(axis)) weights.push_back(weight);
            weights_ = run.queue.upload(std::span<const u32>(weights), "weights of smoothing");
        }
    }
    void update_speeds() {}
    void evolve(int from, i32 step, i32 moved_word) {
        run_.queue.launch(kernels::ftc_labels_evolve, run_.groups(), states_[from],
                          run_.speeds.levels, run_.speeds.table, states_[1 - from], run_.active,
                          run_.tile_state, run_.control, step, moved_word, run_.grid);
    }
    void smooth(int from, i32 step) {
        run_.queue.launch(kernels::ftc_labels_smooth, run_.groups(), states_[from],
                          run_.speeds.levels, weights_, states_[1 - from], run_.active,
                          run_.tile_state, run_.control, step, smoothing_of(run_.options.smoothing),
                          run_.grid);
    }
    void measure(int state) {
        const std::int64_t points = run_.shape.points();
        constexpr std::int64_t part = kernels::ftc_label_items * kernels::ftc_label_points;
        run_.queue.launch(kernels::ftc_labels_measure, Groups{(points - 1) / part + 1},
                          states_[state], run_.speeds.levels, run_.control, run_.hash, run_.sums,
                          points, i32{run_.speeds.is_adaptive()}, i32{run_.options.objects});
    }
    void unpack(int state, Buffer<std::uint8_t>& labels) {
        run_.queue.copy(states_[state], labels);
    }

  private:
    Buffer<std::uint8_t> allocate() {
        return run_.queue.allocate<std::uint8_t>(run_.shape.points(), "labels of objects");
    }

    Run& run_;
    Buffer<std::uint8_t> states_[2];
    Buffer<u32> weights_;
};

template <class Fronts>
void enqueue_round(Run& run, Fronts& fronts, std::int64_t round, i32& step) {
    const FrontOptions& options = run.options;
    if (run.speeds.is_adaptive()) {
        run.queue.launch(kernels::ftc_update_statistics, Range{options.objects}, run.last,
                         run.speeds.statistics, run.control, 0, run.speeds.drift);
        run.queue.launch(kernels::ftc_update_speeds, Range{kernels::ftc_levels, options.objects},
                         run.speeds.statistics, run.control, run.speeds.table,
                         run.speeds.multiplier);
    }
    if (run.speeds.is_adaptive() || round == 0) {
        fronts.update_speeds();
        run.queue.launch(kernels::ftc_activate_all, Range{run.tiles}, run.control, run.active, step,
                         static_cast<i32>(run.tiles));
    }
    for (i32 k = 0; k < options.data_steps; ++k, ++step)
        fronts.evolve(step % 2, step, kernels::ftc_step_moved + k);
    for (i32 k = 0; k < options.smoothing_steps; ++k, ++step) fronts.smooth(step % 2, step);
    fronts.measure(step % 2);
    run.queue.launch(kernels::ftc_end_round, Range{1}, run.control, run.hash, run.sums, run.last,
                     static_cast<i32>(round), options.data_steps, options.objects,
                     options.most_points);
}

template <class Fronts>
FrontReport run_to_end(Run& run, std::int64_t rounds, Buffer<std::uint8_t>& labels,
                       const Progress& progress) {
    Fronts fronts(run, labels);
    Queue& queue = run.queue;
    fronts.measure(0);
    queue.launch(kernels::ftc_begin, Range{1}, run.control, run.hash, run.sums, run.last,
                 i32{run.options.objects});
    const std::int64_t at_once = prefers_groups(queue.device()) ? 4 : 1;
    std::int64_t enqueued = 0;
    i32 step = 0;
    const auto enqueue = [&] {
        queue.sequence([&] {
            for (const std::int64_t end = std::min(enqueued + at_once, rounds); enqueued < end;
                 ++enqueued)
                enqueue_round(run, fronts, enqueued, step);
        });
    };
    // Further rounds are enqueued before it is known whether the run ended in the last ones.
    std::array<u32, 3> control{};
    auto known = queue.allocate<u32>(3, "end of a run");
    const bool ahead = prefers_groups(queue.device());
    enqueue();
    for (;;) {
        const std::int64_t waited = enqueued;
        queue.launch(kernels::ftc_copy_stop, Range{1}, run.control, known);
        if (ahead && enqueued < rounds)
            queue.read_while(known, std::span<u32>(control), enqueue);
        else
            queue.read(known, std::span<u32>(control));
        progress.report(static_cast<double>(waited) / static_cast<double>(rounds), "grow");
        if (control[0] != 0 || waited == rounds) break;
        if (enqueued == waited) enqueue();
    }
    FrontReport report;
    report.stop = control[0];
    report.rounds = control[0] != 0 ? control[1] + 1 : rounds;
    report.period = static_cast<std::int32_t>(control[2]);
    const std::int64_t steps =
        report.rounds * (run.options.data_steps + run.options.smoothing_steps);
    fronts.unpack(static_cast<int>(steps % 2), labels);
    const std::vector<u32> last = queue.download(run.last);
    for (int object = 1; object <= run.options.objects; ++object) {
        const u32* sums = last.data() + object * kernels::ftc_sum_words;
        report.points.push_back(static_cast<std::int64_t>(sums[1]) << 32 | sums[0]);
    }
    return report;
}

}  // namespace

FrontReport run_fronts(Queue& queue, const Shape& shape, FrontSpeeds& speeds,
                       const FrontOptions& options, std::int64_t rounds,
                       Buffer<std::uint8_t>& labels, const Progress& progress) {
    Run run{queue, shape, speeds, options};
    return options.objects == 1 ? run_to_end<Bits>(run, rounds, labels, progress)
                                : run_to_end<Labels>(run, rounds, labels, progress);
}

std::int64_t fronts_device_bytes(const Shape& shape, bool several) {
    const ftc_grid grid = grid_of(shape);
    const std::int64_t tiles = std::int64_t{grid.words} * grid.tiles_y * grid.tiles_z;
    const std::int64_t states =
        several ? 2 * shape.points() : 5 * 8 * grid.words * shape.y * shape.z;
    return states + 24 * tiles + (std::int64_t{1} << 22);
}

}  // namespace tesela
