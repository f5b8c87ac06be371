#include "io/format.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "io/dicom_header.h"
#include "io/dicom_segmentation.h"
#include "io/dicom_writer.h"
#include "io/mgh.h"
#include "io/numpy.h"
#include "io/ome_zarr.h"
#include "io/plane_choice.h"
#include "io/segmentation.h"
#include "io/volume.h"
#include "io/volume_file/volume_file.h"
#include "io/zarr/label_group.h"
#include "io/zarr/store.h"
#include "tesela/slide_io.h"

namespace tesela::io {
namespace {

// A suffix comes before those that it ends with.
constexpr OutputFormat formats[] = {{Format::png, "PNG", ".png", "", "", ""},
                                    {Format::jpeg, "JPEG", ".jpg", "", ".png", ".png"},
                                    {Format::jpeg, "JPEG", ".jpeg", "", ".png", ".png"},
                                    {Format::tiff, "TIFF", ".tif", "", "", ""},
                                    {Format::tiff, "TIFF", ".tiff", "", "", ""},
                                    {Format::bmp, "BMP", ".bmp", "", "", ".png"},
                                    {Format::nifti, "NIfTI", ".nii.gz", "", ".nii", ""},
                                    {Format::nifti, "NIfTI", ".nii", "", "", ".nii.gz"},
                                    {Format::segmentation, "NRRD", ".seg.nrrd", "", "", ""},
                                    {Format::nrrd, "NRRD", ".nrrd", "", "", ""},
                                    {Format::nrrd, "NRRD", ".nhdr", ".raw", "", ".nrrd"},
                                    {Format::metaimage, "MetaImage", ".mha", "", "", ""},
                                    {Format::metaimage, "MetaImage", ".mhd", ".raw", "", ".mha"},
                                    {Format::mgh, "MGH", ".mgz", "", ".mgh", ""},
                                    {Format::mgh, "MGH", ".mgh", "", "", ".mgz"},
                                    {Format::npy, "NPY", ".npy", "", "", ".npz"},
                                    {Format::npz, "NPZ", ".npz", "", "", ""},
                                    {Format::zarr, "OME-Zarr", ".ome.zarr", "", "", ""},
                                    {Format::zarr, "OME-Zarr", ".zarr", "", "", ""},
                                    {Format::zarr, "OME-Zarr", ".ome.zarr.zip", "", "", ""},
                                    {Format::zarr, "OME-Zarr", ".zarr.zip", "", "", ""},
                                    {Format::dicom, "DICOM", ".dcm", "", "", ".seg.nrrd"}};
constexpr char suffixes_text[] =
    ".png .jpg .jpeg .tif .tiff .bmp .nii .nii.gz .nrrd .seg.nrrd .nhdr .mha .mhd .mgh .mgz .npy "
    ".npz .zarr .zarr.zip .dcm";

std::string lower_name(const fs::path& path) {
    std::string name = path.filename().string();
    for (char& c : name)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    return name;
}

const OutputFormat* find_format(const fs::path& path) {
    static constexpr OutputFormat label_group{Format::label_group, "OME-Zarr", "", "", "", ""};
    if (!zarr::image_of_labels(path).empty()) return &label_group;
    const std::string name = lower_name(path);
    for (const OutputFormat& format : formats)
        if (name.size() > format.suffix.size() && name.ends_with(format.suffix)) return &format;
    return nullptr;
}

VolumeFormat volume_format(Format format) {
    const bool is_nrrd = format == Format::nrrd || format == Format::segmentation;
    return format == Format::nifti ? VolumeFormat::nifti
           : is_nrrd               ? VolumeFormat::nrrd
           : format == Format::mgh ? VolumeFormat::mgh
                                   : VolumeFormat::metaimage;
}

void check_type(PixelType type, const OutputFormat& format, const fs::path& path) {
    const bool u8 = type == PixelType::u8;
    const bool is_mgh = format.format == Format::mgh;
    const bool holds_all = (is_volume(format.format) && !is_mgh) || format.format == Format::tiff;
    const bool fits = holds_all || u8 || (is_mgh && is_mgh_type(type)) ||
                      (format.format == Format::png && type == PixelType::u16);
    if (!fits)
        throw TooNarrow("cannot write " + quoted(path) + ": " + std::string(format.name) +
                        " cannot hold " + std::string(pixel_type_name(type)) +
                        " pixels without loss; use .tif, .nii, .nrrd or .mha");
}

void check_channels(const Shape& shape, bool alpha, const OutputFormat& format,
                    const fs::path& path) {
    const int c = shape.channels;
    bool fits = true;
    if (format.format == Format::png) fits = c == 1 || c == 3 || (alpha && (c == 2 || c == 4));
    if (format.format == Format::bmp) fits = c == 1 || c == 3 || (alpha && c == 4);
    if (format.format == Format::jpeg) fits = !alpha && (c == 1 || c == 3);
    if (format.format == Format::npy) fits = !alpha || c == 4;
    if (format.format == Format::mgh) fits = c == 1;
    if (format.format == Format::segmentation || format.format == Format::label_group)
        fits = c == 1;
    if (fits) return;
    throw UnsupportedFormat("cannot write " + quoted(path) + ": " + std::string(format.name) +
                            " does not take " + std::to_string(c) + " channels" +
                            (alpha ? " with opacity" : "") + "; use " +
                            (is_volume(format.format) ? ".nrrd" : ".tif"));
}

void check_axes(const Shape& shape, const OutputFormat& format, const fs::path& path) {
    if (format.format == Format::segmentation && shape.t > 1)
        throw UnsupportedFormat(
            "cannot write " + quoted(path) +
            ": segmentations of 3D Slicer have no time axis; use .nii.gz, .nrrd "
            "or .mha, or choose a time point by --time N");
    if (is_volume(format.format)) return;
    if (format.format != Format::tiff && (shape.t > 1 || shape.z > 1))
        throw UnsupportedFormat("cannot write " + quoted(path) + ": " + std::string(format.name) +
                                " does not hold volumes; use .tif, .nii.gz, .nrrd or .mha");
    const std::int64_t longest = format.format == Format::jpeg ? 65500 : 0x7fffffff;
    const std::int64_t row_bytes = (shape.x * shape.channels + 3) / 4 * 4;
    const bool too_large = format.format == Format::bmp && row_bytes * shape.y > 0x7fffffff - 2048;
    constexpr std::int64_t longest_row = 1 << 29;  // of PNG, of which a stripe has one at least
    const bool too_wide = format.format == Format::png && shape.x > longest_row / shape.channels;
    if (shape.x > longest || shape.y > longest || too_large || too_wide)
        throw UnsupportedFormat("cannot write " + quoted(path) + ": the image is too large for " +
                                std::string(format.name) + "; use .tif");
}

// The header is text and names the file of the pixels; libraries take a percent sign, also one in
// the path, for the pattern of a list of files.
void check_name_in_header(const fs::path& path) {
    const std::string name = path.filename().string();
    const bool has_controls =
        std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 32 || c == 127; });
    if (has_controls || path.string().find('%') != std::string::npos)
        throw UnwritableOutput("cannot write " + quoted(path) +
                               ": a percent sign or control character in the name has a meaning "
                               "of its own in this format; choose another name");
}

