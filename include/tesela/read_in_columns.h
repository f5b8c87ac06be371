// Volumes whose boxes take more than their own points to be read.
#pragma once

#include <array>
#include <cstdint>

namespace tesela {

// What such a VolumeInput is besides: io::write_volume_file reads it column by column, each slab by
// slab along z, so that what was read around a box still is there for those beside it.
class ReadInColumns {
  public:
    virtual ~ReadInColumns() = default;
    // Bricks along x and y.
    virtual std::array<std::int64_t, 2> column() const = 0;
};

}  // namespace tesela
