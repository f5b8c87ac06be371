// NIfTI, NRRD and MetaImage: headers, and the pixels behind them or in a file beside.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "io/gzip_pieces.h"
#include "io/nifti_fields.h"
#include "io/text_file.h"
#include "io/volume.h"

namespace tesela::io {
namespace {

constexpr bool is_big_endian = std::endian::native == std::endian::big;

// Spacing and origin are written in millimeters.
double millimeters_of_unit(const Geometry& g) { return g.unit == Unit::micrometer ? 1e-3 : 1; }

// Colors have a kind of their own, and bytes of them in NIfTI a type; other channels are vectors.
// Three channels of more than 8 bits are measurements more often than a color.
enum class PixelKind { number, rgb, rgba, vector };
PixelKind kind_of(const AnyImage& image) {
    const int channels = shape_of(image).channels;
    const PixelType type = pixel_type_of(image);
    if (channels == 1) return PixelKind::number;
    if (channels == 3 && type == PixelType::u8) return PixelKind::rgb;
    const bool may_be_color = type == PixelType::u8 || type == PixelType::u16;
    return channels == 4 && has_alpha(image) && may_be_color ? PixelKind::rgba : PixelKind::vector;
}

// Lengths of the axes: three even for one slice, which keeps its place in space.
std::vector<std::int64_t> lengths_of(const Shape& s) {
    std::vector<std::int64_t> lengths{s.x, s.y, s.z};
    if (s.t > 1) lengths.push_back(s.t);
    return lengths;
}

// ---- NIfTI ----------------------------------------------------------------------------------

// What NIfTI's header must allow: 16-bit lengths, and geometry in single precision.
void check_nifti_limits(const AnyImage& image, const fs::path& shown) {
    const Shape& s = shape_of(image);
    if (std::max({s.x, s.y, s.z, s.t, std::int64_t{s.channels}}) > 0x7fff)
        throw TooNarrow("cannot write " + quoted(shown) +
                        ": NIfTI takes at most 32767 points along an axis; use .nrrd or .mha");
    const auto check = [&](double value, double lowest, const char* name, const char* unit) {
        if (value >= lowest && value <= nifti_largest_length) return;
        char text[32];
        std::snprintf(text, sizeof text, "%.9g", value);
        throw TooNarrow("cannot write " + quoted(shown) + ": a " + name + " of " + text + unit +
                        " is beyond what NIfTI holds; use .nrrd or .mha");
    };
    const Geometry& g = geometry_of(image);
    const double scale = millimeters_of_unit(g);
    constexpr double lowest = std::numeric_limits<float>::min();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        check(g.spacing[axis] * scale, lowest, "spacing", " mm");
        check(g.origin[axis] * scale, -nifti_largest_length, "coordinate of the origin", " mm");
    }
    if (s.t > 1) check(g.time_step, lowest, "time step", " s");
}

// Colors of bytes have types of their own; other channels are volumes, one after the other.
int channels_of_type(const AnyImage& image) {
    const bool is_color = kind_of(image) == PixelKind::rgb || kind_of(image) == PixelKind::rgba;
    return is_color && pixel_type_of(image) == PixelType::u8 ? shape_of(image).channels : 1;
}

std::int16_t nifti_type(const AnyImage& image) {
    if (const int channels = channels_of_type(image); channels > 1)
        return channels == 3 ? 128 : 2304;
    switch (pixel_type_of(image)) {
        case PixelType::u8:
            return 2;
        case PixelType::i8:
            return 256;
        case PixelType::u16:
            return 512;
        case PixelType::i16:
            return 4;
        case PixelType::u32:
            return 768;
        case PixelType::i32:
            return 8;
        case PixelType::f32:
            return 16;
        case PixelType::f64:
            break;
    }
    return 64;
}

// The vector of the unit quaternion of a rotation (row-major) that is near to one.
Vector3 quaternion_of(const std::array<double, 9>& r) {
    // The largest of four times the squares of its parts: b, c, d, a.
    const double squares[] = {1 + r[0] - r[4] - r[8], 1 - r[0] + r[4] - r[8],
                              1 - r[0] - r[4] + r[8], 1 + r[0] + r[4] + r[8]};
    const auto largest = static_cast<std::size_t>(std::max_element(squares, squares + 4) - squares);
    const double part = std::sqrt(squares[largest]) / 2, quarter = 1 / (4 * part);
    const Vector3 turns{r[7] - r[5], r[2] - r[6], r[3] - r[1]};  // 4 a (b, c, d)
    if (largest == 3) return {turns[0] * quarter, turns[1] * quarter, turns[2] * quarter};
    const double sign = turns[largest] < 0 ? -1 : 1;  // the real part is not negative
    Vector3 vector;
    for (std::size_t i = 0; i < 3; ++i)
        vector[i] =
            sign * (i == largest ? part : (r[3 * i + largest] + r[3 * largest + i]) * quarter);
    return vector;
}

class NiftiHeader {
  public:
    NiftiHeader(const AnyImage& image, bool is_labels) {
        store<std::int32_t>(0, static_cast<std::int32_t>(nifti_header_bytes));
        bytes_[38] = 'r';
        store_shape(image);
        store_type(image, is_labels);
        store_geometry(image);
        std::memcpy(&bytes_[at_magic], "n+1", 4);
    }

