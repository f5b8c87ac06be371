// What stands between Queue and a back end: the pool of memory, the counters and the checks.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compute/backend.h"
#include "tesela/compute/queue.h"

namespace tesela::detail {

class FftPlans;

class QueueCore : public std::enable_shared_from_this<QueueCore> {
  public:
    QueueCore(const Device& device, const QueueOptions& options);
    ~QueueCore();

    const Device& device() const { return device_; }
    BackendQueue& backend() { return *backend_; }
    const QueueOptions& options() const { return options_; }

    std::unique_ptr<Block> allocate(std::int64_t bytes, std::string_view name);
    // Neighbors in one block that all of them keep alive.
    std::vector<std::unique_ptr<Block>> allocate_parts(std::span<const std::int64_t> bytes,
                                                       std::string_view name);
    std::unique_ptr<Block> lend(const void* host, std::int64_t bytes, std::string_view name);
    std::unique_ptr<Block> allocate_for(void* host, std::int64_t bytes, std::string_view name);
    // For what this keeps itself: the block does not keep this alive. It is none of the pool's,
    // which a second call of the same work would miss.
    std::unique_ptr<Block> allocate_kept(std::int64_t bytes, std::string_view name);
    std::unique_ptr<Block> adopt(const ForeignMemory& memory, std::shared_ptr<const void> owner,
                                 std::string_view name);
    // Of blocks that end, in whichever thread.
    void give_back(void* pointer, std::int64_t bytes) noexcept;
    void give_back(std::list<AdoptedMemory>& adopted) noexcept;
    // Takes up what blocks have given back; the first leaves adopted memory, and so needs no event.
    void take_back_blocks() noexcept;
    void take_back();
    // The queue ends, its blocks may not: waits for all work and lets go of adopted memory whose
    // buffers have ended. What ends later is let go of at once.
    void close() noexcept;
    void release_part(void* pointer) noexcept { backend_->release_part(pointer); }
    void trim();

    void copy_in(const Block& target, const void* host, std::int64_t bytes);
    void copy_out(const Block& source, void* host, std::int64_t bytes);
    // One transfer where the sources are parts of one block, in order.
    void copy_out_together(std::span<const Download> downloads);
    void launch(const KernelCode& code, const std::array<std::int64_t, 3>& size,
                std::span<const Argument> arguments, LaunchTime time);
    void sequence(const std::function<void()>& enqueue);
    void stop_on(const CancelToken* token);
    const CancelToken* stops_on() const { return stop_; }
    Event record();
    void wait(const Event& event);
    Event record_foreign(void* stream);
    void make_foreign_wait(void* stream, const Event& event);
    void finish();
    void read_while(const Block& source, void* host, std::int64_t bytes,
                    const std::function<void()>& enqueue);
    // Throws InvalidArgument unless `block` was made by this queue.
    void check_owner(const Block& block) const;

    QueueCounters counters;
    std::vector<KernelTime> profile();
    FftPlans& fft_plans() { return *fft_plans_; }

    // Runs a tuned primitive with scratch memory of the pool that is given back, for later work of
    // this queue, when the call returns.
    template <class Call>
    bool run_tuned(bool (BackendQueue::*primitive)(const Call&, const BackendQueue::Scratch&),
                   const Call& call) {
        std::vector<std::unique_ptr<Block>> taken;
        const BackendQueue::Scratch scratch = [&](std::int64_t bytes) {
            taken.push_back(allocate(bytes, "scratch"));
            return taken.back()->pointer();
        };
        if (!(backend_.get()->*primitive)(call, scratch)) return false;
        ++counters.tuned_primitives;
        return true;
    }

  private:
    // Transfers and waits have no place while a sequence or a read goes on.
    void refuse_while_enqueuing(const char* what) const;
    void count_transfer(std::int64_t bytes, std::int64_t& bulk, std::int64_t& total);
    void launch_captured();
    void free_pool() noexcept;
    enum class Source { pool, driver };
    std::unique_ptr<Block> allocate_for_owner(std::shared_ptr<QueueCore> owner, std::int64_t bytes,
                                              std::string_view name, Source source);
    void* allocate_from_driver(std::int64_t bytes, std::string_view name);
    [[noreturn]] void throw_out_of_memory(std::int64_t bytes, std::string_view name) const;
    void collect_times();

    // Lets go of adopted memory of which the work has ended.
    void release_adopted();
    void let_go(std::list<AdoptedMemory>& adopted) noexcept;
    void end_backend_work() noexcept;

    Device device_;
    QueueOptions options_;
    const CancelToken* stop_ = nullptr;
    std::unique_ptr<BackendQueue> backend_;
    bool in_sequence_ = false, in_read_ = false;
    bool is_captured_ = false;                 // what is enqueued waits for the sequence's end
    std::multimap<std::int64_t, void*> pool_;  // free blocks by size
    std::list<AdoptedMemory> adopted_;         // of buffers that have ended
    std::mutex given_back_mutex_;              // guards what other threads leave here
    std::vector<std::pair<std::int64_t, void*>> given_back_;
    std::list<AdoptedMemory> adopted_given_back_;
    bool is_closed_ = false;
    std::map<std::string, KernelTime> times_;
    std::unique_ptr<FftPlans> fft_plans_;
};

// Blocks come in few sizes, so that a freed one serves the next similar request: sixteen steps to a
// doubling waste at most 1/16.
std::int64_t pooled_size(std::int64_t bytes);

}  // namespace tesela::detail
