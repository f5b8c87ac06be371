// DICOM through ITK's GDCM reader: files of one or several frames, and a series of a folder. What
// is compressed is unpacked first, so that all slices go the same way from there.
#include <algorithm>
#include <cmath>
#include <map>

#include "io/decode_client.h"
#include "io/dicom_geometry.h"
#include "io/dicom_segmentation.h"
#include "io/dicom_series.h"
#include "io/dicom_streams.h"
#include "io/dicom_values.h"
#include "io/itk_reader.h"
#include "io/plane_choice.h"
#include "io/volume.h"
#include "tesela/volume_io.h"

namespace tesela::io {
namespace {

// A file, or a frame of one.
struct Slice {
    fs::path path;
    DicomHeader header;
    int frame = 0;     // from 1; 0: the file has but one
    double along = 0;  // position along the normal of the slices, mm

    std::string name() const {
        const std::string file = quoted(path.filename());
        return frame == 0 ? file : "frame " + std::to_string(frame) + " of " + file;
    }
};

struct Slices {
    std::vector<Slice> list;
    double time_step = 1;  // of the first file
};

Slices slices_of(std::span<const fs::path> files, std::int64_t most_bytes) {
    Slices slices;
    for (const fs::path& path : files) {
        DicomImage image = parse_dicom(open_dicom(path, most_bytes));
        if (slices.list.empty()) slices.time_step = image.time_step;
        const bool has_several = image.frames.size() > 1;
        for (DicomHeader& frame : image.frames) {
            slices.list.push_back({path, std::move(frame)});
            if (has_several)
                slices.list.back().frame = static_cast<int>(&frame - image.frames.data()) + 1;
        }
    }
    return slices;
}

// Frames of one file that say nothing of their places, or all the same, follow each other in time.
bool are_times(const std::vector<Slice>& slices) {
    return slices.size() > 1 && slices.front().path == slices.back().path &&
           std::all_of(slices.begin(), slices.end(), [&](const Slice& slice) {
               return !slice.header.position || !slice.header.orientation ||
                      slice.header.position == slices.front().header.position;
           });
}

void check_alike(const fs::path& folder, const std::vector<Slice>& slices) {
    const DicomHeader& first = slices.front().header;
    for (const Slice& slice : slices) {
        const DicomHeader& h = slice.header;
        if (!h.position || !h.orientation || !h.spacing)
            throw unsupported(slice.path, slice.frame == 0
                                              ? "it does not say where its slice lies"
                                              : "it does not say where its frame " +
                                                    std::to_string(slice.frame) + " lies");
        bool alike = h.rows == first.rows && h.columns == first.columns &&
                     h.samples == first.samples &&
                     (h.palette == nullptr) == (first.palette == nullptr);
        for (std::size_t i = 0; i < 6; ++i)
            alike = alike && std::abs((*h.orientation)[i] - (*first.orientation)[i]) < 1e-3;
        for (std::size_t i = 0; i < 2; ++i)
            alike = alike &&
                    std::abs((*h.spacing)[i] - (*first.spacing)[i]) < 1e-3 * (*first.spacing)[i];
        if (!alike)
            throw unsupported(folder, "the slice " + slice.name() + " differs from " +
                                          slices.front().name() +
                                          " in size, spacing, orientation or type");
    }
}

// Sorts by position; returns the distance between neighbors in mm, 1 for a single slice.
double sort_slices(const fs::path& folder, std::vector<Slice>& slices) {
    const DicomPosition normal = normal_of(*slices.front().header.orientation);
    for (Slice& slice : slices) slice.along = dot(normal, *slice.header.position);
    std::sort(slices.begin(), slices.end(),
              [](const Slice& a, const Slice& b) { return a.along < b.along; });
    if (slices.size() == 1) return 1;
    const double step =
        (slices.back().along - slices.front().along) / static_cast<double>(slices.size() - 1);
    std::size_t narrowest = 1, widest = 1;
    const auto gap = [&](std::size_t i) { return slices[i].along - slices[i - 1].along; };
    for (std::size_t i = 1; i < slices.size(); ++i) {
        if (gap(i) < gap(narrowest)) narrowest = i;
        if (gap(i) > gap(widest)) widest = i;
    }
    const auto pair = [&](std::size_t i) {
        return slices[i - 1].name() + " and " + slices[i].name();
    };
    if (gap(narrowest) <= 1e-4 * step)
        throw unsupported(folder, pair(narrowest) +
                                      " lie at the same place (several echoes or times "
                                      "in one series are not supported)");
    const std::size_t odd = step - gap(narrowest) > gap(widest) - step ? narrowest : widest;
    if (std::abs(gap(odd) - step) > 0.05 * step)
        throw unsupported(folder, "its slices are not evenly spaced: " + pair(odd) + " are " +
                                      std::to_string(gap(odd)) + " mm apart, the mean is " +
                                      std::to_string(step) + " mm; is a slice missing?");
    return step;
}

// The shift between neighbors may have a part within the slice plane, as with a tilted gantry.
void check_straight(const std::vector<Slice>& slices, std::vector<std::string>& warnings) {
    const DicomHeader &first = slices.front().header, &last = slices.back().header;
    if (are_shifted_sideways(*first.position, *last.position, normal_of(*first.orientation)))
        warnings.push_back(shear_warning);
}

struct Decoded {
    AnyImage image;
    std::vector<std::string> warnings;  // of the header and of compressed pixels
};

void add_new(const std::vector<std::string>& more, std::vector<std::string>& warnings) {
    for (const std::string& warning : more)
        if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end())
            warnings.push_back(warning);
}

void add_warnings_of(const std::vector<std::string>& of_slices, bool is_inverted,
                     std::vector<std::string>& warnings) {
    warnings.insert(warnings.end(), of_slices.begin(), of_slices.end());
    if (is_inverted)
        warnings.push_back(
            "low values are meant to be shown white (MONOCHROME1); the values are as they are in "
            "the file");
}

// Of 8 and 32 bits the decoder takes all, and stops the program otherwise.
void take_all_bits(DicomHeader& header) {
    if (header.bits_allocated != 16) header.bits_stored = header.bits_allocated;
}

// The pixels as they lie in a file without compression, and the header that fits them.
std::vector<std::uint8_t> plain_pixels(const InputFile& file, DicomHeader& header,
                                       DecodeClient& decoder) {
    if (!header.compressed) {
        std::vector<std::uint8_t> pixels(
            static_cast<std::size_t>(header.pixels_end - header.pixels_begin));
        file.read(header.pixels_begin, pixels);
        return plain_values(std::move(pixels), header);
    }
    if (is_rle(header)) {
        header.compressed = false;
        header.planar = 0;
        return decode_rle(file, header);
    }
    // Stored values are all that the decoder is asked for, in the colors of the image.
    DicomHeader packed = header;
    packed.slope = 1;
    packed.intercept = 0;
    packed.position.reset();
    packed.orientation.reset();
    packed.spacing.reset();
    const std::vector<std::uint8_t> stream = compressed_stream(file, packed);
    header.warnings = packed.warnings;
    take_all_bits(packed);
    DecodeRequest request;
    request.columns = header.columns;
    request.rows = header.rows;
    request.samples = header.samples;
    request.bits_allocated = header.bits_allocated;
    request.is_signed = packed.is_signed;
    header.compressed = false;
    header.planar = 0;
    if (header.samples == 3) header.colors = "RGB";
    std::vector<std::uint8_t> pixels =
        decoder.decode(file.path(), request, plain_dicom(packed, stream));
    if (packed.is_signed != header.is_signed)
        header.warnings.push_back(
            "the DICOM header and its compressed pixels differ about signs; the header is "
            "followed");
    if (is_lossy(header)) saturate(pixels, packed.is_signed, header);
    return pixels;
}

// `pixels` as they lie in a file without compression. Errors speak of `path`.
AnyImage decode_plain(const fs::path& path, DicomHeader header, std::vector<std::uint8_t> pixels,
                      const DecodeOptions& options) {
    if (header.bits_stored < header.bits_allocated) take_bits(pixels, header, 0);
    take_all_bits(header);
    const detail::TemporaryFolder folder(path);
    const fs::path plain = folder.path() / "slice.dcm";
    const std::vector<std::uint8_t> bytes = plain_dicom(header, pixels);
    OutputFile out(plain, plain);
    out.write_or_throw(bytes.data(), bytes.size());
    out.close();
    return read_by_itk(plain, path, options);
}

Decoded decode(const InputFile& file, DicomHeader header, const DecodeOptions& options,
               DecodeClient& decoder) {
    std::vector<std::uint8_t> pixels = plain_pixels(file, header, decoder);
    AnyImage image = decode_plain(file.path(), header, std::move(pixels), options);
    if (header.palette && !options.indices)
        image = with_colors(file.path(), image, *header.palette, options);
    return {std::move(image), std::move(header.warnings)};
}

// The bytes of an image of this header, at most.
std::int64_t image_bytes(const DicomHeader& h) {
    constexpr std::int64_t of_colors = 3 * 2;
    return h.rows * h.columns * (h.palette ? of_colors : h.samples * (h.bits_allocated / 8));
}

// The type of a slice's values, from one pixel.
PixelType type_of(const Slice& slice, const DecodeOptions& options) {
    if (slice.header.palette && !options.indices)
        return slice.header.palette->wide ? PixelType::u16 : PixelType::u8;
    DicomHeader header = slice.header;
    header.rows = header.columns = 1;
    header.compressed = false;
    header.planar = 0;
    if (header.samples == 3) header.colors = "RGB";
    const std::vector<std::uint8_t> pixel(
        static_cast<std::size_t>(header.samples * header.bits_allocated / 8));
    return pixel_type_of(decode_plain(slice.path, header, pixel, options));
}

// The type that holds both without loss: rescaled slices of one series may come out in different
// types.
PixelType common_type(PixelType a, PixelType b) {
    if (a == b) return a;
    const auto range = [](PixelType t) -> std::pair<int, bool> {  // bits of magnitude, signed
        switch (t) {
            case PixelType::u8:
                return {8, false};
            case PixelType::i8:
                return {7, true};
            case PixelType::u16:
                return {16, false};
            case PixelType::i16:
                return {15, true};
            case PixelType::u32:
                return {32, false};
            case PixelType::i32:
                return {31, true};
            default:
                return {64, true};
        }
    };
    const auto [bits_a, signed_a] = range(a);
    const auto [bits_b, signed_b] = range(b);
    const int bits = std::max(bits_a, bits_b);
    if (signed_a || signed_b)
        return bits <= 7    ? PixelType::i8
               : bits <= 15 ? PixelType::i16
               : bits <= 31 ? PixelType::i32
                            : PixelType::f64;
    return bits <= 8 ? PixelType::u8 : bits <= 16 ? PixelType::u16 : PixelType::u32;
}

// Several slices of one series, decoded when they are read; pictures in time too, as if they were
// slices.
class SeriesInput : public VolumeInput {
  public:
    SeriesInput(const fs::path& folder, std::vector<Slice> slices, const DecodeOptions& options)
        : folder_(folder),
          slices_(std::move(slices)),
          options_(options),
          are_times_(are_times(slices_)) {
        double step = 1;
        if (!are_times_) {
            check_alike(folder, slices_);
            step = sort_slices(folder, slices_);
        }
        if (options.stored) keep_stored();
        const Decoded first = decoded(0);
        facts_.shape = shape_of(first.image);
        facts_.shape.z = std::ssize(slices_);
        facts_.geometry = geometry_of(first.image);
        facts_.geometry.spacing[2] = step;
        if (!slices_.front().header.spacing) facts_.geometry = {};
        facts_.type = pixel_type_of(first.image);
        for (const Slice& slice : slices_) {
            add_new(slice.header.warnings, warnings_);
            if (slice.header.slope != slices_.front().header.slope ||
                slice.header.intercept != slices_.front().header.intercept ||
                slice.header.bits_allocated != slices_.front().header.bits_allocated ||
                slice.header.is_signed != slices_.front().header.is_signed ||
                slice.header.palette != slices_.front().header.palette)
                facts_.type = common_type(facts_.type, type_of(slice, options));
        }
    }

