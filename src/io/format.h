// Which format a file has: by suffix when writing, by content when reading.
#pragma once

#include <string_view>

#include "io/picture.h"

namespace tesela::io {

// segmentation: an NRRD with the fields of 3D Slicer; dicom: a segmentation; label_group: labels in
// an image of OME-Zarr.
enum class Format {
    png,
    jpeg,
    tiff,
    bmp,
    nifti,
    nrrd,
    segmentation,
    metaimage,
    mgh,
    npy,
    npz,
    zarr,
    dicom,
    label_group
};

struct OutputFormat {
    Format format;
    std::string_view name;         // "PNG", as in ReadResult
    std::string_view suffix;       // ".nii.gz"
    std::string_view data_suffix;  // ".raw" where the pixels get a file of their own
    // Suffixes to use instead where pixels are to stay as they are, or to be packed; "": this one.
    std::string_view unpacked, packed;
};

// Also by the folder: labels in an image of OME-Zarr have any name. Throws UnsupportedFormat for a
// suffix that is none of ours.
OutputFormat output_format(const fs::path& path);
// One of those, or one of a format that is read alone.
bool has_known_suffix(const fs::path& path);
// NIfTI, NRRD, MetaImage, MGH, NumPy's or OME-Zarr: images of any axes and types.
bool is_volume(Format format);
bool is_numpy(Format format);  // NPY or NPZ
// Whether files of the format hold names and colors of labels, and so need no side file.
bool holds_names(Format format);
bool holds_names(const fs::path& path);    // by its suffix
bool is_dicom_name(const fs::path& path);  // by its suffix
// Whether a folder is an image as a file is, and no folder of images or DICOM files: OME-Zarr with
// a name of its own, or labels in one.
bool is_image_folder(const fs::path& path);
// The file name without its suffix, be it one of ours or another.
std::string stem_of(const fs::path& path);

// Throws InvalidArgument where the format has no form for the compression.
void check_compression(Compression compression, const OutputFormat& format, const fs::path& path);
// Throws TooNarrow for a pixel type, UnsupportedFormat for axes or channels, and UnwritableOutput
// for a name, that the format cannot hold.
void check_fits(const AnyImage& image, const OutputFormat& format, const fs::path& path);
// The widest unsigned integers that the format holds exactly; 0 where it holds none.
std::uint32_t largest_label(const OutputFormat& format);

struct EncodeOptions {
    bool is_labels = false;
    Compression compression = Compression::automatic;
    std::string keys = {};  // of a segmentation: what its header says of the segments
    LabelTable names = {};  // of labels, for formats that hold them
    ZarrVersion zarr = ZarrVersion::v0_4;
};
// Writes the image into the staged file or files. Gives sentences for the user. Throws
// UnwritableOutput.
std::vector<std::string> encode(const AnyImage& image, const OutputFormat& format,
                                const Staging& staging, const EncodeOptions& options);
// Reads a file or folder, as read_image.
ReadResult decode(const fs::path& path, const DecodeOptions& options);

}  // namespace tesela::io
