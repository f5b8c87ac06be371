// Volumes. A parser for each format turns a header into a VolumeHeader, and one reader takes the
// numbers of any.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "io/picture.h"

namespace tesela::io {

enum class NumberType { u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 };
int number_bytes(NumberType type);

// Calls `work` with a value of the type.
template <class Work>
std::invoke_result_t<Work, double> with_type(NumberType type, const Work& work) {
    switch (type) {
        case NumberType::u8:
            return work(std::uint8_t{});
        case NumberType::i8:
            return work(std::int8_t{});
        case NumberType::u16:
            return work(std::uint16_t{});
        case NumberType::i16:
            return work(std::int16_t{});
        case NumberType::u32:
            return work(std::uint32_t{});
        case NumberType::i32:
            return work(std::int32_t{});
        case NumberType::u64:
            return work(std::uint64_t{});
        case NumberType::i64:
            return work(std::int64_t{});
        case NumberType::f32:
            return work(float{});
        case NumberType::f64:
            break;
    }
    return work(double{});
}

// The number that is stored there, its bytes in the other order where `swapped`.
template <class T>
T load_number(const std::uint8_t* at, bool swapped) {
    std::array<std::uint8_t, sizeof(T)> raw;
    std::memcpy(raw.data(), at, sizeof(T));
    if (swapped) std::reverse(raw.begin(), raw.end());
    return std::bit_cast<T>(raw);
}

// gzip: also zlib; deflate: without head and checksum.
enum class DataEncoding { raw, gzip, deflate, hex, text };

enum class AxisRole { x, y, z, time, channel };
struct FileAxis {
    std::int64_t length = 1;
    AxisRole role = AxisRole::x;
};

// What three channels, or four, are by the header; a color where it does not say.
enum class ChannelMeaning { color, vectors, other };

// A segment of 3D Slicer: voxels of a value in one of several volumes, its layer.
struct StoredSegment {
    std::uint32_t value = 1;
    std::int64_t layer = 0;
    LabelDescription description = {};
};

struct VolumeHeader {
    std::string format;  // as ReadResult
    std::vector<std::string> warnings;
    NumberType type = NumberType::u8;  // of the stored numbers
    bool big_endian = false;
    std::vector<FileAxis> axes;      // of the stored array, the fastest first; each role once
    std::vector<int> channel_order;  // where each stored channel goes; empty: in order
    bool has_alpha = false;
    ChannelMeaning meaning = ChannelMeaning::color;
    ValueScaling scaling;
    Geometry geometry;
    std::vector<StoredSegment> segments;  // of a NRRD of 3D Slicer

    DataEncoding encoding = DataEncoding::raw;
    fs::path data_file;              // holds the numbers: the file itself or another
    std::int64_t data_offset = 0;    // where they, or their compressed stream, begin
    std::int64_t skipped_bytes = 0;  // of a compressed stream, unpacked, before the numbers
    // CRC-32 of the stream, unpacked, with what is skipped; raw or deflated.
    std::optional<std::uint32_t> checksum;

