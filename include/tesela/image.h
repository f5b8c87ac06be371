// Images: up to three spatial axes, time and channels, with geometry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tesela/error.h"
#include "tesela/geometry.h"

namespace tesela {

// Axis lengths. A 2-D image has z = t = 1.
struct Shape {
    std::int64_t x = 0, y = 1, z = 1, t = 1;
    int channels = 1;

    std::int64_t points() const { return x * y * z * t; }
    std::int64_t elements() const { return points() * channels; }
    int dimensions() const { return t > 1 ? 4 : z > 1 ? 3 : 2; }
    bool operator==(const Shape&) const = default;
};

// Throws InvalidArgument unless every axis is in 1..2^31-1 and the element count fits 63 bits.
void validate(const Shape& shape);

enum class PixelType { u8, i8, u16, i16, u32, i32, f32, f64 };

std::string_view pixel_type_name(PixelType type);  // "uint8", ..., "float32", "float64"
int pixel_type_bytes(PixelType type);
// The inverse of pixel_type_name. Throws InvalidArgument.
PixelType parse_pixel_type(std::string_view name);

template <class T>
constexpr PixelType pixel_type_of() {
    using U = std::remove_const_t<T>;
    if constexpr (std::is_same_v<U, std::uint8_t>)
        return PixelType::u8;
    else if constexpr (std::is_same_v<U, std::int8_t>)
        return PixelType::i8;
    else if constexpr (std::is_same_v<U, std::uint16_t>)
        return PixelType::u16;
    else if constexpr (std::is_same_v<U, std::int16_t>)
        return PixelType::i16;
    else if constexpr (std::is_same_v<U, std::uint32_t>)
        return PixelType::u32;
    else if constexpr (std::is_same_v<U, std::int32_t>)
        return PixelType::i32;
    else if constexpr (std::is_same_v<U, float>)
        return PixelType::f32;
    else {
        static_assert(std::is_same_v<U, double>, "not a pixel type");
        return PixelType::f64;
    }
}

// Non-owning, strided. Strides are in elements, in the order x, y, z, t, channel.
template <class T>
class ImageView {
  public:
    struct Strides {
        std::int64_t x, y, z, t, channel;
    };

    ImageView(T* data, const Shape& shape, const Strides& strides, const Geometry& geometry = {})
        : data_(data), shape_(shape), strides_(strides), geometry_(geometry) {}
    // Interleaved channels, x fastest.
    ImageView(T* data, const Shape& shape, const Geometry& geometry = {})
        : ImageView(data, shape, contiguous_strides(shape), geometry) {}

    static Strides contiguous_strides(const Shape& s) {
        const std::int64_t c = s.channels;
        return {c, c * s.x, c * s.x * s.y, c * s.x * s.y * s.z, 1};
    }

    T* data() const { return data_; }
    const Shape& shape() const { return shape_; }
    const Strides& strides() const { return strides_; }
    const Geometry& geometry() const { return geometry_; }
    bool has_alpha() const { return has_alpha_; }
    void set_alpha(bool alpha) { has_alpha_ = alpha; }

    T& operator()(std::int64_t x, std::int64_t y, std::int64_t z = 0, std::int64_t t = 0,
                  int channel = 0) const {
        return data_[x * strides_.x + y * strides_.y + z * strides_.z + t * strides_.t +
                     channel * strides_.channel];
    }
    bool contiguous() const {
        const Strides s = contiguous_strides(shape_);
        return s.x == strides_.x && s.y == strides_.y && s.z == strides_.z && s.t == strides_.t &&
               s.channel == strides_.channel;
    }
    operator ImageView<const T>() const requires(!std::is_const_v<T>) {
        ImageView<const T> view(data_, shape_,
                                {strides_.x, strides_.y, strides_.z, strides_.t, strides_.channel},
                                geometry_);
        view.set_alpha(has_alpha_);
        return view;
    }

