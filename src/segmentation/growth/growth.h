// What every method of region growing works with.
#pragma once

#include <span>

#include "pixels/pixel_source.h"
#include "pixels/seeds.h"
#include "tesela/region_grow.h"

namespace tesela {

// Who chose the seeds: the method, a grid, or the user, for one object each.
enum class SeedChoice { automatic, grid, of_objects };

template <class T>
struct GrowthJob {
    PixelSource<T> image;
    typename PixelSource<T>::OnDevice pixels;  // the same on the device
    bool whole_values;                         // of the user's image: its pixel type is an integer
    int color_channels;
    SeedChoice chosen;
    const PlacedSeeds& seeds;  // none where the method chooses
    int axes;                  // along which neighbors differ by one, at most
    Queue& queue;
    const Progress& progress;  // of the growth alone
    RegionGrowReport& report;
    std::span<std::uint32_t> host_labels;  // where the labels go in the end, if to the host

    std::int64_t points() const { return image.shape().points(); }
    Buffer<std::uint32_t> new_labels() const {
        return host_labels.empty() ? queue.allocate<std::uint32_t>(points(), "labels")
                                   : queue.allocate_for(host_labels, "labels");
    }
};

}  // namespace tesela
