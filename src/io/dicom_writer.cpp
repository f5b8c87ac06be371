#include "io/dicom_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <type_traits>

#include "io/dicom_fields.h"
#include "io/dicom_header.h"
#include "io/dicom_segmentation.h"
#include "io/dicom_source.h"

namespace tesela::io {
namespace {

constexpr char secondary_capture_class[] = "1.2.840.10008.5.1.4.1.1.7";
constexpr double most_steps = 65535;
constexpr double farthest = 1e30;  // which readers scale in single precision

// How the values of an image become stored numbers.
struct StoredForm {
    int samples = 1, bits = 16;
    bool is_signed = false;
    double slope = 1, intercept = 0;
    bool is_rounded = false;

    bool is_scaled() const { return slope != 1 || intercept != 0 || is_rounded; }
};

struct Range {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    bool are_whole = true, are_near = true;
};

Range range_of(const AnyImage& image) {
    return std::visit(
        [](const auto& typed) {
            Range range;
            for (const auto sample : typed.pixels()) {
                const auto value = static_cast<double>(sample);
                range.lowest = std::min(range.lowest, value);
                range.highest = std::max(range.highest, value);
                range.are_whole = range.are_whole && value == std::trunc(value);
                range.are_near = range.are_near && std::abs(value) <= farthest;
            }
            return range;
        },
        image);
}

// As the file has it.
double as_written(double value) {
    const std::string text = decimal_text(value);
    double written = 0;
    std::from_chars(text.data(), text.data() + text.size(), written);
    return written;
}

// Whether all values are, but for their rounding, stored numbers of 16 bits in this scaling.
bool fits_scaling(const AnyImage& image, const ValueScaling& scaling) {
    constexpr double rounding = 1e-3;  // of a step
    return std::visit(
        [&](const auto& typed) {
            return std::all_of(typed.pixels().begin(), typed.pixels().end(), [&](auto value) {
                const double number =
                    (static_cast<double>(value) - scaling.intercept) / scaling.slope;
                return number > -0.5 && number < most_steps + 0.5 &&
                       std::abs(number - std::round(number)) < rounding;
            });
        },
        image);
}

// Of numbers that 16 bits may not hold. `of_source`: how those of the source are scaled.
StoredForm scaled_form(const AnyImage& image, const std::optional<ValueScaling>& of_source,
                       const fs::path& path) {
    const Range range = range_of(image);
    if (!range.are_near)
        throw UnsupportedFormat("cannot write " + quoted(path) +
                                ": it has values that are not finite, or beyond 10^30, and DICOM "
                                "holds whole numbers; use .nrrd, .nii.gz or .mha");
    constexpr double lowest = std::numeric_limits<std::int16_t>::min(),
                     highest = std::numeric_limits<std::int16_t>::max();
    StoredForm form;
    if (range.are_whole && range.lowest >= lowest && range.highest <= highest) {
        form.is_signed = true;
        return form;
    }
    if (range.are_whole && range.lowest >= 0 && range.highest <= most_steps) return form;
    // What is less than a step of the source is not rounding.
    const bool has_steps =
        of_source && range.highest - range.lowest > 0.5 * std::abs(of_source->slope);
    if (!range.are_whole && has_steps && fits_scaling(image, *of_source))
        return {.slope = of_source->slope, .intercept = of_source->intercept};
    form.intercept = as_written(range.lowest);
    const double width = range.highest - range.lowest;
    form.is_rounded = !range.are_whole || width > most_steps || form.intercept != range.lowest;
    constexpr double least = std::numeric_limits<double>::min();
    if (form.is_rounded && width > 0) form.slope = as_written(std::max(width / most_steps, least));
    return form;
}

StoredForm form_of_type(const AnyImage& image, bool is_secondary,
                        const std::optional<ValueScaling>& of_source, const fs::path& path) {
    const PixelType type = pixel_type_of(image);
    const bool is_byte = type == PixelType::u8;
    if (shape_of(image).channels == 3) return {.samples = 3, .bits = 8};
    if (is_byte && is_secondary) return {.bits = 8};
    if (is_byte || type == PixelType::u16) return {};
    if (type == PixelType::i8 || type == PixelType::i16) return {.is_signed = true};
    return scaled_form(image, of_source, path);
}

StoredForm form_of(const AnyImage& image, bool is_secondary,
                   const std::optional<ValueScaling>& of_source, const fs::path& path) {
    const StoredForm form = form_of_type(image, is_secondary, of_source, path);
    const Shape& shape = shape_of(image);
    constexpr std::int64_t most_bytes = 0xfffffffe;
    if (shape.x * shape.y * form.samples * (form.bits / 8) > most_bytes)
        throw UnsupportedFormat("cannot write " + quoted(path) +
                                ": its slices have more bytes than a DICOM file holds, 4 GiB; use "
                                ".tif, .nrrd or .nii.gz");
    return form;
}

void check_image(const AnyImage& image, const fs::path& path) {
    const Shape& shape = shape_of(image);
    const auto refuse = [&](const std::string& reason) {
        throw UnsupportedFormat("cannot write " + quoted(path) + ": " + reason);
    };
    constexpr std::int64_t longest = 65535;
    if (shape.t > 1) refuse("a DICOM series has no time axis here; choose a time by --time N");
    const bool is_color = shape.channels == 3 && pixel_type_of(image) == PixelType::u8;
    if ((shape.channels > 1 && !is_color) || has_alpha(image))
        refuse("a DICOM series holds gray values or 8-bit colors; choose a channel by --channel N");
    if (shape.x > longest || shape.y > longest)
        refuse("slices of DICOM have at most 65535 rows and columns");
}

class SeriesWriter {
  public:
    SeriesWriter(const AnyImage& image, const fs::path& path, const DicomOrigin& origin)
        : image_(image),
          source_(read_dicom_source(origin, path)),
          sop_class_(class_of(image, source_)),
          form_(form_of(image, is_secondary(), source_.scaling, path)),
          common_(new_series(source_, origin, source_.modality.empty() ? "OT" : source_.modality)),
          keeps_values_(origin.keeps_values),
          is_on_source_(is_on_source()) {
        common_.add(source_.exposure);
        common_.add(source_.lossy);
        common_.text(0x00080016, "UI", sop_class_);
        common_.text(0x00082111, "ST", process_text(origin));
        common_.text(0x00080008, "CS", image_type());
        if (is_secondary()) common_.text(0x00080064, "CS", "WSD");
        if (sop_class_ == mr_image_class) add_mr();
        add_pixels();
        if (geometry_of(image).known()) add_spacing();
        if (has_places())
            add_places();
        else
            common_.text(0x00200020, "CS", "");  // which way rows and columns run
    }

