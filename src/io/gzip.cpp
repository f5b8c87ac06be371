#include "io/gzip.h"

#include <algorithm>

namespace tesela::io {
namespace {

constexpr std::size_t piece = 1 << 16;

}  // namespace

Inflater::Inflater(const InputFile& file, std::int64_t offset, Wrapping wrapping)
    : file_(file), offset_(offset), has_members_(wrapping == Wrapping::gzip_or_zlib), in_(piece) {
    constexpr int gzip_or_zlib = 15 + 32, none = -15;
    if (inflateInit2(&stream_, has_members_ ? gzip_or_zlib : none) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() { inflateEnd(&stream_); }

std::size_t Inflater::read(std::span<std::uint8_t> out) {
    constexpr std::size_t most = std::size_t{1} << 30;  // zlib counts with 32 bits
    if (out.size() > most) {
        const std::size_t got = read(out.first(most));
        return got < most ? got : got + read(out.subspan(most));
    }
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<uInt>(out.size());
    while (stream_.avail_out > 0 && !finished_) {
        if (stream_.avail_in == 0) refill();
        const int status = inflate(&stream_, Z_NO_FLUSH);
        if (status == Z_STREAM_END)
            end_member();
        else if (status == Z_MEM_ERROR)
            throw std::bad_alloc();
        else if (status != Z_OK && status != Z_BUF_ERROR)
            throw unreadable(file_.path(), "its compressed data are damaged");
    }
    return out.size() - stream_.avail_out;
}

std::int64_t Inflater::skip(std::int64_t most) {
    std::vector<std::uint8_t> out(4 * piece);
    std::int64_t total = 0;
    while (!finished_ && total < most)
        total += static_cast<std::int64_t>(read(std::span(out).first(static_cast<std::size_t>(
            std::min(most - total, static_cast<std::int64_t>(out.size()))))));
    return total;
}

void Inflater::refill() {
    const std::size_t got = at_end_ ? 0 : file_.read_some(offset_, in_);
    offset_ += static_cast<std::int64_t>(got);
    at_end_ = got < in_.size();
    if (got == 0)
        throw unreadable(file_.path(), "its compressed data end early: the file is truncated");
    stream_.next_in = in_.data();
    stream_.avail_in = static_cast<uInt>(got);
}

void Inflater::end_member() {
    if (stream_.avail_in == 0 && !at_end_) {
        const std::size_t got = file_.read_some(offset_, in_);
        offset_ += static_cast<std::int64_t>(got);
        at_end_ = got < in_.size();
        stream_.next_in = in_.data();
        stream_.avail_in = static_cast<uInt>(got);
    }
    constexpr std::uint8_t gzip_mark = 0x1f;
    finished_ = !has_members_ || stream_.avail_in == 0 || *stream_.next_in != gzip_mark;
    if (!finished_) inflateReset(&stream_);
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
    std::vector<std::uint8_t> out(4 * piece);
    std::string text;
    while (!inflater.finished()) {
        const std::size_t got = inflater.read(out);
        require_memory(file.path(), 0, longest, static_cast<std::int64_t>(text.size() + got));
        text.append(reinterpret_cast<const char*>(out.data()), got);
    }
    return text;
}

void gzip_file(const fs::path& from, OutputFile& to) {
    const InputFile file(from);
    std::vector<std::uint8_t> in(4 * piece), out(4 * piece);
    z_stream stream{};
    constexpr int level = 4;  // within a few percent of the best ratio at a third of its time
    constexpr int gzip_window = 15 + 16;
    if (deflateInit2(&stream, level, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, deflateEnd);
    std::int64_t offset = 0;
    int status = Z_OK;
    while (status != Z_STREAM_END) {
        if (stream.avail_in == 0 && offset < file.size()) {
            stream.next_in = in.data();
            stream.avail_in = static_cast<uInt>(file.read_some(offset, in));
            offset += stream.avail_in;
        }
        stream.next_out = out.data();
        stream.avail_out = static_cast<uInt>(out.size());
        status = deflate(&stream, offset < file.size() ? Z_NO_FLUSH : Z_FINISH);
        to.write_or_throw(out.data(), out.size() - stream.avail_out);
    }
}

}  // namespace tesela::io
