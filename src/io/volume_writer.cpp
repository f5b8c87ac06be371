// Volumes: headers of NRRD and MetaImage, and the pixels of all formats behind them or in a file
// beside.
#include <bit>
#include <cstring>
#include <limits>
#include <string_view>

#include "io/gzip_pieces.h"
#include "io/mgh.h"
#include "io/nifti.h"
#include "io/text_file.h"
#include "io/volume_writer.h"

namespace tesela::io {
namespace {

constexpr bool is_big_endian = std::endian::native == std::endian::big;

// Lengths of the axes: three even for one slice, which keeps its place in space.
std::vector<std::int64_t> lengths_of(const Shape& s) {
    std::vector<std::int64_t> lengths{s.x, s.y, s.z};
    if (s.t > 1) lengths.push_back(s.t);
    return lengths;
}

// ---- headers of text --------------------------------------------------------------------------

// A list of numbers with `between` in between.
std::string list(const std::vector<double>& values, const char* between) {
    std::string text;
    for (const double value : values) {
        if (!text.empty()) text += between;
        append_number(text, value + 0.0);  // no negative zero
    }
    return text;
}

std::string list(const std::vector<std::int64_t>& values) {
    return list(std::vector<double>(values.begin(), values.end()), " ");
}

// A step of the image along an axis, and its first point; with time where it has that.
std::vector<double> step_along(const Geometry& g, std::size_t axis, std::size_t dimensions) {
    std::vector<double> step(dimensions);
    if (axis == 3) step[3] = g.time_step;
    for (std::size_t row = 0; row < 3 && axis < 3; ++row)
        step[row] = g.direction[3 * row + axis] * g.spacing[axis] * millimeters_of_unit(g);
    return step;
}
std::vector<double> origin_of(const Geometry& g, std::size_t dimensions) {
    std::vector<double> origin(dimensions);
    for (std::size_t row = 0; row < 3; ++row) origin[row] = g.origin[row] * millimeters_of_unit(g);
    return origin;
}

const char* nrrd_kind(PixelKind kind) {
    return kind == PixelKind::rgb    ? "RGB-color "
           : kind == PixelKind::rgba ? "RGBA-color "
                                     : "vector ";
}

std::string nrrd_header(const AnyImage& image, const std::string& data_file, bool packed,
                        const std::string& keys) {
    const Shape& s = shape_of(image);
    const Geometry& g = geometry_of(image);
    const std::vector<std::int64_t> lengths = lengths_of(s);
    const std::size_t dimensions = lengths.size();
    const bool has_time = dimensions == 4, has_channels = s.channels > 1;
    std::string text = "NRRD0004\ntype: ";
    text += pixel_type_of(image) == PixelType::f32   ? "float"
            : pixel_type_of(image) == PixelType::f64 ? "double"
                                                     : pixel_type_name(pixel_type_of(image));
    text += "\ndimension: " + std::to_string(dimensions + has_channels) + "\n";
    if (g.known())
        text +=
            has_time ? "space: left-posterior-superior-time\n" : "space: left-posterior-superior\n";
    text +=
        "sizes: " + (has_channels ? std::to_string(s.channels) + " " : "") + list(lengths) + "\n";
    if (g.known()) {
        text += std::string("space directions:") + (has_channels ? " none" : "");
        for (std::size_t axis = 0; axis < dimensions; ++axis)
            text += " (" + list(step_along(g, axis, dimensions), ",") + ")";
        text += "\nspace units: \"mm\" \"mm\" \"mm\"";
        text += has_time ? g.time_step == 1 ? " \"\"\n" : " \"s\"\n" : "\n";
        text += "space origin: (" + list(origin_of(g, dimensions), ",") + ")\n";
    } else if (has_time && g.time_step != 1) {
        const std::string none = has_channels ? "nan nan nan nan " : "nan nan nan ";
        text += "spacings: " + none + list({g.time_step}, "") +
                "\nunits: " + (has_channels ? "\"\" " : "") + "\"\" \"\" \"\" \"s\"\n";
    }
    text += std::string("kinds: ") + (has_channels ? nrrd_kind(kind_of(image)) : "") +
            "domain domain domain" + (has_time ? " time\n" : "\n");
    if (pixel_type_bytes(pixel_type_of(image)) > 1)
        text += is_big_endian ? "endian: big\n" : "endian: little\n";
    text += packed ? "encoding: gzip\n" : "encoding: raw\n";
    if (!data_file.empty()) return text + keys + "data file: " + data_file + "\n";
    return text + keys + "\n";
}

const char* metaimage_type(PixelType type) {
    switch (type) {
        case PixelType::u8:
            return "MET_UCHAR";
        case PixelType::i8:
            return "MET_CHAR";
        case PixelType::u16:
            return "MET_USHORT";
        case PixelType::i16:
            return "MET_SHORT";
        case PixelType::u32:
            return "MET_UINT";
        case PixelType::i32:
            return "MET_INT";
        case PixelType::f32:
            return "MET_FLOAT";
        case PixelType::f64:
            break;
    }
    return "MET_DOUBLE";
}

// The number of packed bytes is known behind them only: room for it is left here.
constexpr std::string_view packed_bytes_key = "CompressedDataSize = ";
constexpr std::size_t packed_bytes_digits = 19;

// Rows of TransformMatrix are the directions of the axes.
std::string metaimage_header(const AnyImage& image, const std::string& data_file, bool packed) {
    const Shape& s = shape_of(image);
    const Geometry& g = geometry_of(image);
    const std::vector<std::int64_t> lengths = lengths_of(s);
    const std::size_t n = lengths.size();
    std::vector<double> matrix(n * n), spacing(n), center(n);
    for (std::size_t axis = 0; axis < n; ++axis) {
        spacing[axis] = axis < 3 ? g.spacing[axis] * millimeters_of_unit(g) : g.time_step;
        if (axis == 3) matrix.back() = 1;
        for (std::size_t row = 0; row < 3 && axis < 3; ++row)
            matrix[n * axis + row] = g.direction[3 * row + axis];
    }
    std::string text = "ObjectType = Image\nNDims = " + std::to_string(n) + "\nBinaryData = True\n";
    text += std::string("BinaryDataByteOrderMSB = ") + (is_big_endian ? "True\n" : "False\n");
    text += packed ? "CompressedData = True\n" : "CompressedData = False\n";
    if (packed)
        text += std::string(packed_bytes_key) + std::string(packed_bytes_digits, ' ') + "\n";
    text += "TransformMatrix = " + list(matrix, " ");
    text +=
        "\nOffset = " + list(origin_of(g, n), " ") + "\nCenterOfRotation = " + list(center, " ");
    text += "\nElementSpacing = " + list(spacing, " ") + "\n";
    if (!g.known()) text += std::string(no_spacing_key) + " = " + no_spacing_value + "\n";
    if (has_alpha(image)) text += std::string(alpha_key) + " = " + alpha_value + "\n";
    text += "DimSize = " + list(lengths) + "\n";
    if (s.channels > 1) text += "ElementNumberOfChannels = " + std::to_string(s.channels) + "\n";
    text += std::string("ElementType = ") + metaimage_type(pixel_type_of(image));
    return text + "\nElementDataFile = " + (data_file.empty() ? "LOCAL" : data_file) + "\n";
}

// ---- pixels -----------------------------------------------------------------------------------

// Copies pixels, one channel after the other, as NIfTI has vectors: those from byte `offset` on.
template <class T>
void copy_planes(const Image<T>& image, std::int64_t offset, std::span<std::uint8_t> bytes) {
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    const std::int64_t channels = image.shape().channels, points = image.shape().points();
    std::int64_t c = offset / size / points, at = offset / size % points;
    for (std::int64_t to = 0; to < std::ssize(bytes); to += size) {
        std::memcpy(&bytes[static_cast<std::size_t>(to)], image.data() + at * channels + c,
                    sizeof(T));
        if (++at == points) {
            at = 0;
            ++c;
        }
    }
}

// Whole values of this machine, as the file has them.
void turn_bytes(int value_bytes, std::span<std::uint8_t> bytes) {
    for (auto at = bytes.begin(); at != bytes.end(); at += value_bytes)
        std::reverse(at, at + value_bytes);
}

// Whole values, from byte `offset` on.
void copy_pixels(const AnyImage& image, VolumeFormat format, std::int64_t offset,
                 std::span<std::uint8_t> bytes) {
    if (format == VolumeFormat::nifti && channels_of_nifti_type(image) < shape_of(image).channels)
        return std::visit([&](const auto& i) { copy_planes(i, offset, bytes); }, image);
    std::memcpy(bytes.data(), static_cast<const std::uint8_t*>(pixel_data(image)) + offset,
                bytes.size());
    if (format == VolumeFormat::mgh && !is_big_endian)
        turn_bytes(pixel_type_bytes(pixel_type_of(image)), bytes);
}

void write_pixels(const AnyImage& image, VolumeFormat format, OutputFile& file) {
    std::vector<std::uint8_t> piece(std::size_t{1} << 20);
    const auto total = static_cast<std::int64_t>(pixel_bytes(image));
    for (std::int64_t at = 0; at < total; at += std::ssize(piece)) {
        piece.resize(std::min(piece.size(), static_cast<std::size_t>(total - at)));
        copy_pixels(image, format, at, piece);
        file.write_or_throw(piece.data(), piece.size());
    }
}

// Copies what of a text that begins at byte `begin` lies among the bytes from `offset` on.
void copy_text(const std::string& text, std::int64_t begin, std::int64_t offset,
               std::span<std::uint8_t> bytes) {
    const std::int64_t first = std::max(begin, offset);
    const std::int64_t count =
        std::min(begin + std::ssize(text), offset + std::ssize(bytes)) - first;
    if (count > 0)
        std::memcpy(&bytes[static_cast<std::size_t>(first - offset)], text.data() + (first - begin),
                    static_cast<std::size_t>(count));
}

// The pixels between two texts. The front has whole values of every type, so that pieces begin
// between two.
void write_packed(const std::string& front, const AnyImage& image, const std::string& back,
                  VolumeFormat format, Compression compression, OutputFile& file) {
    const std::int64_t before = std::ssize(front);
    const std::int64_t behind = before + static_cast<std::int64_t>(pixel_bytes(image));
    write_gzip(
        behind + std::ssize(back),
        [&](std::int64_t offset, std::span<std::uint8_t> bytes) {
            copy_text(front, 0, offset, bytes);
            copy_text(back, behind, offset, bytes);
            const std::int64_t first = std::clamp(offset, before, behind);
            const std::int64_t last = std::clamp(offset + std::ssize(bytes), before, behind);
            if (last > first)
                copy_pixels(image, format, first - before,
                            bytes.subspan(static_cast<std::size_t>(first - offset),
                                          static_cast<std::size_t>(last - first)));
        },
        file, compression);
}

// Writes the number of bytes behind the header into the room that it has for it.
void fill_packed_bytes(const std::string& header, OutputFile& file) {
    std::string number = std::to_string(file.place() - std::ssize(header));
    number.insert(0, packed_bytes_digits - number.size(), ' ');
    const std::size_t at = header.find(packed_bytes_key) + packed_bytes_key.size();
    file.rewrite(static_cast<std::int64_t>(at), number.data(), number.size());
}

std::string header_of(const AnyImage& image, const VolumeForm& form, const std::string& data_file) {
    const bool packed = form.compression != Compression::none;
    switch (form.format) {
        case VolumeFormat::nifti:
            return nifti_header(image, form.is_labels);
        case VolumeFormat::mgh:
            return mgh_header(image);
        case VolumeFormat::nrrd:
            return nrrd_header(image, data_file, packed, form.keys);
        case VolumeFormat::metaimage:
            break;
    }
    return metaimage_header(image, data_file, packed);
}

}  // namespace

PixelKind kind_of(const AnyImage& image) {
    const int channels = shape_of(image).channels;
    const PixelType type = pixel_type_of(image);
    if (channels == 1) return PixelKind::number;
    if (channels == 3 && type == PixelType::u8) return PixelKind::rgb;
    const bool may_be_color = type == PixelType::u8 || type == PixelType::u16;
    return channels == 4 && has_alpha(image) && may_be_color ? PixelKind::rgba : PixelKind::vector;
}

void check_geometry_limits(const AnyImage& image, const fs::path& shown, const char* name,
                           double largest) {
    const auto check = [&](double value, double lowest, const char* what, const char* unit) {
        if (value >= lowest && value <= largest) return;
        char text[32];
        std::snprintf(text, sizeof text, "%.9g", value);
        throw TooNarrow("cannot write " + quoted(shown) + ": a " + what + " of " + text + unit +
                        " is beyond what " + name + " holds; use .nrrd or .mha");
    };
    const Geometry& g = geometry_of(image);
    const double scale = millimeters_of_unit(g);
    constexpr double lowest = std::numeric_limits<float>::min();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        check(g.spacing[axis] * scale, lowest, "spacing", " mm");
        check(g.origin[axis] * scale, -largest, "coordinate of the origin", " mm");
    }
    if (shape_of(image).t > 1) check(g.time_step, lowest, "time step", " s");
}

