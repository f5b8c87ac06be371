// Tests of device levels: images on the device, and their results beside those of host levels.
#pragma once

#include <span>
#include <vector>

#include "devices.h"
#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"

namespace tesela::testing {

class OnDeviceImages : public OnDevice {
  protected:
    template <class T>
    DeviceImage<const T> lent(const Image<T>& image) {
        return {queue.lend(std::span<const T>(image.pixels()), "image"), image.shape(),
                image.geometry, image.has_alpha};
    }
    template <class T>
    std::vector<T> pixels(const DeviceImage<T>& image) {
        return queue.download(image.pixels);
    }
    template <class T>
    void expect_same(const Image<T>& host, const DeviceImage<T>& device) {
        EXPECT_EQ(pixels(device), host.pixels());
        EXPECT_EQ(device.shape, host.shape());
        EXPECT_EQ(device.geometry, host.geometry);
        EXPECT_EQ(device.has_alpha, host.has_alpha);
    }
    // The bytes that `work` moves between host and device.
    template <class Work>
    std::int64_t moved_by(const Work& work) {
        const QueueWork before = queue.counters();
        work();
        const QueueWork done = queue.counters() - before;
        return done.bytes_uploaded + done.bytes_downloaded;
    }

    Queue queue{GetParam()};
};

}  // namespace tesela::testing
