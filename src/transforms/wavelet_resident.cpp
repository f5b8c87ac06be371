// Wavelet transforms of images that are on a device.
#include <limits>
#include <type_traits>
#include <utility>

#include "pixels/device_values.h"
#include "transforms/device_planes.h"
#include "transforms/wavelet_form.h"

namespace tesela {
namespace {

using kernels::i32;

// From images to planes of one frame and back; C is float or std::int32_t.
class FrameTransform {
  public:
    FrameTransform(const WaveletForm& form, Queue& queue)
        : queue_(queue),
          options_(form.options),
          frame_(one_frame(form.shape)),
          padded_(wavelet_shape(frame_, form.options)),
          of_pixels_(plane_layout_of(frame_, padded_, frame_.channels)),
          of_values_(plane_layout_of(padded_, padded_, frame_.channels)) {}

    template <class C, class T>
    void forward(const Buffer<const T>& pixels, std::int64_t t, Buffer<C>& values) {
        of_pixels_.first = t * frame_.elements();
        of_values_.first = t * padded_.elements();
        auto coefficients = queue_.allocate<C>(padded_.elements(), "coefficients of a frame");
        wavelet_forward(queue_, padded_, options_, samples_of<C>(pixels), coefficients);
        if constexpr (std::is_same_v<C, float>)
            queue_.launch(kernels::planes_join_f32, points(), coefficients, values, of_values_);
        else
            queue_.launch(kernels::planes_join_i32, points(), coefficients, values, of_values_);
    }

    template <class C, class T>
    void inverse(const Buffer<const C>& values, std::int64_t t, Buffer<T>& pixels) {
        of_pixels_.first = t * frame_.elements();
        of_values_.first = t * padded_.elements();
        auto coefficients = queue_.allocate<C>(padded_.elements(), "coefficients of a frame");
        if constexpr (std::is_same_v<C, float>)
            queue_.launch(kernels::planes_of_f32, planes(), values, coefficients, of_values_);
        else
            queue_.launch(kernels::planes_of_i32, planes(), values, coefficients, of_values_);
        auto samples = queue_.allocate<C>(padded_.elements(), "samples of a frame");
        wavelet_inverse(queue_, padded_, options_, coefficients, samples);
        queue_.launch(PlaneKernels<T>::pixels, Range{frame_.x, frame_.y, frame_.z},
                      as_floats(std::move(samples)), pixels, of_pixels_);
    }

  private:
    static Shape one_frame(Shape shape) {
        shape.t = 1;
        return shape;
    }
    Range points() const { return {padded_.x, padded_.y, padded_.z}; }
    Range planes() const { return {padded_.x, padded_.y, padded_.z * padded_.channels}; }

    template <class C, class T>
    Buffer<C> samples_of(const Buffer<const T>& pixels) {
        auto samples = queue_.allocate<float>(padded_.elements(), "samples of a frame");
        queue_.launch(PlaneKernels<T>::of, planes(), pixels, samples, of_pixels_);
        if constexpr (std::is_same_v<C, float>) {
            return samples;
        } else {
            auto whole = queue_.allocate<i32>(samples.size(), "whole samples of a frame");
            queue_.launch(kernels::planes_round, Range{samples.size()}, samples, whole);
            return whole;
        }
    }
    static Buffer<float> as_floats(Buffer<float> samples) { return samples; }
    Buffer<float> as_floats(const Buffer<i32>& samples) {
        auto floats = queue_.allocate<float>(samples.size(), "samples of a frame");
        queue_.launch(kernels::planes_widen, Range{samples.size()}, samples, floats);
        return floats;
    }

    Queue& queue_;
    const WaveletOptions& options_;
    Shape frame_, padded_;
    kernels::plane_layout of_pixels_, of_values_;
};

template <class C, class T>
DeviceImage<C> transformed(const DeviceImage<const T>& image, const WaveletForm& form,
                           Queue& queue) {
    const Shape padded = wavelet_shape(image.shape, form.options);
    DeviceImage<C> found{queue.allocate<C>(padded.elements(), "coefficients"), padded,
                         image.geometry};
    FrameTransform frames(form, queue);
    for (std::int64_t t = 0; t < image.shape.t; ++t) frames.forward(image.pixels, t, found.pixels);
    return found;
}

template <class T, class C>
DeviceImage<T> restored(const DeviceImage<const C>& values, const WaveletForm& form, Queue& queue) {
    if constexpr (std::is_same_v<C, float>)
        require_values(queue, values, std::numeric_limits<float>::max());
    DeviceImage<T> image{queue.allocate<T>(form.shape.elements(), "image"), form.shape,
                         values.geometry, form.has_alpha};
    FrameTransform frames(form, queue);
    for (std::int64_t t = 0; t < form.shape.t; ++t) frames.inverse(values.pixels, t, image.pixels);
    return image;
}

template <class C>
AnyDeviceImage restored_any(const DeviceImage<const C>& values, const WaveletForm& form,
                            Queue& queue) {
    switch (form.pixel_type) {
        case PixelType::u8:
            return restored<std::uint8_t>(values, form, queue);
        case PixelType::u16:
            return restored<std::uint16_t>(values, form, queue);
        case PixelType::i16:
            return restored<std::int16_t>(values, form, queue);
        case PixelType::f32:
            return restored<float>(values, form, queue);
        default:
            throw UnsupportedFormat("images of " + std::string(pixel_type_name(form.pixel_type)) +
                                    " are made of their coefficients on the host: read them back "
                                    "first");
    }
}

}  // namespace

template <class T>
DeviceWaveletCoefficients wavelet_forward(const DeviceImage<const T>& image,
                                          const WaveletOptions& options, Queue& queue,
                                          const Progress& progress) {
    check_levels(image.shape, options);
    DeviceWaveletCoefficients result;
    static_cast<WaveletForm&>(result) = {image.shape, pixel_type_of<T>(), image.has_alpha, options};
    const PixelType type = coefficient_type(result.pixel_type, options.wavelet);
    if constexpr (std::is_same_v<T, float>) require_values(queue, image, largest_summed);
    StageClock clock;
    clock.start("transform");
    progress.report(0, "transform");
    if (type == PixelType::f32)
        result.values = DeviceImage<const float>(transformed<float>(image, result, queue));
    else
        result.values = DeviceImage<const i32>(transformed<i32>(image, result, queue));
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

AnyDeviceImage wavelet_inverse(const DeviceWaveletCoefficients& given, Queue& queue,
                               const Progress& progress) {
    progress.report(0, "transform");
    AnyDeviceImage image = std::visit(
        [&]<class C>(const DeviceImage<const C>& values) -> AnyDeviceImage {
            check_form(given, values.shape, pixel_type_of<C>());
            if constexpr (std::is_same_v<C, float> || std::is_same_v<C, i32>)
                return restored_any(values, given, queue);
            else
                throw UnsupportedFormat("coefficients of " +
                                        std::string(pixel_type_name(pixel_type_of<C>())) +
                                        " are transformed on the host: read them back first");
        },
        given.values);
    progress.report(1, "done");
    return image;
}

#define TESELA_INSTANTIATE(T)                           \
    template DeviceWaveletCoefficients wavelet_forward( \
        const DeviceImage<const T>&, const WaveletOptions&, Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

}  // namespace tesela
