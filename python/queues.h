// The queues of a thread: one for each device, made when it is first used there.
#pragma once

#include <string>
#include <vector>

#include "operations/operation.h"
#include "tesela/compute/queue.h"

namespace tesela::python {

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
