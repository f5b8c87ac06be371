// Pixels that somebody else owns, as algorithms take them: any memory with strides, such as that of
// a cv::Mat, an itk::Image or an array of another language. docs/cpp.md shows how.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "tesela/image.h"

namespace tesela {

// Contiguous pixels, channels interleaved, x fastest. Reads like a const Image<T>.
template <class T>
class PixelView {
  public:
    using value_type = T;

    PixelView(const T* data, const Shape& shape, const Geometry& where, bool alpha)
        : geometry(where), has_alpha(alpha), shape_(shape), data_(data) {}
    PixelView(const Image<T>& image)  // NOLINT: an image is its pixels
        : PixelView(image.data(), image.shape(), image.geometry, image.has_alpha) {}

    const Shape& shape() const { return shape_; }
    const T* data() const { return data_; }
    std::span<const T> pixels() const {
        return {data_, static_cast<std::size_t>(shape_.elements())};
    }
    const T& operator()(std::int64_t x, std::int64_t y, std::int64_t z = 0, std::int64_t t = 0,
                        int channel = 0) const {
        return data_[(((t * shape_.z + z) * shape_.y + y) * shape_.x + x) * shape_.channels +
                     channel];
    }

    Geometry geometry;
    bool has_alpha = false;

  private:
    Shape shape_;
    const T* data_;
};

// A label map to read.
using LabelView = PixelView<std::uint32_t>;

// The pixels of an image whose type is known at run time. Pixels of a contiguous image are not
// copied: they are kept by an owner, which copies of the view share, or else must stay as long as
// the view. Those of other strides are brought into order once, in memory of the view.
class AnyImageView {
  public:
    using Owner = std::shared_ptr<const void>;

    template <class T>
    AnyImageView(const PixelView<T>& pixels, Owner owner = {})  // NOLINT
        : pixels_(pixels), owner_(std::move(owner)) {}
    template <class T>
    AnyImageView(const Image<T>& image) : AnyImageView(PixelView<T>(image)) {}  // NOLINT
    AnyImageView(const AnyImage& image)                                         // NOLINT
        : pixels_(std::visit([]<class T>(const Image<T>& i) -> Pixels { return PixelView<T>(i); },
                             image)) {}
    // Throws InvalidArgument for a null pointer, a shape that no image has, and strides by which
    // two pixels share memory.
    template <class T>
    AnyImageView(const ImageView<T>& view, Owner owner = {})  // NOLINT
        : AnyImageView(of(view, std::move(owner))) {}
    // Of an image that nobody else has.
    static AnyImageView owning(AnyImage image) {
        const auto owner = std::make_shared<const AnyImage>(std::move(image));
        AnyImageView view(*owner);
        view.owner_ = owner;
        return view;
    }

    // Calls `work` with the PixelView<T>.
    template <class Work>
    decltype(auto) visit(Work&& work) const {
        return std::visit(std::forward<Work>(work), pixels_);
    }

    // Null where the pixels have another type.
    template <class T>
    const PixelView<T>* get_if() const {
        return std::get_if<PixelView<T>>(&pixels_);
    }

    const Shape& shape() const {
        return visit([](const auto& p) -> const Shape& { return p.shape(); });
    }
    const Geometry& geometry() const {
        return visit([](const auto& p) -> const Geometry& { return p.geometry; });
    }
    bool has_alpha() const {
        return visit([](const auto& p) { return p.has_alpha; });
    }
    PixelType pixel_type() const { return static_cast<PixelType>(pixels_.index()); }
    // Whether the pixels stay as long as the view: those of an owner, or a copy.
    bool owns_pixels() const { return owner_ != nullptr; }

  private:
    using Pixels =
        std::variant<PixelView<std::uint8_t>, PixelView<std::int8_t>, PixelView<std::uint16_t>,
                     PixelView<std::int16_t>, PixelView<std::uint32_t>, PixelView<std::int32_t>,
                     PixelView<float>, PixelView<double>>;

    template <class T>
    static AnyImageView of(const ImageView<T>& view, Owner owner);

    Pixels pixels_;
    Owner owner_;
};

namespace detail {
// Strides of x, y, z, t and channel. Throws InvalidArgument as the constructor of AnyImageView.
void check_view(const void* data, const Shape& shape, const std::int64_t (&strides)[5]);
// Strides of axes of one point do not matter.
bool is_contiguous(const Shape& shape, const std::int64_t (&strides)[5]);
}  // namespace detail

template <class T>
AnyImageView AnyImageView::of(const ImageView<T>& view, Owner owner) {
    using Value = std::remove_const_t<T>;
    const auto& s = view.strides();
    const std::int64_t strides[5] = {s.x, s.y, s.z, s.t, s.channel};
    detail::check_view(view.data(), view.shape(), strides);
    if (detail::is_contiguous(view.shape(), strides))
        return AnyImageView(
            PixelView<Value>(view.data(), view.shape(), view.geometry(), view.has_alpha()),
            std::move(owner));
    const Shape& shape = view.shape();
    Image<Value> image(shape, view.geometry());
    image.has_alpha = view.has_alpha();
    Value* next = image.data();
    for (std::int64_t t = 0; t < shape.t; ++t)
        for (std::int64_t z = 0; z < shape.z; ++z)
            for (std::int64_t y = 0; y < shape.y; ++y)
                for (std::int64_t x = 0; x < shape.x; ++x)
                    for (int c = 0; c < shape.channels; ++c) *next++ = view(x, y, z, t, c);
    return owning(std::move(image));
}

}  // namespace tesela
