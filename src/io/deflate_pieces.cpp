#include "io/deflate_pieces.h"

#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>

namespace tesela::io {
namespace {

// Also of what does not shrink, and with a flush.
std::size_t most_packed(std::size_t bytes) { return bytes + bytes / 8 + 1024; }

int strategy_of(Matching matching) {
    return matching == Matching::usual      ? Z_DEFAULT_STRATEGY
           : matching == Matching::filtered ? Z_FILTERED
                                            : Z_RLE;
}

}  // namespace

std::vector<std::uint8_t> deflate_fast(std::span<const std::uint8_t> bytes, bool last) {
    const auto stream = std::make_unique_for_overwrite<isal_zstream>();
    std::vector<std::uint8_t> buffer(ISAL_DEF_LVL2_DEFAULT), out(most_packed(bytes.size()));
    isal_deflate_init(stream.get());
    stream->level = 2;
    stream->level_buf = buffer.data();
    stream->level_buf_size = static_cast<std::uint32_t>(buffer.size());
    stream->flush = FULL_FLUSH;
    stream->end_of_stream = last;
    stream->next_in = const_cast<std::uint8_t*>(bytes.data());
    stream->avail_in = static_cast<std::uint32_t>(bytes.size());
    stream->next_out = out.data();
    stream->avail_out = static_cast<std::uint32_t>(out.size());
    if (isal_deflate(stream.get()) != COMP_OK || stream->avail_in > 0 || stream->avail_out == 0)
        throw std::logic_error("ISA-L did not pack a piece");
    out.resize(stream->total_out);
    return out;
}

std::vector<std::uint8_t> deflate_small(std::span<const std::uint8_t> bytes, bool last, int level,
                                        Matching matching, std::span<const std::uint8_t> before) {
    z_stream stream{};
    constexpr int no_wrapping = -15, memory = 8;
    if (deflateInit2(&stream, level, Z_DEFLATED, no_wrapping, memory, strategy_of(matching)) !=
        Z_OK)
        throw std::bad_alloc();
    const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, deflateEnd);
    if (!before.empty())
        deflateSetDictionary(&stream, before.data(), static_cast<uInt>(before.size()));
    std::vector<std::uint8_t> out(most_packed(bytes.size()));
    stream.next_in = const_cast<Bytef*>(bytes.data());
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
    const int status = deflate(&stream, last ? Z_FINISH : Z_FULL_FLUSH);
    if (status != (last ? Z_STREAM_END : Z_OK) || stream.avail_out == 0)
        throw std::logic_error("zlib did not pack a piece");
    out.resize(stream.total_out);
    return out;
}

}  // namespace tesela::io
