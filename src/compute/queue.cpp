#include "tesela/compute/queue.h"

#include <utility>

#include "compute/queue_core.h"
#include "tesela/compute/stop_scope.h"

namespace tesela {

QueueWork operator-(const QueueWork& after, const QueueWork& before) {
    return {after.launches - before.launches,
            after.graphs - before.graphs,
            after.tuned_primitives - before.tuned_primitives,
            after.fills - before.fills,
            after.copies - before.copies,
            after.uploads - before.uploads,
            after.downloads - before.downloads,
            after.small_transfers - before.small_transfers,
            after.bytes_uploaded - before.bytes_uploaded,
            after.bytes_downloaded - before.bytes_downloaded,
            after.allocations - before.allocations,
            after.plans - before.plans};
}

Queue::Queue(const Device& device, const QueueOptions& options)
    : core_(std::make_shared<detail::QueueCore>(device, options)) {}
Queue::~Queue() {
    if (core_) core_->close();
}
Queue::Queue(Queue&&) noexcept = default;
Queue& Queue::operator=(Queue&& other) noexcept {
    if (this != &other) {
        if (core_) core_->close();
        core_ = std::move(other.core_);
    }
    return *this;
}

const Device& Queue::device() const { return core_->device(); }

std::unique_ptr<detail::Block> Queue::allocate_block(std::int64_t bytes, std::string_view name) {
    return core_->allocate(bytes, name);
}
std::vector<std::unique_ptr<detail::Block>> Queue::allocate_parts(
    std::span<const std::int64_t> bytes, std::string_view name) {
    return core_->allocate_parts(bytes, name);
}
std::unique_ptr<detail::Block> Queue::lend_block(const void* host, std::int64_t bytes,
                                                 std::string_view name) {
    return core_->lend(host, bytes, name);
}
std::unique_ptr<detail::Block> Queue::allocate_block_for(void* host, std::int64_t bytes,
                                                         std::string_view name) {
    return core_->allocate_for(host, bytes, name);
}

std::unique_ptr<detail::Block> Queue::adopt_block(void* memory, std::int64_t bytes,
                                                  std::size_t alignment, bool is_written,
                                                  std::shared_ptr<const void> owner,
                                                  std::string_view name) {
    return core_->adopt({memory, bytes, alignment, is_written}, std::move(owner), name);
}

void Queue::copy_in(const detail::Block& target, const void* host, std::int64_t bytes) {
    core_->copy_in(target, host, bytes);
}
void Queue::copy_out(const detail::Block& source, void* host, std::int64_t bytes) {
    core_->copy_out(source, host, bytes);
}
void Queue::copy_out_together(std::span<const detail::Download> downloads) {
    core_->copy_out_together(downloads);
}
void Queue::copy_blocks(const detail::Block& source, const detail::Block& target,
                        std::int64_t bytes) {
    core_->check_owner(source);
    core_->check_owner(target);
    if (bytes == 0) return;
    ++core_->counters.copies;
    core_->backend().copy(target.pointer(), source.pointer(), bytes);
}
void Queue::fill_block(const detail::Block& target, std::int64_t bytes, const void* value,
                       std::size_t value_bytes) {
    core_->check_owner(target);
    if (bytes == 0) return;
    ++core_->counters.fills;
    core_->backend().fill(target.pointer(), bytes, value, value_bytes);
}

void Queue::check_fits(const detail::Block& block, std::int64_t buffer_bytes,
                       std::int64_t host_bytes) {
    if (host_bytes > buffer_bytes)
        throw InvalidArgument("buffer '" + block.name() + "' has " + std::to_string(buffer_bytes) +
                              " bytes; " + std::to_string(host_bytes) + " were to be copied");
}

void Queue::launch_code(const detail::KernelCode& code, const Size& size,
                        std::span<const detail::Argument> arguments, detail::LaunchTime time) {
    core_->launch(code, size, arguments, time);
}

void Queue::read_block_while(const detail::Block& source, void* host, std::int64_t bytes,
                             const std::function<void()>& enqueue) {
    core_->read_while(source, host, bytes, enqueue);
}
void Queue::sequence(const std::function<void()>& enqueue) { core_->sequence(enqueue); }
void Queue::stop_on(const CancelToken* token) { core_->stop_on(token); }
StopScope::StopScope(Queue& queue, const CancelToken* token)
    : queue_(queue), before_(queue.core().stops_on()) {
    queue.stop_on(token);
}
StopScope::~StopScope() { queue_.stop_on(before_); }
void Queue::finish() { core_->finish(); }
Event Queue::record() { return core_->record(); }
void Queue::wait(const Event& event) { core_->wait(event); }
Event Queue::record_foreign(void* stream) { return core_->record_foreign(stream); }
void Queue::make_foreign_wait(void* stream, const Event& event) {
    core_->make_foreign_wait(stream, event);
}
void* Queue::native_stream() const { return core_->backend().native_stream(); }
void* Queue::native_context() const { return core_->backend().native_context(); }
QueueCounters Queue::counters() const {
    core_->take_back_blocks();
    return core_->counters;
}
std::vector<KernelTime> Queue::profile() { return core_->profile(); }
void Queue::trim() { core_->trim(); }

}  // namespace tesela
