// Compressed volumes (.tvol): what reader and writer share. docs/volume-files.md has the format.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/with_type.h"
#include "io/picture.h"
#include "tesela/volume_io.h"
#include "volumes/brick_coder.h"

namespace tesela::io {

static_assert(std::endian::native == std::endian::little, "a .tvol is little endian");

using detail::with_type;

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::string_view volume_file_magic{"\x89TVOL\r\n\x1a", 8};
inline constexpr std::uint16_t volume_file_major = 1, volume_file_minor = 0;

// The first bytes of a file.
struct VolumeFileHeader {
    std::array<char, 8> magic{};
    std::uint16_t major = volume_file_major, minor = volume_file_minor;
    std::uint32_t header_bytes = 0;
    std::array<std::int64_t, 4> shape{};  // x, y, z, t
    std::uint32_t channels = 1;
    std::uint8_t type = 0, coded_type = 0;  // of the stored numbers, and of what bricks hold
    std::uint8_t flags = 0;                 // 1: labels, 2: the last channel is opacity
    std::uint8_t unit = 0;                  // 0: unknown, 1: mm, 2: um
    double slope = 1, intercept = 0;        // values = slope * stored + intercept
    double step = 1, base = 0;              // stored = base + step * coded
    std::array<double, 3> spacing{}, origin{};
    std::array<double, 9> direction{};
    double time_step = 1;
    std::uint64_t sections_at = 0, sections = 0;
    std::uint64_t file_bytes = 0;
    std::uint64_t checksum = 0;  // of all before it
};
static_assert(sizeof(VolumeFileHeader) == 248);

struct VolumeFileSection {
    std::array<char, 8> name{};
    std::uint64_t offset = 0, bytes = 0;
    std::uint64_t checksum = 0;  // of "BRICKS" 0: its chunks have their own
};
static_assert(sizeof(VolumeFileSection) == 32);
inline constexpr std::array<char, 8> index_section{"INDEX"}, range_section{"RANGES"},
    brick_section{"BRICKS"};

std::uint64_t checksum_of(std::span<const std::uint8_t> bytes);

// Bytes of the same place in each value together, packed by zstd. `effort` is zstd's level.
Bytes pack(std::span<const std::uint8_t> values, std::size_t value_bytes, int effort);
// What the packed bytes claim to be unpacked; 0 where they say nothing.
std::size_t unpacked_bytes(std::span<const std::uint8_t> packed);
// Into `values`, whose length must be what was packed; false where the bytes are damaged.
[[nodiscard]] bool unpack(std::span<const std::uint8_t> packed, std::size_t value_bytes,
                          std::span<std::uint8_t> values);

// Where more than half of the values, of one byte or two, are the same: that one, which values are
// others, a bit each, and the others.
struct SparseValues {
    Bytes frequent, others, rest;
};
// Nothing where no value is so frequent.
std::optional<SparseValues> split_sparse(std::span<const std::uint8_t> values,
                                         std::size_t value_bytes);
Bytes pack_sparse(const SparseValues& values, int effort);
[[nodiscard]] bool unpack_sparse(std::span<const std::uint8_t> packed, std::size_t value_bytes,
                                 std::span<std::uint8_t> values);

template <class T>
std::span<const std::uint8_t> bytes_of(const T* values, std::size_t count) {
    return {reinterpret_cast<const std::uint8_t*>(values), count * sizeof(T)};
}

// The inverse of `Quantization`.
AnyImage dequantized(const AnyImage& coded, PixelType type, const Quantization& quantum);

inline bool is_floating_point(PixelType type) {
    return type == PixelType::f32 || type == PixelType::f64;
}

// Of stored numbers.
struct VoxelRange {
    double lowest = 0, highest = 0;
    double span() const { return highest - lowest; }
};
// In one pass over the input. Throws InvalidArgument for values that are not finite.
VoxelRange voxel_range(const VolumeInput& input, const Progress& progress = {});

// Gives what bricks hold of an input, and how it is quantized for an error of at most `max_error`.
class QuantizedInput : public VolumeInput {
  public:
    // Of floating-point numbers their range is looked for unless it is known.
    QuantizedInput(const VolumeInput& input, double max_error,
                   const std::optional<VoxelRange>& range = {});
    const VolumeInputFacts& facts() const override { return facts_; }
    AnyImage read(const VoxelBox& box, std::int64_t t) const override;
    const Quantization& quantum() const { return quantum_; }

  private:
    void set_integer_step(double max_error);
    void set_step(double error, const VoxelRange& range);

    const VolumeInput& input_;
    VolumeInputFacts facts_;
    Quantization quantum_;
};

ReadResult read_volume_file(const InputFile& file, const DecodeOptions& options);
ReadResult read_raw(const fs::path& path, const RawLayout& layout, const DecodeOptions& options);

}  // namespace tesela::io