using Bytes = std::vector<std::uint8_t>;

bool starts_with(const Bytes& head, std::string_view mark, std::size_t at = 0) {
    return head.size() >= at + mark.size() && std::memcmp(&head[at], mark.data(), mark.size()) == 0;
}

// A kind of file that is known but not supported; empty where it is none of these.
std::string foreign_kind(const Bytes& head) {
    struct Kind {
        std::string_view mark, name;
    };
    using namespace std::string_view_literals;
    static constexpr Kind kinds[] = {
        {"RIFF"sv, "a RIFF file"sv}, {"\x89HDF"sv, "an HDF5 file"sv}, {"%PDF"sv, "a PDF"sv}};
    for (const Kind& kind : kinds)
        if (starts_with(head, kind.mark)) return std::string(kind.name);
    return "";
}

bool is_metaimage(const Bytes& head) {
    static constexpr std::string_view first_keys[] = {"ObjectType", "NDims", "Comment"};
    for (const std::string_view key : first_keys) {
        if (!starts_with(head, key)) continue;
        std::size_t at = key.size();
        while (at < head.size() && (head[at] == ' ' || head[at] == '\t')) ++at;
        return at < head.size() && head[at] == '=';
    }
    return false;
}

bool is_bmp(const Bytes& head) {
    // The mark alone is common in text; a header size below 256 follows at byte 14.
    return starts_with(head, "BM") &&
           (head.size() < 18 || (head[14] != 0 && head[15] == 0 && head[16] == 0 && head[17] == 0));
}

