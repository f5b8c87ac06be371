#include "io/gzip.h"

#include <algorithm>

namespace tesela::io {
namespace {

constexpr std::size_t piece = 1 << 18;
constexpr std::uint8_t gzip_mark = 0x1f;

}  // namespace

Inflater::Inflater(const InputFile& file, std::int64_t offset, Wrapping wrapping)
    : file_(file),
      offset_(offset),
      has_members_(wrapping == Wrapping::gzip_or_zlib),
      in_(piece),
      state_(std::make_unique_for_overwrite<inflate_state>()) {
    std::uint8_t first = 0;
    file_.read_some(offset_, {&first, 1});
    begin_member(!has_members_ ? ISAL_DEFLATE : first == gzip_mark ? ISAL_GZIP : ISAL_ZLIB);
}

void Inflater::begin_member(std::uint32_t wrapping) {
    isal_inflate_init(state_.get());
    state_->crc_flag = wrapping;
    state_->avail_in = 0;
}

std::size_t Inflater::read(std::span<std::uint8_t> out) {
    constexpr std::size_t most = std::size_t{1} << 30;  // ISA-L counts with 32 bits
    if (out.size() > most) {
        const std::size_t got = read(out.first(most));
        return got < most ? got : got + read(out.subspan(most));
    }
    state_->next_out = out.data();
    state_->avail_out = static_cast<std::uint32_t>(out.size());
    while (state_->avail_out > 0 && !finished_) {
        if (isal_inflate(state_.get()) != ISAL_DECOMP_OK)
            throw unreadable(file_.path(), "its compressed data are damaged");
        // What it took of the file may give more than there was room for.
        if (state_->block_state == ISAL_BLOCK_FINISH)
            end_member();
        else if (state_->avail_out > 0 && state_->avail_in == 0)
            refill();
    }
    return out.size() - state_->avail_out;
}

std::int64_t Inflater::skip(std::int64_t most) {
    std::vector<std::uint8_t> out(piece);
    std::int64_t total = 0;
    while (!finished_ && total < most)
        total += static_cast<std::int64_t>(read(std::span(out).first(static_cast<std::size_t>(
            std::min(most - total, static_cast<std::int64_t>(out.size()))))));
    return total;
}

void Inflater::refill() {
    got_ = file_.read_some(offset_, in_);
    offset_ += static_cast<std::int64_t>(got_);
    if (got_ == 0)
        throw unreadable(file_.path(), "its compressed data end early: the file is truncated");
    state_->next_in = in_.data();
    state_->avail_in = static_cast<std::uint32_t>(got_);
}

void Inflater::end_member() {
    // ISA-L takes whole words ahead of what it decodes.
    const std::size_t ahead =
        state_->avail_in + static_cast<std::size_t>(state_->read_in_length) / 8;
    offset_ -= static_cast<std::int64_t>(ahead);
    std::uint8_t next = 0;
    finished_ = !has_members_ || file_.read_some(offset_, {&next, 1}) == 0 || next != gzip_mark;
    if (finished_) return;
    std::uint8_t* const to = state_->next_out;
    const std::uint32_t room = state_->avail_out;
    begin_member(ISAL_GZIP);
    state_->next_out = to;
    state_->avail_out = room;
    // Many short members do not read the file again and again. A head that is cut is not resumed.
    constexpr std::size_t longest_head = piece / 2;
    if (ahead > got_ || ahead < longest_head) return;
    state_->next_in = in_.data() + (got_ - ahead);
    state_->avail_in = static_cast<std::uint32_t>(ahead);
    offset_ += static_cast<std::int64_t>(ahead);
}

std::vector<std::uint8_t> inflate_head(const InputFile& file, std::int64_t offset,
                                       std::size_t longest) {
    std::vector<std::uint8_t> head(longest);
    head.resize(Inflater(file, offset).read(head));
    return head;
}

std::string inflate_all(const InputFile& file, std::int64_t offset, std::int64_t longest,
                        Wrapping wrapping) {
    Inflater inflater(file, offset, wrapping);
    std::vector<std::uint8_t> out(piece);
    std::string text;
    while (!inflater.finished()) {
        const std::size_t got = inflater.read(out);
        require_memory(file.path(), 0, longest, static_cast<std::int64_t>(text.size() + got));
        text.append(reinterpret_cast<const char*>(out.data()), got);
    }
    return text;
}

}  // namespace tesela::io
