// Feature vectors of tiles: moments of colors, co-occurrence descriptors, local binary patterns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/glcm.h"
#include "tesela/image_view.h"
#include "tesela/lbp.h"

namespace tesela {

// What a device counts of a batch of tiles. Integers, the same on every device; tile by tile.
struct TileCounts {
    std::int64_t tiles = 0;
    std::vector<std::uint32_t> colors;                 // 256 a channel
    std::vector<std::uint32_t> matrices;               // a matrix a channel and offset
    std::vector<std::vector<std::uint32_t>> patterns;  // of each kind of pattern 256
};

// Groups of features, by name:
//
//   color               mean, standard deviation and cube root of the third central moment of L*,
//   a*
//                       and b* (M. Stricker, M. Orengo, SPIE 2420, 1995), in 8-bit units: 9
//   haralick-D          at distance D, of the symmetric matrices of L*, a* and b* in 16 levels (a*
//                       and b* over -64 to 63), each of Haralick's thirteen descriptors as mean and
//                       range over 0, 45, 90 and 135 degrees: 78. D is 1 to 99
//   lbp-8-1, lbp-16-2,  shares of the codes of L* on a circle of 8, 16, 24 samples: 10, 18, 26
//   lbp-24-3
//   thesis, thesis-G    contrast, correlation, sum p^2 and homogeneity of L*, a* and b* in G levels
//                       (4, or 2 to 64) at offset (1, 0), and the Bhattacharyya distance of the ten
//                       classes of square patterns from equal shares: 13 (Ruiz Sanchez 2015,
//                       chapter 4)
//
// `default` is color, haralick-1, haralick-3, lbp-8-1, lbp-16-2: 193 features.
class FeatureSet {
  public:
    // Names of groups, comma-separated. Throws InvalidArgument.
    explicit FeatureSet(std::string_view groups = "default");

    const std::string& groups() const { return groups_; }  // as a list, `default` spelt out
    const std::vector<std::string>& names() const { return names_; }
    std::size_t size() const { return names_.size(); }

    // Counts `count` tiles of nx x ny pixels, `stride` bytes each, the first three of them sRGB.
    TileCounts count(Queue& queue, const Buffer<const std::uint8_t>& tiles, std::int32_t nx,
                     std::int32_t ny, std::int64_t count, std::int32_t stride) const;
    // The features of one tile of them, in double precision on the host; any number of threads at
    // once. `features` has size() elements.
    void describe(const TileCounts& counts, std::int64_t tile, std::span<double> features) const;

    // Device memory for such a batch beside the tiles, in bytes.
    std::int64_t device_bytes(std::int64_t points, std::int64_t count) const;

  private:
    struct Group {
        enum class Kind { color, haralick, pattern, thesis } kind;
        std::size_t first_offset = 0;  // of matrices, or the pattern's place
    };

    void add(const std::string& group);
    void add_haralick(const std::string& group, int distance);
    void add_thesis(int levels);
    std::size_t add_pattern(const LbpOptions& pattern);

    std::string groups_;
    std::vector<Group> parts_;
    std::vector<std::string> names_;
    int levels_ = 0;  // of the matrices; 0: none
    ColorRange range_ = ColorRange::half;
    std::vector<PixelOffset> offsets_;
    std::vector<LbpOptions> patterns_;
};

// The features of 8-bit color images of one size. Throws UnsupportedFormat for other images.
std::vector<double> tile_features(const AnyImageView& tile, const FeatureSet& set, Queue& queue);

}  // namespace tesela
