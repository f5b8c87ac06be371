#include "python/queues.h"

#include <unistd.h>

#include <atomic>
#include <map>
#include <stdexcept>
#include <tuple>

#include "tesela/compute/device_list.h"
#include "tesela/error.h"

namespace tesela::python {
namespace {

using operations::Queues;

struct Kept {
    Queue queue;
    std::shared_ptr<Returned> returned = std::make_shared<Returned>();

    Kept(const Device& device, const QueueOptions& options) : queue(device, options) {}
    ~Kept() { returned->close(); }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
};

struct ThreadQueues {
    std::map<std::tuple<std::string, int, int>, Kept> queues;  // by device, threads and number
    bool busy = false;
};
thread_local ThreadQueues here;

// The process that computed first.
std::atomic<pid_t> first_process = 0;

Kept& kept_on(const Device& device, int threads, int number) {
    if (device.back_end() != BackEnd::cpu) threads = 0;  // which are none of a GPU's
    const auto key = std::tuple(device.id(), threads, number);
    return here.queues.try_emplace(key, device, QueueOptions{.threads = threads}).first->second;
}

void refuse_busy() {
    if (here.busy)
        throw InvalidArgument(
            "the queue of this thread is at work: a progress callback cannot "
            "call operations");
}

std::vector<Device> devices_for(const operations::Operation& operation,
                                const operations::Options& options, const std::string& device) {
    // What needs no device may work on one all the same, where its image is.
    const bool stays = operation.device.level.run && device != "auto";
    if (operation.device.on_host && !stays) return {Device::parse("cpu")};
    if (operation.device.choose) return {operation.device.choose(options, device).device};
    if (operation.device.queues != Queues::of_devices) return {Device::choose(device).device};
    std::vector<Device> devices;
    for (const Device::Choice& choice : choose_devices(device)) devices.push_back(choice.device);
    return devices;
}

}  // namespace

BusyQueues::BusyQueues(const operations::Operation& operation, const operations::Options& options,
                       const std::string& device, int threads) {
    refuse_forked();
    refuse_busy();
    const Queues use = operation.device.queues;
    uses_several_ = use != Queues::none;
    for (const Device& one : devices_for(operation, options, device)) {
        const bool is_one_each = use == Queues::for_tiles && one.back_end() == BackEnd::cpu;
        const int count = operations::queues_for(use, one, threads);
        for (int number = 0; number < count; ++number) {
            Kept& kept = kept_on(one, is_one_each ? 1 : threads, number);
            kept.returned->take(kept.queue);
            queues_.push_back(&kept.queue);
        }
    }
    here.busy = true;
}

BusyQueues::~BusyQueues() { here.busy = false; }

Queue& thread_queue(const Device& device) { return kept_on(device, 0, 0).queue; }
Queue& idle_queue(const Device& device) {
    refuse_forked();
    refuse_busy();
    return thread_queue(device);
}

Queue* find_queue_of(const operations::ImageValue& image) {
    const detail::QueueCore* const core = std::visit(
        [](const auto& there) { return there.pixels.block()->queue(); }, image.resident());
    for (auto& [key, kept] : here.queues)
        if (&kept.queue.core() == core) return &kept.queue;
    return nullptr;
}

std::shared_ptr<Returned> returned_to(const Queue& queue) {
    for (auto& [key, kept] : here.queues)
        if (&kept.queue == &queue) return kept.returned;
    throw std::logic_error("the queue is none of this thread's");
}

void take_returned(Queue& queue) { returned_to(queue)->take(queue); }

void Returned::put(std::shared_ptr<const void> memory) noexcept {
    const std::lock_guard lock(mutex_);
    try {
        if (!is_closed_) given_.push_back({std::move(memory)});
    } catch (const std::bad_alloc&) {  // then it is given back at once
    }
}

void Returned::take(Queue& queue) {
    constexpr std::size_t most_waiting = 64;
    std::list<Waiting> given;
    {
        const std::lock_guard lock(mutex_);
        given.swap(given_);
    }
    if (!given.empty() && queue.device().back_end() == BackEnd::cuda) try {
            const Event after = queue.record_foreign(nullptr);
            for (Waiting& one : given) one.after = after;
        } catch (const Error& error) {
            {
                const std::lock_guard lock(mutex_);
                given_.splice(given_.begin(), given);
            }
            if (error.code() != ErrorCode::invalid_argument) throw;
        }
    waiting_.splice(waiting_.end(), given);
    while (!waiting_.empty() && waiting_.front().after.has_passed()) waiting_.pop_front();
    while (waiting_.size() > most_waiting) {  // the device catches up with them first
        queue.wait(waiting_.front().after);
        waiting_.pop_front();
    }
}

void Returned::close() noexcept {
    std::list<Waiting> given;
    {
        const std::lock_guard lock(mutex_);
        is_closed_ = true;
        given.swap(given_);
    }
    waiting_.clear();
}

void refuse_forked() {
    const pid_t own = getpid();
    pid_t first = 0;
    if (first_process.compare_exchange_strong(first, own) || first == own) return;
    throw DeviceUnavailable(
        "tesela was used before this process was forked, and a forked process has neither its "
        "threads nor its devices: start processes by multiprocessing.get_context(\"spawn\")");
}

void trim_thread_queues() {
    if (here.busy) return;
    for (auto& [key, kept] : here.queues) {
        kept.returned->take(kept.queue);
        kept.queue.trim();
    }
}

void close_thread_queues() {
    if (!here.busy) here.queues.clear();
}

}  // namespace tesela::python