    std::string text() const { return {bytes_.begin(), bytes_.end()}; }

  private:
    static constexpr std::size_t data_at = nifti_header_bytes + 4;

    template <class T>
    void store(std::size_t at, T value) {
        std::memcpy(&bytes_[at], &value, sizeof value);
    }
    void store_float(std::size_t at, double value) { store(at, static_cast<float>(value)); }

    void store_shape(const AnyImage& image) {
        const Shape& s = shape_of(image);
        const bool in_volumes = channels_of_type(image) < s.channels;
        const std::int64_t dim[8] = {in_volumes ? 5 : s.t > 1 ? 4 : 3, s.x, s.y, s.z, s.t,
                                     in_volumes ? s.channels : 1,      1,   1};
        for (std::size_t i = 0; i < 8; ++i)
            store(at_dim + 2 * i, static_cast<std::int16_t>(dim[i]));
        if (!in_volumes) return;
        // ITK makes pixels of the fifth axis by this intent, not by those of colors.
        store<std::int16_t>(at_intent_code, nifti_intent_vectors);
        if (kind_of(image) == PixelKind::rgba)
            std::memcpy(&bytes_[at_intent_name], nifti_name_rgba, sizeof nifti_name_rgba);
    }

    void store_type(const AnyImage& image, bool is_labels) {
        const int channels = channels_of_type(image);
        store(at_datatype, nifti_type(image));
        store(at_bitpix,
              static_cast<std::int16_t>(8 * channels * pixel_type_bytes(pixel_type_of(image))));
        store_float(at_vox_offset, static_cast<double>(data_at));
        store_float(at_scl_slope, 1);
        if (!is_labels) return;
        store<std::int16_t>(at_intent_code, 1002);
        std::memcpy(&bytes_[at_intent_name], "labels", 6);
    }

    // Both forms; without a unit neither. A time step of 1 may be unknown, and gets no unit.
    void store_geometry(const AnyImage& image) {
        constexpr std::uint8_t millimeter = 2, second = 8;
        const Geometry& g = geometry_of(image);
        const double scale = millimeters_of_unit(g);
        std::array<double, 9> rotation = g.direction;  // to RAS
        for (std::size_t i = 0; i < 6; ++i) rotation[i] = 0.0 - rotation[i];
        const bool turned = determinant(rotation) < 0;
        store_float(at_pixdim, turned ? -1 : 1);
        for (std::size_t axis = 0; axis < 7; ++axis)
            store_float(at_pixdim + 4 * (axis + 1), axis < 3    ? g.spacing[axis] * scale
                                                    : axis == 3 ? g.time_step
                                                                : 1);
        if (shape_of(image).t > 1 && g.time_step != 1) bytes_[at_xyzt_units] = second;
        if (!g.known()) return;
        bytes_[at_xyzt_units] |= millimeter;
        store<std::int16_t>(at_qform_code, 1);
        store<std::int16_t>(at_sform_code, 1);
        for (std::size_t row = 0; row < 3; ++row) {
            const double origin = (row < 2 ? 0.0 - g.origin[row] : g.origin[row]) * scale;
            for (std::size_t axis = 0; axis < 3; ++axis)
                store_float(at_srow + 16 * row + 4 * axis,
                            rotation[3 * row + axis] * g.spacing[axis] * scale);
            store_float(at_srow + 16 * row + 12, origin);
            store_float(at_qoffset + 4 * row, origin);
        }
        for (std::size_t row = 0; row < 3 && turned; ++row) rotation[3 * row + 2] *= -1;
        const Vector3 quaternion = quaternion_of(rotation);
        for (std::size_t i = 0; i < 3; ++i) store_float(at_quatern + 4 * i, quaternion[i]);
    }

