// Merging of the regions of a label image, on a device.
#pragma once

#include <cstdint>
#include <memory>

#include "segmentation/mean_shift/region_borders.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/progress.h"

namespace tesela {

struct RegionRules {
    // Neighbors whose mean features differ by at most sqrt(fusion_limit2) (Euclidean over the
    // channels, in feature units) are fused, transitively, in at most six rounds; below 0: none.
    std::int64_t fusion_limit2 = -1;
    // Neighbors of areas a and b whose means are d apart are merged, the least costly first, while
    // d^2 ab/(a+b) is at most this, in at most 24 rounds; 0: none.
    double most_cost = 0;
    // Regions of fewer points join the neighbor closest in mean, until there are none or one region
    // is left; below 2: none.
    std::int64_t smallest = 0;
    // Neighbors with a weak border are united, transitively, in at most four rounds, before regions
    // of fewer points are looked at.
    WeakBorders borders = {};
    // Takes more memory for edges where the usual room does not do, instead of listing them in
    // parts.
    bool wide_edges = false;

    bool merge_nothing() const {
        return fusion_limit2 < 0 && most_cost <= 0 && !borders.weak && smallest < 2;
    }
};

struct MergedRegions {
    std::uint32_t components = 0;  // before the merge
    std::uint32_t count = 0;       // M
    int fusion_rounds = 0, merging_rounds = 0, border_rounds = 0, pruning_rounds = 0;
    bool borders_fit = true;  // else more pairs of regions touched than there is room for
};

// What to do with the features after the merge.
enum class MergedFeatures { dropped, painted };

// Memory for regions: for as many as there mostly are, so that the work is enqueued before their
// number is known, as suits a GPU; or for their number, which is waited for. Labels are the same.
enum class RegionRoom { automatic, usual, counted };

// Areas and sums of the features of the regions 1..count of `labels`, in room for `room` regions;
// nothing, where there are more. For each its area and, a channel, the low and the high word of the
// sum.
Buffer<std::uint32_t> sum_regions(Queue& queue, const Shape& shape, int channels,
                                  const Buffer<std::int32_t>& features,
                                  const Buffer<std::uint32_t>& labels,
                                  const Buffer<std::uint32_t>& count, std::int64_t room);

// Turns labels 1..N, numbered raster-first and connected, into labels 1..M, raster-first, in place;
// N stands in components[0]. The mean of a region is that of its points' `features`, one plane a
// channel, rounded. Neighbors differ along at most `axes` of the four axes; `shape` has at most
// 2^31-1 points. `features` is given up or gets the mean of each point's region. The constructor
// enqueues, and transfers nothing where the room is the usual one; `finish` waits and gives what
// was found. `features` and `labels` outlive the merge. Throws InvalidArgument for rows with more
// than 2^31-1 pairs of neighbors, and Cancelled.
class RegionMerge {
  public:
    RegionMerge(Queue& queue, const Shape& shape, int channels, const RegionRules& rules, int axes,
                Buffer<std::uint32_t> components, MergedFeatures after,
                Buffer<std::int32_t>& features, Buffer<std::uint32_t>& labels,
                RegionRoom room = RegionRoom::automatic, const Progress& progress = {});
    ~RegionMerge();
    MergedRegions finish();

  private:
    class Work;
    std::unique_ptr<Work> work_;
};

// Device memory that RegionMerge takes at most for so many regions beside its arguments, in bytes;
// where features are dropped, less what they took.
std::int64_t merge_regions_bytes(const Shape& shape, int channels, std::int64_t regions,
                                 MergedFeatures after, bool wide_edges = false);

}  // namespace tesela
