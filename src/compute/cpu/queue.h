// The CPU back end's queue: kernels run when they are launched, over all threads.
#pragma once

#include <string>
#include <vector>

#include "compute/backend.h"
#include "compute/cpu/parallel.h"
#include "tesela/progress.h"

namespace tesela::detail {

class CpuQueue final : public BackendQueue {
  public:
    CpuQueue(int level, const QueueOptions& options);

    void* allocate(std::int64_t bytes) override;
    void release(void* pointer) noexcept override;
    std::string adopt(const ForeignMemory& memory) override;
    void copy_in(void* target, const void* host, std::int64_t bytes) override;
    void copy_out(const void* source, std::span<const HostPiece> pieces) override;
    void copy(void* target, const void* source, std::int64_t bytes) override;
    void fill(void* target, std::int64_t bytes, const void* value,
              std::size_t value_bytes) override;
    void launch(const KernelCode& code, const std::array<std::int64_t, 3>& size,
                std::span<const Argument> arguments) override;
    void stop_on(const CancelToken* token) override { stop_ = token; }
    void finish() override {}
    std::vector<Time> take_times() override;
    bool shares_host_memory() const override { return true; }

    bool reduce(const ReduceCall& call, const Scratch& scratch) override;
    bool exclusive_scan(const ScanCall& call, const Scratch& scratch) override;
    bool sort_pairs(const SortCall& call, const Scratch& scratch) override;
    bool compact(const CompactCall& call, const Scratch& scratch) override;
    bool histogram(const HistogramCall& call, const Scratch& scratch) override;

    const Workers& workers() const { return workers_; }

  private:
    int level_;
    bool profile_;
    const CancelToken* stop_ = nullptr;
    Workers workers_;
    std::vector<Time> times_;
};

// Bytes of memory that the process can still take.
std::int64_t available_host_memory();

}  // namespace tesela::detail
