// Where the experiments of the thesis behind optical flow are run: sequences whose motion is known,
// and measured calls.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "experiments/flow/thesis_figures.h"
#include "experiments/laboratory.h"
#include "tesela/evaluate_flow.h"
#include "tesela/horn_schunck.h"
#include "tesela/lucas_kanade.h"

namespace tesela::experiments {

struct FlowBenchOptions {
    std::filesystem::path sequences;
};

template <class V>
void describe(V&& v, FlowBenchOptions& o) {
    v("sequences", o.sequences,
      "folder with sequences of the Middlebury benchmark: in each folder of it frame10.png, "
      "frame11.png and flow10.flo; without it made-up sequences alone");
}

struct FlowSequence {
    std::string name, source;
    std::vector<Image<float>> frames;  // two, brightness from 0 to 1
    FlowField truth;
    bool synthetic = false;
};

// The synthetic sequences, and behind them those of the folder by name; `quick` ones are small.
// Throws InvalidArgument for a folder without sequences, and what reading throws.
std::vector<FlowSequence> flow_sequences(const FlowBenchOptions& options, bool quick);

// Two frames of any size, for times, which do not depend on what frames show.
std::vector<Image<float>> frames_of_size(std::int64_t width, std::int64_t height, int count = 2);

struct FrameSize {
    std::int64_t width, height;
    std::string text() const { return fmt::format("{}x{}", width, height); }
};
// Those that the thesis's charts name, and between them.
std::vector<FrameSize> frame_sizes(bool quick);

// Lucas-Kanade as in the thesis.
LucasKanadeOptions lucas_kanade_options(const LucasKanadeSizes& sizes,
                                        LucasKanadeVariant variant = LucasKanadeVariant::thesis);
// Horn-Schunck as in the thesis, whose alpha is not stated: that of the program it follows.
HornSchunckOptions horn_schunck_options(int levels, int warps, int sweeps);

inline FlowResult flow_of(std::span<const Image<float>> frames, const LucasKanadeOptions& options,
                          Queue& queue, const Progress& progress = {}) {
    return lucas_kanade(frames, options, queue, progress);
}
inline FlowResult flow_of(std::span<const Image<float>> frames, const HornSchunckOptions& options,
                          Queue& queue, const Progress& progress = {}) {
    return horn_schunck(frames, options, queue, progress);
}

// One thread of the CPU, which stands for the thesis's sequential programs, or a device.
struct Worker {
    std::string name;
    Queue* queue;
};

class FlowLaboratory : public Laboratory {
  public:
    FlowLaboratory(const LaboratoryOptions& options, std::vector<FlowSequence> sequences,
                   const CancelToken& token);

    const std::vector<FlowSequence>& sequences() const { return sequences_; }
    // The first of these names that there is.
    const FlowSequence& sequence(std::initializer_list<std::string_view> names) const;

    // One thread first, then the devices.
    const std::vector<Worker>& workers() const { return workers_; }
    const Worker& sequential() const { return workers_.front(); }
    const Worker& main_worker() const { return workers_.back(); }
    bool has_gpu() const { return main_worker().queue->device().properties().is_gpu; }

    // The flow between the frames of a sequence, on the main device.
    template <class Options>
    FlowField flow(const FlowSequence& sequence, const Options& options) {
        return flow_of(sequence.frames, options, *main_worker().queue, progress()).fields.front();
    }

    // Seconds of a call, host frames in, host fields out: the median of the repetitions, of which
    // there are at least three and no new one after ten seconds. What is made once, such as kernels
    // and memory, is made before.
    double median_seconds(const std::function<void()>& call);
    template <class Options>
    double seconds(const Worker& worker, std::span<const Image<float>> frames,
                   const Options& options) {
        return median_seconds([&] { (void)flow_of(frames, options, *worker.queue, progress()); });
    }

    // Times of the kernels of such calls.
    template <class Options>
    std::vector<KernelTime> kernel_times(const Worker& worker, std::span<const Image<float>> frames,
                                         const Options& options) {
        Queue queue(worker.queue->device(), {.threads = threads_of(worker), .profile = true});
        for (int i = 0; i < repetitions(); ++i) (void)flow_of(frames, options, queue, progress());
        return queue.profile();
    }

  private:
    int threads_of(const Worker& worker) const { return &worker == &sequential() ? 1 : threads(); }

    std::vector<FlowSequence> sequences_;
    Queue one_thread_;
    std::vector<Worker> workers_;
};

void run_block_sweep(FlowLaboratory& laboratory);         // X1
void run_stimuli(FlowLaboratory& laboratory);             // X2
void run_iterations(FlowLaboratory& laboratory);          // X3
void run_lucas_kanade_times(FlowLaboratory& laboratory);  // X4
void run_lucas_kanade_rates(FlowLaboratory& laboratory);  // X5
void run_horn_schunck_rates(FlowLaboratory& laboratory);  // X6
void run_optimizations(FlowLaboratory& laboratory);       // X7
void run_error_against_time(FlowLaboratory& laboratory);  // X8

}  // namespace tesela::experiments
