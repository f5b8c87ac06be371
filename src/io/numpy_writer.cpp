#include <bit>

#include "io/deflate_pieces.h"
#include "io/in_order.h"
#include "io/numpy.h"
#include "io/zip_file.h"

namespace tesela::io {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string number_name(PixelType type) {
    switch (type) {
        case PixelType::u8:
            return "u1";
        case PixelType::i8:
            return "i1";
        case PixelType::u16:
            return "u2";
        case PixelType::i16:
            return "i2";
        case PixelType::u32:
            return "u4";
        case PixelType::i32:
            return "i4";
        case PixelType::f32:
            return "f4";
        case PixelType::f64:
            break;
    }
    return "f8";
}

// What stands before the numbers, which begin at a multiple of 64 bytes.
std::string array_header(const std::string& type, const std::vector<std::int64_t>& lengths) {
    const char order = std::endian::native == std::endian::little ? '<' : '>';
    std::string text = "{'descr': '";
    text += type.ends_with('1') && type != "U1" ? '|' : order;
    text += type + "', 'fortran_order': False, 'shape': (";
    for (const std::int64_t length : lengths) text += std::to_string(length) + ", ";
    text += "), }";
    constexpr std::size_t front = 10, alignment = 64;
    text.append((alignment - (front + text.size() + 1) % alignment) % alignment, ' ');
    text += '\n';
    std::string header = numpy_magic;
    header += {1, 0, static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
    return header + text;
}

std::int64_t length_of(const Shape& shape, char axis) {
    switch (axis) {
        case 't':
            return shape.t;
        case 'z':
            return shape.z;
        case 'y':
            return shape.y;
        case 'x':
            return shape.x;
        default:
            return shape.channels;
    }
}

std::vector<std::int64_t> lengths_of(const Shape& shape, std::string_view axes) {
    std::vector<std::int64_t> lengths;
    for (const char axis : axes) lengths.push_back(length_of(shape, axis));
    return lengths;
}

// Rows and columns, and what is longer than 1.
std::string short_axes(const Shape& shape) {
    std::string axes;
    for (const char axis : numpy_axes)
        if (axis == 'y' || axis == 'x' || length_of(shape, axis) > 1) axes += axis;
    return axes;
}

std::string image_header(const AnyImage& image, std::string_view axes) {
    return array_header(number_name(pixel_type_of(image)), lengths_of(shape_of(image), axes));
}

std::span<const std::uint8_t> bytes_of(const std::string& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

class NpzWriter {
  public:
    NpzWriter(OutputFile& file, Compression compression) : zip_(file), compression_(compression) {}

    void write(const AnyImage& image) {
        const std::string axes = short_axes(shape_of(image));
        write_image(image, image_header(image, axes));
        write_text("axes", axes);
        if (has_alpha(image)) write_numbers("alpha", {}, {1});
        const Geometry& g = geometry_of(image);
        if (shape_of(image).t > 1) write_numbers("time_step", {}, {g.time_step});
        if (g.known()) {
            write_numbers("spacing", {3}, {g.spacing[2], g.spacing[1], g.spacing[0]});
            write_text("unit", g.unit == Unit::micrometer ? "um" : "mm");
            write_numbers("origin", {3}, {g.origin.begin(), g.origin.end()});
            write_numbers("direction", {3, 3}, {g.direction.begin(), g.direction.end()});
        }
        zip_.finish();
    }

  private:
    void write_member(const std::string& name, const std::string& bytes) {
        zip_.begin(name + ".npy", false);
        zip_.add(bytes_of(bytes), bytes_of(bytes));
        zip_.end();
    }

    void write_numbers(const std::string& name, const std::vector<std::int64_t>& lengths,
                       const std::vector<double>& values) {
        std::string bytes = array_header("f8", lengths);
        bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
        write_member(name, bytes);
    }

    void write_text(const std::string& name, const std::string& text) {
        std::string bytes = array_header("U" + std::to_string(text.size()), {});
        for (const char c : text) {
            const char32_t wide = static_cast<unsigned char>(c);
            bytes.append(reinterpret_cast<const char*>(&wide), sizeof wide);
        }
        write_member(name, bytes);
    }

    void write_image(const AnyImage& image, const std::string& header) {
        const bool packed = compression_ == Compression::fast || compression_ == Compression::small;
        const std::span pixels(static_cast<const std::uint8_t*>(pixel_data(image)),
                               pixel_bytes(image));
        zip_.begin("image.npy", packed);
        const Bytes front = packed ? pack(bytes_of(header), false) : Bytes{};
        zip_.add(bytes_of(header),
                 packed ? std::span<const std::uint8_t>(front) : bytes_of(header));
        constexpr std::int64_t piece = 1 << 20;
        const std::int64_t count = (std::ssize(pixels) + piece - 1) / piece;
        const auto part = [&](std::int64_t i) {
            return pixels.subspan(
                static_cast<std::size_t>(i * piece),
                static_cast<std::size_t>(std::min(piece, std::ssize(pixels) - i * piece)));
        };
        if (packed)
            make_in_order(
                count, 0, [&](std::int64_t i) { return pack(part(i), i == count - 1); },
                [&](std::int64_t i, const Bytes& bytes) { zip_.add(part(i), bytes); });
        for (std::int64_t i = 0; i < count && !packed; ++i) zip_.add(part(i), part(i));
        zip_.end();
    }

    Bytes pack(std::span<const std::uint8_t> bytes, bool last) const {
        constexpr int best = 9;
        return compression_ == Compression::small ? deflate_small(bytes, last, best)
                                                  : deflate_fast(bytes, last);
    }

    ZipWriter zip_;
    const Compression compression_;
};

}  // namespace

void write_npy(const AnyImage& image, OutputFile& file) {
    const Shape& shape = shape_of(image);
    std::string axes = short_axes(shape);
    if (guessed_numpy_axes(lengths_of(shape, axes)) != axes) axes = numpy_axes;
    const std::string header = image_header(image, axes);
    file.write_or_throw(header.data(), header.size());
    file.write_or_throw(pixel_data(image), pixel_bytes(image));
    file.close();
}

void write_npz(const AnyImage& image, OutputFile& file, Compression compression) {
    NpzWriter(file, compression).write(image);
    file.close();
}

}  // namespace tesela::io
