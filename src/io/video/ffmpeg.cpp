#include "io/video/ffmpeg.h"

#include <array>

namespace tesela::io {

bool has_video_codecs() { return true; }

namespace ffmpeg {

std::string reason(int error) {
    std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
    av_strerror(error, text.data(), text.size());
    return printable(text.data());
}

void silence() {
    static const bool done = [] {
        av_log_set_level(AV_LOG_QUIET);
        return true;
    }();
    static_cast<void>(done);
}

void set_colors(SwsContext* context, AVColorSpace space, bool yuv_is_full, bool from_yuv) {
    const int* coefficients = sws_getCoefficients(space);
    constexpr int neutral = 1 << 16;
    sws_setColorspaceDetails(context, coefficients, from_yuv ? yuv_is_full : 1, coefficients,
                             from_yuv ? 1 : yuv_is_full, 0, neutral, neutral);
}

}  // namespace ffmpeg
}  // namespace tesela::io