    void write(std::int64_t slice, OutputFile& file) const {
        DicomElements elements = common_;
        const std::string instance = new_uid();
        elements.text(0x00080018, "UI", instance);
        elements.text(0x00200013, "IS", std::to_string(slice + 1));
        if (is_on_source_)
            elements.decimals(position_tag,
                              *source_.images[static_cast<std::size_t>(slice)].position);
        else if (has_places())
            elements.decimals(position_tag, position_of(geometry_of(image_), slice));
        add_sources(slice, elements);
        const std::string pixels = stored(slice);
        const std::string all = dicom_file_head(sop_class_, instance, explicit_little_endian) +
                                elements.bytes() +
                                element_head(0x7fe00010, form_.bits == 8 ? "OB" : "OW",
                                             static_cast<std::uint32_t>(pixels.size()));
        file.write_or_throw(all.data(), all.size());
        file.write_or_throw(pixels.data(), pixels.size());
    }

    std::vector<std::string> warnings() const {
        std::vector<std::string> all;
        if (has_places() && !is_on_source_ && source_.is_sheared())
            all.push_back("the series of " + quoted(source_.path) +
                          " is shifted sideways (a tilted gantry), which this one does not follow: "
                          "its slices lie one above the other");
        if (!form_.is_rounded) return all;
        char text[160];
        std::snprintf(text, sizeof text,
                      "values are rounded to 65,536 steps of %.6g, as DICOM holds them; .nrrd, "
                      ".nii.gz and .mha hold them as they are",
                      form_.slope);
        all.push_back(text);
        return all;
    }

  private:
    // A gray image with a place stays what the scanner's images are.
    static std::string class_of(const AnyImage& image, const DicomSource& source) {
        const bool is_of_scanner =
            source.sop_class == ct_image_class || source.sop_class == mr_image_class;
        const bool stays = is_of_scanner && shape_of(image).channels == 1 &&
                           geometry_of(image).known() && source.has_places();
        return stays ? source.sop_class : secondary_capture_class;
    }
    bool is_secondary() const { return sop_class_ == secondary_capture_class; }
    // What has a spacing alone lies nowhere.
    bool has_places() const { return geometry_of(image_).known() && source_.has_places(); }

