// Points in the work of devices, by which queues and streams of others follow one another.
#pragma once

#include <memory>
#include <utility>

namespace tesela {

namespace detail {

// What a back end keeps of a point in its work.
class BackendEvent {
  public:
    virtual ~BackendEvent() = default;
    virtual bool has_passed() const = 0;
    virtual void wait() const = 0;     // of the host; throws DeviceUnavailable
    virtual void* native() const = 0;  // a cudaEvent_t or a cl_event
};

}  // namespace detail

// A point in the work of a queue, or of a stream that is not Tesela's: it has passed once all work
// submitted before it is done. Copies are the same point. May be used and dropped in any thread.
class Event {
  public:
    // A point that has passed.
    Event() = default;
    explicit Event(std::shared_ptr<const detail::BackendEvent> event) : event_(std::move(event)) {}

    bool has_passed() const { return !event_ || event_->has_passed(); }
    // Returns when the point has passed. Throws DeviceUnavailable for what went wrong before it.
    void wait() const {
        if (event_) event_->wait();
    }
    // The cudaEvent_t or cl_event, which stays as long as this; null of a CPU.
    void* native() const { return event_ ? event_->native() : nullptr; }
    const detail::BackendEvent* backend() const { return event_.get(); }

  private:
    std::shared_ptr<const detail::BackendEvent> event_;
};

}  // namespace tesela