bool is_tiff(const Bytes& head) {
    using namespace std::string_view_literals;
    for (const std::string_view mark : {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv})
        if (starts_with(head, mark)) return true;
    return false;
}

constexpr std::size_t longest_head = 352;
constexpr std::string_view nrrd_mark = "NRRD000";

ReadResult decode_whole(const InputFile& file, const Bytes& head, const DecodeOptions& options) {
    using namespace std::string_view_literals;
    // The surest sign first. What stands before DICOM's is free, and often begins as a TIFF.
    if (is_surely_dicom(file)) return read_dicom_file(file.path(), options);
    if (starts_with(head, volume_file_magic)) return read_volume_file(file, options);
    if (starts_with(head, "\x89PNG\r\n\x1a\n"sv)) return read_png(file, options);
    if (const auto header = find_nifti_header(file)) {
        const InputFile first(*header);
        return read_volume(first, parse_nifti(first), options);
    }
    if (starts_with(head, nrrd_mark)) return read_segmentation(file, parse_nrrd(file), options);
    if (is_metaimage(head)) return read_volume(file, parse_metaimage(file), options);
    if (is_mgh(file)) return read_mgh(file, options);
    if (starts_with(head, numpy_magic)) return read_volume(file, parse_npy(file), options);
    if (starts_with(head, "PK\3\4"sv)) return read_volume(file, parse_npz(file), options);
    if (is_bmp(head)) return read_bmp(file, options);
    if (is_jpeg2000(head)) return read_jpeg2000(file, options);
    if (is_rasterfile(file)) return read_rasterfile(file, options);
    if (is_pnm(head)) return read_pnm(file, options);
    if (starts_with(head, "\xff\xd8\xff"sv)) return read_jpeg(file, options);
    if (starts_with(head, "GIF87a"sv) || starts_with(head, "GIF89a"sv))
        return read_gif(file, options);
    if (starts_with(head, "RIFF"sv) && starts_with(head, "WEBP"sv, 8))
        return read_webp(file, options);
    if (is_dicom(file)) return read_dicom_file(file.path(), options);
    const std::string kind = foreign_kind(head);
    throw unsupported(file.path(),
                      (kind.empty() ? "it is not" : "it is " + kind + ", not") +
                          std::string(" an image of a known format (PNG, JPEG, TIFF, "
                                      "BMP, WebP, GIF, JPEG 2000, PNM, Sun raster, NIfTI, NRRD, "
                                      "MetaImage, MGH, NPY, NPZ, OME-Zarr, TVOL, "
                                      "DICOM)"));
}

