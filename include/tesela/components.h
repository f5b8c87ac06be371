// Connected components: which points hang together, with their areas, boxes and centroids.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/connectivity.h"
#include "tesela/image.h"
#include "tesela/image_parts.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"

namespace tesela {

// What belongs together. `binary`: neighbors that are not 0; 0 is background. `equal`: neighbors of
// equal value.
enum class ComponentValues { binary, equal };
constexpr auto enum_names(ComponentValues) {
    return std::array{EnumNames<ComponentValues>{ComponentValues::binary, "binary"},
                      EnumNames<ComponentValues>{ComponentValues::equal, "equal"}};
}
constexpr auto enum_help(ComponentValues) {
    return std::array<std::string_view, 2>{"nonzero pixels", "pixels of equal value"};
}

struct ComponentOptions {
    ComponentValues values = ComponentValues::binary;
    std::optional<double> background = {};  // of `equal`: a value that makes no components
    Connectivity connectivity = Connectivity::automatic;
    std::int64_t min_size = 0;  // points; smaller components become background
};

template <class V>
void describe(V&& v, ComponentOptions& o) {
    v("values", o.values, "which pixels are connected: nonzero ones, or equal ones");
    v("background", o.background, "value without components, for equal",
      OptionRange{.unit = "file units"});
    v("connectivity", o.connectivity, "which pixels are connected; auto: all that touch");
    v("min-size", o.min_size, "remove components smaller than this",
      OptionRange{.lowest = 0, .highest = 2147483647, .unit = "pixels"});
}

// One component; its label is its place in the table, from 1. Axes are x, y, z and t; those that
// the image does not have are 0.
struct Component {
    std::int64_t area = 0;                        // points
    std::array<std::int32_t, 4> first{}, last{};  // box: lowest and highest index, both inside
    std::array<double, 4> centroid{};             // mean index
    double value = 0;                             // of its pixels; 1 with ComponentValues::binary
};

struct ComponentReport {
    std::uint32_t count = 0;          // of components that stay
    std::uint32_t dropped_count = 0;  // of those smaller than min_size
    Connectivity connectivity = Connectivity::eight;
    std::vector<StageTime> stages;
};

enum class ComponentOutput { labels_and_table, labels_only };

struct ComponentResult : ComponentReport {
    LabelImage labels;             // 1..count in raster order of first points; 0: background
    std::vector<Component> table;  // empty where not asked for
};

// 2-D, 3-D and 4-D images of one channel, of any pixel type, of at most 2^31-1 points. Labels equal
// those of a raster scan, as OpenCV's connectedComponents and ITK number them, with the same bits
// on every device. Throws InvalidArgument (options, NaN pixels, a connectivity that is not one of
// the image, a background that is no value of the pixel type, values of 64 bits that single
// precision does not hold), UnsupportedFormat (more channels), OutOfMemory, Cancelled.
ComponentResult components(const AnyImageView& image, const ComponentOptions& options, Queue& queue,
                           ComponentOutput output = ComponentOutput::labels_and_table,
                           const Progress& progress = {});

// `statistics`, where asked for: a record for each component, with room for its axes of more points
// than one, for two or for four: length - 1 - lowest and highest index of each, then the sums of
// indices. Of two axes that is the low word of each, a word of what is above 32 bits of both, the
// first one's in as many of its low bits as length^2 * other length / 2^32 has, and the area. Of
// four axes it is the low and the high word of each; of three the low word of the fourth's sum is
// the area. Areas of four axes stand behind the records of all components. There may be more memory
// behind them. `samples`, there and where a background was given: the bits of its value (of 1 with
// ComponentValues::binary).
struct DeviceComponents : ComponentReport {
    DeviceImage<std::uint32_t> labels;
    Buffer<std::uint32_t> statistics, samples;
};

// The same on an image that is on the queue's device, with results that stay there; T is
// std::uint8_t, std::uint16_t, std::uint32_t, std::int32_t or float, compared by its bits, of one
// channel.
// `background` holds those of options.background. Waits for the number of components (4 bytes), and
// once more where some are dropped.
template <class T>
DeviceComponents components(const DeviceImage<const T>& image, std::uint32_t background,
                            const ComponentOptions& options, Queue& queue,
                            ComponentOutput output = ComponentOutput::labels_and_table);

// `background` of the options as the bits of a T, 0 where there is none. Throws InvalidArgument
// where it is no value of T.
template <class T>
std::uint32_t component_background(const ComponentOptions& options);

// The table of components that are on the queue's device and were made of pixels of the type; with
// ComponentValues::binary of PixelType::u8. Waits for it.
std::vector<Component> component_table(const DeviceComponents& components, PixelType type,
                                       Queue& queue, const Progress& progress = {});

// Memory that components takes at most, in bytes: of the device, of the host for the table, and
// what that is made of until it is complete. It looks at the pixels for how many components there
// can be. Throws as components does for bad options.
struct ComponentBytes {
    std::int64_t device = 0, table = 0, making = 0;
};
ComponentBytes components_bytes(const AnyImageView& image, const ComponentOptions& options,
                                const Device& device,
                                ComponentOutput output = ComponentOutput::labels_and_table);

// A label map that is made again of its image whenever a box of it is read.
class PartLabels : public VolumeInput {
  public:
    // Of parts that are kept for the next boxes.
    static constexpr std::int64_t cache_bytes = std::int64_t{256} << 20;

    // Makes each part once, and gives it with its place to `take`, from several threads. No box is
    // read meanwhile.
    virtual void for_each(
        const Progress& progress,
        const std::function<void(const VoxelBox& box, const AnyImage& labels)>& take) const = 0;
};

struct JoinedComponents : ComponentReport {
    std::vector<Component> table;
    // In the smallest unsigned type that holds them. Image and queues outlive it.
    std::unique_ptr<PartLabels> labels;
    // Of ComponentValues::binary: two values besides 0, the first ones of the raster, where there
    // are as many; the image may be no mask.
    std::optional<std::array<double, 2>> gray_values;
};

// Components of an image that need not fit into memory, in parts of this size, on all queues at
// once. They are joined over faces, edges and corners of the parts: numbers, table and label map
// are those of `components` to the bit, whatever the parts and devices. Pictures and volumes of any
// number of points, of less than 2^32 components in all parts; a part has at most 2^31-1 points.
// Memory holds parts for each queue, the outermost labels of parts that wait for their neighbors,
// and a record for what each part has of a component. Records take at most `max_bytes` (0: no
// limit).
// Throws as `components`, and OutOfMemory for more components than that.
JoinedComponents components_in_parts(const VolumeInput& image, const PartSize& size,
                                     const ComponentOptions& options,
                                     std::span<Queue* const> queues, std::int64_t max_bytes = 0,
                                     const Progress& progress = {});
// Memory of a queue's device, and of the host, that one part takes at most.
ComponentBytes components_part_bytes(const VolumeInputFacts& facts, const PartSize& size,
                                     const Device& device);

}  // namespace tesela
