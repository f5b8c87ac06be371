// Videos of any kind, by FFmpeg's libraries.
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/point_text.h"
#include "io/video/container_size.h"
#include "io/video/ffmpeg.h"

namespace tesela::io {
namespace {

using namespace ffmpeg;

// FFmpeg's names of the containers that are taken, and what users call them. It reads much more:
// text, and lists that lead to other files and to the network.
constexpr const char* containers = "mov,matroska,avi,mpegts,mpeg,ogg,flv,asf";
constexpr const char* container_names =
    "MP4, QuickTime, Matroska, WebM, AVI, MPEG-TS, MPEG-PS, Ogg, Flash video, ASF";

struct CloseInput {
    void operator()(AVFormatContext* p) const { av().avformat_close_input(&p); }
};

// In units of the stream's time. FFmpeg 6 renamed it.
std::int64_t duration_of(const AVFrame& frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    return frame.duration;
#else
    return frame.pkt_duration;
#endif
}

// How players turn the frames of a video.
struct Turn {
    bool swaps = false, mirrors_x = false,
         mirrors_y = false;  // axes first, then along the new ones

    bool is_none() const { return !swaps && !mirrors_x && !mirrors_y; }
};

// Of the matrix that takes (x, y) to (a x + c y, b x + d y), where it turns by right angles.
Turn turn_of(const AVStream& stream) {
    constexpr std::size_t entries = 9;
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
    const AVPacketSideData* data = av().av_packet_side_data_get(stream.codecpar->coded_side_data,
                                                                stream.codecpar->nb_coded_side_data,
                                                                AV_PKT_DATA_DISPLAYMATRIX);
    const std::uint8_t* bytes = data ? data->data : nullptr;
    const std::size_t size = data ? data->size : 0;
#else
    std::size_t size = 0;
    const std::uint8_t* bytes =
        av().av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
#endif
    std::array<std::int32_t, entries> matrix{};
    if (!bytes || size < sizeof matrix) return {};
    std::memcpy(matrix.data(), bytes, sizeof matrix);
    const auto [a, b, u, c, d, v, x, y, w] = matrix;
    if (b == 0 && c == 0) return {false, a < 0, d < 0};
    if (a == 0 && d == 0) return {true, c < 0, b < 0};
    return {};
}

Image<std::uint8_t> turned(const Image<std::uint8_t>& image, const Turn& turn) {
    const Shape& from = image.shape();
    Shape to = from;
    if (turn.swaps) std::swap(to.x, to.y);
    Image<std::uint8_t> result(to);
    for (std::int64_t y = 0; y < to.y; ++y)
        for (std::int64_t x = 0; x < to.x; ++x) {
            const std::int64_t along_x = turn.mirrors_x ? to.x - 1 - x : x;
            const std::int64_t along_y = turn.mirrors_y ? to.y - 1 - y : y;
            const std::int64_t point =
                turn.swaps ? along_x * from.x + along_y : along_y * from.x + along_x;
            std::copy_n(image.data() + point * from.channels, from.channels,
                        result.data() + (y * to.x + x) * from.channels);
        }
    return result;
}

class VideoReader : public FrameReader {
  public:
    VideoReader(const fs::path& path, const FrameReadOptions& options) : path_(path) {
        silence();
        open_file(options);
        open_codec();
        const Shape shape{codec_->width, codec_->height, 1, 1, is_gray(codec_->pix_fmt) ? 1 : 3};
        if (shape.x <= 0 || shape.y <= 0)
            throw unreadable(path_, "it does not say the size of its frames");
        require_memory(path_, shape.elements(), options.max_bytes);
        coded_ = shape;
        turn_ = turn_of(*stream_);
        facts_ = {format_->iformat->name,
                  av().avcodec_get_name(codec_->codec_id),
                  shape,
                  rate(),
                  claimed_frames(),
                  likely_frames()};
        if (turn_.swaps) std::swap(facts_.frame.x, facts_.frame.y);
    }

