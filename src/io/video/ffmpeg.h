// What the decoder and the encoder have in common.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/video.h"
#include "io/video/table.h"

namespace tesela::io::ffmpeg {

// The libraries' functions, once their module is known to be there.
const Table& av();

struct Release {
    void operator()(AVCodecContext* p) const { av().avcodec_free_context(&p); }
    void operator()(AVFrame* p) const { av().av_frame_free(&p); }
    void operator()(AVPacket* p) const { av().av_packet_free(&p); }
    void operator()(SwsContext* p) const { av().sws_freeContext(p); }
};
template <class T>
using Owned = std::unique_ptr<T, Release>;

// Pointers that the libraries could not allocate are errors.
template <class T>
Owned<T> owned(T* pointer) {
    if (!pointer) throw std::bad_alloc();
    return Owned<T>(pointer);
}

// The text of an error number of the libraries.
std::string reason(int error);

// Nothing is printed from here on; the setting is the libraries' own and holds for the process.
void silence();

// Interleaved pixels whose rows have room behind them, as the conversions want it.
class PaddedRows {
  public:
    PaddedRows(std::int64_t row_bytes, std::int64_t rows)
        : stride_((row_bytes + padding - 1) / padding * padding + padding),
          bytes_(static_cast<std::size_t>(stride_ * (rows + 1))) {}

    std::uint8_t* row(std::int64_t y) { return bytes_.data() + y * stride_; }
    int stride() const { return static_cast<int>(stride_); }

  private:
    static constexpr std::int64_t padding = 64;
    std::int64_t stride_;
    std::vector<std::uint8_t> bytes_;
};

// Sets which YUV is converted; the RGB side is of full range.
void set_colors(SwsContext* context, AVColorSpace space, bool yuv_is_full, bool from_yuv);

}  // namespace tesela::io::ffmpeg
