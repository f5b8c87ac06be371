// Means of regions on the host, and merging of neighbors one pair after another.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace tesela {

// How far a pixel is from a mean, or a mean from another: Euclidean over the channels; `relative`:
// as a share of the pixel's norm, or of the lower of both norms.
struct MeanDistance {
    int channels = 1;
    bool relative = false;
};

class RegionMeans {
  public:
    RegionMeans(std::size_t regions, const MeanDistance& distance)
        : distance_(distance),
          sums_(regions * static_cast<std::size_t>(distance.channels)),
          sizes_(regions) {}

    // `pixel` has a feature for each channel.
    void add(std::size_t region, const std::int32_t* pixel);
    void join(std::size_t kept, std::size_t gone);
    std::size_t count() const { return sizes_.size(); }
    std::int64_t size(std::size_t region) const { return sizes_[region]; }
    double from_pixel(const std::int32_t* pixel, std::size_t region) const;
    double between(std::size_t a, std::size_t b) const;

  private:
    double mean(std::size_t region, int channel) const;
    double shown(double squared, double squared_norm) const;

    MeanDistance distance_;
    std::vector<std::int64_t> sums_, sizes_;
};

// Joins the two neighbors with the closest means while these are closer than `threshold`; then each
// region of fewer than `smallest` pixels, the smallest first, to the neighbor that is closest. Ties
// go to the lower region, which also stays of two. `neighbors` are pairs of regions. Gives the
// region that each has become.
std::vector<std::uint32_t> merge_closest(
    RegionMeans& means, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& neighbors,
    double threshold, std::int64_t smallest, const std::function<void()>& between_merges);

}  // namespace tesela
