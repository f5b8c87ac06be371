#include "compute/queue_core.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "compute/fft_plan.h"
#include "tesela/progress.h"

namespace tesela::detail {

namespace {

// No memory is larger, and a sum of a few sizes does not overflow.
constexpr std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max() / 4;

}  // namespace

std::int64_t pooled_size(std::int64_t bytes) {
    // A memory checker sees an overrun only behind the end of the driver's block.
    static const bool exact = std::getenv("TESELA_EXACT_MEMORY") != nullptr;
    if (exact) return std::max<std::int64_t>(bytes, 1);
    constexpr std::int64_t smallest = 256;
    if (bytes <= smallest) return smallest;
    const auto doubling =
        static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(bytes - 1)));
    const std::int64_t step = std::max<std::int64_t>(doubling / 16, smallest);
    return (bytes + step - 1) / step * step;
}

void scatter(std::span<const HostPiece> pieces, std::int64_t first, std::int64_t bytes,
             const void* staged) {
    for (const HostPiece& piece : pieces) {
        const std::int64_t begin = std::max(first, piece.offset);
        const std::int64_t end = std::min(first + bytes, piece.offset + piece.bytes);
        if (begin < end)
            std::memcpy(static_cast<char*>(piece.host) + (begin - piece.offset),
                        static_cast<const char*>(staged) + (begin - first),
                        static_cast<std::size_t>(end - begin));
    }
}

Block::~Block() {
    if (whole_) queue_->release_part(pointer_);
    if (pooled_) queue_->give_back(pointer_, pooled_size(bytes_));
    if (!adopted_.empty()) queue_->give_back(adopted_);
}

QueueCore::QueueCore(const Device& device, const QueueOptions& options)
    : device_(device),
      options_(options),
      backend_(device.backend().make_queue(options)),
      fft_plans_(std::make_unique<FftPlans>()) {}

QueueCore::~QueueCore() {
    end_backend_work();
    fft_plans_->clear();
    backend_->drop_fft_plans();
    take_back_blocks();
    free_pool();
}

void QueueCore::end_backend_work() noexcept {
    try {
        backend_->finish();
    } catch (const std::exception&) {
        // Nobody is left to tell, and memory has to go all the same.
    }
}

void QueueCore::close() noexcept {
    end_backend_work();
    std::list<AdoptedMemory> adopted;
    {
        const std::lock_guard lock(given_back_mutex_);
        is_closed_ = true;
        adopted.splice(adopted.end(), adopted_given_back_);
    }
    let_go(adopted_);
    let_go(adopted);
}

std::unique_ptr<Block> QueueCore::allocate(std::int64_t bytes, std::string_view name) {
    return allocate_for_owner(shared_from_this(), bytes, name, Source::pool);
}
std::unique_ptr<Block> QueueCore::allocate_kept(std::int64_t bytes, std::string_view name) {
    return allocate_for_owner(std::shared_ptr<QueueCore>(std::shared_ptr<QueueCore>(), this), bytes,
                              name, Source::driver);
}

std::unique_ptr<Block> QueueCore::allocate_for_owner(std::shared_ptr<QueueCore> owner,
                                                     std::int64_t bytes, std::string_view name,
                                                     Source source) {
    if (bytes > most_bytes)
        throw InvalidArgument("buffer '" + std::string(name) + "' cannot have " +
                              std::to_string(bytes) + " bytes");
    take_back();
    const std::int64_t size = pooled_size(bytes);
    void* pointer = nullptr;
    if (const auto found = pool_.find(size); source == Source::pool && found != pool_.end()) {
        pointer = found->second;
        pool_.erase(found);
    } else {
        pointer = allocate_from_driver(size, name);
    }
    counters.bytes_in_use += size;
    counters.peak_bytes_in_use = std::max(counters.peak_bytes_in_use, counters.bytes_in_use);
    return std::make_unique<Block>(std::move(owner), pointer, bytes, std::string(name), true);
}

std::vector<std::unique_ptr<Block>> QueueCore::allocate_parts(std::span<const std::int64_t> bytes,
                                                              std::string_view name) {
    constexpr std::int64_t alignment = 4096;  // drivers ask for 512 bytes at most
    const auto at_least_one = [](std::int64_t part) { return std::max<std::int64_t>(part, 1); };
    std::int64_t total = 0;
    std::vector<std::int64_t> offsets;
    for (const std::int64_t part : bytes) {
        offsets.push_back(total);
        if (part > most_bytes - total)
            throw InvalidArgument("the buffers '" + std::string(name) +
                                  "' are together larger than any memory");
        total += (at_least_one(part) + alignment - 1) / alignment * alignment;
    }
    const std::shared_ptr<const Block> whole = allocate(total, name);
    std::vector<std::unique_ptr<Block>> parts;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        void* pointer = backend_->part(whole->pointer(), offsets[i], at_least_one(bytes[i]));
        parts.push_back(std::make_unique<Block>(shared_from_this(), whole, pointer, offsets[i],
                                                bytes[i], std::string(name)));
    }
    return parts;
}