    Shape shape() const;
    std::int64_t data_bytes() const;  // of the numbers, unpacked
};

// The parsers throw UnreadableInput or UnsupportedFormat.

// `file` may be one part of a pair (.hdr, .img): the header that it is or belongs to, or nothing
// where it is no NIfTI file.
std::optional<fs::path> find_nifti_header(const InputFile& file);
VolumeHeader parse_nifti(const InputFile& file);  // that find_nifti_header found
VolumeHeader parse_nrrd(const InputFile& file);
VolumeHeader parse_metaimage(const InputFile& file);
bool is_mgh(const InputFile& file);
VolumeHeader parse_mgh(const InputFile& file);  // that is_mgh found
// The same file with the names and colors of labels behind its voxels. Throws as read_volume.
ReadResult read_mgh(const InputFile& file, const DecodeOptions& options);
VolumeHeader parse_npy(const InputFile& file);
VolumeHeader parse_npz(const InputFile& file);

// The file that holds the pixels: the header's own, or the one that it names. Throw as the parsers
// do, but for the first lines alone that cannot be read.
fs::path nifti_data_file(const InputFile& file);  // as parse_nifti
fs::path nrrd_data_file(const InputFile& file);
fs::path metaimage_data_file(const InputFile& file);

// Opens the file that holds the pixels. Throws UnreadableInput that names both files.
InputFile open_data(const InputFile& header, const fs::path& data_file);

using Vector3 = std::array<double, 3>;
// How the axes of a volume lie, in LPS and in the unit of its geometry: from a voxel to the next
// along axis a it is spacing[a] * directions[a]. What the header does not give is 0.
struct VolumeAxes {
    std::array<Vector3, 3> directions{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    Vector3 spacing{1, 1, 1};
    Vector3 origin{};
};
// Sets spacing, origin and direction of the header's geometry; its axes must be there. Throws
// UnreadableInput where a number is not finite, UnsupportedFormat where the axes are sheared.
void set_geometry(const InputFile& file, const VolumeAxes& axes, VolumeHeader& header);

// Throws UnreadableInput where the file is too short for all that its header claims, and
// OutOfMemory where that is too much.
void check_data(const InputFile& file, const VolumeHeader& header, const DecodeOptions& options);

// The stored numbers of a volume that passed check_data, unpacked, in their order.
class ByteSource {
  public:
    virtual ~ByteSource() = default;
    // Fills `bytes`, whole numbers, in the file's byte order (text: in this machine's). Throws
    // UnreadableInput.
    virtual void read(std::span<std::uint8_t> bytes) = 0;
    // Instead, before anything is read: gives all of them to `take`, by several threads at once and
    // in any order. Where that is false, `take` may have got anything, and they are to be read.
    using TakePart = std::function<void(std::int64_t offset, std::span<const std::uint8_t> bytes)>;
    virtual bool read_parts(const TakePart& take) {
        static_cast<void>(take);
        return false;
    }
    // Throws UnreadableInput where a checksum behind the numbers is wrong.
    virtual void finish() {}
};
std::unique_ptr<ByteSource> open_bytes(const InputFile& file, const VolumeHeader& header);

// Reads a volume. Numbers are taken bit by bit as they are stored, so that NaN stays NaN; where the
// header gives a scaling and stored numbers are not asked for, they become floating-point numbers:
// float64 for stored numbers of more than 24 bits but float32, float32 for the others. 64-bit
// integers become 32-bit ones where all fit.
ReadResult read_volume(const InputFile& file, VolumeHeader header, const DecodeOptions& options);

// The key by which MetaImage files of ours, and NRRD files of earlier versions, say that their
// spacing has no unit.
inline constexpr char no_spacing_key[] = "tesela_spacing";
inline constexpr char no_spacing_value[] = "unknown";
// Of MetaImage, which says nothing of channels: the last one is alpha.
inline constexpr char alpha_key[] = "tesela_alpha";
inline constexpr char alpha_value[] = "last";

// One DICOM file, or a folder that holds one series.
ReadResult read_dicom_file(const fs::path& path, const DecodeOptions& options);
// The DICOM files of a folder, by name; what is none of them is left alone. Throws UnreadableInput.
std::vector<fs::path> dicom_files(const fs::path& folder);
ReadResult read_dicom_folder(const fs::path& folder, const DecodeOptions& options);

enum class VolumeFormat { nifti, nrrd, metaimage, mgh };
struct VolumeForm {
    VolumeFormat format = VolumeFormat::nrrd;
    bool is_labels = false;
    Compression compression = Compression::none;
    std::string keys = {};  // lines of a header of NRRD, behind its fields
};
// Writes `staged`, and its data file where the suffix asks for one, which is never packed. Errors
// speak of `shown`. Throws TooNarrow where NIfTI or MGH does not hold the geometry or
// lengths, UnwritableOutput.
void write_volume(const AnyImage& image, const VolumeForm& form, const fs::path& staged,
                  const fs::path& shown);

}  // namespace tesela::io
