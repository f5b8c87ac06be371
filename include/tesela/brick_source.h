// Volumes in bricks, at five resolutions, that need not fit into memory. tesela/volume_io.h opens
// files; tesela/volume_codec.h decodes bricks on a device.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tesela/image.h"

namespace tesela {

// A part of a level, in voxels of that level; `end` is exclusive.
struct VoxelBox {
    std::array<std::int64_t, 3> begin{}, end{};

    std::int64_t length(std::size_t axis) const { return end[axis] - begin[axis]; }
    bool operator==(const VoxelBox&) const = default;
};

// The index of a brick in the grid of bricks, with its time and channel.
struct BrickPlace {
    std::int64_t x = 0, y = 0, z = 0, t = 0;
    int channel = 0;

    bool operator==(const BrickPlace&) const = default;
};

// Stored numbers stand for slope * number + intercept.
struct ValueScaling {
    double slope = 1, intercept = 0;

    bool needed() const { return slope != 1 || intercept != 0; }
    bool operator==(const ValueScaling&) const = default;
};

// Lossy coding: stored = base + step * coded, rounded toward zero and clamped to the type.
struct Quantization {
    double step = 1, base = 0;

    bool needed() const { return step != 1 || base != 0; }
    template <class T>
    T stored(double coded) const {
        return static_cast<T>(std::clamp(base + step * coded,
                                         static_cast<double>(std::numeric_limits<T>::lowest()),
                                         static_cast<double>(std::numeric_limits<T>::max())));
    }
    bool operator==(const Quantization&) const = default;
};

// The lowest and highest stored number; both NaN if all voxels are NaN.
struct BlockRange {
    double lowest = 0, highest = 0;

    bool operator==(const BlockRange&) const = default;
};

struct BrickSourceFacts {
    std::string format;              // "TVOL"
    PixelType type = PixelType::u8;  // of the stored numbers
    // From fine to coarse. Level k has every axis divided by 2^k, rounded up; a voxel of it is the
    // mean of the voxels that it covers, or for labels the most frequent one.
    std::vector<Shape> levels;
    std::vector<Geometry> geometries;
    ValueScaling scaling;
    PixelType coded_type = PixelType::u8;  // of coded numbers; 8 and 16 bits are unsigned
    Quantization quantization;
    bool is_labels = false, has_alpha = false;
    std::int64_t stored_bytes = 0;  // of the file

    // Of all levels, from level 0.
    void set_levels(Shape shape, const Geometry& geometry);
    std::int64_t voxel_bytes() const { return levels.front().elements() * pixel_type_bytes(type); }
};

// The coding of a brick's chunks (docs/volume-files.md).
enum class BrickCoding : std::uint8_t { constant = 0, wavelet = 1, packed = 2, sparse = 3 };

// All functions may be called from several threads at once.
class BrickSource {
  public:
    static constexpr int side = 64;        // of a brick at level 0; at level k side >> k
    static constexpr int block_side = 16;  // of a block at level 0
    static constexpr int level_count = 5;

    virtual ~BrickSource() = default;

    virtual const BrickSourceFacts& facts() const = 0;

    // The stored numbers of a brick, one channel at one time, cut at the upper borders of the
    // volume. Throws InvalidArgument for a brick that does not exist, UnreadableInput that names a
    // damaged one.
    virtual AnyImage brick(int level, const BrickPlace& place) const = 0;
    // The same, of which a source that keeps bricks makes no copy.
    virtual std::shared_ptr<const AnyImage> shared_brick(int level, const BrickPlace& place) const;

    // The stored chunk for `level`, for other decoders, verified by its checksum. Empty where the
    // brick has none at this level. Throws as `brick` does.
    virtual BrickCoding coding(const BrickPlace& place) const = 0;
    virtual std::vector<std::uint8_t> chunk(int level, const BrickPlace& place) const = 0;

    // The range of a block of 16^3 voxels of level 0 and one voxel around it, which interpolation
    // inside the block reads. `place` is in blocks.
    virtual BlockRange block_range(const BrickPlace& place) const = 0;

    // Bricks along each axis, the same at each level, and blocks.
    std::array<std::int64_t, 3> bricks() const { return grid(side); }
    std::array<std::int64_t, 3> blocks() const { return grid(block_side); }

    // All bricks of a level are numbered along x, y, z, then by channel and time. `number_of` and
    // `brick_size` throw InvalidArgument for a brick that does not exist.
    std::int64_t brick_count() const;
    BrickPlace place_of(std::int64_t number) const;
    std::int64_t number_of(const BrickPlace& place) const;
    // Voxels of a brick at level 0.
    std::array<int, 3> brick_size(const BrickPlace& place) const;

    // The stored numbers of a box of a level, all channels and times, with the geometry of the box;
    // `threads` 0 takes all of the CPU. Throws InvalidArgument for a box that is empty or reaches
    // beyond the level, OutOfMemory, and what `brick` throws.
    AnyImage read(int level, const VoxelBox& box, int threads = 0) const;
    AnyImage read(int level) const;

  protected:
    std::int64_t number_of_block(const BrickPlace& place) const;

  private:
    std::array<std::int64_t, 3> grid(std::int64_t length) const;
    std::int64_t number_in(const std::array<std::int64_t, 3>& grid, const BrickPlace& place,
                           const char* what) const;
};

// The geometry of a part of a level: its first voxel covers 2^level voxels of level 0 along each
// axis, from `begin` on.
Geometry geometry_of_part(const Geometry& whole, int level,
                          const std::array<std::int64_t, 3>& begin);

// Upper bound of the memory for reading a box by all threads, including the image; with `scale`
// also for `scaled`. Throws as `BrickSource::read` does.
std::int64_t volume_read_bytes(const BrickSource& source, int level, const VoxelBox& box,
                               bool scale);

// slope * number + intercept as floating-point numbers: float64 for numbers of more than 24 bits
// but float32, float32 for the others. Without a scaling the image itself.
AnyImage scaled(AnyImage image, const ValueScaling& scaling);

// A volume to be written, read in parts so that it need not fit into memory.
struct VolumeInputFacts {
    Shape shape;
    PixelType type = PixelType::u8;
    Geometry geometry;
    ValueScaling scaling;
    bool has_alpha = false;
};
class VolumeInput {
  public:
    virtual ~VolumeInput() = default;
    virtual const VolumeInputFacts& facts() const = 0;
    // All channels of a box, asked for by one thread at a time. Throws UnreadableInput.
    virtual AnyImage read(const VoxelBox& box, std::int64_t t) const = 0;
};

struct VolumeWriteOptions {
    bool labels = false;  // coarser levels have the most frequent value
    // Of voxels, in the file's units (with its scaling); 0: lossless.
    double max_error = 0;
    // Compression ratio to reach, by the smallest sufficient error in steps of the square root of
    // 2; replaces `max_error`. 0: none.
    double ratio = 0;
    std::optional<Geometry> geometry = {};  // in place of that of the input
    int threads = 0;                        // 0: all of the CPU
    bool overwrite = true;  // false: an existing file is refused with InvalidArgument
};

// Upper bound of the memory for writing a volume file, besides the volume itself.
std::int64_t volume_write_bytes(const VolumeInputFacts& facts, int threads);

struct VolumeWriteResult {
    std::int64_t bytes = 0;
    double max_error = 0;  // allowed error
    std::int64_t bricks = 0, constant = 0, wavelet = 0, packed = 0;
};

}  // namespace tesela
