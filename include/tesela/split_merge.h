// Segmentation by splitting and merging.
//
// S. L. Horowitz, T. Pavlidis, "Picture segmentation by a tree traversal algorithm", Journal of the
// ACM 23(2), 1976. A baseline to compare with: regions show the squares of the tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/connectivity.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"

namespace tesela {

struct SplitMergeOptions {
    std::optional<double> homogeneity = {}, grouping = {};
    int largest_block = 64;
    int min_region = 20;
    Connectivity connectivity = Connectivity::automatic;
};

template <class V>
void describe(V&& v, SplitMergeOptions& o) {
    v("homogeneity", o.homogeneity,
      "split blocks whose values span more than this; the default counts 8-bit gray levels",
      OptionRange{.lowest = 0, .unit = "file units", .automatic = "40"});
    v("grouping", o.grouping,
      "merge neighboring blocks with means within this distance; default as above",
      OptionRange{.lowest = 0, .unit = "file units", .automatic = "8"});
    v("largest-block", o.largest_block, "side of the largest blocks, rounded to a power of 2",
      OptionRange{.lowest = 1, .highest = 256, .unit = "pixels"});
    v("min-region", o.min_region, "merge smaller regions into the most similar neighbor",
      OptionRange{.lowest = 0, .unit = "pixels"});
    v("connectivity", o.connectivity, "which pixels are connected; auto: all that touch");
}

// Statistics reported with the result.
struct SplitMergeReport {
    std::uint32_t count = 0;
    std::uint32_t group_count = 0;  // before small regions are absorbed
    Connectivity connectivity = Connectivity::eight;
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  // sentences for the user
};

struct SplitMergeResult : SplitMergeReport {
    LabelImage labels;  // regions 1..count, raster-first; every pixel has one
};
struct DeviceSplitMergeResult : SplitMergeReport {
    DeviceImage<std::uint32_t> labels;
};

// Pixels are in the largest block of the quadtree in which no channel spans more than
// `homogeneity`; neighboring blocks are grouped where their means are close (Euclidean over the
// channels), transitively; small regions are absorbed. Images of any axes and pixel type with one
// or three channels; alpha is ignored; slices of volumes have trees of their own and are grouped
// together. Options that are not given are in gray levels (tesela/value_range.h). Values are
// quantized to 256 or 65536 levels. Throws InvalidArgument (options, NaN or infinite pixels),
// UnsupportedFormat (other channel counts), OutOfMemory, Cancelled. The same bits on every device.
SplitMergeResult split_merge(const AnyImageView& image, const SplitMergeOptions& options,
                             Queue& queue, const Progress& progress = {});
// Device level: T is std::uint8_t, std::uint16_t, std::int16_t or float. Of others than 8-bit
// images the values of at most 2^20 points are read back, and of float the pixels once, for their
// range.
template <class T>
DeviceSplitMergeResult split_merge(const DeviceImage<const T>& image,
                                   const SplitMergeOptions& options, Queue& queue,
                                   const Progress& progress = {});

// Device memory that split_merge takes at most, in bytes.
std::int64_t split_merge_device_bytes(const AnyImageView& image);

}  // namespace tesela