void* QueueCore::allocate_from_driver(std::int64_t bytes, std::string_view name) {
    const auto attempt = [&]() -> void* {
        if (options_.max_memory > 0 && counters.bytes_allocated + bytes > options_.max_memory)
            return nullptr;
        if (options_.allow_allocation && !options_.allow_allocation(bytes)) return nullptr;
        return backend_->allocate(bytes);
    };
    void* pointer = attempt();
    if (!pointer && !pool_.empty()) {
        // Blocks in the pool may be in use by what is captured, which runs before they are freed.
        if (is_captured_) launch_captured();
        free_pool();
        if (in_sequence_) is_captured_ = backend_->begin_sequence();
        pointer = attempt();
    }
    if (!pointer) throw_out_of_memory(bytes, name);
    ++counters.allocations;
    counters.bytes_allocated += bytes;
    return pointer;
}

void QueueCore::throw_out_of_memory(std::int64_t bytes, std::string_view name) const {
    std::int64_t free = device_.free_memory();
    std::string limit;
    if (options_.max_memory > 0) {
        const std::int64_t allowed = options_.max_memory - counters.bytes_allocated;
        if (free < 0 || allowed < free) {
            free = std::max<std::int64_t>(allowed, 0);
            limit = " under the limit of " + std::to_string(options_.max_memory) + " bytes";
        }
    }
    std::string sentence = device_.id() + " (" + device_.properties().name +
                           ") has no room for buffer '" + std::string(name) + "': it needs " +
                           std::to_string(bytes) + " bytes";
    if (free >= bytes)  // such as with ulimit -v, or where memory is in pieces
        sentence += ", which the system refused";
    else if (free >= 0)
        sentence += ", " + std::to_string(free) + " are free" + limit;
    sentence += "; use a smaller image or another device";
    throw OutOfMemory(sentence, bytes, free);
}

std::unique_ptr<Block> QueueCore::lend(const void* host, std::int64_t bytes,
                                       std::string_view name) {
    if (backend_->shares_host_memory()) {
        // Only kernels' read-only parameters take the buffer that is made of this.
        return std::make_unique<Block>(shared_from_this(), const_cast<void*>(host), bytes,
                                       std::string(name), false);
    }
    auto block = allocate(bytes, name);
    copy_in(*block, host, bytes);
    return block;
}

std::unique_ptr<Block> QueueCore::allocate_for(void* host, std::int64_t bytes,
                                               std::string_view name) {
    if (!backend_->shares_host_memory()) return allocate(bytes, name);
    return std::make_unique<Block>(shared_from_this(), host, bytes, std::string(name), false);
}

std::unique_ptr<Block> QueueCore::adopt(const ForeignMemory& memory,
                                        std::shared_ptr<const void> owner, std::string_view name) {
    take_back();
    const bool is_empty = memory.bytes == 0;
    if (!is_empty) {
        const std::string refusal = memory.pointer ? backend_->adopt(memory) : "is a null pointer";
        if (!refusal.empty())
            throw InvalidArgument("the memory for buffer '" + std::string(name) + "' " + refusal);
    }
    return std::make_unique<Block>(shared_from_this(), is_empty ? nullptr : memory.pointer,
                                   memory.bytes, std::string(name), std::move(owner));
}

void QueueCore::give_back(void* pointer, std::int64_t bytes) noexcept {
    const std::lock_guard lock(given_back_mutex_);
    try {
        given_back_.emplace_back(bytes, pointer);
    } catch (const std::bad_alloc&) {
        backend_->release(pointer);
    }
}

void QueueCore::give_back(std::list<AdoptedMemory>& adopted) noexcept {
    {
        const std::lock_guard lock(given_back_mutex_);
        if (!is_closed_) {
            adopted_given_back_.splice(adopted_given_back_.end(), adopted);
            return;
        }
    }
    let_go(adopted);
}

void QueueCore::take_back_blocks() noexcept {
    std::vector<std::pair<std::int64_t, void*>> blocks;
    {
        const std::lock_guard lock(given_back_mutex_);
        blocks.swap(given_back_);
    }
    for (const auto& [bytes, pointer] : blocks) {
        counters.bytes_in_use -= bytes;
        try {
            pool_.emplace(bytes, pointer);
        } catch (const std::bad_alloc&) {
            counters.bytes_allocated -= bytes;
            backend_->release(pointer);
        }
    }
}

