// Image files. Formats are told by content when reading and by suffix when writing.
//
// Pictures: PNG, JPEG, TIFF, BMP, WebP, GIF (its first frame), JPEG 2000, PNM, gray Sun
// rasterfiles. Volumes: NIfTI-1 and -2 (.nii, .nii.gz), NRRD
// (.nrrd, .nhdr; .seg.nrrd of 3D Slicer: label maps with names and colors, whose layers are
// joined), MetaImage (.mha, .mhd), FreeSurfer's MGH (.mgh, .mgz), NumPy (.npy, .npz), OME-Zarr (a
// folder .zarr, or .zarr.zip), Tesela's own compressed volumes (.tvol, tesela/volume_io.h), and a
// DICOM file or a series of a folder of DICOM files. WebP, GIF, JPEG 2000, PNM and rasterfiles are
// read alone. DICOM is written as a segmentation or a series that is derived from another one.
//
// Pictures have a spacing where OME-XML, the descriptions of ImageJ or Aperio, or a resolution
// finer than 10 um a pixel tell it; a coarser resolution is that of print, unless Tesela wrote it.
// Written pictures hold the spacing, but for BMP, and no origin or direction. EXIF and TIFF
// orientations are applied. Pages of a TIFF are the channels, slices and times that OME-XML,
// ImageJ's or tifffile's description says; without one, pages that are alike are slices. Volumes
// keep spacing, origin and direction; they are written in millimeters, and where the spacing is
// unknown the file says so. Values are those of the file, NaN and infinity too; where a NIfTI or
// MetaImage file gives a scaling, it is applied and the values are floating-point numbers.
//
// Nothing is ever printed. Calls are safe from several threads; DICOM files are read by one of them
// at a time.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tesela/brick_source.h"
#include "tesela/color.h"
#include "tesela/image.h"
#include "tesela/label_table.h"
#include "tesela/options.h"
#include "tesela/zarr_version.h"

namespace tesela::io {

// A picture or volume without a header: x fastest, channels side by side.
struct RawLayout {
    Shape shape;
    PixelType type = PixelType::u8;
    bool big_endian = false;
    std::int64_t offset = 0;  // bytes before the first voxel

    // "WxHxD:TYPE[:OFFSET]", or "WxH:TYPE[:OFFSET]" of a picture, such as "512x512x348:u16le" or
    // "150x150:u8:32". TYPE is u8, i8, u16, i16, u32, i32, f32 or f64, with le (the default) or be.
    // Throws InvalidArgument.
    static RawLayout parse(std::string_view text);
};

// One channel, slice or time point of an image, all of them where none is named, and the series of
// a folder.
struct PlaneChoice {
    std::string channel = {};  // a number from 0, or a name that the file gives
    std::optional<std::int64_t> slice = {}, time = {};  // from 0
    // A single channel, slice, time point or series is taken as it is, whatever the number.
    bool where_several = false;
    std::string series = {};  // of a folder of DICOM files: number or UID (DicomSeries)

