// Which kind of sequence a path is, and sequences of pictures.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <numeric>
#include <optional>

#include "io/format.h"
#include "io/video.h"
#include "tesela/align.h"

namespace tesela::io {
namespace {

using Bytes = std::vector<std::uint8_t>;

bool holds(const Bytes& head, std::size_t at, std::string_view mark) {
    return head.size() >= at + mark.size() &&
           std::equal(mark.begin(), mark.end(), head.begin() + static_cast<std::ptrdiff_t>(at),
                      [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The digits that `text` begins with, without leading zeros; they are taken off it.
std::string_view take_number(std::string_view& text) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
    std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(digits.size());
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
}

// What is before, in and behind the one number that differs between names; nothing where there is
// no such number.
struct NumberedNames {
    std::size_t before = 0, behind = 0;
    std::vector<std::int64_t> numbers;
};

std::optional<NumberedNames> numbered(const std::vector<std::string>& names) {
    const std::string& first = names.front();
    NumberedNames found{first.size(), first.size(), {}};
    for (const std::string& name : names) {
        const auto same = std::mismatch(first.begin(), first.end(), name.begin(), name.end());
        const auto same_end =
            std::mismatch(first.rbegin(), first.rend(), name.rbegin(), name.rend());
        found.before = std::min(found.before, static_cast<std::size_t>(same.first - first.begin()));
        found.behind =
            std::min(found.behind, static_cast<std::size_t>(same_end.first - first.rbegin()));
    }
    while (found.before > 0 && is_digit(first[found.before - 1])) --found.before;
    while (found.behind > 0 && is_digit(first[first.size() - found.behind])) --found.behind;
    for (const std::string& name : names) {
        if (name.size() <= found.before + found.behind) return {};
        const char* const end = name.data() + name.size() - found.behind;
        std::int64_t number = 0;
        const auto parsed = std::from_chars(name.data() + found.before, end, number);
        if (parsed.ec != std::errc() || parsed.ptr != end || number < 0) return {};
        found.numbers.push_back(number);
    }
    return found;
}

// Pictures whose numbers go up by the same step, but for a step several times as long, are a
// sequence with frames missing, whose motion would be wrong. Other numbers, as of times, say
// nothing.
void require_no_gap(const fs::path& folder, const std::vector<fs::path>& files) {
    std::vector<std::string> names;
    for (const fs::path& file : files) names.push_back(file.stem().string());
    const auto found = numbered(names);
    if (!found || files.size() < 3) return;
    std::vector<std::int64_t> steps(files.size());
    std::adjacent_difference(found->numbers.begin(), found->numbers.end(), steps.begin());
    const std::int64_t step = *std::min_element(steps.begin() + 1, steps.end());
    if (step <= 0) return;
    std::int64_t missing = 0;
    std::size_t gap = 0;  // the first one ends at this file
    for (std::size_t i = 1; i < steps.size(); ++i) {
        if (steps[i] % step != 0) return;
        if (gap == 0 && steps[i] > step) gap = i;
        missing += steps[i] / step - 1;
    }
    if (missing == 0) return;
    const std::string& before = names[gap - 1];
    const std::size_t digits = before.size() - found->before - found->behind;
    std::string number = std::to_string(found->numbers[gap - 1] + step);
    number.insert(0, digits - std::min(digits, number.size()), '0');
    const fs::path lost = std::string(before).replace(found->before, digits, number);
    const std::string where = quoted(lost) + " between " + quoted(files[gap - 1].filename()) +
                              " and " + quoted(files[gap].filename());
    const std::string what = missing == 1 ? quoted(folder) + " lacks the picture " + where
                                          : quoted(folder) + " lacks " + std::to_string(missing) +
                                                " pictures, the first of them " + where;
    throw InvalidArgument(what + "; to go on without, list the pictures in place of the folder");
}

class PictureReader : public FrameReader {
  public:
    PictureReader(std::vector<fs::path> files, const FrameReadOptions& options)
        : files_(std::move(files)), options_(options) {
        facts_.format = "pictures";
        facts_.frames = static_cast<std::int64_t>(files_.size());
    }

    const FrameStreamFacts& facts() const override { return facts_; }
    std::string frame_name(std::int64_t index) const override {
        const auto i = static_cast<std::size_t>(index);
        return (i < files_.size() ? quoted(files_[i]) + ", " : std::string()) + "frame " +
               std::to_string(index);
    }

    std::optional<AnyImage> next() override {
        if (index_ == files_.size()) return {};
        try {
            AnyImage image = read_frame();
            if (index_ == 0) first_ = grid_of(image);
            const bool placed = first_.geometry.known() && geometry_of(image).known();
            if (placed && !options_.ignore_geometry) image = fitted(std::move(image));
            ++index_;
            return std::optional<AnyImage>(std::in_place, std::move(image));
        } catch (const Error& error) {
            throw Error(error.code(),
                        "frame " + std::to_string(index_) + ": " + std::string(error.what()));
        }
    }

    std::vector<std::string> warnings() const override { return warnings_; }

  private:
    AnyImage read_frame() {
        ReadResult read = read_image(files_[index_],
                                     {.max_bytes = options_.max_bytes, .choice = options_.choice});
        require_limits(read, files_[index_], {.axes = 2});
        for (std::string& warning : read.warnings)
            if (std::find(warnings_.begin(), warnings_.end(), warning) == warnings_.end())
                warnings_.push_back(std::move(warning));
        return std::move(read.image);
    }

    AnyImage fitted(AnyImage image) const {
        try {
            return align_to(first_, std::move(image));
        } catch (const InvalidArgument& error) {
            throw InvalidArgument(quoted(files_[index_]) + " does not fit " + quoted(files_[0]) +
                                  ": " + error.what());
        }
    }

    std::vector<fs::path> files_;
    FrameReadOptions options_;
    ImageGrid first_;
    FrameStreamFacts facts_;
    std::vector<std::string> warnings_;
    std::size_t index_ = 0;
};

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
    const std::string_view whole_a = a, whole_b = b;
    while (!a.empty() && !b.empty()) {
        if (is_digit(a[0]) && is_digit(b[0])) {
            const std::string_view first = take_number(a), second = take_number(b);
            if (first.size() != second.size()) return first.size() < second.size();
            if (first != second) return first < second;
        } else {
            if (a[0] != b[0])
                return static_cast<unsigned char>(a[0]) < static_cast<unsigned char>(b[0]);
            a.remove_prefix(1);
            b.remove_prefix(1);
        }
    }
    if (a.empty() != b.empty()) return a.empty();
    return whole_a < whole_b;  // they differ in leading zeros alone
}

std::vector<fs::path> frame_files(const fs::path& folder, bool any_suffix) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const fs::path& path = entry->path();
        std::error_code ignored;
        if (path.filename().string().starts_with('.') || entry->is_directory(ignored)) continue;
        if (any_suffix || has_known_suffix(path)) files.push_back(path);
    }
    if (error) throw unreadable(folder, error.message());
    if (files.empty()) throw unreadable(folder, "there is no picture in this folder");
    std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
        return natural_less(a.filename().string(), b.filename().string());
    });
    require_no_gap(folder, files);
    return files;
}

