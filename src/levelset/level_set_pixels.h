// Pixels that level sets look at: on a device, and on the host where limits are found.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pixels/pixel_source.h"
#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"

namespace tesela {

class LevelSetPixels {
  public:
    // Pixels that the view does not own must outlive this. Those of a type without kernels are
    // looked at as float.
    LevelSetPixels(const AnyImageView& image, Queue& queue);
    // The image stays as long as this.
    template <class T>
    LevelSetPixels(const DeviceImage<const T>& image, Queue& queue)
        : pixels_(Both<T>{PixelSource<T>(queue, image), queue}) {}

    const Shape& shape() const {
        return std::visit([](const auto& pixels) -> const Shape& { return pixels.source.shape(); },
                          pixels_);
    }
    const Geometry& geometry() const {
        return std::visit(
            [](const auto& pixels) -> const Geometry& { return pixels.source.geometry; }, pixels_);
    }
    // Calls `work` with the DeviceImage<const T>.
    template <class Work>
    decltype(auto) on_device(const Work& work) const {
        return std::visit([&](const auto& pixels) { return work(pixels.device.get()); }, pixels_);
    }
    // Calls `work` with the std::span<const T>; pixels of a device are read back the first time.
    template <class Work>
    decltype(auto) on_host(const Work& work) const {
        return std::visit([&](const auto& pixels) { return work(pixels.source.pixels()); },
                          pixels_);
    }
    // The values of points, in their order.
    std::vector<float> values_at(Queue& queue, std::span<const std::uint32_t> points) const;

    std::vector<std::string> warnings;  // of what was converted

  private:
    template <class T>
    struct Both {
        PixelSource<T> source;
        typename PixelSource<T>::OnDevice device;
        Both(PixelSource<T> pixels, Queue& queue)
            : source(std::move(pixels)), device(source, queue) {}
    };
    using AnyPixels =
        std::variant<Both<std::uint8_t>, Both<std::uint16_t>, Both<std::int16_t>, Both<float>>;

    std::optional<AnyImageView> kept_;  // of the host, with the owner of its pixels
    AnyPixels pixels_;
};

}  // namespace tesela