void QueueCore::take_back() {
    take_back_blocks();
    // A sequence has no place for an event, and owners may wait until no graph is recorded.
    if (in_sequence_) return;
    const auto has_adopted = [this] {
        const std::lock_guard lock(given_back_mutex_);
        return !adopted_given_back_.empty();
    };
    if (has_adopted()) {
        // Only this thread gives work: what a block that ends meanwhile was used for comes before.
        const Event after(backend_->record());
        std::list<AdoptedMemory> adopted;
        {
            const std::lock_guard lock(given_back_mutex_);
            adopted.swap(adopted_given_back_);
        }
        for (AdoptedMemory& one : adopted) one.after = after;
        adopted_.splice(adopted_.end(), adopted);
    }
    release_adopted();
}

void QueueCore::release_adopted() {
    constexpr std::size_t most_waiting = 1024;  // a caller far ahead of the device waits for it
    if (adopted_.size() > most_waiting) adopted_.front().after.wait();
    std::list<AdoptedMemory> ended;
    auto last = adopted_.begin();
    while (last != adopted_.end() && last->after.has_passed()) ++last;
    ended.splice(ended.end(), adopted_, adopted_.begin(), last);
    let_go(ended);
}

// Owners may call this queue again: nothing is locked, and the list is the caller's.
void QueueCore::let_go(std::list<AdoptedMemory>& adopted) noexcept {
    while (!adopted.empty()) {
        std::list<AdoptedMemory> one;
        one.splice(one.end(), adopted, adopted.begin());
        if (one.front().pointer) backend_->release_adopted(one.front().pointer);
    }
}

void QueueCore::trim() {
    refuse_while_enqueuing("trimming");
    fft_plans_->clear();
    backend_->drop_fft_plans();
    take_back();
    free_pool();
}

void QueueCore::free_pool() noexcept {
    for (const auto& [bytes, pointer] : pool_) {
        backend_->release(pointer);
        counters.bytes_allocated -= bytes;
    }
    pool_.clear();
}

void QueueCore::refuse_while_enqueuing(const char* what) const {
    if (in_sequence_ || in_read_)
        throw InvalidArgument(std::string("a ") + (in_sequence_ ? "sequence" : "read_while") +
                              " only enqueues: it has no place for " + what);
}

void QueueCore::count_transfer(std::int64_t bytes, std::int64_t& bulk, std::int64_t& total) {
    ++(bytes <= most_read_while ? counters.small_transfers : bulk);
    total += bytes;
}

void QueueCore::copy_in(const Block& target, const void* host, std::int64_t bytes) {
    check_owner(target);
    refuse_while_enqueuing("a transfer");
    if (bytes == 0) return;
    count_transfer(bytes, counters.uploads, counters.bytes_uploaded);
    backend_->copy_in(target.pointer(), host, bytes);
}

void QueueCore::copy_out(const Block& source, void* host, std::int64_t bytes) {
    check_owner(source);
    refuse_while_enqueuing("a transfer");
    if (bytes == 0 || source.pointer() == host) return;
    count_transfer(bytes, counters.downloads, counters.bytes_downloaded);
    const HostPiece piece{host, 0, bytes};
    backend_->copy_out(source.pointer(), {&piece, 1});
}

void QueueCore::copy_out_together(std::span<const Download> downloads) {
    refuse_while_enqueuing("a transfer");
    std::vector<HostPiece> pieces;
    const Block* whole = nullptr;
    for (const Download& download : downloads) {
        const Block& source = *download.source;
        check_owner(source);
        if (download.bytes == 0) continue;
        const bool follows =
            source.whole() &&
            (pieces.empty() || (source.whole() == whole && source.offset() >= end_of(pieces)));
        if (!follows) {
            for (const Download& one : downloads) copy_out(*one.source, one.host, one.bytes);
            return;
        }
        whole = source.whole();
        pieces.push_back({download.host, source.offset(), download.bytes});
    }
    if (pieces.empty()) return;
    count_transfer(end_of(pieces) - begin_of(pieces), counters.downloads,
                   counters.bytes_downloaded);
    backend_->copy_out(whole->pointer(), pieces);
}

void QueueCore::check_owner(const Block& block) const {
    if (block.queue() != this)
        throw InvalidArgument("buffer '" + block.name() + "' belongs to another queue");
}