  private:
    T* data_;
    Shape shape_;
    Strides strides_;
    Geometry geometry_;
    bool has_alpha_ = false;
};

namespace detail {
// Asks the system to back new memory with large pages, where it is long enough and the system has
// them: the first touch of a page costs more than what is written to it.
void prefer_large_pages(void* memory, std::size_t bytes) noexcept;

// Zeros; or any values, in the memory of a large image that ended where such is kept. T is a pixel
// type.
template <class T>
std::vector<T> cleared_pixels(std::size_t elements);
template <class T>
std::vector<T> unwritten_pixels(std::size_t elements);
// Keeps the memory of pixels that ended for unwritten_pixels, where it is large.
template <class T>
void keep_pixels(std::vector<T>&& pixels) noexcept;

// The pixels of one image.
template <class T>
struct Pixels {
    Pixels() = default;
    Pixels(const Pixels&) = default;
    Pixels(Pixels&&) noexcept = default;
    Pixels& operator=(const Pixels&) = default;
    Pixels& operator=(Pixels&& other) noexcept {
        keep_pixels(std::exchange(values, std::move(other.values)));
        return *this;
    }
    ~Pixels() { keep_pixels(std::move(values)); }

    std::vector<T> values;
};
}  // namespace detail

// Gives the memory of images that have ended back to the system. Up to 128 MiB of it are kept, of
// images of 128 KiB or more, since to meet the pages of new memory takes longer than to write to
// them.
void trim_images();

// Owning, contiguous, interleaved channels, x fastest.
template <class T>
class Image {
  public:
    using value_type = T;

    Image() = default;
    // Pixels are zero. Throws InvalidArgument for a bad shape.
    explicit Image(const Shape& shape, const Geometry& where = {})
        : geometry(where), shape_(shape) {
        validate(shape);
        pixels() = detail::cleared_pixels<T>(static_cast<std::size_t>(shape.elements()));
    }
    // Pixels have any values, for a caller that writes them all. Throws as the constructor does.
    static Image unwritten(const Shape& shape, const Geometry& where = {}) {
        validate(shape);
        Image image;
        image.geometry = where;
        image.shape_ = shape;
        image.pixels() = detail::unwritten_pixels<T>(static_cast<std::size_t>(shape.elements()));
        return image;
    }

    const Shape& shape() const { return shape_; }
    T* data() { return pixels_.values.data(); }
    const T* data() const { return pixels_.values.data(); }
    std::vector<T>& pixels() { return pixels_.values; }
    const std::vector<T>& pixels() const { return pixels_.values; }

    ImageView<T> view() { return with_alpha(ImageView<T>(data(), shape_, geometry)); }
    ImageView<const T> view() const {
        return with_alpha(ImageView<const T>(data(), shape_, geometry));
    }
    operator ImageView<const T>() const { return view(); }

    T& operator()(std::int64_t x, std::int64_t y, std::int64_t z = 0, std::int64_t t = 0,
                  int channel = 0) {
        return view()(x, y, z, t, channel);
    }
    const T& operator()(std::int64_t x, std::int64_t y, std::int64_t z = 0, std::int64_t t = 0,
                        int channel = 0) const {
        return view()(x, y, z, t, channel);
    }

    Geometry geometry;
    bool has_alpha = false;  // the last channel is opacity, not color

  private:
    template <class View>
    View with_alpha(View view) const {
        view.set_alpha(has_alpha);
        return view;
    }

    Shape shape_;
    detail::Pixels<T> pixels_;
};

// What a file holds: an image whose pixel type is known at run time.
using AnyImage =
    std::variant<Image<std::uint8_t>, Image<std::int8_t>, Image<std::uint16_t>, Image<std::int16_t>,
                 Image<std::uint32_t>, Image<std::int32_t>, Image<float>, Image<double>>;

// Regions are numbered 1..N in raster order of their first pixel; 0 is background.
using LabelImage = Image<std::uint32_t>;

const Shape& shape_of(const AnyImage& image);
const Geometry& geometry_of(const AnyImage& image);
Geometry& geometry_of(AnyImage& image);
PixelType pixel_type_of(const AnyImage& image);
bool has_alpha(const AnyImage& image);

}  // namespace tesela