    // Whether each slice lies where an image of the source does.
    bool is_on_source() const {
        if (!has_places()) return false;
        try {
            return axis_order(source_.grid(), {shape_of(image_), geometry_of(image_)}) ==
                   AxisOrder{};
        } catch (const InvalidArgument&) {
            return false;
        }
    }

    // Whether slices lie as those of the source, wherever that is.
    bool is_parallel() const {
        if (!has_places()) return true;
        const DicomOrientation own = orientation_of(geometry_of(image_));
        constexpr double nearly = 0.9999;
        return std::abs(dot(normal_of(own), normal_of(*source_.orientation))) > nearly;
    }

    // PS3.3, C.7.6.1.1.2, C.8.2.1.1.1 and C.8.3.1.1.1.
    std::string image_type() const {
        const std::string derived = "DERIVED\\SECONDARY";
        if (sop_class_ == ct_image_class)
            return derived + (is_parallel() ? "\\AXIAL" : "\\AXIAL\\MPR");
        if (sop_class_ == mr_image_class) return derived + (is_parallel() ? "\\OTHER" : "\\MPR");
        return derived;
    }

    void add_mr() {
        if (!common_.has(0x00180020)) common_.text(0x00180020, "CS", "RM");
        if (!common_.has(0x00180021)) common_.text(0x00180021, "CS", "NONE");
    }

    void add_pixels() {
        const Shape& shape = shape_of(image_);
        common_.number(0x00280002, form_.samples);
        common_.text(0x00280004, "CS", form_.samples == 3 ? "RGB" : "MONOCHROME2");
        if (form_.samples == 3) common_.number(0x00280006, 0);
        common_.number(0x00280010, shape.y);
        common_.number(0x00280011, shape.x);
        common_.number(0x00280100, form_.bits);
        common_.number(0x00280101, form_.bits);
        common_.number(0x00280102, form_.bits - 1);
        common_.number(0x00280103, form_.is_signed);
        if (form_.samples == 3 || (sop_class_ != ct_image_class && !form_.is_scaled())) return;
        common_.decimals(intercept_tag, {&form_.intercept, 1});
        common_.decimals(slope_tag, {&form_.slope, 1});
        // CT's numbers stay on Hounsfield's scale as long as they are whole. Bytes are those of
        // masks and pictures.
        const bool is_hounsfield = sop_class_ == ct_image_class && keeps_values_ &&
                                   !form_.is_rounded && pixel_type_of(image_) != PixelType::u8;
        common_.text(0x00281054, "LO", is_hounsfield ? "HU" : "US");
    }

    void add_spacing() {
        const std::array<double, 3> spacing = geometry_of(image_).spacing_mm();
        const std::array<double, 2> in_slice{spacing[1], spacing[0]};
        common_.decimals(spacing_tag, in_slice);
    }

    void add_places() {
        const Geometry& g = geometry_of(image_);
        const std::array<double, 3> spacing = g.spacing_mm();
        common_.decimals(orientation_tag, orientation_of(g));
        const bool same_step = std::abs(spacing[2] - source_.step()) < 1e-4 * spacing[2];
        const bool keeps = same_step && is_parallel() && !source_.slice_thickness.empty();
        common_.text(0x00180050, "DS", keeps ? source_.slice_thickness : decimal_text(spacing[2]));
        const bool has_frame = !source_.frame_of_reference.empty();
        common_.text(0x00200052, "UI", has_frame ? source_.frame_of_reference : new_uid());
        common_.text(0x00201040, "LO", source_.position_reference);
    }

    // The images of the source that a slice cuts; without places, that of its number.
    void add_sources(std::int64_t slice, DicomElements& elements) const {
        std::vector<std::size_t> numbers;
        const auto own = static_cast<std::size_t>(slice);
        if (has_places())
            numbers = sources_of(slice);
        else if (source_.images.size() == static_cast<std::size_t>(shape_of(image_).z))
            numbers = {own};
        std::vector<DicomElements> items;
        for (const std::size_t i : numbers) items.push_back(reference_to(source_.images[i]));
        if (!items.empty()) elements.sequence(0x00082112, items);
    }

