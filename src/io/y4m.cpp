// YUV4MPEG2: a line of parameters, then frames, each a line that begins with FRAME and its planes.
#include <fcntl.h>
#include <sys/poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <sstream>

#include "io/video.h"
#include "io/yuv.h"

namespace tesela::io {
namespace {

constexpr std::string_view mark = "YUV4MPEG2";
constexpr std::string_view frame_mark = "FRAME";

// Columns and rows of a frame that share a sample of chroma; 0 where there is none.
struct Chroma {
    std::string_view name;
    int columns, rows;
};
constexpr Chroma chromas[] = {{"420jpeg", 2, 2}, {"420mpeg2", 2, 2}, {"420paldv", 2, 2},
                              {"420", 2, 2},     {"422", 2, 1},      {"444", 1, 1},
                              {"mono", 0, 0}};

struct Header {
    std::int64_t width = 0, height = 0;
    std::optional<FrameRate> rate;
    Chroma chroma = chromas[0];
    int bits = 8;
    bool full_range = false;

    std::int64_t chroma_width() const { return (width + chroma.columns - 1) / chroma.columns; }
    std::int64_t chroma_height() const { return (height + chroma.rows - 1) / chroma.rows; }
    bool gray() const { return chroma.columns == 0; }
    std::int64_t sample_bytes() const { return bits > 8 ? 2 : 1; }
    std::int64_t frame_bytes() const {
        const std::int64_t luma = width * height;
        return sample_bytes() * (luma + (gray() ? 0 : 2 * chroma_width() * chroma_height()));
    }
};

const YuvWeights& weights_of(std::int64_t width, std::int64_t height) {
    return is_high_definition(width, height) ? bt709 : bt601;
}

// Bytes in the order in which they come, from a file or a pipe.
class ByteStream {
  public:
    ByteStream(const fs::path& path, const CancelToken* cancel)
        : path_(path == "-" ? "standard input" : path), cancel_(cancel) {
        // Without O_NONBLOCK a named pipe that nobody writes to yet could not be interrupted.
        descriptor_ =
            path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        struct stat facts {};
        if (descriptor_ < 0 || fstat(descriptor_, &facts) != 0)
            throw unreadable(path_, system_reason(errno));
        if (S_ISREG(facts.st_mode)) size_ = facts.st_size;
        if (path != "-") fcntl(descriptor_, F_SETFL, 0);  // reading waits
    }
    ~ByteStream() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    ByteStream(const ByteStream&) = delete;
    ByteStream& operator=(const ByteStream&) = delete;

    const fs::path& path() const { return path_; }
    std::int64_t place() const { return place_; }
    // Of a regular file.
    std::optional<std::int64_t> size() const { return size_; }

    // As many of the bytes as there are before the end.
    std::int64_t read(std::uint8_t* bytes, std::int64_t count) {
        std::int64_t got = 0;
        while (got < count) {
            const std::int64_t now = std::min(count - got, filled_ - taken_);
            std::copy_n(buffer_.begin() + taken_, now, bytes + got);
            taken_ += now;
            got += now;
            if (got < count && !fill()) break;
        }
        place_ += got;
        return got;
    }

    // A line without its end; nothing at the end of the stream.
    std::optional<std::string> line(const std::string& what) {
        constexpr std::size_t longest = 1024;
        std::string text;
        for (std::uint8_t byte = 0; read(&byte, 1) == 1;) {
            if (byte == '\n') return text;
            text += static_cast<char>(byte);
            if (text.size() > longest) throw unreadable(path_, what + " has no end");
        }
        if (text.empty()) return {};
        throw unreadable(path_, what + " is cut off");
    }

  private:
    bool fill() {
        pollfd waited{descriptor_, POLLIN, 0};
        for (int ready = 0; ready <= 0;) {  // a pipe may be silent for long
            ready = poll(&waited, 1, 100);
            if (ready < 0 && errno != EINTR) break;
            if (cancel_ && cancel_->cancelled()) throw Cancelled("stopped on request");
        }
        ssize_t got = 0;
        do got = ::read(descriptor_, buffer_.data(), buffer_.size());
        while (got < 0 && errno == EINTR);
        if (got < 0) throw unreadable(path_, system_reason(errno));
        taken_ = 0;
        filled_ = got;
        return got > 0;
    }

