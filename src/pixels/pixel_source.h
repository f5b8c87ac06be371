// Pixels that an algorithm looks at on a device and, value by value, on the host.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"

namespace tesela {

// Pixels of the host are lent to the device, those of a device are read back once where a value is
// asked for. Copies share what was read.
template <class T>
class PixelSource {
  public:
    using value_type = T;

    PixelSource(const PixelView<T>& host)  // NOLINT: they are its pixels
        : geometry(host.geometry),
          has_alpha(host.has_alpha),
          shape_(host.shape()),
          host_(host.pixels()) {}
    PixelSource(const Image<T>& host) : PixelSource(PixelView<T>(host)) {}  // NOLINT
    // The image stays as long as the source.
    PixelSource(Queue& queue, const DeviceImage<const T>& device)
        : geometry(device.geometry),
          has_alpha(device.has_alpha),
          shape_(device.shape),
          queue_(&queue),
          device_(&device),
          read_(std::make_shared<std::vector<T>>()) {}

    const Shape& shape() const { return shape_; }
    std::span<const T> pixels() const {
        if (!device_) return host_;
        if (read_->empty()) *read_ = queue_->download(device_->pixels);
        return *read_;
    }
    const T& operator()(std::int64_t x, std::int64_t y, std::int64_t z = 0, std::int64_t t = 0,
                        int channel = 0) const {
        const std::int64_t point = ((t * shape_.z + z) * shape_.y + y) * shape_.x + x;
        return pixels()[static_cast<std::size_t>(point * shape_.channels + channel)];
    }

    // The pixels on the device, lent where they are the host's.
    class OnDevice {
      public:
        OnDevice(const PixelSource& source, Queue& queue) : given_(source.device_) {
            if (!given_)
                lent_.emplace(DeviceImage<const T>{queue.lend(source.host_, "input image"),
                                                   source.shape_, source.geometry,
                                                   source.has_alpha});
        }
        operator const DeviceImage<const T>&() const { return get(); }  // NOLINT
        const DeviceImage<const T>& get() const { return given_ ? *given_ : *lent_; }
        // What was lent is given back.
        void release() { lent_.reset(); }

      private:
        const DeviceImage<const T>* given_;
        std::optional<DeviceImage<const T>> lent_;
    };
    OnDevice on_device(Queue& queue) const { return {*this, queue}; }

    Geometry geometry;
    bool has_alpha = false;

  private:
    Shape shape_;
    std::span<const T> host_;
    Queue* queue_ = nullptr;
    const DeviceImage<const T>* device_ = nullptr;
    std::shared_ptr<std::vector<T>> read_;
};

}  // namespace tesela
