// What the tests of the file library share.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tesela/flow_io.h"
#include "tesela/slide_io.h"

namespace tesela::io::testing {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

// A folder of its own for each test, removed with everything in it.
class FileTest : public ::testing::Test {
  protected:
    FileTest();
    ~FileTest() override;

    fs::path file(const std::string& name) const { return folder / name; }
    // The names of all files below the folder, hidden ones too.
    std::vector<std::string> names() const;

    fs::path folder;
};

// Headers of text, written by hand.
class HandWrittenTest : public FileTest {
  protected:
    // A file with this text, and behind it these bytes, or the numbers from 0 to `bytes` - 1.
    fs::path text(const std::string& name, const std::string& header, const Bytes& behind = {});
    fs::path text(const std::string& name, const std::string& header, std::size_t bytes);
};

// The text, and these bytes behind it.
Bytes joined(const std::string& front, const Bytes& back);
// Puts a number there, its highest byte first where `big_endian`.
template <class T>
void put_number(Bytes& bytes, std::size_t at, T value, bool big_endian) {
    std::memcpy(&bytes[at], &value, sizeof value);
    if (big_endian == (std::endian::native == std::endian::little))
        std::reverse(&bytes[at], &bytes[at] + sizeof value);
}

// Expects exactly one warning, and each of these words in it; none without words.
void expect_warning(const ReadResult& result, const std::vector<std::string>& words);

// Nothing may reach the process's own output, whichever library wrote it.
class QuietScope {
  public:
    QuietScope() {
        ::testing::internal::CaptureStdout();
        ::testing::internal::CaptureStderr();
    }
    ~QuietScope() {
        EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
        EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    }
};

// Files of this process end at `bytes`, as on a full disk.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit limit = before_;
        limit.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

  private:
    rlimit before_{};
    void (*handler_)(int);
};

void write_bytes(const fs::path& path, const Bytes& bytes);
Bytes read_bytes(const fs::path& path);

// Runs `work` and expects an error with this code and with each of these words in its sentence.
void expect_error(ErrorCode code, const std::vector<std::string>& words,
                  const std::function<void()>& work);

// The same of input that cannot be read.
inline void expect_unreadable(const std::vector<std::string>& words,
                              const std::function<void()>& read) {
    expect_error(ErrorCode::unreadable_input, words, read);
}

// Values that differ from pixel to pixel and use the whole range of the type.
template <class T>
Image<T> pattern(const Shape& shape, const Geometry& geometry = {}) {
    Image<T> image(shape, geometry);
    std::uint32_t state = 12345;
    for (T& value : image.pixels()) {
        state = state * 1664525u + 1013904223u;
        if constexpr (std::is_floating_point_v<T>)
            value = static_cast<T>(static_cast<double>(state) / 65536.0 - 20000);
        else
            value = static_cast<T>(state >> 7);
    }
    return image;
}

// The nearest to equality that formats allow: all pixels, shape, type and opacity.
template <class T>
void expect_same_pixels(const AnyImage& read, const Image<T>& written) {
    ASSERT_EQ(pixel_type_name(pixel_type_of(read)), pixel_type_name(pixel_type_of<T>()));
    const auto& image = std::get<Image<T>>(read);
    ASSERT_EQ(image.shape(), written.shape());
    EXPECT_EQ(image.has_alpha, written.has_alpha);
    EXPECT_EQ(image.pixels(), written.pixels());
}

// To `relative` of the spacing, or of the coordinate where that is larger.
void expect_same_geometry(const Geometry& read, const Geometry& written, double relative = 1e-4);

// An element of a DICOM file with text, or of the types SQ and UN a sequence of one item, or of
// none.
struct DicomElement {
    std::uint32_t tag = 0;
    std::string vr, text = {};
    std::vector<DicomElement> item = {};
    bool undefined_length = false;                           // of the sequence
    std::vector<std::vector<DicomElement>> more_items = {};  // behind the first one
};

// A DICOM file, by default of 16-bit gray values, written here byte by byte in explicit little
// endian form.
struct DicomSample {
    std::string series = "1.2.3.4", number = {};
    std::string sop_class = "1.2.840.10008.5.1.4.1.1.4", instance = "1.2.3.4.5";
    std::vector<DicomElement> patient = {};  // with ascending tags of group 10
    std::string frame_of_reference = {}, character_set = {};
    std::int64_t columns = 5, rows = 4, frames = 1;
    double position[3] = {-10, 20, 30};
    double orientation[6] = {1, 0, 0, 0, 1, 0};
    double spacing[2] = {0.5, 0.75};  // between rows, between columns
    bool is_at_detector = false;      // the spacing
    bool has_spacing = true, has_place = true;
    std::string aspect;  // of a pixel
    std::string slope, intercept;
    // As many as pixels and samples, also where pixels have one bit; a ramp where empty.
    std::vector<std::uint16_t> values;
    int samples = 1, bits_allocated = 16, bits_stored = 12;
    std::string colors = "MONOCHROME2";
    // Of a compressed image, in place of the values.
    std::string syntax = "1.2.840.10008.1.2.1";
    std::vector<Bytes> fragments;
    Bytes offsets;                    // the table in front of them
    std::vector<DicomElement> extra;  // with ascending tags between 0028,1053 and the pixels
};
// The values as they lie in a file without compression.
Bytes dicom_pixels(const DicomSample& sample);
Bytes dicom_bytes(const DicomSample& sample);

// A picture of 5 x 4 pixels with opacity, without loss.
Bytes small_webp();
// Pictures of 5 x 4 pixels: GIF with four colors, JPEG 2000 in color and of 16 bits, both without
// loss (gif_test.cpp, jpeg2000_test.cpp).
Bytes small_gif();
Bytes small_jp2();
Bytes small_j2k();

// One small valid file for each format and variant, by name.
std::vector<std::pair<std::string, Bytes>> sample_files(const fs::path& scratch);
// The same of headers that say more than those of our own files: units, spaces, scalings, skips,
// numbers as text.
std::vector<std::pair<std::string, Bytes>> sample_header_files(const fs::path& scratch);
// The same of files that are packed in several pieces or stripes, which unpack to much more.
std::vector<std::pair<std::string, Bytes>> sample_piece_files(const fs::path& scratch);
// The same of flow fields, and a gray Sun rasterfile.
std::vector<std::pair<std::string, Bytes>> sample_flow_files(const fs::path& scratch);
// The same of Y4M, two frames each.
std::vector<std::pair<std::string, Bytes>> sample_y4m_files();
// The same of OME-TIFF with a pyramid.
std::vector<std::pair<std::string, Bytes>> sample_slide_files(const fs::path& scratch);
// The same of GeoJSON, as versions of QuPath write it.
std::vector<std::pair<std::string, Bytes>> sample_geojson_files();
// A file with this header behind its mark, and frames of the same bytes.
Bytes y4m_bytes(const std::string& header, int frames, std::size_t frame_bytes);

// Motions of all sizes, every seventh of them unknown, that each format of flow holds exactly.
FlowField flow_pattern(std::int64_t width, std::int64_t height);

// The eight words of a Sun rasterfile's header, by default that of 3 x 2 gray pixels.
struct Raster {
    std::uint32_t magic = 0x59a66a95, width = 3, height = 2, depth = 8, length = 6, type = 1,
                  map_type = 0, map_length = 0;
};
Bytes raster_bytes(const Raster& raster, const Bytes& pixels);

}  // namespace tesela::io::testing
