// A token that cancels the work of a queue for a while.
#pragma once

#include "tesela/compute/queue.h"

namespace tesela {

// As long as it is there, work of the queue stops on the token (Queue::stop_on); behind it on what
// it stopped on before. The queue outlives it.
class StopScope {
  public:
    StopScope(Queue& queue, const CancelToken* token);
    ~StopScope();
    StopScope(const StopScope&) = delete;
    StopScope& operator=(const StopScope&) = delete;

  private:
    Queue& queue_;
    const CancelToken* before_;
};

}  // namespace tesela