    const FrameStreamFacts& facts() const override { return facts_; }
    std::string frame_name(std::int64_t index) const override {
        return quoted(path_) + ", frame " + std::to_string(index);
    }

    std::vector<std::string> warnings() const override { return warnings_; }

    std::optional<AnyImage> next() override {
        for (;;) {
            const int status = av().avcodec_receive_frame(codec_.get(), frame_.get());
            if (status == 0) return converted();
            if (status == AVERROR_EOF) {
                if (failure_.empty()) check_end();
                if (!failure_.empty()) throw failed(failure_);
                return {};
            }
            if (status == AVERROR(EAGAIN))
                feed();
            else
                end_with(reason(status));
        }
    }

  private:
    static bool is_gray(AVPixelFormat format) {
        const AVPixFmtDescriptor* facts = av().av_pix_fmt_desc_get(format);
        return facts && facts->nb_components == 1 && !(facts->flags & AV_PIX_FMT_FLAG_PAL);
    }

    UnreadableInput failed(const std::string& why) const {
        return unreadable(path_, "frame " + std::to_string(index_) + ": " + why);
    }

    void open_file(const FrameReadOptions& options) {
        const InputFile file(path_);
        AVFormatContext* opened = nullptr;
        AVDictionary* settings = nullptr;
        av().av_dict_set(&settings, "format_whitelist", containers, 0);
        av().av_dict_set(&settings, "protocol_whitelist", "file", 0);
        // With the protocol in front, so that a colon in a name is not taken for one.
        const int status = av().avformat_open_input(&opened, ("file:" + path_.string()).c_str(),
                                                    nullptr, &settings);
        av().av_dict_free(&settings);
        format_.reset(opened);
        if (status < 0 && video_format(path_).empty())
            throw unsupported(path_, std::string("it is no video of a kind taken; these are ") +
                                         container_names + " and Y4M, or a folder of pictures");
        if (status == AVERROR_EOF)
            throw unreadable(path_,
                             "there is no frame to read, for the file ends before the first");
        if (status < 0) throw unreadable(path_, reason(status));
        for (unsigned i = 0; i < opened->nb_streams; ++i) {
            const AVCodecParameters& stream = *opened->streams[i]->codecpar;
            require_memory(path_, 3 * std::int64_t{stream.width} * stream.height,
                           options.max_bytes);
        }
        const int searched = av().avformat_find_stream_info(opened, nullptr);
        if (searched < 0) throw unreadable(path_, reason(searched));
        bytes_ = file.size();
        claimed_bytes_ = claimed_bytes(file, opened->iformat->name);
    }

