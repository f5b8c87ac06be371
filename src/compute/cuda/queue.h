// The CUDA back end's queue: one stream of its own.
#pragma once

#include <cuda_runtime_api.h>

#include <deque>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "compute/backend.h"
#include "compute/cuda/driver.h"
#include "compute/cuda/fft.h"
#include "compute/cuda/staging.h"

namespace tesela::detail {

class CudaQueue final : public BackendQueue {
  public:
    // `device_name` stands in errors; `ordinal` is the runtime's number of the device.
    CudaQueue(std::string device_name, int ordinal, const QueueOptions& options);
    ~CudaQueue() override;
    CudaQueue(const CudaQueue&) = delete;
    CudaQueue& operator=(const CudaQueue&) = delete;

    void* allocate(std::int64_t bytes) override;
    void release(void* pointer) noexcept override;
    std::string adopt(const ForeignMemory& memory) override;
    void copy_in(void* target, const void* host, std::int64_t bytes) override;
    void copy_out(const void* source, std::span<const HostPiece> pieces) override;
    bool begin_read(const void* source, std::int64_t bytes) override;
    void end_read(void* host, std::int64_t bytes) override;
    void copy(void* target, const void* source, std::int64_t bytes) override;
    void fill(void* target, std::int64_t bytes, const void* value,
              std::size_t value_bytes) override;
    void launch(const KernelCode& code, const std::array<std::int64_t, 3>& size,
                std::span<const Argument> arguments) override {
        launch(code, size, arguments, false);
    }
    void launch_early(const KernelCode& code, const std::array<std::int64_t, 3>& size,
                      std::span<const Argument> arguments) override {
        launch(code, size, arguments, begins_early_);
    }
    void finish() override;
    std::shared_ptr<const BackendEvent> record() override { return record_foreign(stream_); }
    bool wait(const BackendEvent& event) override { return make_foreign_wait(stream_, event); }
    std::shared_ptr<const BackendEvent> record_foreign(void* stream) override;
    bool make_foreign_wait(void* stream, const BackendEvent& event) override;
    void* native_stream() const override { return stream_; }
    bool begin_sequence() override;
    void end_sequence() override;
    void drop_sequence() noexcept override;
    std::vector<Time> take_times() override;

    bool reduce(const ReduceCall& call, const Scratch& scratch) override;
    bool exclusive_scan(const ScanCall& call, const Scratch& scratch) override;
    bool sort_pairs(const SortCall& call, const Scratch& scratch) override;
    bool compact(const CompactCall& call, const Scratch& scratch) override;
    bool histogram(const HistogramCall& call, const Scratch& scratch) override;
    bool fft(const FftCall& call, const Scratch& scratch) override;
    void drop_fft_plans() noexcept override;

  private:
    struct Timing {
        const char* name;
        cudaEvent_t start, stop;
    };

    // Throws for a failed call; `doing` completes "cuda:0 (NAME) failed to ...".
    void check(cudaError_t error, const char* doing) {
        if (error != cudaSuccess) fail(error, doing);
    }
    void launch(const KernelCode& code, const std::array<std::int64_t, 3>& size,
                std::span<const Argument> arguments, bool early);
    [[noreturn]] void fail(cudaError_t error, const std::string& doing);
    // Queues the work of `enqueue`, which returns an error, under a name for errors and times. The
    // name is kept as a pointer.
    template <class Enqueue>
    void run(const char* name, const Enqueue& enqueue) {
        const DeviceScope scope(ordinal_);
        check(scope.error(), "be made current");
        remember(name);
        const Timing timing = start_timing(name);
        const cudaError_t error = enqueue();
        if (error != cudaSuccess) fail(error, std::string("launch ") + name);
        stop_timing(timing);
    }
    static std::shared_mutex& graph_recording();
    // Throw InvalidArgument where a graph is recorded, of which an event would become a part.
    void refuse_capture(void* stream);
    void check_event(cudaError_t error, const char* doing);
    void remember(const char* name);
    Timing start_timing(const char* name);
    void stop_timing(const Timing& timing);
    cudaEvent_t take_event();
    void collect(const Timing& timing);

    std::string device_name_;
    int ordinal_;
    bool profile_;
    // Launches that may, do: kernels that are timed follow one another.
    bool begins_early_ = false;
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t graph_ = nullptr;  // of the last sequence; the next one like it updates it
    std::shared_lock<std::shared_mutex> recording_;  // while a graph is recorded
    Staging staging_;
    CudaFft fft_;
    std::deque<const char*> launched_;  // the last kernels since finish, each name once
    std::vector<cudaEvent_t> free_events_;
    std::deque<Timing> timings_;
    std::vector<Time> times_;
};

}  // namespace tesela::detail
