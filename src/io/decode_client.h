// Decoding in a program of its own: a decoder that crashes or hangs on a damaged file takes nobody
// along.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "io/decode_protocol.h"
#include "io/file.h"

namespace tesela::io {

// One process of tesela-decode, started by the first image and kept for the next ones. Several
// objects may work at the same time, each in a thread of its own.
class DecodeClient {
  public:
    DecodeClient() = default;
    ~DecodeClient() { stop(); }
    DecodeClient(const DecodeClient&) = delete;
    DecodeClient& operator=(const DecodeClient&) = delete;

    // The pixels of `file`, which `request` describes (its cpu_seconds and file_bytes are set
    // here). Throws UnreadableInput that names `shown` where the decoder fails, crashes, takes too
    // long or cannot be started.
    std::vector<std::uint8_t> decode(const fs::path& shown, DecodeRequest request,
                                     std::span<const std::uint8_t> file);

  private:
    void start(const fs::path& shown);
    void stop() noexcept;

    pid_t process_ = -1;
    int socket_ = -1;
};

}  // namespace tesela::io
