// JPEG through libjpeg. Its warnings of damaged data are errors here.
#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <functional>
#include <utility>

#include <jpeglib.h>

#include <jerror.h>

#include "io/embedded_tiff.h"
#include "io/picture.h"
#include "io/pixel_size.h"

namespace tesela::io {
namespace {

// No C++ object lives across a jump.
struct ErrorManager {
    jpeg_error_mgr base;  // first, so that libjpeg's pointer is this struct's
    std::jmp_buf jump;
    char reason[JMSG_LENGTH_MAX], warning[JMSG_LENGTH_MAX];
};

[[noreturn]] void on_error(j_common_ptr info) {
    auto* manager = reinterpret_cast<ErrorManager*>(info->err);
    info->err->format_message(info, manager->reason);
    std::longjmp(manager->jump, 1);
}
// Of headers, or what lies between two markers: every reader takes such files.
bool is_harmless(int warning) {
    return warning == JWRN_EXTRANEOUS_DATA || warning == JWRN_ADOBE_XFORM ||
           warning == JWRN_JFIF_MAJOR || warning == JWRN_BOGUS_ICC;
}
void on_message(j_common_ptr info, int level) {
    if (level >= 0) return;
    auto* manager = reinterpret_cast<ErrorManager*>(info->err);
    if (!is_harmless(info->err->msg_code)) on_error(info);
    if (!*manager->warning) info->err->format_message(info, manager->warning);
}
void no_output(j_common_ptr) {}

void set_up(ErrorManager& manager, jpeg_error_mgr*& slot) {
    slot = jpeg_std_error(&manager.base);
    manager.base.error_exit = on_error;
    manager.base.emit_message = on_message;
    manager.base.output_message = no_output;
    manager.reason[0] = manager.warning[0] = '\0';
}

class Reader {
  public:
    explicit Reader(const InputFile& file) : file_(file) {
        set_up(errors_, info_.err);
        if (!try_create()) throw std::bad_alloc();
    }
    ~Reader() { jpeg_destroy_decompress(&info_); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    void read_header() {
        if (try_header()) return;
        if (errors_.base.msg_code == JERR_BAD_PRECISION)
            throw unsupported(file_.path(), "it is a JPEG of " +
                                                std::to_string(info_.data_precision) +
                                                " bits; only 8-bit JPEG is taken");
        throw failure();
    }
    const jpeg_decompress_struct& info() const { return info_; }

    void read_pixels(std::uint8_t* pixels, std::size_t row_bytes) {
        if (!try_pixels(pixels, row_bytes)) throw failure();
    }
    // The coefficients of the whole picture, where its scans are several. libjpeg keeps them in 16
    // bits, in blocks of 8 x 8, until the last scan is read.
    std::int64_t coefficient_bytes() {
        if (!jpeg_has_multiple_scans(&info_)) return 0;
        std::int64_t blocks = 0;
        for (int c = 0; c < info_.num_components; ++c) {
            const jpeg_component_info& component = info_.comp_info[c];
            const auto padded = [](std::int64_t length, std::int64_t sampling) {
                return (length + sampling - 1) / sampling * sampling;
            };
            blocks += padded(component.width_in_blocks, component.h_samp_factor) *
                      padded(component.height_in_blocks, component.v_samp_factor);
        }
        return blocks * DCTSIZE2 * static_cast<std::int64_t>(sizeof(JCOEF));
    }
    std::string warning() const { return printable(errors_.warning); }
    // Of the JFIF header. libjpeg forgets it and the orientation with the last row.
    PixelScale pixel_size() const {
        constexpr int per_inch = 1, per_centimeter = 2;
        const int unit = info_.saw_JFIF_marker ? info_.density_unit : 0;
        if (unit != per_inch && unit != per_centimeter) return {};
        const PixelCounts counts{unit == per_inch ? micrometers_of_inch : micrometers_of_centimeter,
                                 jpeg_counts.most};
        return unless_print({counts.size_of({info_.X_density, info_.Y_density}), "JPEG resolution"},
                            is_ours());
    }
    int orientation() const { return exif_orientation(segment(1, {"Exif\0", 6})); }
    // Views of one scene, as a stereo camera takes them (CIPA DC-007, section 5.2.3): their number.
    // Previews of other sizes do not count.
    int views() const {
        constexpr int index_tag = 0xb002, count_tag = 0xb001, entry_bytes = 16;
        const EmbeddedTiff index(segment(2, {"MPF\0", 4}));
        const auto count = index.find(count_tag), entries = index.find(index_tag);
        if (!count || !entries) return 0;
        int views = 0;
        std::size_t at = index.u32(*entries);
        for (std::uint32_t i = index.u32(*count); i > 0 && at + entry_bytes <= index.size(); --i) {
            const std::uint32_t kind = index.u32(at) >> 16 & 0xff;
            constexpr std::uint32_t of_several = 2;
            views += kind == of_several;
            at += entry_bytes;
        }
        return views;
    }

  private:
    // What lies behind this mark in the first segment APPn that has it.
    std::span<const std::uint8_t> segment(int n, std::string_view mark) const {
        for (auto* marker = info_.marker_list; marker; marker = marker->next)
            if (marker->marker == JPEG_APP0 + n && marker->data_length > mark.size() &&
                std::memcmp(marker->data, mark.data(), mark.size()) == 0)
                return std::span(marker->data, marker->data_length).subspan(mark.size());
        return {};
    }
    bool is_ours() const {
        constexpr std::string_view mark = software;
        for (auto* marker = info_.marker_list; marker; marker = marker->next)
            if (marker->marker == JPEG_COM && marker->data_length == mark.size() &&
                std::memcmp(marker->data, mark.data(), mark.size()) == 0)
                return true;
        return false;
    }
    UnreadableInput failure() const {
        return unreadable(file_.path(),
                          std::string("the JPEG data are damaged (") + errors_.reason + ")");
    }
    bool try_create() {
        if (setjmp(errors_.jump)) return false;
        jpeg_create_decompress(&info_);
        return true;
    }
    bool try_header() {
        if (setjmp(errors_.jump)) return false;
        std::rewind(file_.handle());
        jpeg_stdio_src(&info_, file_.handle());
        for (const int n : {1, 2}) jpeg_save_markers(&info_, JPEG_APP0 + n, 0xffff);
        jpeg_save_markers(&info_, JPEG_COM, sizeof software - 1);
        jpeg_read_header(&info_, TRUE);
        return true;
    }
    bool try_pixels(std::uint8_t* pixels, std::size_t row_bytes) {
        if (setjmp(errors_.jump)) return false;
        info_.out_color_space = info_.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
        info_.dct_method = JDCT_ISLOW;
        jpeg_start_decompress(&info_);
        while (info_.output_scanline < info_.output_height) {
            JSAMPROW row = pixels + info_.output_scanline * row_bytes;
            jpeg_read_scanlines(&info_, &row, 1);
        }
        jpeg_finish_decompress(&info_);
        return true;
    }

    const InputFile& file_;
    ErrorManager errors_;
    jpeg_decompress_struct info_;
};

// Takes bytes; false where it cannot. Never throws.
using Sink = std::function<bool(const void*, std::size_t)>;

// A destination that hands full buffers to a sink.
struct Destination {
    jpeg_destination_mgr base;  // first, so that libjpeg's pointer is this struct's
    const Sink* sink;
    std::array<JOCTET, 65536> buffer;
};

void start_buffer(j_compress_ptr info) {
    auto* destination = reinterpret_cast<Destination*>(info->dest);
    destination->base.next_output_byte = destination->buffer.data();
    destination->base.free_in_buffer = destination->buffer.size();
}
boolean flush_buffer(j_compress_ptr info) {
    auto* destination = reinterpret_cast<Destination*>(info->dest);
    if (!(*destination->sink)(destination->buffer.data(), destination->buffer.size()))
        ERREXIT(info, JERR_FILE_WRITE);
    start_buffer(info);
    return TRUE;
}
void finish_buffer(j_compress_ptr info) {
    auto* destination = reinterpret_cast<Destination*>(info->dest);
    const std::size_t used = destination->buffer.size() - destination->base.free_in_buffer;
    if (!(*destination->sink)(destination->buffer.data(), used)) ERREXIT(info, JERR_FILE_WRITE);
}

class Writer {
  public:
    Writer(Sink sink, const JpegForm& form) : sink_(std::move(sink)), form_(form) {
        set_up(errors_, info_.err);
        destination_.base = {nullptr, 0, start_buffer, flush_buffer, finish_buffer};
        destination_.sink = &sink_;
        if (!try_create()) throw std::bad_alloc();
    }
    ~Writer() { jpeg_destroy_compress(&info_); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    // False where libjpeg or the sink failed.
    bool write(const Image<std::uint8_t>& image) {
        const auto counts =
            form_.tile ? std::nullopt : jpeg_counts.counts_of(image.shape(), image.geometry);
        return try_write(image.shape(), counts ? counts->data() : nullptr, image.data());
    }
    std::string reason() const { return errors_.reason; }

  private:
    bool try_create() {
        if (setjmp(errors_.jump)) return false;
        jpeg_create_compress(&info_);
        return true;
    }
    // `counts` are pixels of a centimeter; null where they are not known.
    bool try_write(const Shape& shape, const std::uint32_t* counts, const std::uint8_t* pixels) {
        if (setjmp(errors_.jump)) return false;
        info_.dest = &destination_.base;
        info_.image_width = static_cast<JDIMENSION>(shape.x);
        info_.image_height = static_cast<JDIMENSION>(shape.y);
        info_.input_components = shape.channels;
        info_.in_color_space = shape.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
        jpeg_set_defaults(&info_);
        jpeg_set_quality(&info_, form_.quality, TRUE);
        info_.comp_info[0].h_samp_factor = info_.comp_info[0].v_samp_factor = 1;  // full color
        info_.optimize_coding = form_.tile ? FALSE : TRUE;
        info_.write_JFIF_header = form_.tile ? FALSE : TRUE;
        if (counts) {
            info_.density_unit = 2;
            info_.X_density = static_cast<UINT16>(counts[0]);
            info_.Y_density = static_cast<UINT16>(counts[1]);
        }
        jpeg_start_compress(&info_, TRUE);
        if (counts)
            jpeg_write_marker(&info_, JPEG_COM, reinterpret_cast<const JOCTET*>(software),
                              sizeof software - 1);
        const std::int64_t row_bytes = shape.x * shape.channels;
        while (info_.next_scanline < info_.image_height) {
            JSAMPROW row = const_cast<JSAMPROW>(pixels + info_.next_scanline * row_bytes);
            jpeg_write_scanlines(&info_, &row, 1);
        }
        jpeg_finish_compress(&info_);
        return true;
    }

    Sink sink_;
    JpegForm form_;
    ErrorManager errors_;
    Destination destination_;
    jpeg_compress_struct info_;
};

}  // namespace

ReadResult read_jpeg(const InputFile& file, const DecodeOptions& options) {
    Reader reader(file);
    reader.read_header();
    const jpeg_decompress_struct& info = reader.info();
    const J_COLOR_SPACE space = info.jpeg_color_space;
    if (space == JCS_CMYK || space == JCS_YCCK)
        throw unsupported(file.path(), "it is a CMYK JPEG; convert it to RGB first");
    if (space != JCS_GRAYSCALE && space != JCS_YCbCr && space != JCS_RGB)
        throw unsupported(file.path(), "its JPEG color space is unknown");
    // A block of 8 x 8 samples takes at least one bit, and subsampled colors come on top.
    const double pixels = static_cast<double>(info.image_width) * info.image_height;
    if (pixels > 4096.0 * static_cast<double>(file.size()))
        throw unreadable(file.path(), "the header claims " + std::to_string(info.image_width) +
                                          " x " + std::to_string(info.image_height) +
                                          " pixels, but the file is far too short for them");
    const Shape shape{info.image_width, info.image_height, 1, 1, info.num_components == 1 ? 1 : 3};
    const int orientation = reader.orientation();
    ReadResult result{{}, "JPEG", {}};
    const PixelScale size = reader.pixel_size();
    if (const int views = reader.views(); views > 1)
        result.warnings.push_back("the JPEG file holds " + std::to_string(views) +
                                  " views of one scene, of which the first is read");
    const std::int64_t work =
        std::max(reader.coefficient_bytes(), is_upright(orientation) ? 0 : shape.elements());
    result.image = allocate(file.path(), PixelType::u8, shape, options, work);
    result.work_bytes = work;
    reader.read_pixels(std::get<Image<std::uint8_t>>(result.image).data(),
                       static_cast<std::size_t>(shape.x * shape.channels));
    if (!reader.warning().empty()) result.warnings.push_back("JPEG: " + reader.warning());
    apply_orientation(result.image, orientation);
    result.spacing_source = set_pixel_size(result.image, size, orientation, result.warnings);
    return result;
}

void write_jpeg(const AnyImage& image, OutputFile& file) {
    Writer writer([&](const void* data, std::size_t bytes) { return file.write(data, bytes); }, {});
    if (!writer.write(std::get<Image<std::uint8_t>>(image))) {
        if (std::ferror(file.handle())) throw file.failure();
        throw unwritable(file.shown(), writer.reason());
    }
    file.close();
}

std::vector<std::uint8_t> encode_jpeg(const Image<std::uint8_t>& image, const JpegForm& form) {
    std::vector<std::uint8_t> bytes;
    const auto append = [&](const void* data, std::size_t count) {
        try {
            const auto* first = static_cast<const std::uint8_t*>(data);
            bytes.insert(bytes.end(), first, first + count);
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    };
    Writer writer(append, form);
    if (!writer.write(image)) throw std::bad_alloc();
    return bytes;
}

}  // namespace tesela::io
