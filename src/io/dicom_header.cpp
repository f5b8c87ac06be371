#include "io/dicom_header.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "io/dicom_elements.h"
#include "io/dicom_frames.h"
#include "io/dicom_geometry.h"
#include "io/gzip.h"

namespace tesela::io {
namespace {

constexpr std::int64_t mark_offset = 128;
constexpr char deflated[] = "1.2.840.10008.1.2.1.99";

// Combinations that the decoder takes for granted.
void read_pixel_format(const InputFile& file, const DicomFields& f, DicomHeader& h) {
    h.samples = f.u16(0x00280002, "SamplesPerPixel", 1);
    h.bits_allocated = f.u16(0x00280100, "BitsAllocated");
    h.bits_stored = f.u16(0x00280101, "BitsStored");
    h.is_signed = f.u16(0x00280103, "PixelRepresentation", 0);
    h.colors = f.text(0x00280004);
    h.is_inverted = h.colors == "MONOCHROME1";
    if (h.is_inverted) h.colors = "MONOCHROME2";
    const int high = f.u16(0x00280102, "HighBit");
    h.layout.first_bit = high - (h.bits_stored - 1);
    h.layout.packed_bits =
        h.bits_allocated == 1 && h.colors == "MONOCHROME2" && h.samples == 1 && h.is_signed == 0;
    const bool bits_taken = h.layout.packed_bits || h.bits_allocated == 8 ||
                            h.bits_allocated == 16 || h.bits_allocated == 32;
    if (!bits_taken || h.bits_stored < 1 || h.layout.first_bit < 0 || high >= h.bits_allocated ||
        h.is_signed > 1)
        throw unsupported(file.path(), "its DICOM pixels of " + std::to_string(h.bits_stored) +
                                           " in " + std::to_string(h.bits_allocated) +
                                           " bits are not supported");
    static const std::set<std::string> three = {"RGB", "YBR_FULL", "YBR_FULL_422", "YBR_RCT",
                                                "YBR_ICT"};
    if (h.samples == 1 && h.colors == "PALETTE COLOR" && h.bits_allocated <= 16) {
        h.palette = read_palette(file, f, h.is_signed);
        h.colors = "MONOCHROME2";
    }
    const bool fits = h.samples == 1 ? h.colors == "MONOCHROME2"
                                     : h.samples == 3 && three.count(h.colors) != 0 &&
                                           (h.bits_allocated == 8 || h.colors == "RGB");
    if (!fits)
        throw unsupported(file.path(), "its DICOM pixels ('" + printable(h.colors) + "', " +
                                           std::to_string(h.samples) +
                                           " samples) are not supported");
    h.planar = h.samples > 1 ? f.u16(0x00280006, "PlanarConfiguration", 0) : 0;
    if (h.planar > 1) f.invalid("PlanarConfiguration");
}

// Places in a palette have none.
void read_scaling(const DicomFields& f, DicomHeader& h) {
    if (h.palette) return;
    if (const auto intercept = f.decimals<1>(intercept_tag, "RescaleIntercept"))
        h.intercept = (*intercept)[0];
    if (const auto slope = f.decimals<1>(slope_tag, "RescaleSlope")) h.slope = (*slope)[0];
    // Of doses, in place of a slope (PS3.3, C.8.8.3).
    constexpr std::uint32_t dose_scaling_tag = 0x3004000e;
    if (const auto scaling = f.decimals<1>(dose_scaling_tag, "DoseGridScaling"))
        h.slope *= (*scaling)[0];
    constexpr double most_stored = 4294967296.0;
    if (h.slope == 0 || !(std::abs(h.slope) * most_stored + std::abs(h.intercept) <
                          std::numeric_limits<float>::max()))
        f.invalid("RescaleSlope");
}

// How pixels without compression lie in the file. The header is then that of pixels in whole bytes,
// each with colors of its own.
void read_layout(const DicomWalker& walker, DicomHeader& h) {
    // Words of two bytes are swapped whatever they hold, longer numbers as a whole.
    if (walker.big_endian() && walker.pixels->vr == "OW")
        h.layout.swapped_bytes = std::max(2, h.bits_allocated / 8);
    h.layout.shared_colors = !h.compressed && h.colors == "YBR_FULL_422";
    if (h.layout.packed_bits) h.bits_allocated = h.bits_stored = 8;
    if (h.layout.shared_colors) h.colors = "YBR_FULL";
}

// Values and geometry that lie in sequences.
void check_scaling(const InputFile& file, const DicomWalker& walker, DicomHeader& h) {
    const auto has = [&](std::uint32_t tag) { return walker.tags.count(tag) != 0; };
    const auto tells_spacing = [](const DicomWalker::Values& v) {
        return v.count(spacing_tag) != 0;
    };
    constexpr std::uint32_t modality_table = 0x00283000, real_world = 0x00409096;
    const bool has_groups = has(shared_groups_tag) || has(frame_groups_tag);
    if (has_groups && !tells_spacing(walker.values) &&
        (walker.frames.empty() || !tells_spacing(walker.frames.front())))
        h.warnings.push_back("the functional groups of this enhanced DICOM file tell no spacing");
    if (has(modality_table))
        throw unsupported(file.path(),
                          "a table (Modality LUT Sequence) gives its values their meaning, which "
                          "is not supported");
    if (has(real_world))
        h.warnings.push_back(
            "the file maps its values to a quantity (Real World Value Mapping), which is not "
            "applied");
}

void check_spacing(const DicomFields& f, const DicomHeader& h) {
    if (h.spacing && !((*h.spacing)[0] > 0 && (*h.spacing)[1] > 0)) f.invalid("PixelSpacing");
    if (!h.orientation) return;
    const auto& o = *h.orientation;
    const double row = o[0] * o[0] + o[1] * o[1] + o[2] * o[2];
    const double column = o[3] * o[3] + o[4] * o[4] + o[5] * o[5];
    const double angle = o[0] * o[3] + o[1] * o[4] + o[2] * o[5];
    if (!(std::abs(row - 1) < 1e-2 && std::abs(column - 1) < 1e-2 && std::abs(angle) < 1e-2))
        f.invalid("ImageOrientationPatient");
}

// Projections may have the size of pixels at the detector alone, scanned films that of the scan.
void read_spacing(const DicomFields& f, bool has_regions, DicomHeader& h) {
    h.spacing = f.decimals<2>(spacing_tag, "PixelSpacing");
    struct Other {
        std::uint32_t tag;
        const char *name, *where;
    };
    for (const Other& other : {Other{0x00181164, "ImagerPixelSpacing", "at the detector"},
                               Other{0x00182010, "NominalScannedPixelSpacing", "on the film"}}) {
        if (h.spacing) break;
        h.spacing = f.decimals<2>(other.tag, other.name);
        if (h.spacing)
            h.warnings.push_back("the size of a pixel is that " + std::string(other.where) + " (" +
                                 other.name + "), not in the body");
    }
    if (!h.spacing && has_regions)
        h.warnings.push_back(
            "the sizes of a pixel that ultrasound regions give are not read; the size is unknown");
    const auto aspect = f.decimals<2>(0x00280034, "PixelAspectRatio");
    if (!h.spacing && aspect && (*aspect)[0] != (*aspect)[1])
        h.warnings.push_back("its pixels are not square (PixelAspectRatio), which is not kept");
    check_spacing(f, h);
}

std::int64_t frame_count(const InputFile& file, const DicomFields& f, const DicomWalker& walker,
                         DicomHeader& h) {
    const auto said = f.decimals<1>(0x00280008, "NumberOfFrames");
    const double frames = said ? (*said)[0] : 1;
    constexpr double most = 1e9;
    if (!(frames >= 1 && frames <= most && frames == std::trunc(frames)))
        f.invalid("NumberOfFrames");
    const auto count = static_cast<std::int64_t>(frames);
    if (!walker.frames.empty() && std::ssize(walker.frames) < count)
        throw unreadable(file.path(), "it has functional groups of " +
                                          std::to_string(walker.frames.size()) + " of its " +
                                          std::to_string(count) + " frames");
    if (std::ssize(walker.frames) > count)
        h.warnings.push_back("the file describes " + std::to_string(walker.frames.size()) +
                             " frames and holds " + std::to_string(count));
    return count;
}

// Of a series of pictures in time (PS3.3, C.7.6.5): the time of a frame in ms, or frames a second.
double time_step_of(const DicomFields& f) {
    constexpr double milliseconds = 1000;
    const auto time = f.decimals<1>(0x00181063, "FrameTime");
    if (time && (*time)[0] > 0) return (*time)[0] / milliseconds;
    for (const std::uint32_t rate_tag : {0x00180040u, 0x00082144u}) {
        const auto rate = f.decimals<1>(rate_tag, "CineRate");
        if (rate && (*rate)[0] > 0) return 1 / (*rate)[0];
    }
    return 1;
}

// What may be another one in each frame.
void read_frame(const DicomFields& f, const DicomWalker& walker, DicomHeader& h) {
    h.position = f.decimals<3>(position_tag, "ImagePositionPatient");
    h.orientation = f.decimals<6>(orientation_tag, "ImageOrientationPatient");
    constexpr std::uint32_t ultrasound_regions_tag = 0x00186011;
    read_spacing(f, walker.tags.count(ultrasound_regions_tag) != 0, h);
    read_scaling(f, h);
}

// Frames of a dose lie along the normal of the first one, at offsets that count from it or from the
// origin (PS3.3, C.8.8.3.2).
void move_frames(const DicomFields& f, std::vector<DicomHeader>& frames) {
    const std::vector<double> offsets = f.list(slice_offsets_tag, "GridFrameOffsetVector");
    const DicomHeader& first = frames.front();
    if (frames.size() == 1 || offsets.empty() || !first.position || !first.orientation) return;
    if (offsets.size() != frames.size()) f.invalid("GridFrameOffsetVector");
    const DicomPosition normal = normal_of(*first.orientation);
    const DicomPosition origin = *first.position;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const double offset = offsets[i] - offsets[0];
        frames[i].position = {origin[0] + offset * normal[0], origin[1] + offset * normal[1],
                              origin[2] + offset * normal[2]};
    }
}

bool holds_mark(const InputFile& file, std::string_view mark) {
    std::array<std::uint8_t, 6> bytes{};
    return file.read_some(mark_offset, std::span(bytes).first(mark.size())) == mark.size() &&
           std::memcmp(bytes.data(), mark.data(), mark.size()) == 0;
}

}  // namespace