void QueueCore::launch(const KernelCode& code, const std::array<std::int64_t, 3>& size,
                       std::span<const Argument> arguments, LaunchTime time) {
    for (const Argument& argument : arguments) {
        if (!argument.block && argument.value) continue;  // a scalar
        if (!argument.block)
            throw InvalidArgument(std::string("kernel ") + code.name +
                                  " was given an empty buffer");
        check_owner(*argument.block);
        if (!argument.written) continue;
        for (const Argument& other : arguments)
            if (&other != &argument && other.block == argument.block)
                throw InvalidArgument(std::string("kernel ") + code.name + " would write buffer '" +
                                      argument.block->name() +
                                      "' that it also gets as another argument");
    }
    for (const std::int64_t axis : size) {
        if (axis == 0) return;
        if (axis < 0 || axis > std::numeric_limits<std::int32_t>::max())
            throw InvalidArgument(std::string("kernel ") + code.name + " cannot cover " +
                                  std::to_string(axis) + " items along one axis");
    }
    ++counters.launches;
    if (time == LaunchTime::early)
        backend_->launch_early(code, size, arguments);
    else
        backend_->launch(code, size, arguments);
    // Behind it: what a launch left undone is not to be read.
    if (stop_ && stop_->cancelled()) throw Cancelled("stopped on request");
}

void QueueCore::stop_on(const CancelToken* token) {
    stop_ = token;
    backend_->stop_on(token);
}

void QueueCore::sequence(const std::function<void()>& enqueue) {
    if (in_sequence_) return enqueue();
    const QueueCounters before = counters;
    is_captured_ = backend_->begin_sequence();
    in_sequence_ = true;
    try {
        enqueue();
    } catch (...) {
        in_sequence_ = false;
        if (std::exchange(is_captured_, false)) backend_->drop_sequence();
        throw;
    }
    in_sequence_ = false;
    if (!is_captured_) return;
    launch_captured();
    counters.launches = before.launches;
    counters.tuned_primitives = before.tuned_primitives;
    counters.fills = before.fills;
    counters.copies = before.copies;
}

void QueueCore::launch_captured() {
    is_captured_ = false;
    backend_->end_sequence();
    ++counters.graphs;
}

Event QueueCore::record() {
    refuse_while_enqueuing("an event");
    take_back();
    return Event(backend_->record());
}

void QueueCore::wait(const Event& event) {
    refuse_while_enqueuing("an event");
    if (event.backend() && !backend_->wait(*event.backend())) event.wait();
}

Event QueueCore::record_foreign(void* stream) {
    refuse_while_enqueuing("an event");
    return Event(backend_->record_foreign(stream));
}

void QueueCore::make_foreign_wait(void* stream, const Event& event) {
    refuse_while_enqueuing("an event");
    if (event.backend() && !backend_->make_foreign_wait(stream, *event.backend())) event.wait();
}

void QueueCore::finish() {
    refuse_while_enqueuing("waiting");
    backend_->finish();
    take_back();
    if (!adopted_.empty()) adopted_.back().after.wait();  // the event just recorded
    release_adopted();
}

void QueueCore::read_while(const Block& source, void* host, std::int64_t bytes,
                           const std::function<void()>& enqueue) {
    check_owner(source);
    refuse_while_enqueuing("a transfer");
    if (bytes > most_read_while)
        throw InvalidArgument("buffer '" + source.name() + "': at most " +
                              std::to_string(most_read_while) + " bytes are read by the way, not " +
                              std::to_string(bytes));
    const bool is_begun = bytes > 0 && backend_->begin_read(source.pointer(), bytes);
    if (is_begun)
        count_transfer(bytes, counters.downloads, counters.bytes_downloaded);
    else
        copy_out(source, host, bytes);
    in_read_ = true;
    try {
        enqueue();
    } catch (...) {
        in_read_ = false;
        throw;
    }
    in_read_ = false;
    if (is_begun) backend_->end_read(host, bytes);
}

void QueueCore::collect_times() {
    for (const auto& [name, milliseconds] : backend_->take_times()) {
        KernelTime& time = times_[name];
        time.lowest_ms = time.launches ? std::min(time.lowest_ms, milliseconds) : milliseconds;
        time.highest_ms = std::max(time.highest_ms, milliseconds);
        time.total_ms += milliseconds;
        ++time.launches;
    }
}

std::vector<KernelTime> QueueCore::profile() {
    finish();
    collect_times();
    std::vector<KernelTime> sorted;
    for (auto& [name, time] : times_) {
        sorted.push_back(time);
        sorted.back().name = name;
    }
    std::sort(sorted.begin(), sorted.end(), [](const KernelTime& a, const KernelTime& b) {
        return a.total_ms != b.total_ms ? a.total_ms > b.total_ms : a.name < b.name;
    });
    return sorted;
}

}  // namespace tesela::detail
