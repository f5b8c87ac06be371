#include "viewer/server/events.h"

#include <utility>

#include "viewer/server/message.h"

namespace tesela::viewer {

void EventStream::put(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (is_lost_) return;
    is_lost_ = unread_.size() + text.size() > most_unread;
    unread_ += is_lost_ ? std::string() : text;
    if (wake_) wake_();
}

std::string EventStream::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(unread_, {});
}

bool EventStream::is_lost() const {
    const std::lock_guard lock(mutex_);
    return is_lost_;
}

void EventStream::on_text(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
}

std::string Events::text(std::string_view name, const Json& data) {
    return "event: " + std::string(name) + "\ndata: " + text_of(data) + "\n\n";
}

void Events::drop_closed() {
    std::erase_if(streams_, [](const auto& stream) { return stream.expired(); });
    if (!streams_.empty()) heard_ = Clock::now();
}

std::chrono::milliseconds Events::unheard() {
    const std::lock_guard lock(mutex_);
    drop_closed();
    return heard_ ? std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - *heard_)
                  : std::chrono::milliseconds(0);
}

void Events::publish(std::string_view name, const Json& data) {
    const std::string told = text(name, data);
    const std::lock_guard lock(mutex_);
    drop_closed();
    for (const auto& weak : streams_)
        if (const auto stream = weak.lock()) stream->put(told);
}

void Events::close() {
    const std::lock_guard lock(mutex_);
    for (const auto& weak : streams_)
        if (const auto stream = weak.lock()) stream->on_text({});
    streams_.clear();
}

std::shared_ptr<EventStream> Events::open(const std::string& first) {
    const std::lock_guard lock(mutex_);
    drop_closed();
    if (streams_.size() >= most_streams)
        throw Refused(503, "too many pages listen to this viewer: close some");
    auto stream = std::make_shared<EventStream>();
    stream->put(first);
    streams_.push_back(stream);
    heard_ = Clock::now();
    return stream;
}

}  // namespace tesela::viewer