    fs::path path_;
    const CancelToken* cancel_;
    int descriptor_ = -1;
    std::optional<std::int64_t> size_;
    std::vector<std::uint8_t> buffer_ = std::vector<std::uint8_t>(1 << 16);
    std::int64_t taken_ = 0, filled_ = 0, place_ = 0;
};

std::optional<std::int64_t> number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) return {};
    return value;
}

std::int64_t length_of(const fs::path& path, std::string_view text) {
    constexpr std::int64_t longest = 1 << 20;
    const auto value = number(text);
    if (!value || *value == 0 || *value > longest)
        throw unreadable(
            path, "its header claims the impossible size '" + printable(std::string(text)) + "'");
    return *value;
}

// "30000:1001"; 0:0 is an unknown rate.
std::optional<FrameRate> rate_of(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return {};
    const auto numerator = number(text.substr(0, colon));
    const auto denominator = number(text.substr(colon + 1));
    constexpr std::int64_t largest = 1 << 30;
    if (!numerator || !denominator || *numerator == 0 || *denominator == 0) return {};
    if (*numerator > largest || *denominator > largest) return {};
    return FrameRate{*numerator, *denominator};
}

const Chroma* find_chroma(std::string_view name) {
    for (const Chroma& chroma : chromas)
        if (chroma.name == name) return &chroma;
    return nullptr;
}

// "420jpeg" and the like have 8 bits; "420p10" and "mono10" say how many.
void read_chroma(const fs::path& path, std::string_view name, Header& header) {
    if (const Chroma* known = find_chroma(name)) {
        header.chroma = *known;
        header.bits = 8;
        return;
    }
    for (const std::string_view deep : {"420p", "422p", "444p", "mono"}) {
        if (!name.starts_with(deep)) continue;
        const auto bits = number(name.substr(deep.size()));
        if (!bits || *bits < 9 || *bits > 16) break;
        header.chroma = *find_chroma(deep == "mono" ? deep : deep.substr(0, 3));
        header.bits = static_cast<int>(*bits);
        return;
    }
    throw unsupported(path, "its pixels are of the kind C" + printable(std::string(name)) +
                                "; taken are C420, C422, C444 and Cmono of 8 bits, and of 9 to 16 "
                                "as in C420p10 and Cmono10");
}

Header parse_header(const fs::path& path, const std::string& line) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word != mark) throw unsupported(path, "it does not begin as Y4M does, with YUV4MPEG2");
    Header header;
    while (words >> word) {
        const std::string_view value = std::string_view(word).substr(1);
        if (word[0] == 'W') header.width = length_of(path, value);
        if (word[0] == 'H') header.height = length_of(path, value);
        if (word[0] == 'F') header.rate = rate_of(value);
        if (word[0] == 'C') read_chroma(path, value, header);
        if (word == "XCOLORRANGE=FULL") header.full_range = true;
    }
    if (header.width == 0 || header.height == 0)
        throw unreadable(path, "its header does not say width and height");
    return header;
}

class Y4mReader : public FrameReader {
  public:
    Y4mReader(const fs::path& path, const FrameReadOptions& options)
        : stream_(path, options.cancel) {
        const auto line = stream_.line("its header");
        if (!line) throw unreadable(stream_.path(), "it is empty");
        header_ = parse_header(stream_.path(), *line);
        const Shape shape{header_.width, header_.height, 1, 1, header_.gray() ? 1 : 3};
        facts_ = {"Y4M", "", shape, header_.rate, claimed_frames()};
        require_memory(stream_.path(),
                       shape.elements() * header_.sample_bytes() + header_.frame_bytes(),
                       options.max_bytes);
    }

