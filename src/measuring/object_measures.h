// The measures of objects, each from counts that a device adds up. Counts of the parts of an object
// add up to those of the whole.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "measuring/object_map.h"
#include "measuring/wide_sums.h"
#include "tesela/measure.h"

namespace tesela::measuring {

// ---- Sizes and places ----

// Points, box and sums of indices.
struct ObjectSums {
    static constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();

    std::int64_t points = 0;
    std::array<std::int32_t, 3> first{none, none, none}, last{-1, -1, -1};
    std::array<WideSum, 3> sum{};
    std::array<WideSum, 6> products{};  // xx, yy, zz, xy, xz, yz

    void add(const ObjectSums& other);
    // All indices become higher by this.
    void move(const std::array<std::int64_t, 3>& by);
    // In a map of this size.
    MeasuredObject object(std::uint32_t label, const Shape& shape) const;
};

// Those of all objects of a map, in its indices.
class SumRecords {
  public:
    SumRecords(const ObjectMap& objects, Queue& queue);
    ObjectSums operator[](std::size_t object) const;

  private:
    kernels::measure_map map_;
    std::vector<std::uint32_t> words_;
};
std::vector<MeasuredObject> sizes_of(const ObjectMap& objects, const Shape& shape, Queue& queue);

// ---- Perimeter, surface and Euler number ----

// The words of the kernels' records, of which pictures have fewer.
using BoundaryCounts = std::array<std::int64_t, 14>;

class BoundaryRecords {
  public:
    BoundaryRecords(const ObjectMap& objects, Queue& queue);
    BoundaryCounts operator[](std::size_t object) const;

  private:
    std::size_t length_, euler_;
    std::vector<std::uint32_t> words_;
};

// What counts weigh with a spacing.
class BoundaryWeights {
  public:
    BoundaryWeights(int axes, const std::array<double, 3>& spacing);
    void measure(const BoundaryCounts& counts, MeasuredObject& object) const;

  private:
    int axes_;
    std::array<double, 4> picture_in_pixels_{}, picture_in_space_{};
    std::array<double, 13> volume_in_pixels_{}, volume_in_space_{};
};
void add_boundaries(const ObjectMap& objects, const Geometry& geometry, Queue& queue,
                    std::vector<MeasuredObject>& measured);

// ---- Convex areas and Feret diameters, of pictures ----

// How far out the outermost pixel of each row of objects is, on their left sides from the right
// border of the map and on their right sides from its left border; 0 where an object has none.
struct RowEnds {
    std::vector<std::uint32_t> starts{0};  // of the objects' rows, and the end
    Buffer<std::uint32_t> left = {}, right = {};
};
// Of the objects from `first` to `end` of a map, which reach over these rows.
RowEnds row_ends_of(const ObjectMap& objects, std::int64_t first, std::int64_t end,
                    const std::function<std::array<std::int32_t, 2>(std::int64_t object)>& rows,
                    Queue& queue);
// `nx`: points of a row of the map.
void measure_hulls(const RowEnds& ends, std::int64_t nx, const Geometry& geometry, Queue& queue,
                   std::span<MeasuredObject> measured);
// Calls `work` with objects from `first` to `end` that have at most so many rows together, or one
// object.
void for_each_hull_span(std::span<const MeasuredObject> measured, std::int64_t most_rows,
                        const std::function<void(std::size_t first, std::size_t end)>& work);
void add_hulls(const ObjectMap& objects, const Geometry& geometry, Queue& queue,
               std::vector<MeasuredObject>& measured);

// ---- Intensities ----

// How values of a channel are keys of 32 bits: of integers from `lowest` on, of floats by their
// bits. Summands are keys, or floats * scale + 2^31.
struct ChannelKeys {
    bool is_float = false;
    int bits = 32;  // of keys
    double lowest = 0;
    float scale = 0;  // 0 of integers

    double value_of(std::uint32_t key) const;
    bool is_finite(std::uint32_t key) const;
    double unit() const { return is_float ? 1.0 / scale : 1; }
    double offset() const { return is_float ? -0x1p31 : lowest; }
};
// Of images of this type; the scale of floats is still to be set.
ChannelKeys channel_keys(PixelType type);

// One channel on a device.
struct KeyedChannel : ChannelKeys {
    Buffer<std::uint32_t> keys = {};
};
// Throws UnsupportedFormat for double precision.
KeyedChannel keyed(const AnyDeviceView& image, int channel, Queue& queue);

// The lowest and highest key in objects; the first is the higher one where there is none.
struct KeyRange {
    std::uint32_t lowest = ~0u, highest = 0;
};
KeyRange key_range(const ObjectMap& objects, const KeyedChannel& channel, Queue& queue);
// By which floats become summands. 0 where a value is not finite: then sums are of no use, and
// extremes say in which object it is.
float scale_of(const KeyRange& range, const ChannelKeys& channel);

struct IntensitySums {
    std::uint32_t lowest = ~0u, highest = 0;  // keys
    WideSum sum = 0, squares = 0;

    void add(const IntensitySums& other);
    // Throws InvalidArgument that names the object with a value that is not finite.
    MeasuredIntensity intensity(const MeasuredObject& object, const ChannelKeys& channel) const;
};

class IntensityRecords {
  public:
    IntensityRecords(const ObjectMap& objects, const KeyedChannel& channel, Queue& queue);
    IntensitySums operator[](std::size_t object) const;
    const Buffer<std::uint32_t>& on_device() const { return records_; }

  private:
    Buffer<std::uint32_t> records_;
    std::vector<std::uint32_t> words_;
};

// The keys of a channel, those of each object together: of object n from starts[n] on.
struct GatheredKeys {
    std::vector<std::uint32_t> starts;
    Buffer<std::uint32_t> first = {}, keys = {};
};
GatheredKeys gathered(const ObjectMap& objects, std::span<const std::int64_t> points,
                      const KeyedChannel& channel, Queue& queue);
// Of each object the keys between which its percentiles lie: two for each of them.
using RankedKeys = std::array<std::uint32_t, 2 * measured_percentiles.size()>;
std::vector<RankedKeys> ranked(const ObjectMap& objects, const GatheredKeys& gathered,
                               const IntensityRecords& records, Queue& queue);
// `ranks`: of sorted keys the first ones of these pairs.
std::array<std::int64_t, measured_percentiles.size()> percentile_ranks(std::int64_t points);
void set_percentiles(const RankedKeys& keys, std::int64_t points, const ChannelKeys& channel,
                     MeasuredIntensity& intensity);

// Of the values of one channel. Throws as above.
std::vector<MeasuredIntensity> intensities_of(const ObjectMap& objects,
                                              std::span<const MeasuredObject> measured,
                                              const AnyDeviceView& image, int channel,
                                              bool percentiles, Queue& queue);

// Memory of the device in bytes, without the map and the images themselves.
std::int64_t sizes_bytes(const Shape& shape, std::int64_t objects);
std::int64_t boundaries_bytes(const Shape& shape, std::int64_t objects);
std::int64_t hulls_bytes(const Shape& shape, std::int64_t objects);
std::int64_t intensities_bytes(const Shape& shape, std::int64_t objects, bool percentiles);

}  // namespace tesela::measuring