    void open_codec() {
        const AVCodec* codec = nullptr;
        const int found =
            av().av_find_best_stream(format_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
        if (found == AVERROR_DECODER_NOT_FOUND)
            throw unsupported(path_, "FFmpeg's libraries have no decoder for this video");
        if (found < 0) throw unsupported(path_, "there is no video in this file");
        for (unsigned i = 0; i < format_->nb_streams; ++i)
            if (static_cast<int>(i) != found) format_->streams[i]->discard = AVDISCARD_ALL;
        stream_ = format_->streams[found];
        codec_ = owned(av().avcodec_alloc_context3(codec));
        int status = av().avcodec_parameters_to_context(codec_.get(), stream_->codecpar);
        codec_->thread_count = 0;  // as many as there are processors
        if (status >= 0) status = av().avcodec_open2(codec_.get(), codec, nullptr);
        if (status < 0) throw unreadable(path_, "its decoder does not start: " + reason(status));
    }

    std::optional<FrameRate> rate() const {
        const AVRational guess = av().av_guess_frame_rate(format_.get(), stream_, nullptr);
        if (guess.num <= 0 || guess.den <= 0) return {};
        return FrameRate{guess.num, guess.den};
    }
    // What the container counts. That of AVI counts places, which may be empty.
    std::optional<std::int64_t> claimed_frames() const {
        const bool is_avi = std::string_view(format_->iformat->name) == "avi";
        if (stream_->nb_frames > 0 && !is_avi) return stream_->nb_frames;
        return {};
    }
    // A guess where the rate changes, or the video begins later than its sound.
    std::optional<std::int64_t> likely_frames() const {
        const auto per_second = rate();
        if (!per_second || format_->duration <= 0) return {};
        return std::llround(static_cast<double>(format_->duration) / AV_TIME_BASE *
                            per_second->per_second());
    }

    // FFmpeg ends many a file that was cut off without complaint. That is an error where frames are
    // missing for certain, and else said in a warning.
    void check_end() {
        constexpr double certain = 0.25;  // seconds: durations are not exact
        const bool cut_off = bytes_ < claimed_bytes_;
        const std::string bytes = std::to_string(bytes_) + " of its " +
                                  std::to_string(claimed_bytes_) + " bytes are there";
        if (index_ == 0)
            throw unreadable(path_,
                             "there is no frame in this video" + (cut_off ? "; " + bytes : ""));
        const std::optional<double> claimed = claimed_seconds();
        const double missing = claimed ? *claimed - end_ : 0;
        std::string counts = std::to_string(index_) + " frames were read";
        if (const std::int64_t all = facts_.frames.value_or(facts_.likely_frames.value_or(0));
            all > index_)
            counts += ", and it claims to have " + std::to_string(all);
        const bool lacks_frames =
            !claimed || missing > frame_seconds() / 2 || stream_->nb_frames > index_;
        if (cut_off && lacks_frames)
            failure_ = "the file is cut off before it; " + bytes;
        else if (missing > certain)
            failure_ = "the file ends before it; " + counts;
        else if (cut_off)
            warnings_ = {quoted(path_) + " is cut off after its last frame; " + bytes};
        else if (missing > 1.5 * frame_seconds())
            warnings_ = {quoted(path_) + " may be cut off; " + counts};
    }

    double frame_seconds() const {
        constexpr double usual = 1.0 / 25;
        return facts_.rate ? 1 / facts_.rate->per_second() : usual;
    }

    // Where the container says when the last frame ends. Its own duration is also that of sound.
    std::optional<double> claimed_seconds() const {
        if (end_ <= 0) return {};
        if (stream_->duration > 0)
            return static_cast<double>(stream_->duration) * av_q2d(stream_->time_base);
        // Of Matroska, for each stream.
        const AVDictionaryEntry* tag = av().av_dict_get(stream_->metadata, "DURATION", nullptr, 0);
        std::int64_t microseconds = 0;
        if (!tag || av().av_parse_time(&microseconds, tag->value, 1) < 0)
            microseconds = format_->nb_streams == 1 ? format_->duration : 0;
        if (microseconds <= 0) return {};
        return static_cast<double>(microseconds) / AV_TIME_BASE;
    }

    // Where the times that a container claims begin.
    std::int64_t start() const {
        const std::int64_t first = stream_->start_time == AV_NOPTS_VALUE ? 0 : stream_->start_time;
        const bool from_zero = std::string_view(format_->iformat->name).starts_with("matroska");
        return from_zero ? std::min<std::int64_t>(first, 0) : first;
    }

    // Gives the decoder the next packet of the stream.
    void feed() {
        const int status = av().av_read_frame(format_.get(), packet_.get());
        if (status == AVERROR_EOF) return end_with("");
        if (status < 0) return end_with(reason(status));
        const bool ours = packet_->stream_index == stream_->index;
        const bool corrupt = packet_->flags & AV_PKT_FLAG_CORRUPT;
        const int sent =
            ours && !corrupt ? av().avcodec_send_packet(codec_.get(), packet_.get()) : 0;
        av().av_packet_unref(packet_.get());
        if (ours && corrupt) return end_with("its data are cut off or damaged");
        if (sent < 0) end_with(reason(sent));
    }

    // The decoder gives the frames that it still has; then the failure is thrown, if there is one.
    void end_with(const std::string& failure) {
        if (!failure_.empty()) throw failed(failure_);
        failure_ = failure;
        av().avcodec_send_packet(codec_.get(), nullptr);
    }

    AnyImage converted() {
        if (frame_->decode_error_flags || (frame_->flags & AV_FRAME_FLAG_CORRUPT))
            throw failed("its data are cut off or damaged");
        const Shape& shape = coded_;
        if (frame_->width != shape.x || frame_->height != shape.y)
            throw failed("it has " + size_text({frame_->width, frame_->height}) +
                         " pixels, the video " + size_text({codec_->width, codec_->height}));
        std::optional<AnyImage> image;
        with_memory_guard(path_, [&] {
            image = pixels();
            if (!turn_.is_none()) image = turned(std::get<Image<std::uint8_t>>(*image), turn_);
        });
        note_time();
        av().av_frame_unref(frame_.get());
        ++index_;
        return std::move(*image);
    }

    void note_time() {
        if (frame_->best_effort_timestamp == AV_NOPTS_VALUE) return;
        const double unit = av_q2d(stream_->time_base);
        const std::int64_t duration = duration_of(*frame_);
        const double begin = static_cast<double>(frame_->best_effort_timestamp - start()) * unit;
        end_ = std::max(
            end_, begin + (duration > 0 ? static_cast<double>(duration) * unit : frame_seconds()));
    }

    Image<std::uint8_t> pixels() {
        const Shape& shape = coded_;
        const auto format = static_cast<AVPixelFormat>(frame_->format);
        const AVPixelFormat wanted = shape.channels == 1 ? AV_PIX_FMT_GRAY8 : AV_PIX_FMT_RGB24;
        converter_.reset(av().sws_getCachedContext(
            converter_.release(), frame_->width, frame_->height, format, frame_->width,
            frame_->height, wanted, SWS_POINT, nullptr, nullptr, nullptr));
        if (!converter_) throw unsupported(path_, "its pixel format cannot be converted to RGB");
        set_colors(converter_.get(), color_space(), frame_->color_range == AVCOL_RANGE_JPEG, true);
        const std::int64_t row_bytes = shape.x * shape.channels;
        PaddedRows rows(row_bytes, shape.y);
        std::uint8_t* const targets[] = {rows.row(0)};
        const int strides[] = {rows.stride()};
        av().sws_scale(converter_.get(), frame_->data, frame_->linesize, 0, frame_->height, targets,
                       strides);
        Image<std::uint8_t> image(shape);
        for (std::int64_t y = 0; y < shape.y; ++y)
            std::copy_n(rows.row(y), row_bytes, image.data() + y * row_bytes);
        return image;
    }

    AVColorSpace color_space() const {
        if (frame_->colorspace != AVCOL_SPC_UNSPECIFIED) return frame_->colorspace;
        return is_high_definition(frame_->width, frame_->height) ? AVCOL_SPC_BT709
                                                                 : AVCOL_SPC_SMPTE170M;
    }

    fs::path path_;
    FrameStreamFacts facts_;
    Shape coded_{0, 0};  // of frames before they are turned
    Turn turn_;
    std::unique_ptr<AVFormatContext, CloseInput> format_;
    AVStream* stream_ = nullptr;
    Owned<AVCodecContext> codec_;
    Owned<AVFrame> frame_ = owned(av().av_frame_alloc());
    Owned<AVPacket> packet_ = owned(av().av_packet_alloc());
    Owned<SwsContext> converter_;
    std::string failure_;
    std::int64_t index_ = 0;
    double end_ = 0;  // of the last frame, in seconds from start()
    std::int64_t bytes_ = 0, claimed_bytes_ = 0;
    std::vector<std::string> warnings_;
};

}  // namespace

std::unique_ptr<FrameReader> open_coded_video(const fs::path& path,
                                              const FrameReadOptions& options) {
    require_module<ffmpeg::Table>(path);
    return std::make_unique<VideoReader>(path, options);
}

}  // namespace tesela::io