    std::vector<std::size_t> sources_of(std::int64_t slice) const {
        const Geometry& g = geometry_of(image_);
        const Shape& shape = shape_of(image_);
        const DicomPosition normal = normal_of(*source_.orientation), at = position_of(g, slice);
        const DicomOrientation o = orientation_of(g);
        const std::array<double, 3> spacing = g.spacing_mm();
        const double start = dot(normal, at);
        const double along_row =
            spacing[0] * static_cast<double>(shape.x - 1) * dot(normal, {o[0], o[1], o[2]});
        const double along_column =
            spacing[1] * static_cast<double>(shape.y - 1) * dot(normal, {o[3], o[4], o[5]});
        const double first = start + std::min(along_row, 0.0) + std::min(along_column, 0.0);
        const double last = start + std::max(along_row, 0.0) + std::max(along_column, 0.0);
        return source_.images_between(first, last);
    }

    // The pixels of a slice as they lie in the file.
    std::string stored(std::int64_t slice) const {
        return std::visit(
            [&](const auto& typed) {
                using T = typename std::decay_t<decltype(typed)>::value_type;
                const Shape& shape = typed.shape();
                const std::int64_t count = shape.x * shape.y * shape.channels;
                const T* values = typed.data() + slice * count;
                std::string bytes;
                bytes.reserve(static_cast<std::size_t>(count * form_.bits / 8 + 1));
                for (const T* value = values; value < values + count; ++value) {
                    const std::int64_t number = stored_number(*value);
                    bytes += static_cast<char>(number);
                    if (form_.bits == 16) bytes += static_cast<char>(number >> 8);
                }
                if (bytes.size() % 2 > 0) bytes += '\0';
                return bytes;
            },
            image_);
    }

    template <class T>
    std::int64_t stored_number(T value) const {
        if (!form_.is_scaled()) return static_cast<std::int64_t>(value);
        const double number = (static_cast<double>(value) - form_.intercept) / form_.slope;
        return std::llround(std::clamp(number, 0.0, most_steps));
    }

    const AnyImage& image_;
    const DicomSource source_;
    const std::string sop_class_;
    const StoredForm form_;
    DicomElements common_;  // of all slices
    const bool keeps_values_, is_on_source_;
};

std::string file_name(std::int64_t slice) {
    char name[32];
    std::snprintf(name, sizeof name, "%06lld.dcm", static_cast<long long>(slice + 1));
    return name;
}

// The series of an image that was written here; empty for any other file.
std::string own_series(const fs::path& path) {
    const InputFile file(path);
    if (!is_dicom(file) || is_dicom_segmentation(file)) return "";
    DicomWalker walker(file);
    walker.walk();
    const DicomFields fields(file, walker.values);
    constexpr std::uint32_t implementation_tag = 0x00020012, series_tag = 0x0020000e;
    return fields.text(implementation_tag) == implementation_uid ? fields.text(series_tag) : "";
}

}  // namespace

bool is_dicom_folder_name(const fs::path& path) { return !path.empty() && !path.has_filename(); }

bool is_own_dicom_folder(const fs::path& folder) {
    try {
        std::int64_t files = 0;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
            if (!fs::is_regular_file(entry.symlink_status())) return false;
            ++files;
        }
        // So that all have the names that they are written with.
        std::string series;
        for (std::int64_t slice = 0; slice < files; ++slice) {
            const std::string found = own_series(folder / file_name(slice));
            if (slice == 0) series = found;
            if (found.empty() || found != series) return false;
        }
        return files > 0;
    } catch (const Error&) {
        return false;
    } catch (const fs::filesystem_error&) {
        return false;
    }
}

std::vector<std::string> write_dicom_series(const AnyImage& image, const fs::path& path,
                                            const WriteOptions& options) {
    const fs::path folder = path.parent_path();
    if (options.compression == Compression::fast || options.compression == Compression::small)
        throw InvalidArgument("cannot write " + quoted(path) +
                              ": a DICOM series has no compression '" +
                              std::string(enum_name(options.compression)) +
                              "'; use .nrrd or .nii.gz, or leave the compression out");
    check_image(image, path);
    const SeriesWriter writer(image, path, options.origin);
    std::error_code error;
    Staging staging({folder}, options.overwrite, Staging::EmptyFolders::are_replaced);
    const fs::path made = staging.staged();
    if (!fs::create_directory(made, error)) throw unwritable(path, error.message());
    for (std::int64_t slice = 0; slice < shape_of(image).z; ++slice) {
        OutputFile file(made / file_name(slice), path);
        writer.write(slice, file);
        file.close();
    }
    staging.commit();
    return writer.warnings();
}

}  // namespace tesela::io
