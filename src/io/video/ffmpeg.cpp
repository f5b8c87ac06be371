#include "io/video/ffmpeg.h"

#include <array>

namespace tesela::io {

bool has_video_codecs() { return module_of<ffmpeg::Table>().table != nullptr; }

namespace ffmpeg {

const Table& av() { return *reinterpret_cast<const Table*>(module_of<Table>().table); }

std::string reason(int error) {
    std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
    av().av_strerror(error, text.data(), text.size());
    return printable(text.data());
}

void silence() {
    static const bool done = [] {
        av().av_log_set_level(AV_LOG_QUIET);
        return true;
    }();
    static_cast<void>(done);
}

void set_colors(SwsContext* context, AVColorSpace space, bool yuv_is_full, bool from_yuv) {
    const int* coefficients = av().sws_getCoefficients(space);
    constexpr int neutral = 1 << 16;
    av().sws_setColorspaceDetails(context, coefficients, from_yuv ? yuv_is_full : 1, coefficients,
                                  from_yuv ? 1 : yuv_is_full, 0, neutral, neutral);
}

}  // namespace ffmpeg
}  // namespace tesela::io
