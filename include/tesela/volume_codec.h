// Compressed volumes on a queue: bricks are uploaded compressed and decoded on the device.
//
// Decoding gives the same bits on all devices and as BrickSource::read. The codec:
// docs/volume-files.md.
#pragma once

#include <cstdint>
#include <memory>

#include "tesela/brick_source.h"
#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/progress.h"

namespace tesela {

// A compressed level of a volume on a queue, which has to outlive it. Bricks that are not coded by
// the wavelet, and volumes of other than 8 and 16 bits, are decoded on the host by the constructor.
class VolumeDecoder {
  public:
    // Throws InvalidArgument for a level that does not exist, OutOfMemory, and what
    // BrickSource::chunk and brick throw.
    VolumeDecoder(const BrickSource& source, int level, Queue& queue,
                  const Progress& progress = {});
    ~VolumeDecoder();
    VolumeDecoder(VolumeDecoder&&) noexcept;

    // The stored numbers, with all channels and times. The number of launches does not depend on
    // the number of bricks, and a second call allocates nothing once the first image is freed.
    // Throws UnreadableInput that names a damaged brick.
    AnyDeviceImage decode();

    class Implementation;

  private:
    std::unique_ptr<Implementation> implementation_;
};

// A volume of 8 or 16 bits compressed into memory without loss, by the wavelet alone; `threads` 0
// takes all of the CPU. Throws UnsupportedFormat for other types.
std::unique_ptr<BrickSource> compressed_volume(const AnyImageView& volume, int threads = 0);

}  // namespace tesela