ReadResult decode_file(const InputFile& file, const DecodeOptions& options) {
    const Bytes head = file.head(longest_head);
    if (is_surely_dicom(file)) {
        const InputFile dicom = open_dicom(file.path(), options.max_bytes);
        if (is_dicom_segmentation(dicom)) return read_dicom_segmentation(dicom, options);
    } else {
        if (is_tiff(head)) return read_tiff(file, options);
        if (zarr::is_zarr_archive(file)) return read_ome_zarr(file.path(), options);
    }
    ReadResult result = decode_whole(file, head, options);
    choose_planes(file.path(), options, result);
    return result;
}

ReadResult decode_folder(const fs::path& folder, const DecodeOptions& options) {
    if (zarr::is_zarr_folder(folder)) return read_ome_zarr(folder, options);
    return read_dicom_folder(folder, options);
}

void encode_volume(const AnyImage& image, const OutputFormat& format, const Staging& staging,
                   const EncodeOptions& options) {
    Compression compression = options.compression;
    // A suffix with one for unpacked pixels says that they are packed, as do segmentations.
    if (compression == Compression::automatic && format.unpacked.empty() &&
        format.format != Format::segmentation)
        compression = Compression::none;
    write_volume(image,
                 {volume_format(format.format), options.is_labels, compression, options.keys},
                 staging.staged(), staging.target());
}

// Pictures, and arrays of NumPy.
void encode_file(const AnyImage& image, const OutputFormat& format, const Staging& staging,
                 Compression compression) {
    OutputFile file(staging.staged(), staging.target());
    switch (format.format) {
        case Format::png:
            return write_png(image, file, compression);
        case Format::jpeg:
            return write_jpeg(image, file);
        case Format::bmp:
            return write_bmp(image, file);
        case Format::npy:
            return write_npy(image, file);
        case Format::npz:
            return write_npz(image, file, compression);
        default:
            return write_tiff(image, file, is_ome_tiff_name(staging.target()), compression);
    }
}

}  // namespace

OutputFormat output_format(const fs::path& path) {
    if (const OutputFormat* format = find_format(path)) return *format;
    if (is_dicom_folder_name(path))
        throw UnsupportedFormat("cannot write " + quoted(path) +
                                ": a folder gets a DICOM series of images; label maps are written "
                                "as a segmentation, as labels.dcm");
    throw UnsupportedFormat("cannot write " + quoted(path) +
                            ": its suffix names no format; use one of " + suffixes_text);
}

bool is_numpy(Format format) { return format == Format::npy || format == Format::npz; }

bool is_volume(Format format) {
    return format == Format::nifti || format == Format::nrrd || format == Format::segmentation ||
           format == Format::metaimage || format == Format::mgh || format == Format::zarr ||
           format == Format::label_group || is_numpy(format);
}

bool holds_names(Format format) {
    return format == Format::segmentation || format == Format::dicom || format == Format::zarr ||
           format == Format::label_group;
}

bool holds_names(const fs::path& path) {
    const OutputFormat* format = find_format(path);
    return format && holds_names(format->format);
}

bool has_known_suffix(const fs::path& path) {
    constexpr std::array read_alone{".pbm", ".pgm", ".ppm", ".pnm", ".webp",
                                    ".gif", ".jp2", ".j2k", ".j2c", ".ras"};
    const std::string name = lower_name(path);
    return find_format(path) || std::any_of(read_alone.begin(), read_alone.end(),
                                            [&](const char* end) { return name.ends_with(end); });
}

bool is_dicom_name(const fs::path& path) {
    const OutputFormat* format = find_format(path);
    return format && format->format == Format::dicom;
}

bool is_image_folder(const fs::path& path) {
    const bool is_named_so = path.extension() == ".zarr" || !zarr::image_of_labels(path).empty();
    return is_named_so && zarr::is_zarr_folder(path);
}

std::string stem_of(const fs::path& path) {
    const OutputFormat* format = find_format(path);
    const std::string name = path.filename().string();
    return format ? name.substr(0, name.size() - format->suffix.size()) : path.stem().string();
}

