// The queues of a thread: one for each device, made when it is first used there.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "operations/operation.h"
#include "tesela/compute/queue.h"

namespace tesela::python {

// Memory of a queue that arrays of Python had. What other libraries gave the device to do with it
// may go on when the last of them ends: the queue uses it again once that has ended.
class Returned {
  public:
    // In any thread, and without anything of Python.
    void put(std::shared_ptr<const void> memory) noexcept;
    // In the thread of the queue. Nothing while a graph is recorded on the device, which an event
    // behind all work would spoil.
    void take(Queue& queue);
    // The queue ends: what comes later is given back to the driver.
    void close() noexcept;

  private:
    struct Waiting {
        std::shared_ptr<const void> memory;
        Event after = {};
    };

    std::mutex mutex_;  // guards what other threads leave here
    std::list<Waiting> given_;
    bool is_closed_ = false;
    std::list<Waiting> waiting_;
};

// This thread's queue on a device for arrays that lie there, which calls on them use too.
Queue& thread_queue(const Device& device);
// The same where no call uses it. Throws where one does, and Error in a forked process.
Queue& idle_queue(const Device& device);
// The queue of this thread that an image on a device belongs to, or null.
Queue* find_queue_of(const operations::ImageValue& image);
std::shared_ptr<Returned> returned_to(const Queue& queue);
// Takes up memory that arrays of Python have returned to it, which allocations then find.
void take_returned(Queue& queue);

// Queues of this thread for an operation: the first works, the others help where it uses several.
// They are not to be used by another call until `BusyQueues` ends. Throws as Device::choose does,
// and Error where they are in use already, or in a process that was forked from one that computed.
class BusyQueues {
  public:
    BusyQueues(const operations::Operation& operation, const operations::Options& options,
               const std::string& device, int threads);
    ~BusyQueues();
    BusyQueues(const BusyQueues&) = delete;
    BusyQueues& operator=(const BusyQueues&) = delete;

    Queue& first() const { return *queues_.front(); }
    // All of them for an operation that uses several, or none.
    std::vector<Queue*> all() const { return uses_several_ ? queues_ : std::vector<Queue*>{}; }

  private:
    std::vector<Queue*> queues_;
    bool uses_several_ = false;
};

// Threads and devices of the process that a forked one came from are not there. Throws Error.
void refuse_forked();

void trim_thread_queues();
void close_thread_queues();

}  // namespace tesela::python