    bool given() const { return !channel.empty() || slice || time; }
};

// A series among the DICOM files of a folder.
struct DicomSeries {
    std::string uid;
    std::optional<std::int64_t> number = {};  // as the scanner counts them
    std::string description = {}, modality = {};
    std::int64_t columns = 0, rows = 0;  // of its first file
    std::int64_t files = 0, images = 0;  // files of several frames have several images
};
// Of the files that hold an image, by number and UID. Throws UnreadableInput for a folder without
// such files, and for a damaged file.
std::vector<DicomSeries> dicom_series(const std::filesystem::path& folder,
                                      std::int64_t max_bytes = 0);

struct ReadOptions {
    // Most memory for the image and what its decoder holds beside it, but for buffers of 1 MiB; 0:
    // physical memory. A file that asks for more is refused before that is taken.
    std::int64_t max_bytes = 0;
    bool stored = false;  // numbers as they are stored, with their scaling in the result
    std::optional<RawLayout> raw = {};  // the file has no header but this
    PlaneChoice choice = {};            // what is read of the image
};

struct ReadResult {
    AnyImage image;
    std::string format;  // "PNG", "TIFF", "NIfTI", "NIfTI-2", "NRRD", "MGH", "DICOM" and so on
    std::vector<std::string> warnings;  // sentences for the user, such as which NIfTI form was used
    int bits_per_pixel = 0;             // as stored in a BMP; 0: another format
    std::int64_t work_bytes = 0;        // that the decoder held beside the image, at most
    ValueScaling scaling = {};          // that was not applied, where stored numbers were asked for
    std::string spacing_source = {};  // what of a picture's file told its spacing: "OME", "ImageJ"
    bool separate_channels = false;   // channels are measurements of their own, not a color
    std::vector<std::string> channel_names = {};  // as the file has them; empty: it names none
    // Of a label map: what its labels stand for, as the file or its side file says. Null: neither
    // says that it is one.
    SharedLabelTable label_table = {};
};

// Throws UnreadableInput (missing, empty, truncated, damaged, with the file's name and the reason),
// UnsupportedFormat (a format or pixel type that is not supported), OutOfMemory, or InvalidArgument
// for a choice that the file does not have.
ReadResult read_image(const std::filesystem::path& path, const ReadOptions& options = {});

// The most of an image that somebody takes.
struct ImageLimits {
    int axes = 4;               // 2: a picture, 3: a volume, 4: also in time
    bool any_channels = false;  // also several that are no color
};
// Throws UnsupportedFormat where the image has more; the sentence names the options --channel,
// --slice and --time that choose from it.
void require_limits(const ReadResult& read, const std::filesystem::path& path,
                    const ImageLimits& limits);

// The files that reading `path` opens: itself, the file that its header names for the pixels, and
// the others of a TIFF set; of a folder, its DICOM files, or itself where it is one of OME-Zarr. Of
// what cannot be read, as much as can be told.
std::vector<std::filesystem::path> files_read(const std::filesystem::path& path);

// How much time the pixels of an image file may take to become small. The same values come back.
enum class Compression { automatic, none, fast, small };
constexpr auto enum_names(Compression) {
    return std::array{EnumNames<Compression>{Compression::automatic, "auto"},
                      EnumNames<Compression>{Compression::none, "none"},
                      EnumNames<Compression>{Compression::fast, "fast"},
                      EnumNames<Compression>{Compression::small, "small"}};
}
constexpr auto enum_help(Compression) {
    return std::array<std::string_view, 4>{"as usual: .nrrd and .mha as they are",
                                           "pixels as they are", "the least time",
                                           "the fewest bytes"};
}

// The DICOM series that a DICOM output is derived from.
struct DicomOrigin {
    std::filesystem::path source = {};  // a folder or a file; empty: none is known
    std::string series = {};            // of a folder of several: number or UID (DicomSeries)
    std::string process = {};           // what made the output, in a few words
    bool keeps_values = true;           // pixels are on the scale of the source, as Hounsfield's
};

struct WriteOptions {
    bool overwrite = true;  // false: an existing file is refused with InvalidArgument
    // Of images and label maps. What the suffix has no form for is refused with InvalidArgument:
    // `none` for .nii.gz, .mgz and .jpg; `fast` and `small` for .nii, .nhdr, .mhd, .mgh, .npy,
    // .bmp, .jpg.
    Compression compression = Compression::automatic;
    DicomOrigin origin = {};               // of DICOM outputs alone, which need it
    ZarrVersion zarr = ZarrVersion::v0_4;  // of OME-Zarr; labels in an image have its version
    // The image stands for one like it of another size, to see whether the format takes it.
    bool is_sample = false;
};

// Suffixes: .png .jpg .jpeg .tif .tiff .bmp .nii .nii.gz .nrrd .seg.nrrd .nhdr .mha .mhd .mgh .mgz
// .npy .npz .zarr .zarr.zip; .nhdr and .mhd put pixels into NAME.raw beside them, .zarr is a
// folder. JPEG is the one format that does not keep pixels exactly. TIFF holds volumes, time and
// any channels as ImageJ's hyperstacks, and where the name ends in .ome.tif as OME-TIFF. A path
// with a slash at its end is a folder that gets a DICOM series: a file for each slice, with
// patient, study and frame of reference of `options.origin`; whole numbers in a range of 65,536 are
// kept, others rounded to as many steps. A .dcm gets a mask or, by write_labels, a label map as a
// DICOM segmentation on the grid of the origin. Without an origin both throw InvalidArgument. Gives
// a sentence for the user where the format does not keep the geometry. Throws UnwritableOutput,
// UnsupportedFormat (unknown suffix, or a volume for a picture format), TooNarrow (a pixel type the
// format cannot hold without loss). Written beside the target and renamed: on failure nothing is
// left.
std::vector<std::string> write_image(const AnyImage& image, const std::filesystem::path& path,
                                     const WriteOptions& options = {});

// The files that writing to `path` makes: itself, and NAME.raw where the pixels get a file of their
// own.
std::vector<std::filesystem::path> files_written(const std::filesystem::path& path);

// A region of a label map as its side file lists it.
struct LabelEntry {
    std::uint32_t id = 0;
    std::array<std::uint8_t, 3> color{};
    std::int64_t count = 0;  // pixels or voxels
    std::string name = {};   // what it stands for, where the side file says so
    SegmentFields segment = {};
};

// One entry for each label that occurs, in ascending order, 0 left out. Colors are those of
// label_color.
std::vector<LabelEntry> label_entries(const LabelImage& labels);
using tesela::label_color;

// Writes labels in the smallest unsigned type of the format that holds the largest label, and
// NAME.labels.json beside it: for each label that occurs its id, name where it has one, color,
// pixel count, and area or volume where the spacing is known. A .seg.nrrd or .dcm holds names and
// colors itself and gets no side file. Throws TooNarrow where the format is too narrow, never
// wraps. Gives sentences as write_image.
std::vector<std::string> write_labels(const LabelImage& labels, const std::filesystem::path& path,
                                      const WriteOptions& options = {},
                                      const LabelTable& table = {});
// The same in the pixel type that the image has. What cannot be labels (several channels,
// fractions, negative values, JPEG) is written as write_image does, and a sentence says so.
std::vector<std::string> write_labels_as_stored(const AnyImage& image,
                                                const std::filesystem::path& path,
                                                const WriteOptions& options,
                                                const LabelTable& table);
// The path of the side file that write_labels makes.
std::filesystem::path labels_side_file(const std::filesystem::path& path);

struct LabelMap {
    LabelImage labels;
    SharedLabelTable table = {};  // as ReadResult
    std::vector<std::string> warnings = {};
};
// Reads an integer image as labels; of a picture with a palette, or with less than 8 bits a pixel,
// the stored numbers and not their colors. Throws UnsupportedFormat for floating-point, negative or
// multi-channel images.
LabelMap read_label_map(const std::filesystem::path& path, const ReadOptions& options = {});
LabelImage read_labels(const std::filesystem::path& path, const ReadOptions& options = {});
// Whether the side file of an image, or the header of a segmentation, says that it is a label map.
bool is_label_map(const std::filesystem::path& path);

// Names and colors of labels in a file of text: a table whose first row names the columns (`label`,
// `index`, `id`, `value` or `LabelValue`; `name`; a `color` like #a0b1c2, or `red`, `green` and
// `blue`, or `Color_R`, `Color_G` and `Color_B`), a color table of 3D Slicer (.ctbl, .txt) or
// FreeSurfer, or label descriptions of ITK-SNAP. Throws UnreadableInput for a label that is listed
// twice or is no whole number and for a color beyond 0 to 255, and UnsupportedFormat for other
// texts.
LabelTable read_label_names(const std::filesystem::path& path);

}  // namespace tesela::io