std::vector<fs::path> files_written(const fs::path& path) {
    const OutputFormat* format = find_format(path);
    if (!format || format->data_suffix.empty()) return {path};
    return {path, path.parent_path() / (stem_of(path) + std::string(format->data_suffix))};
}

std::vector<fs::path> files_read(const fs::path& path) {
    std::vector<fs::path> files;
    try {
        std::error_code ignored;
        if (zarr::is_zarr_folder(path)) return {path};
        if (fs::is_directory(path, ignored)) return dicom_files(path);
        files.push_back(path);
        const InputFile file(path);
        if (is_surely_dicom(file)) return files;
        const Bytes head = file.head(longest_head);
        if (const auto header = find_nifti_header(file)) {
            if (*header != path) files.push_back(*header);
            files.push_back(nifti_data_file(InputFile(*header)));
        }
        if (starts_with(head, nrrd_mark)) files.push_back(nrrd_data_file(file));
        if (is_metaimage(head)) files.push_back(metaimage_data_file(file));
        if (is_tiff(head))
            for (fs::path& other : tiff_set_files(file)) files.push_back(std::move(other));
    } catch (const Error&) {
        // Reading will fail as well, and say why.
    }
    return files;
}

void check_compression(Compression compression, const OutputFormat& format, const fs::path& path) {
    if (compression == Compression::automatic) return;
    const std::string_view instead =
        compression == Compression::none ? format.unpacked : format.packed;
    if (instead.empty()) return;
    throw InvalidArgument("cannot write " + quoted(path) + ": " + std::string(format.suffix) +
                          " has no compression '" + std::string(enum_name(compression)) +
                          "'; use " + std::string(instead) + ", or leave the compression out");
}

void check_fits(const AnyImage& image, const OutputFormat& format, const fs::path& path) {
    if (!format.data_suffix.empty()) check_name_in_header(path);
    const Shape& shape = shape_of(image);
    validate(shape);
    check_axes(shape, format, path);
    check_type(pixel_type_of(image), format, path);
    check_channels(shape, has_alpha(image), format, path);
}

bool is_ome_tiff_name(const fs::path& path) {
    const std::string name = lower_name(path);
    return name.ends_with(".ome.tif") || name.ends_with(".ome.tiff");
}

bool is_ome_zarr_name(const fs::path& path) {
    const OutputFormat* format = find_format(path);
    return format && format->format == Format::zarr;
}

std::uint32_t largest_label(const OutputFormat& format) {
    switch (format.format) {
        case Format::jpeg:
            return 0;
        case Format::bmp:
            return 0xff;
        case Format::png:
            return 0xffff;
        case Format::mgh:
        case Format::segmentation:
            return std::numeric_limits<std::int32_t>::max();
        default:
            return std::numeric_limits<std::uint32_t>::max();
    }
}

std::vector<std::string> encode(const AnyImage& image, const OutputFormat& format,
                                const Staging& staging, const EncodeOptions& options) {
    if (format.format == Format::label_group)
        return write_label_group(image, staging.staged(), staging.target(), options);
    if (format.format == Format::zarr)
        write_ome_zarr(image, staging.staged(), staging.target(), options);
    else if (is_volume(format.format) && !is_numpy(format.format))
        encode_volume(image, format, staging, options);
    else
        encode_file(image, format, staging, options.compression);
    return {};
}

ReadResult decode(const fs::path& path, const DecodeOptions& options) {
    ReadResult result;
    with_memory_guard(path, [&] {
        std::error_code ignored;
        const bool is_folder = fs::is_directory(path, ignored);
        if (!is_folder && !options.choice.series.empty() && !options.choice.where_several)
            throw InvalidArgument("--series is " + printable(options.choice.series) + ", but " +
                                  quoted(path) + " is no folder of DICOM files");
        result = is_folder ? decode_folder(path, options) : decode_file(InputFile(path), options);
    });
    return result;
}

}  // namespace tesela::io
