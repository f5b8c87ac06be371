// Videos in H.264 where the libraries have x264, else in MPEG-4 Part 2; GIF with a palette for each
// frame.
#include <algorithm>
#include <cstring>

#include "io/video/ffmpeg.h"
#include "io/video/palette.h"

namespace tesela::io {
namespace {

using namespace ffmpeg;

// MPEG-4 counts time in 16 bits.
constexpr int largest_rate_term = 65535;

struct CloseOutput {
    void operator()(AVFormatContext* p) const {
        if (p->pb) av().avio_closep(&p->pb);
        av().avformat_free_context(p);
    }
};

int even(std::int64_t length) { return static_cast<int>(length + length % 2); }

class VideoWriter : public FrameWriter {
  public:
    VideoWriter(const fs::path& path, const VideoWriteOptions& options)
        : staging_({path}, options.overwrite), is_gif_(path.extension() == ".gif") {
        silence();
        int numerator = 0, denominator = 0;
        av().av_reduce(&numerator, &denominator, options.rate.numerator, options.rate.denominator,
                       largest_rate_term);
        if (numerator <= 0 || denominator <= 0)
            throw InvalidArgument("a video needs a frame rate above 0");
        time_base_ = {denominator, numerator};
        AVFormatContext* made = nullptr;
        check(av().avformat_alloc_output_context2(&made, nullptr, nullptr, path.c_str()));
        format_.reset(made);
        check(av().avio_open(&format_->pb, ("file:" + staging_.staged().string()).c_str(),
                             AVIO_FLAG_WRITE));
    }

    void write(const AnyImage& frame) override {
        require_video_frame(frame, first_ ? &*first_ : nullptr, 8, staging_.target());
        if (!first_) begin(frame);
        convert(std::get<Image<std::uint8_t>>(frame));
        frame_->pts = index_++;
        encode(frame_.get());
    }

    void finish() override {
        if (!first_) throw InvalidArgument("a video needs at least one frame");
        encode(nullptr);
        check(av().av_write_trailer(format_.get()));
        check(av().avio_closep(&format_->pb));
        staging_.commit();
    }

  private:
    void check(int status) const {
        if (status < 0) throw unwritable(staging_.target(), reason(status));
    }

    void begin(const AnyImage& frame) {
        const Shape& shape = shape_of(frame);
        if (std::max(shape.x, shape.y) > 16384)
            throw UnsupportedFormat("cannot write " + quoted(staging_.target()) +
                                    ": a side of more than 16384 pixels is beyond its encoder");
        first_ = video_frame_kind(frame);
        if (is_gif_)
            open_gif();
        else
            open_codec();
        AVStream* stream = av().avformat_new_stream(format_.get(), nullptr);
        if (!stream) throw std::bad_alloc();
        stream->time_base = time_base_;
        stream->avg_frame_rate = codec_->framerate;
        check(av().avcodec_parameters_from_context(stream->codecpar, codec_.get()));
        check(av().avformat_write_header(format_.get(), nullptr));
        frame_->format = codec_->pix_fmt;
        frame_->width = codec_->width;
        frame_->height = codec_->height;
        check(av().av_frame_get_buffer(frame_.get(), 0));
        if (is_gif_) return;
        const AVPixelFormat source = shape.channels == 1 ? AV_PIX_FMT_GRAY8 : AV_PIX_FMT_RGB24;
        converter_ = owned(av().sws_getContext(codec_->width, codec_->height, source, codec_->width,
                                               codec_->height, codec_->pix_fmt, SWS_BILINEAR,
                                               nullptr, nullptr, nullptr));
        set_colors(converter_.get(), codec_->colorspace, false, false);
        rows_.emplace(std::int64_t{codec_->width} * shape.channels, codec_->height);
    }

    void open_gif() {
        const AVCodec* codec = av().avcodec_find_encoder(AV_CODEC_ID_GIF);
        if (!codec)
            throw UnsupportedFormat("cannot write " + quoted(staging_.target()) +
                                    ": FFmpeg's libraries have no encoder of GIF here; use .y4m");
        codec_ = owned(av().avcodec_alloc_context3(codec));
        codec_->width = static_cast<int>(first_->shape.x);
        codec_->height = static_cast<int>(first_->shape.y);
        codec_->time_base = time_base_;
        codec_->framerate = av_inv_q(time_base_);
        codec_->pix_fmt = AV_PIX_FMT_PAL8;
        check(av().avcodec_open2(codec_.get(), codec, nullptr));
    }