    const VolumeInputFacts& facts() const override { return facts_; }
    void add_warnings(std::vector<std::string>& warnings) const {
        if (!are_times_) check_straight(slices_, warnings);
        const bool is_inverted = std::any_of(slices_.begin(), slices_.end(),
                                             [](const Slice& s) { return s.header.is_inverted; });
        add_warnings_of(warnings_, is_inverted, warnings);
    }

    AnyImage read(const VoxelBox& box, std::int64_t) const override {
        Shape shape{box.length(0), box.length(1), box.length(2), 1, facts_.shape.channels};
        if (are_times_) std::swap(shape.z, shape.t);
        AnyImage part = allocate(folder_, facts_.type, shape, options_);
        std::visit(
            [&](auto& to) {
                auto* out = to.data();
                for (std::int64_t z = box.begin[2]; z < box.end[2]; ++z)
                    out = copy(decoded(static_cast<std::size_t>(z)).image, box, out);
            },
            part);
        return part;
    }

  private:
    // Stored numbers and their scaling, where all slices have the same one.
    void keep_stored() {
        const ValueScaling scaling{slices_.front().header.slope, slices_.front().header.intercept};
        for (const Slice& slice : slices_)
            if (!(ValueScaling{slice.header.slope, slice.header.intercept} == scaling)) return;
        facts_.scaling = scaling;
        for (Slice& slice : slices_) slice.header.slope = 1, slice.header.intercept = 0;
    }
    Decoded decoded(std::size_t z) const {
        if (!open_ || open_->path() != slices_[z].path)
            open_.emplace(open_dicom(slices_[z].path, options_.max_bytes));
        Decoded slice = decode(*open_, slices_[z].header, options_, decoder_);
        add_new(slice.warnings, warnings_);
        return slice;
    }
    // The rows of a slice within the box, one behind the other.
    template <class To>
    To* copy(const AnyImage& slice, const VoxelBox& box, To* out) const {
        const Shape& shape = shape_of(slice);
        if (shape.x != facts_.shape.x || shape.y != facts_.shape.y ||
            shape.channels != facts_.shape.channels)
            throw unsupported(folder_, "its slices differ in size");
        std::visit(
            [&](const auto& from) {
                for (std::int64_t y = box.begin[1]; y < box.end[1]; ++y) {
                    const auto* row = &from(box.begin[0], y);
                    out = std::transform(row, row + box.length(0) * shape.channels, out,
                                         [](auto value) { return static_cast<To>(value); });
                }
            },
            slice);
        return out;
    }

