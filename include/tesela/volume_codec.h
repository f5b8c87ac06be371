// Compressed volumes on a queue: bricks travel as they are stored, and are decoded on the device.
//
// Decoding is bit-equal on all devices and to BrickSource::read. docs/volume-files.md has the
// codec.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>

#include "tesela/brick_source.h"
#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/progress.h"

namespace tesela {

// As AnyImage.
using AnyDeviceImage =
    std::variant<DeviceImage<std::uint8_t>, DeviceImage<std::int8_t>, DeviceImage<std::uint16_t>,
                 DeviceImage<std::int16_t>, DeviceImage<std::uint32_t>, DeviceImage<std::int32_t>,
                 DeviceImage<float>, DeviceImage<double>>;

// A level of a volume on a queue, which has to outlive it, as it is stored: chunks of the wavelet.
// Bricks that are coded otherwise, and volumes of other than 8 and 16 bits, are decoded on the host
// when it is made.
class VolumeDecoder {
  public:
    // Throws InvalidArgument for a level that does not exist, OutOfMemory, and what
    // BrickSource::chunk and brick throw.
    VolumeDecoder(const BrickSource& source, int level, Queue& queue,
                  const Progress& progress = {});
    ~VolumeDecoder();
    VolumeDecoder(VolumeDecoder&&) noexcept;

    // The stored numbers, with all channels and times: as many launches whatever the number of
    // bricks, and no allocation in a second call once the first image is gone. Throws
    // UnreadableInput that names a brick whose codes make no sense.
    AnyDeviceImage decode();

    class Implementation;

  private:
    std::unique_ptr<Implementation> implementation_;
};

// A volume of 8 or 16 bits compressed into memory without loss, by the wavelet alone; `threads` 0
// takes all of the CPU. Throws UnsupportedFormat for other types.
std::unique_ptr<BrickSource> compressed_volume(const AnyImage& volume, int threads = 0);

}  // namespace tesela