void write_volume(const AnyImage& image, const VolumeForm& form, const fs::path& staged,
                  const fs::path& shown) {
    const VolumeFormat format = form.format;
    if (format == VolumeFormat::nifti) check_nifti_limits(image, shown);
    if (format == VolumeFormat::mgh) check_mgh_limits(image, shown);
    const std::vector<fs::path> files = files_written(staged);
    const bool apart = files.size() > 1, packed = form.compression != Compression::none;
    const std::string header = header_of(image, form, apart ? files[1].filename().string() : "");
    const std::string footer = format == VolumeFormat::mgh ? mgh_footer(image) : "";
    OutputFile file(staged, shown);
    const bool packs_header = format == VolumeFormat::nifti || format == VolumeFormat::mgh;
    if (packed && packs_header) {
        write_packed(header, image, footer, format, form.compression, file);
        return file.close();
    }
    file.write_or_throw(header.data(), header.size());
    if (packed) write_packed("", image, "", format, form.compression, file);
    if (packed && format == VolumeFormat::metaimage) fill_packed_bytes(header, file);
    if (!packed && !apart) write_pixels(image, format, file);
    file.write_or_throw(footer.data(), footer.size());
    file.close();
    if (!apart) return;
    OutputFile data(files[1], shown);
    write_pixels(image, format, data);
    data.close();
}

}  // namespace tesela::io