std::unique_ptr<FrameReader> open_pictures(std::vector<fs::path> files,
                                           const FrameReadOptions& options) {
    if (options.raw) return open_raw_frames(std::move(files), *options.raw, options);
    return std::make_unique<PictureReader>(std::move(files), options);
}

std::string video_format(const fs::path& path) {
    using namespace std::string_view_literals;
    struct Kind {
        std::size_t at;
        std::string_view mark, name;
    };
    static constexpr Kind kinds[] = {{0, "YUV4MPEG2", "Y4M"},
                                     {4, "ftyp", "MP4"},
                                     {4, "moov", "QuickTime"},
                                     {4, "mdat", "QuickTime"},
                                     {0, "\x1a\x45\xdf\xa3", "Matroska"},
                                     {8, "AVI LIST", "AVI"},
                                     {0, "OggS", "Ogg"},
                                     {0, "FLV\1", "Flash video"},
                                     {0, "\0\0\1\xba"sv, "MPEG-PS"},
                                     {0, "\x30\x26\xb2\x75", "ASF"}};
    const Bytes head = InputFile(path).head(512);
    for (const Kind& kind : kinds)
        if (holds(head, kind.at, kind.mark)) return std::string(kind.name);
    constexpr std::size_t packet = 188;  // of a transport stream, which marks each
    return holds(head, 0, "G") && holds(head, packet, "G") && holds(head, 2 * packet, "G")
               ? "MPEG-TS"
               : "";
}

std::unique_ptr<FrameReader> open_frames(const fs::path& path, const FrameReadOptions& options) {
    std::error_code ignored;
    if (options.raw) {
        const bool is_folder = fs::is_directory(path, ignored);
        return open_pictures(is_folder ? frame_files(path, true) : std::vector{path}, options);
    }
    if (path == "-") return open_y4m(path, options);
    const fs::file_status status = fs::status(path, ignored);
    if (fs::is_fifo(status) || fs::is_character_file(status)) return open_y4m(path, options);
    if (fs::is_directory(status)) return open_pictures(frame_files(path), options);
    if (video_format(path) == "Y4M") return open_y4m(path, options);
    return open_coded_video(path, options);
}

bool is_video_name(const fs::path& path) {
    static constexpr std::array<std::string_view, 6> suffixes{".y4m", ".mp4", ".mkv",
                                                              ".mov", ".avi", ".gif"};
    return path == "-" ||
           std::find(suffixes.begin(), suffixes.end(), path.extension().string()) != suffixes.end();
}

void require_video_frame(const AnyImage& frame, const VideoFrameKind* first, int most_bits,
                         const fs::path& shown) {
    const auto& [shape, type] = video_frame_kind(frame);
    const bool fits = (type == PixelType::u8 || (type == PixelType::u16 && most_bits == 16)) &&
                      shape.dimensions() == 2 && !has_alpha(frame) &&
                      (shape.channels == 1 || shape.channels == 3);
    if (!fits)
        throw UnsupportedFormat(
            "cannot write " + quoted(shown) + ": frames of a video have 8 bits" +
            (most_bits == 16 ? ", in Y4M also 16," : "") +
            " and 1 or 3 channels without alpha, this one " + std::to_string(shape.channels) +
            " channels of " + std::string(pixel_type_name(type)) +
            (type == PixelType::u16 && most_bits < 16 ? "; use .y4m" : ""));
    if (first && video_frame_kind(frame) != *first)
        throw InvalidArgument("cannot write " + quoted(shown) +
                              ": a frame has another size, type or other channels than the first");
}

std::unique_ptr<FrameWriter> create_video(const fs::path& path, const VideoWriteOptions& options) {
    if (!is_video_name(path))
        throw UnsupportedFormat(
            "cannot write " + quoted(path) +
            ": its suffix names no video; use .y4m, .mp4, .mkv, .mov, .avi or .gif");
    if (path == "-" || path.extension() == ".y4m") return create_y4m(path, options);
    return create_coded_video(path, options);
}

}  // namespace tesela::io