    const FrameStreamFacts& facts() const override { return facts_; }
    std::string frame_name(std::int64_t index) const override {
        return quoted(stream_.path()) + ", frame " + std::to_string(index);
    }

    std::optional<AnyImage> next() override {
        const std::string name = "frame " + std::to_string(index_);
        const auto line = stream_.line("the header of " + name);
        if (!line && index_ == 0) throw without_frames();
        if (!line) return {};
        if (!line->starts_with(frame_mark))
            throw unreadable(stream_.path(), name + " does not begin with FRAME");
        const std::int64_t got = read_planes();
        if (got != header_.frame_bytes())
            throw unreadable(stream_.path(), name + " is cut off after " + std::to_string(got) +
                                                 " of " + std::to_string(header_.frame_bytes()) +
                                                 " bytes");
        ++index_;
        std::optional<AnyImage> frame;
        with_memory_guard(stream_.path(), [&] {
            if (header_.bits == 8)
                frame = unpacked<std::uint8_t>();
            else
                frame = unpacked<std::uint16_t>();
        });
        return frame;
    }

  private:
    UnreadableInput without_frames() const {
        return unreadable(stream_.path(), "there is no frame in this video");
    }

    // Whole frames that follow the header; throws where not even one fits.
    std::optional<std::int64_t> claimed_frames() const {
        if (!stream_.size()) return {};
        const std::int64_t rest = *stream_.size() - stream_.place();
        const auto each = static_cast<std::int64_t>(frame_mark.size()) + 1 + header_.frame_bytes();
        if (rest == 0) throw without_frames();
        if (rest < each)
            throw unreadable(stream_.path(), "the header claims " + std::to_string(header_.width) +
                                                 " x " + std::to_string(header_.height) +
                                                 " pixels, of which not one frame fits the " +
                                                 std::to_string(rest) + " bytes that follow it");
        if (rest % each != 0) return {};
        return rest / each;
    }

    // Memory is used as bytes arrive: the header of a pipe may claim anything.
    std::int64_t read_planes() {
        constexpr std::int64_t step = 1 << 24;
        std::int64_t got = 0;
        with_memory_guard(stream_.path(), [&] {
            planes_.reserve(static_cast<std::size_t>(header_.frame_bytes()));
            for (bool more = true; more && got < header_.frame_bytes();) {
                const std::int64_t wanted = std::min(header_.frame_bytes(), got + step);
                if (std::ssize(planes_) < wanted) planes_.resize(static_cast<std::size_t>(wanted));
                got += stream_.read(planes_.data() + got, wanted - got);
                more = got == wanted;
            }
        });
        return got;
    }

    // Of two bytes the lower one comes first.
    template <class Sample>
    static Sample sample(const std::uint8_t* plane, std::int64_t i) {
        const std::uint8_t* byte = plane + i * static_cast<std::int64_t>(sizeof(Sample));
        if constexpr (sizeof(Sample) == 1) return *byte;
        return static_cast<Sample>(byte[0] | byte[1] << 8);
    }

    template <class Sample>
    Image<Sample> unpacked() const {
        Image<Sample> frame(facts_.frame);
        const YuvMatrix<Sample> matrix(weights_of(header_.width, header_.height),
                                       header_.full_range, header_.bits);
        const std::uint8_t* y = planes_.data();
        Sample* out = frame.data();
        const std::int64_t points = frame.shape().points(), width = header_.width;
        if (header_.gray()) {
            for (std::int64_t i = 0; i < points; ++i) out[i] = matrix.gray(sample<Sample>(y, i));
            return frame;
        }
        const std::int64_t chroma_width = header_.chroma_width();
        const std::uint8_t* u = y + points * header_.sample_bytes();
        const std::uint8_t* v = u + chroma_width * header_.chroma_height() * header_.sample_bytes();
        for (std::int64_t row = 0; row < header_.height; ++row) {
            const std::int64_t base = row / header_.chroma.rows * chroma_width;
            for (std::int64_t x = 0; x < width; ++x, out += 3) {
                const std::int64_t at = base + x / header_.chroma.columns;
                matrix.rgb(sample<Sample>(y, row * width + x), sample<Sample>(u, at),
                           sample<Sample>(v, at), out);
            }
        }
        return frame;
    }

