// Volumes. Headers are parsed and checked against the file here before ITK sees a byte: the parsers
// below ITK trust their input. Only itk_bridge.cpp, volume.cpp, dicom.cpp and
// decode_helper/main.cpp include ITK.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "io/gzip.h"
#include "io/picture.h"

namespace tesela::io {

struct VolumeHeader {
    std::string format;               // as ReadResult
    fs::path data_file;               // holds the pixels: the file itself or another
    std::int64_t data_offset = 0;     // of the pixels, or of the compressed stream, in data_file
    std::int64_t data_bytes = 0;      // of the pixels, unpacked
    std::int64_t stream_offset = -1;  // where a compressed stream begins; -1: not compressed
    std::int64_t skipped_bytes = 0;   // in a compressed stream, before the pixels
    std::int64_t work_bytes = 0;      // that ITK holds beside the pixels
    Unit unit = Unit::millimeter;     // of the spacing; unknown where the file does not give one
    std::vector<std::uint8_t> nifti;  // the 348 bytes, where it is NIfTI
    std::vector<std::string> warnings;
};

// Each parser throws UnreadableInput or UnsupportedFormat.
VolumeHeader parse_nifti(const InputFile& file);
VolumeHeader parse_nrrd(const InputFile& file);
VolumeHeader parse_metaimage(const InputFile& file);

// The file that holds the pixels: the header's own, or the one that it names. Throw as the parsers
// do, but for the first lines alone that cannot be read.
fs::path nrrd_data_file(const InputFile& file);
fs::path metaimage_data_file(const InputFile& file);

// Opens the file that holds the pixels. Throws UnreadableInput that names both files.
InputFile open_data(const InputFile& header, const fs::path& data_file);

// Throws UnreadableInput unless the file holds all that its header claims, and OutOfMemory where
// that is too much.
void check_data(const InputFile& file, const VolumeHeader& header, const DecodeOptions& options);

// Hands the pixels' bytes of a checked volume, unpacked, to `take` in pieces, each but the last a
// multiple of 64 bytes. Throws UnreadableInput.
void read_data(const InputFile& file, const VolumeHeader& header, const TakePiece& take);

// Reads the voxels of a checked NIfTI file, bit by bit as they are stored where the header gives no
// scaling or stored numbers are asked for (so NaN stays NaN), and as floating-point numbers where
// it does: float64 for stored numbers of more than 24 bits but float32, float32 for the others.
// `shape` is what ITK made of the header. The geometry is not set. Throws UnreadableInput where the
// scaling is not valid, UnsupportedFormat and OutOfMemory.
AnyImage nifti_pixels(const InputFile& file, const VolumeHeader& header, const Shape& shape,
                      const DecodeOptions& options);
// The scaling that the header gives. Throws UnreadableInput where it is not valid.
ValueScaling nifti_scaling(const InputFile& file, const VolumeHeader& header);

// A sentence for the user where the two forms of a NIfTI file put the image into different places;
// `used` is what was read. Empty where they agree.
std::string compare_nifti_forms(const std::vector<std::uint8_t>& nifti, const Geometry& used);

// Marks a NIfTI file (not compressed) as a label map, and as one without physical spacing.
void patch_nifti(const fs::path& path, bool is_labels, bool spacing_known);

// The key by which NRRD and MetaImage files of ours say that their spacing has no unit.
inline constexpr char no_spacing_key[] = "tesela_spacing";
inline constexpr char no_spacing_value[] = "unknown";

// Reads a checked volume.
ReadResult read_volume(const InputFile& file, VolumeHeader header, const DecodeOptions& options);
// One DICOM file, or a folder that holds one series.
ReadResult read_dicom_file(const fs::path& path, const DecodeOptions& options);
// The DICOM files of a folder, by name; what is none of them is left alone. Throws UnreadableInput.
std::vector<fs::path> dicom_files(const fs::path& folder);
ReadResult read_dicom_folder(const fs::path& folder, const DecodeOptions& options);

enum class VolumeFormat { nifti, nrrd, metaimage };
// Writes `staged`, not compressed, and its data file where the suffix asks for one, and checks that
// all bytes are there. Errors speak of `shown`.
void write_volume(const AnyImage& image, VolumeFormat format, const fs::path& staged,
                  const fs::path& shown);

}  // namespace tesela::io
