// What the module of FFmpeg's libraries gives: their own functions.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/parseutils.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include "io/module.h"

namespace tesela::io::ffmpeg {

#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
    #define TESELA_FFMPEG_SIDE_DATA(F) F(av_packet_side_data_get)
#else
    #define TESELA_FFMPEG_SIDE_DATA(F) F(av_stream_get_side_data)
#endif

#define TESELA_FFMPEG_FUNCTIONS(F)     \
    F(av_dict_free)                    \
    F(av_dict_get)                     \
    F(av_dict_set)                     \
    F(av_find_best_stream)             \
    F(av_frame_alloc)                  \
    F(av_frame_free)                   \
    F(av_frame_get_buffer)             \
    F(av_frame_make_writable)          \
    F(av_frame_unref)                  \
    F(av_guess_frame_rate)             \
    F(av_interleaved_write_frame)      \
    F(av_log_set_level)                \
    F(av_packet_alloc)                 \
    F(av_packet_free)                  \
    F(av_packet_rescale_ts)            \
    F(av_packet_unref)                 \
    F(av_parse_time)                   \
    F(av_pix_fmt_desc_get)             \
    F(av_read_frame)                   \
    F(av_reduce)                       \
    F(av_strerror)                     \
    F(av_write_trailer)                \
    F(avcodec_alloc_context3)          \
    F(avcodec_find_encoder)            \
    F(avcodec_find_encoder_by_name)    \
    F(avcodec_free_context)            \
    F(avcodec_get_name)                \
    F(avcodec_open2)                   \
    F(avcodec_parameters_from_context) \
    F(avcodec_parameters_to_context)   \
    F(avcodec_receive_frame)           \
    F(avcodec_receive_packet)          \
    F(avcodec_send_frame)              \
    F(avcodec_send_packet)             \
    F(avformat_alloc_output_context2)  \
    F(avformat_close_input)            \
    F(avformat_find_stream_info)       \
    F(avformat_free_context)           \
    F(avformat_new_stream)             \
    F(avformat_open_input)             \
    F(avformat_write_header)           \
    F(avio_closep)                     \
    F(avio_open)                       \
    F(sws_freeContext)                 \
    F(sws_getCachedContext)            \
    F(sws_getCoefficients)             \
    F(sws_getContext)                  \
    F(sws_scale)                       \
    F(sws_setColorspaceDetails)        \
    TESELA_FFMPEG_SIDE_DATA(F)

struct Table {
    // The libraries' structures are those of one major version.
    static constexpr ModuleKind kind{"video", "FFmpeg's libraries, which read and write videos,",
                                     "ffmpeg", "tesela-video", 1000 + LIBAVCODEC_VERSION_MAJOR};

    ModuleHead head;
#define TESELA_MEMBER(name) decltype(&::name) name;
    TESELA_FFMPEG_FUNCTIONS(TESELA_MEMBER)
#undef TESELA_MEMBER
};

}  // namespace tesela::io::ffmpeg