    fs::path folder_;
    std::vector<Slice> slices_;
    DecodeOptions options_;
    bool are_times_;
    mutable std::optional<InputFile> open_;  // that of the last slice
    mutable DecodeClient decoder_;           // one process for all slices
    VolumeInputFacts facts_;
    mutable std::vector<std::string> warnings_;  // of all headers, and of what was decoded
};

// A file of one frame may lie anywhere, and has no neighbor to be compared with.
ReadResult read_one(const Slice& slice, const DecodeOptions& options) {
    const InputFile file = open_dicom(slice.path, options.max_bytes);
    require_memory(slice.path, image_bytes(slice.header), options.max_bytes);
    DecodeClient decoder;
    Decoded decoded = decode(file, slice.header, options, decoder);
    if (!slice.header.spacing) geometry_of(decoded.image) = {};
    ReadResult result{std::move(decoded.image), "DICOM", {}};
    add_warnings_of(decoded.warnings, slice.header.is_inverted, result.warnings);
    return result;
}

// Errors speak of `path`, a file or a folder.
ReadResult read_slices(const fs::path& path, Slices slices, const DecodeOptions& options) {
    if (slices.list.size() == 1) return read_one(slices.list.front(), options);
    require_memory(
        path,
        image_bytes(slices.list.front().header) * static_cast<std::int64_t>(slices.list.size() + 1),
        options.max_bytes);
    const bool in_time = are_times(slices.list);
    const SeriesInput series(path, std::move(slices.list), options);
    const Shape& shape = series.facts().shape;
    ReadResult result{series.read({{0, 0, 0}, {shape.x, shape.y, shape.z}}, 0), "DICOM", {}};
    result.scaling = series.facts().scaling;
    geometry_of(result.image) = series.facts().geometry;
    if (in_time) geometry_of(result.image).time_step = slices.time_step;
    series.add_warnings(result.warnings);
    return result;
}

// Several files of a series are no one segmentation.
bool is_segmentation(const SeriesFiles& series) {
    if (!is_dicom_segmentation(series.files.front())) return false;
    if (series.files.size() == 1) return true;
    throw unsupported(series.files.front(),
                      "its series has several segmentations: give the file that is meant");
}

}  // namespace