    ByteStream stream_;
    Header header_;
    FrameStreamFacts facts_;
    std::vector<std::uint8_t> planes_;
    std::int64_t index_ = 0;
};

class Y4mWriter : public FrameWriter {
  public:
    Y4mWriter(const fs::path& path, const VideoWriteOptions& options) : rate_(options.rate) {
        if (path == "-") {
            file_.emplace(OutputFile::standard_output());
        } else {
            staging_.emplace(std::vector<fs::path>{path}, options.overwrite);
            file_.emplace(staging_->staged(), path);
        }
    }

    void write(const AnyImage& frame) override {
        require_video_frame(frame, first_ ? &*first_ : nullptr, 16, file_->shown());
        if (!first_) begin(frame);
        if (const auto* image = std::get_if<Image<std::uint8_t>>(&frame))
            pack(*image);
        else
            pack(std::get<Image<std::uint16_t>>(frame));
        file_->write_or_throw(planes_.data(), planes_.size());
    }

    void finish() override {
        if (!first_) throw InvalidArgument("a video needs at least one frame");
        file_->close();
        if (staging_) staging_->commit();
    }

  private:
    void begin(const AnyImage& frame) {
        first_ = video_frame_kind(frame);
        const Shape& shape = first_->shape;
        const int sample_bytes = pixel_type_bytes(first_->type);
        const bool gray = shape.channels == 1;
        std::ostringstream header;
        header << mark << " W" << shape.x << " H" << shape.y << " F" << rate_.numerator << ':'
               << rate_.denominator << " Ip A1:1 C" << (gray ? "mono" : "444")
               << (sample_bytes == 1 ? ""
                   : gray            ? "16"
                                     : "p16")
               << '\n';
        const std::string line = header.str();
        file_->write_or_throw(line.data(), line.size());
        planes_.resize(frame_mark.size() + 1 +
                       static_cast<std::size_t>(shape.elements() * sample_bytes));
        std::copy(frame_mark.begin(), frame_mark.end(), planes_.begin());
        planes_[frame_mark.size()] = '\n';
    }

    template <class Sample>
    void pack(const Image<Sample>& image) {
        const Shape& shape = image.shape();
        const YuvMatrix<Sample> matrix(weights_of(shape.x, shape.y), false);
        const Sample* pixel = image.data();
        std::uint8_t* bytes = planes_.data() + frame_mark.size() + 1;
        const auto put = [&](std::int64_t i, Sample value) {
            bytes[i * static_cast<std::int64_t>(sizeof(Sample))] = static_cast<std::uint8_t>(value);
            if constexpr (sizeof(Sample) == 2)
                bytes[2 * i + 1] = static_cast<std::uint8_t>(value >> 8);
        };
        const std::int64_t points = shape.points();
        for (std::int64_t i = 0; i < points; ++i, pixel += shape.channels) {
            if (shape.channels == 1) {
                put(i, matrix.luma(*pixel));
                continue;
            }
            const auto yuv = matrix.yuv(pixel);
            for (std::int64_t plane = 0; plane < 3; ++plane)
                put(i + plane * points, yuv[static_cast<std::size_t>(plane)]);
        }
    }

    FrameRate rate_;
    std::optional<Staging> staging_;
    std::optional<OutputFile> file_;
    std::optional<VideoFrameKind> first_;
    std::vector<std::uint8_t> planes_;
};

}  // namespace

std::unique_ptr<FrameReader> open_y4m(const fs::path& path, const FrameReadOptions& options) {
    return std::make_unique<Y4mReader>(path, options);
}

std::unique_ptr<FrameWriter> create_y4m(const fs::path& path, const VideoWriteOptions& options) {
    return std::make_unique<Y4mWriter>(path, options);
}

}  // namespace tesela::io
