#include "viewer/server/label_history.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "viewer/server/gzip.h"

namespace tesela::viewer {
namespace {

constexpr std::size_t chunk_bytes = 1 << 20;
constexpr std::size_t least_packed = 1 << 10;  // below it packing gains nothing

void put(std::string& bytes, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
    bytes += static_cast<char>(number);
}

std::uint64_t take_number(const std::string& bytes, std::size_t& at) {
    std::uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes[at++]);
        number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return number;
    }
}

}  // namespace

void LabelDifference::add(std::int64_t first, std::int64_t length, std::uint32_t before,
                          std::uint32_t after) {
    points_ += length;
    if (last_.length > 0 && first == last_.first + last_.length && before == last_.before &&
        after == last_.after) {
        last_.length += length;
        return;
    }
    write(std::exchange(last_, {first, length, before, after}));
}

void LabelDifference::write(const Run& run) {
    if (run.length == 0) return;
    put(open_, static_cast<std::uint64_t>(run.first - end_));
    put(open_, static_cast<std::uint64_t>(run.length));
    put(open_, run.before);
    put(open_, run.after);
    end_ = run.first + run.length;
    if (open_.size() >= chunk_bytes) pack();
}

void LabelDifference::pack() {
    std::string packed_bytes = open_.size() < least_packed ? std::string() : packed(open_);
    const bool is_packed = !packed_bytes.empty();
    std::string& bytes = is_packed ? packed_bytes : open_;
    bytes.shrink_to_fit();
    chunks_.push_back({std::move(bytes), is_packed});
    open_.clear();
    end_ = 0;
}

void LabelDifference::close() {
    write(std::exchange(last_, {}));
    if (!open_.empty()) pack();
}

void LabelDifference::for_each(const Take& take) const {
    for (const Chunk& chunk : chunks_) {
        const std::string plain = chunk.is_packed ? unpacked(chunk.bytes) : std::string();
        const std::string& bytes = chunk.is_packed ? plain : chunk.bytes;
        std::int64_t end = 0;
        for (std::size_t at = 0; at < bytes.size();) {
            const std::int64_t first = end + static_cast<std::int64_t>(take_number(bytes, at));
            const auto length = static_cast<std::int64_t>(take_number(bytes, at));
            const auto before = static_cast<std::uint32_t>(take_number(bytes, at));
            const auto after = static_cast<std::uint32_t>(take_number(bytes, at));
            take(first, length, before, after);
            end = first + length;
        }
    }
}

std::int64_t LabelDifference::bytes() const {
    std::int64_t sum = 0;
    for (const Chunk& chunk : chunks_)
        sum += static_cast<std::int64_t>(sizeof chunk + chunk.bytes.capacity());
    return sum;
}

LabelBox LabelDifference::box(const Shape& shape) const {
    LabelBox box{.first = {shape.x, shape.y, shape.z}, .last = {-1, -1, -1}};
    std::int64_t first_t = shape.t, last_t = -1;
    const std::array lengths{shape.x, shape.y, shape.z};
    for_each([&](std::int64_t first, std::int64_t length, std::uint32_t, std::uint32_t) {
        std::int64_t from = first, to = first + length - 1;
        std::array<std::int64_t, 3> low{}, high{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[axis] = from % lengths[axis];
            high[axis] = to % lengths[axis];
            from /= lengths[axis];
            to /= lengths[axis];
        }
        first_t = std::min(first_t, from);
        last_t = std::max(last_t, to);
        // A run that goes on behind the end of a row, slice or frame has points anywhere along it.
        bool is_within = from == to;
        for (std::size_t axis = 3; axis-- > 0;) {
            box.first[axis] = std::min(box.first[axis], is_within ? low[axis] : 0);
            box.last[axis] = std::max(box.last[axis], is_within ? high[axis] : lengths[axis] - 1);
            is_within = is_within && low[axis] == high[axis];
        }
    });
    if (first_t == last_t) box.t = first_t;
    return box;
}

std::int64_t LabelStep::bytes() const {
    std::int64_t sum = static_cast<std::int64_t>(sizeof *this) + difference.bytes();
    for (const TableChange& change : table) {
        sum += static_cast<std::int64_t>(sizeof change);
        for (const auto* described : {&change.before, &change.after})
            if (*described)
                sum += static_cast<std::int64_t>((*described)->name.size() +
                                                 (*described)->segment.id.size() +
                                                 (*described)->segment.tags.size());
    }
    return sum;
}

void LabelHistory::add(LabelStep step) {
    while (steps_.size() > done_) {
        bytes_ -= steps_.back().bytes();
        steps_.pop_back();
    }
    step.id = ++last_id_;
    bytes_ += step.bytes();
    steps_.push_back(std::move(step));
    ++done_;
    while (steps_.size() > most_steps_) drop_oldest();
    shrink(most_bytes_);
}

const LabelStep* LabelHistory::to_undo() const { return done_ > 0 ? &steps_[done_ - 1] : nullptr; }
const LabelStep* LabelHistory::to_redo() const {
    return done_ < steps_.size() ? &steps_[done_] : nullptr;
}
std::uint64_t LabelHistory::state() const {
    return done_ > 0 ? steps_[done_ - 1].id : first_state_;
}

void LabelHistory::shrink(std::int64_t bytes) {
    while (bytes_ > bytes && done_ > 1) drop_oldest();
}

void LabelHistory::drop_oldest() {
    first_state_ = steps_.front().id;
    bytes_ -= steps_.front().bytes();
    steps_.pop_front();
    --done_;
}

}  // namespace tesela::viewer
