#include "viewer/server/gzip.h"

#include <isa-l/igzip_lib.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tesela::viewer {
namespace {

// Into at most `most` bytes; empty where it takes more.
std::string packed_into(std::string_view bytes, std::size_t most) {
    const auto stream = std::make_unique_for_overwrite<isal_zstream>();
    std::vector<std::uint8_t> buffer(ISAL_DEF_LVL1_DEFAULT);
    std::string out(most, '\0');
    isal_deflate_init(stream.get());
    stream->level = 1;
    stream->level_buf = buffer.data();
    stream->level_buf_size = static_cast<std::uint32_t>(buffer.size());
    stream->gzip_flag = IGZIP_GZIP;
    stream->end_of_stream = 1;
    stream->next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(bytes.data()));
    stream->avail_in = static_cast<std::uint32_t>(bytes.size());
    stream->next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream->avail_out = static_cast<std::uint32_t>(out.size());
    if (isal_deflate(stream.get()) != COMP_OK ||
        stream->internal_state.state != isal_zstate_state::ZSTATE_END)
        return {};
    out.resize(stream->total_out);
    return out;
}

constexpr std::size_t little_shorter(std::size_t bytes) { return bytes - bytes / 8; }

}  // namespace

std::string packed(std::string_view bytes) {
    constexpr std::size_t shortest = 512, sample = std::size_t{1} << 16;
    if (bytes.size() < shortest) return {};
    // Noise is told by a part from the middle.
    if (bytes.size() > 4 * sample &&
        packed_into(bytes.substr(bytes.size() / 2, sample), little_shorter(sample)).empty())
        return {};
    return packed_into(bytes, little_shorter(bytes.size()));
}

void pack(Response& response, bool accepts_gzip) {
    if (!accepts_gzip) return;
    std::string shorter = packed(response.body);
    if (shorter.empty()) return;
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = std::move(shorter);
}

std::string unpacked(std::string_view gzip) {
    inflate_state state;
    isal_inflate_init(&state);
    state.crc_flag = ISAL_GZIP;
    state.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(gzip.data()));
    state.avail_in = static_cast<std::uint32_t>(gzip.size());
    std::string out;
    std::vector<std::uint8_t> part(std::size_t{1} << 16);
    while (state.block_state != ISAL_BLOCK_FINISH) {
        state.next_out = part.data();
        state.avail_out = static_cast<std::uint32_t>(part.size());
        const std::uint32_t left = state.avail_in;
        if (isal_inflate(&state) != ISAL_DECOMP_OK)
            throw std::logic_error("a file of the page is no gzip file");
        const std::size_t made = part.size() - state.avail_out;
        if (made == 0 && left == state.avail_in && state.block_state != ISAL_BLOCK_FINISH)
            throw std::logic_error("a file of the page ends too early");
        out.append(reinterpret_cast<const char*>(part.data()), made);
    }
    return out;
}

}  // namespace tesela::viewer
