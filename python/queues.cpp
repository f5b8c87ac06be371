#include "python/queues.h"

#include <unistd.h>

#include <atomic>
#include <map>
#include <tuple>

#include "tesela/compute/device_list.h"
#include "tesela/error.h"

namespace tesela::python {
namespace {

using operations::Queues;

struct ThreadQueues {
    std::map<std::tuple<std::string, int, int>, Queue> queues;  // by device, threads and number
    bool busy = false;
};
thread_local ThreadQueues here;

// The process that computed first.
std::atomic<pid_t> first_process = 0;

Queue& queue_on(const Device& device, int threads, int number) {
    const auto key = std::tuple(device.id(), threads, number);
    const auto found = here.queues.find(key);
    if (found != here.queues.end()) return found->second;
    return here.queues.emplace(key, Queue(device, {.threads = threads})).first->second;
}

std::vector<Device> devices_for(const operations::Operation& operation,
                                const operations::Options& options, const std::string& device) {
    if (operation.device.on_host) return {Device::parse("cpu")};
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
    if (here.busy)
        throw InvalidArgument(
            "the queue of this thread is at work: a progress callback cannot "
            "call operations");
    const Queues use = operation.device.queues;
    uses_several_ = use != Queues::none;
    for (const Device& one : devices_for(operation, options, device)) {
        const bool is_one_each = use == Queues::for_tiles && one.back_end() == BackEnd::cpu;
        const int count = operations::queues_for(use, one, threads);
        for (int number = 0; number < count; ++number)
            queues_.push_back(&queue_on(one, is_one_each ? 1 : threads, number));
    }
    here.busy = true;
}

BusyQueues::~BusyQueues() { here.busy = false; }

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
    for (auto& [key, queue] : here.queues) queue.trim();
}

void close_thread_queues() {
    if (!here.busy) here.queues.clear();
}

}  // namespace tesela::python
