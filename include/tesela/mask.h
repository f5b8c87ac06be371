// Masks and label maps: which objects stay, filled holes, touching objects split, masks combined
// and applied.
//
// Objects of a mask are its connected components. Those of a label map are its labels, each of
// which is one object wherever its points lie.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/connectivity.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"

namespace tesela {

// All of it applies: objects smaller than `min_size` go first, then those at the border, then all
// but the `largest`.
struct ObjectSelection {
    bool labels = false;  // the image is a label map; images of uint32 are
    Connectivity connectivity = Connectivity::automatic;  // of masks
    std::int64_t min_size = 0;                            // points
    std::int32_t margin = 0;   // points of an object at the border are within so many pixels of it
    std::int64_t largest = 0;  // so many stay; of equal size the lowest label, of masks the first
                               // in raster order; 0: all
};

struct SelectionReport {
    std::int64_t objects = 0, kept = 0;
};
struct SelectionResult : SelectionReport {
    AnyImage image;  // of the input's pixel type; 0 where an object went
};
template <class T>
struct DeviceSelectionResult : SelectionReport {
    DeviceImage<T> image;
};

// Pictures and volumes of one channel. What is not 0 belongs to an object. Throws InvalidArgument
// (options, a connectivity that is none of the image, labels that are no whole numbers or above
// 67,108,863), UnsupportedFormat (more channels, a time axis), OutOfMemory, Cancelled. The same
// bits on every device, as all that follows.
SelectionResult select_objects(const AnyImageView& image, const ObjectSelection& selection,
                               Queue& queue, const Progress& progress = {});
// Device level: T is std::uint8_t or std::uint32_t. The table of objects is read back, of 4 bytes
// each.
template <class T>
DeviceSelectionResult<T> select_objects(const DeviceImage<const T>& image,
                                        const ObjectSelection& selection, Queue& queue,
                                        const Progress& progress = {});

// Holes: points of value 0 that are connected, and not to the border.
struct HoleOptions {
    Connectivity connectivity = Connectivity::automatic;  // of holes; automatic: 4 or 6
    std::int64_t max_size = 0;                            // larger holes stay; 0: none
};
struct HoleReport {
    std::int64_t holes = 0, filled = 0;
};
struct HoleResult : HoleReport {
    AnyImage image;  // of the input's pixel type
};
template <class T>
struct DeviceHoleResult : HoleReport {
    DeviceImage<T> image;
};
// A hole gets the value around it; where there are several, as between labels, it stays. Throws as
// select_objects.
HoleResult fill_holes(const AnyImageView& image, const HoleOptions& options, Queue& queue,
                      const Progress& progress = {});
template <class T>
DeviceHoleResult<T> fill_holes(const DeviceImage<const T>& image, const HoleOptions& options,
                               Queue& queue, const Progress& progress = {});

// Labels from the first to the second, both included.
using LabelRange = std::pair<std::uint32_t, std::uint32_t>;
// "1,3,5-8". Throws InvalidArgument for other text.
std::vector<LabelRange> parse_labels(std::string_view text);

// The image where its value is in one of the ranges, elsewhere 0. Throws as select_objects. Device
// level: T is std::uint8_t or std::uint32_t.
AnyImage keep_labels(const AnyImageView& image, const std::vector<LabelRange>& ranges,
                     Queue& queue);
template <class T>
DeviceImage<T> keep_labels(const DeviceImage<const T>& image, const std::vector<LabelRange>& ranges,
                           Queue& queue);

// Where a value is 0: 255, elsewhere 0. Throws UnsupportedFormat for more channels. Device level:
// T is std::uint8_t or std::uint32_t.
Image<std::uint8_t> invert_mask(const AnyImageView& mask);
template <class T>
DeviceImage<std::uint8_t> invert_mask(const DeviceImage<const T>& mask, Queue& queue);

// What is outside of a mask gets the value in all channels; alpha stays. Images of any channels and
// a time axis. Throws InvalidArgument for a mask of another size, and a value that the pixel type
// does not hold. Device level: T is std::uint8_t, std::uint16_t, std::int16_t, std::uint32_t or
// float.
struct ApplyMaskOptions {
    double value = 0;
    bool inverse = false;  // what is inside gets the value
};
AnyImage apply_mask(const AnyImageView& image, const PixelView<std::uint8_t>& mask,
                    const ApplyMaskOptions& options = {});
template <class T>
DeviceImage<T> apply_mask(const DeviceImage<const T>& image,
                          const DeviceImage<const std::uint8_t>& mask,
                          const ApplyMaskOptions& options, Queue& queue);

// Points of either. Those of the second get the value of the first, which has one besides 0; where
// it has none 255, or 1 in other types than uint8. Throws InvalidArgument for several values, and
// masks of different sizes.
AnyImage unite_masks(const AnyImageView& image, const PixelView<std::uint8_t>& mask);

// Touching objects are split where they are narrow: watersheds of the distance to the background
// from its highest points.
struct SplitOptions {
    // Two highest points are two objects where the way from one to the other goes down by this from
    // both; automatic: a tenth of the median over all objects of their largest distance, at least
    // 0.75 pixels.
    std::optional<double> depth = {};
    bool pixels = false;  // distances in pixels, without the spacing
};
template <class V>
void describe(V&& v, SplitOptions& o) {
    v("depth", o.depth, "minimum depth of the neck between two objects",
      OptionRange{.lowest = 0,
                  .excludes_lowest = true,
                  .unit = "mm, or pixels without spacing",
                  .automatic = "0.1 of the median radius"});
    v("pixels", o.pixels, "measure in pixels, without the spacing");
}
struct SplitReport {
    std::uint32_t objects = 0, parts = 0;  // before and after
    double depth = 0;                      // as it was used
    bool millimeters = false;              // otherwise pixels
    std::vector<std::string> warnings;
};
struct SplitResult : SplitReport {
    LabelImage labels;  // 1..parts in raster order of first points; 0: background
};
struct DeviceSplitResult : SplitReport {
    DeviceImage<std::uint32_t> labels;
};
// Throws as select_objects, and InvalidArgument where the mask is empty or the whole image.
SplitResult split_objects(const AnyImageView& mask, const SplitOptions& options, Queue& queue,
                          const Progress& progress = {});
DeviceSplitResult split_objects(const DeviceImage<const std::uint8_t>& mask,
                                const SplitOptions& options, Queue& queue,
                                const Progress& progress = {});

// Device memory that these take at most, in bytes.
std::int64_t select_objects_device_bytes(const Shape& shape);
std::int64_t split_objects_device_bytes(const AnyImageView& mask);

}  // namespace tesela