    void open_codec() {
        const AVCodec* codec = av().avcodec_find_encoder_by_name("libx264");
        if (!codec) codec = av().avcodec_find_encoder(AV_CODEC_ID_MPEG4);
        if (!codec)
            throw UnsupportedFormat("cannot write " + quoted(staging_.target()) +
                                    ": FFmpeg's libraries have no encoder of H.264 or MPEG-4 here; "
                                    "use .y4m");
        codec_ = owned(av().avcodec_alloc_context3(codec));
        codec_->width = even(first_->shape.x);
        codec_->height = even(first_->shape.y);
        codec_->time_base = time_base_;
        codec_->framerate = av_inv_q(time_base_);
        codec_->pix_fmt = AV_PIX_FMT_YUV420P;
        const bool high = is_high_definition(first_->shape.x, first_->shape.y);
        codec_->colorspace = high ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
        codec_->color_primaries = high ? AVCOL_PRI_BT709 : AVCOL_PRI_SMPTE170M;
        codec_->color_trc = high ? AVCOL_TRC_BT709 : AVCOL_TRC_SMPTE170M;
        codec_->color_range = AVCOL_RANGE_MPEG;
        codec_->thread_count = 0;  // as many as there are processors
        if (format_->oformat->flags & AVFMT_GLOBALHEADER)
            codec_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
        codec_->flags |= AV_CODEC_FLAG_QSCALE;
        constexpr int quality = 3;  // of 1 to 31, the best first; of MPEG-4
        codec_->global_quality = FF_QP2LAMBDA * quality;
        AVDictionary* settings = nullptr;
        av().av_dict_set(&settings, "preset", "fast", 0);
        av().av_dict_set(&settings, "crf", "18", 0);  // of H.264: hardly told from the original
        const int status = av().avcodec_open2(codec_.get(), codec, &settings);
        av().av_dict_free(&settings);
        check(status);
    }

    void index(const Image<std::uint8_t>& image) {
        const Palette palette = palette_of(image);
        check(av().av_frame_make_writable(frame_.get()));
        const Shape& shape = image.shape();
        for (std::int64_t y = 0; y < shape.y; ++y)
            std::copy_n(palette.pixels.data() + y * shape.x, shape.x,
                        frame_->data[0] + y * frame_->linesize[0]);
        std::memcpy(frame_->data[1], palette.colors.data(), sizeof palette.colors);
    }

    void convert(const Image<std::uint8_t>& image) {
        if (is_gif_) return index(image);
        const Shape& shape = image.shape();
        const std::int64_t pixel_bytes = shape.channels, row_bytes = shape.x * pixel_bytes;
        for (std::int64_t y = 0; y < codec_->height; ++y) {
            const std::uint8_t* from = image.data() + std::min(y, shape.y - 1) * row_bytes;
            std::copy_n(from, row_bytes, rows_->row(y));
            if (codec_->width > shape.x)
                std::copy_n(from + row_bytes - pixel_bytes, pixel_bytes, rows_->row(y) + row_bytes);
        }
        // The encoder may still hold what the frame was.
        check(av().av_frame_make_writable(frame_.get()));
        const std::uint8_t* const sources[] = {rows_->row(0)};
        const int strides[] = {rows_->stride()};
        av().sws_scale(converter_.get(), sources, strides, 0, codec_->height, frame_->data,
                       frame_->linesize);
    }

    // Nothing, after the last frame, makes the encoder give what it still has.
    void encode(const AVFrame* frame) {
        check(av().avcodec_send_frame(codec_.get(), frame));
        for (;;) {
            const int status = av().avcodec_receive_packet(codec_.get(), packet_.get());
            if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
            check(status);
            packet_->duration = 1;
            av().av_packet_rescale_ts(packet_.get(), time_base_, format_->streams[0]->time_base);
            check(av().av_interleaved_write_frame(format_.get(), packet_.get()));
        }
    }

    Staging staging_;
    bool is_gif_;
    AVRational time_base_{};
    std::unique_ptr<AVFormatContext, CloseOutput> format_;
    Owned<AVCodecContext> codec_;
    Owned<AVFrame> frame_ = owned(av().av_frame_alloc());
    Owned<AVPacket> packet_ = owned(av().av_packet_alloc());
    Owned<SwsContext> converter_;
    std::optional<PaddedRows> rows_;
    std::optional<VideoFrameKind> first_;
    std::int64_t index_ = 0;
};

}  // namespace

std::unique_ptr<FrameWriter> create_coded_video(const fs::path& path,
                                                const VideoWriteOptions& options) {
    if (!has_video_codecs())
        throw UnsupportedFormat("cannot write " + quoted(path) + ": " +
                                module_of<ffmpeg::Table>().problem + ", or use .y4m");
    return std::make_unique<VideoWriter>(path, options);
}

}  // namespace tesela::io