bool is_dicom(const InputFile& file) { return holds_mark(file, "DICM"); }

bool is_surely_dicom(const InputFile& file) {
    return holds_mark(file, std::string_view("DICM\2\0", 6));
}

InputFile open_dicom(const fs::path& path, std::int64_t most_bytes) {
    InputFile file(path);
    DicomWalker walker(file);
    const std::int64_t begin = walker.walk_meta();
    if (walker.syntax != deflated) return file;
    std::string content = inflate_all(file, begin, most_bytes, Wrapping::none);
    std::string head(mark_offset, '\0');
    head.append("DICM\2\0\x10\0UI\x14\0", 12).append(explicit_little_endian).append(1, '\0');
    return {path, content.insert(0, head)};
}

DicomImage parse_dicom(const InputFile& file) {
    DicomWalker walker(file);
    walker.walk();
    if (!walker.pixels) throw unsupported(file.path(), "this DICOM file holds no image");
    const DicomFields f(file, walker.values);
    DicomHeader h;
    h.rows = f.u16(0x00280010, "Rows");
    h.columns = f.u16(0x00280011, "Columns");
    if (h.rows == 0 || h.columns == 0) f.invalid("size");
    check_scaling(file, walker, h);
    read_pixel_format(file, f, h);
    h.transfer_syntax = walker.syntax;
    h.compressed = walker.compressed();
    read_layout(walker, h);
    if (h.compressed ? h.layout.packed_bits || h.layout.first_bit > 0
                     : h.layout.shared_colors && (h.planar == 1 || h.columns % 2 > 0))
        throw unsupported(file.path(), "the layout of its DICOM pixels is not supported");
    const std::int64_t count = frame_count(file, f, walker, h);
    DicomImage image{.frames = with_pixels(file, walker, h, count), .time_step = time_step_of(f)};
    for (std::size_t i = 0; i < image.frames.size(); ++i)
        read_frame(
            DicomFields(file, walker.values, walker.frames.empty() ? nullptr : &walker.frames[i]),
            walker, image.frames[i]);
    move_frames(f, image.frames);
    return image;
}

}  // namespace tesela::io
