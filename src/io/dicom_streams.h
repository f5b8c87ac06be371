// Compressed images in DICOM files (PS3.5, annex A.4), checked before a decoder sees them: decoders
// trust that a stream is of the size and kind that the DICOM header says.
#pragma once

#include <vector>

#include "io/dicom_header.h"

namespace tesela::io {

// Bytes with what the readers of compressed streams need. Beyond the end all throw UnreadableInput.
class StreamBytes {
  public:
    StreamBytes(const fs::path& path, std::vector<std::uint8_t> bytes)
        : path_(path), bytes_(std::move(bytes)) {}

    std::size_t size() const { return bytes_.size(); }
    unsigned u8(std::size_t at) const {
        if (at >= bytes_.size()) damaged("they end early");
        return bytes_[at];
    }
    // Numbers of the JPEG family begin with their highest byte.
    unsigned u16(std::size_t at) const { return u8(at) << 8 | u8(at + 1); }
    std::uint32_t u32(std::size_t at) const { return u16(at) << 16 | u16(at + 2); }
    const std::vector<std::uint8_t>& all() const { return bytes_; }
    // Keeps the bytes [begin, end).
    void cut(std::size_t begin, std::size_t end);
    // Throws unless all bytes from `at` on are padding.
    void require_padding(std::size_t at) const;

    [[noreturn]] void damaged(const std::string& reason) const {
        throw unreadable(path_, "its compressed pixels are damaged (" + reason + ")");
    }
    // The stream is whole, but not the image of the header.
    [[noreturn]] void differs(const std::string& fact,
                              const std::string& header_says = "otherwise") const {
        throw unreadable(
            path_, "its compressed pixels are " + fact + ", its DICOM header says " + header_says);
    }

  private:
    const fs::path& path_;
    std::vector<std::uint8_t> bytes_;
};

// The compressed image in one piece, without padding, of the size, samples and bits that the header
// says. Throws UnreadableInput where it is not, or is damaged in a way that can be seen without
// decoding.
// The header's sign becomes the stream's, where that has one, and so do its colors.
std::vector<std::uint8_t> compressed_stream(const InputFile& file, DicomHeader& header);

// Throws UnreadableInput unless a stream of this size, samples and precision is the header's image.
void require_image(const StreamBytes& stream, const DicomHeader& header, std::int64_t columns,
                   std::int64_t rows, std::int64_t samples, int bits);
// The parts of it, in files of their own: each checks its kind of stream and cuts the padding.
void check_jpeg(StreamBytes& stream, DicomHeader& header);
void check_jpeg2000(StreamBytes& stream, DicomHeader& header);

bool is_rle(const DicomHeader& header);
// Whether the transfer syntax allows for values that differ from those that were compressed.
bool is_lossy(const DicomHeader& header);
// The pixels of an image of run lengths (PS3.5, annex G), as they would lie in a file without
// compression, colors side by side.
std::vector<std::uint8_t> decode_rle(const InputFile& file, const DicomHeader& header);

}  // namespace tesela::io