ReadResult read_dicom_file(const fs::path& path, const DecodeOptions& options) {
    return read_slices(path, slices_of({&path, 1}, options.max_bytes), options);
}

std::vector<fs::path> dicom_files(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
        const fs::path& path = i->path();
        std::error_code ignored;
        if (!fs::is_regular_file(path, ignored) || fs::file_size(path, ignored) < 132) continue;
        if (path.filename() != "DICOMDIR" && is_dicom(InputFile(path))) files.push_back(path);
    }
    if (error) throw unreadable(folder, error.message());
    std::sort(files.begin(), files.end());
    return files;
}

ReadResult read_dicom_folder(const fs::path& folder, const DecodeOptions& options) {
    std::vector<std::string> warnings;
    const SeriesFiles series = chosen_series(folder, options.choice, options.max_bytes, warnings);
    ReadResult result;
    if (is_segmentation(series)) {
        const InputFile file = open_dicom(series.files.front(), options.max_bytes);
        result = read_dicom_segmentation(file, options);
    } else {
        result = read_slices(folder, slices_of(series.files, options.max_bytes), options);
        choose_planes(folder, options, result);
    }
    result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
    return result;
}

std::unique_ptr<VolumeInput> open_series(const fs::path& folder, std::vector<std::string>& warnings,
                                         const PlaneChoice& choice) {
    std::vector<std::string> of_folder;
    const SeriesFiles files = chosen_series(folder, choice, 0, of_folder);
    if (is_segmentation(files)) return nullptr;
    Slices slices = slices_of(files.files, 0);
    if (slices.list.size() == 1 || are_times(slices.list)) return nullptr;
    auto series = std::make_unique<SeriesInput>(folder, std::move(slices.list),
                                                DecodeOptions{.stored = true});
    warnings.insert(warnings.end(), of_folder.begin(), of_folder.end());
    series->add_warnings(warnings);
    return series;
}

}  // namespace tesela::io