    static double determinant(const std::array<double, 9>& d) {
        return d[0] * (d[4] * d[8] - d[5] * d[7]) - d[1] * (d[3] * d[8] - d[5] * d[6]) +
               d[2] * (d[3] * d[7] - d[4] * d[6]);
    }

    std::array<std::uint8_t, data_at> bytes_{};
};

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

std::string nrrd_header(const AnyImage& image, const std::string& data_file, bool packed) {
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
    if (!data_file.empty()) return text + "data file: " + data_file + "\n";
    return text + "\n";
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

// Whole values, from byte `offset` on.
void copy_pixels(const AnyImage& image, VolumeFormat format, std::int64_t offset,
                 std::span<std::uint8_t> bytes) {
    if (format == VolumeFormat::nifti && channels_of_type(image) < shape_of(image).channels)
        return std::visit([&](const auto& i) { copy_planes(i, offset, bytes); }, image);
    std::memcpy(bytes.data(), static_cast<const std::uint8_t*>(pixel_data(image)) + offset,
                bytes.size());
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

// The front has whole values of every type, so that pieces begin between two.
void write_packed(const std::string& front, const AnyImage& image, VolumeFormat format,
                  Compression compression, OutputFile& file) {
    const std::int64_t before = std::ssize(front);
    const auto total = before + static_cast<std::int64_t>(pixel_bytes(image));
    write_gzip(
        total,
        [&](std::int64_t offset, std::span<std::uint8_t> bytes) {
            const auto of_front = static_cast<std::size_t>(
                std::clamp<std::int64_t>(before - offset, 0, std::ssize(bytes)));
            if (of_front > 0) std::memcpy(bytes.data(), front.data() + offset, of_front);
            copy_pixels(image, format, std::max<std::int64_t>(offset - before, 0),
                        bytes.subspan(of_front));
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

std::string header_of(const AnyImage& image, VolumeFormat format, const std::string& data_file,
                      bool is_labels, bool packed) {
    switch (format) {
        case VolumeFormat::nifti:
            return NiftiHeader(image, is_labels).text();
        case VolumeFormat::nrrd:
            return nrrd_header(image, data_file, packed);
        case VolumeFormat::metaimage:
            break;
    }
    return metaimage_header(image, data_file, packed);
}

}  // namespace

void write_volume(const AnyImage& image, VolumeFormat format, const fs::path& staged,
                  const fs::path& shown, bool is_labels, Compression compression) {
    if (format == VolumeFormat::nifti) check_nifti_limits(image, shown);
    const std::vector<fs::path> files = files_written(staged);
    const bool apart = files.size() > 1, packed = compression != Compression::none;
    const std::string header =
        header_of(image, format, apart ? files[1].filename().string() : "", is_labels, packed);
    OutputFile file(staged, shown);
    if (packed && format == VolumeFormat::nifti) {  // the header, too
        write_packed(header, image, format, compression, file);
        return file.close();
    }
    file.write_or_throw(header.data(), header.size());
    if (packed) write_packed("", image, format, compression, file);
    if (packed && format == VolumeFormat::metaimage) fill_packed_bytes(header, file);
    if (!packed && !apart) write_pixels(image, format, file);
    file.close();
    if (!apart) return;
    OutputFile data(files[1], shown);
    write_pixels(image, format, data);
    data.close();
}

}  // namespace tesela::io
