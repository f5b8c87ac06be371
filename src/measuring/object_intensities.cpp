// Means, deviations, extremes and percentiles of an image's values in objects.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/measuring/measure_intensities.kernel.h"
#include "measuring/object_measures.h"
#include "measuring/wide_sums.h"

namespace tesela::measuring {

using kernels::i32;
using kernels::u32;

namespace {

constexpr std::size_t record_words = kernels::measure_intensity_words;
static_assert(kernels::measure_percentiles == measured_percentiles.size());

// The kernel that makes keys of pixels.
template <class T>
constexpr auto& keys_of() {
    if constexpr (std::is_same_v<T, std::uint8_t>) return kernels::measure_keys_u8;
    if constexpr (std::is_same_v<T, std::int8_t>) return kernels::measure_keys_i8;
    if constexpr (std::is_same_v<T, std::uint16_t>) return kernels::measure_keys_u16;
    if constexpr (std::is_same_v<T, std::int16_t>) return kernels::measure_keys_i16;
    if constexpr (std::is_same_v<T, std::uint32_t>) return kernels::measure_keys_u32;
    if constexpr (std::is_same_v<T, std::int32_t>) return kernels::measure_keys_i32;
    if constexpr (std::is_same_v<T, float>) return kernels::measure_keys_f32;
}

// A channel as keys: of integers from `lowest` on, of floats by their bits. Summands are keys, or
// floats * scale + 2^31.
struct KeyedChannel {
    Buffer<u32> keys;
    bool is_float = false;
    double lowest = 0;
    float scale = 0;  // 0 of integers

    double value_of(u32 key) const {
        constexpr u32 sign = 0x80000000u;
        return is_float ? double{std::bit_cast<float>((key & sign) != 0 ? key ^ sign : ~key)}
                        : lowest + key;
    }
    bool is_finite(u32 key) const { return std::isfinite(value_of(key)); }
    double unit() const { return is_float ? 1.0 / scale : 1; }
    double offset() const { return is_float ? -0x1p31 : lowest; }
};

// Makes integers below 2^31 of floats up to `largest`.
float scale_for(double largest) {
    constexpr int bits = 31, highest_exponent = 126;
    int exponent = 0;
    std::frexp(largest, &exponent);
    return std::ldexp(1.0f, largest > 0 ? std::min(bits - exponent, highest_exponent) : 0);
}

// 0 where a value is not finite: then sums are of no use, and extremes say in which object it is.
float scale_of(const ObjectMap& objects, const KeyedChannel& channel, Queue& queue) {
    auto range = queue.allocate_filled<u32>(2, 0u, "range of keys");
    queue.launch(kernels::measure_key_range, objects.tiles, objects.points, channel.keys,
                 objects.map, range);
    const std::vector<u32> ends = queue.download(range);
    const u32 lowest = ~ends[0], highest = ends[1];
    if (objects.labels.empty() || !channel.is_finite(lowest) || !channel.is_finite(highest))
        return 0;
    return scale_for(
        std::max(std::abs(channel.value_of(lowest)), std::abs(channel.value_of(highest))));
}

template <class T>
KeyedChannel keyed(const ObjectMap& objects, const DeviceImage<const T>& image, int channel,
                   Queue& queue) {
    KeyedChannel keyed{.keys = queue.allocate<u32>(image.shape.points(), "keys of values")};
    queue.launch(keys_of<T>(), Range{image.shape.points()}, image.pixels, i32{image.shape.channels},
                 i32{channel}, keyed.keys);
    keyed.is_float = std::is_same_v<T, float>;
    if (keyed.is_float)
        keyed.scale = scale_of(objects, keyed, queue);
    else
        keyed.lowest = static_cast<double>(std::numeric_limits<T>::lowest());
    return keyed;
}

MeasuredIntensity intensity_of(std::span<const u32> record, const MeasuredObject& object,
                               const KeyedChannel& channel) {
    const u32 lowest = ~record[0], highest = record[1];
    for (const u32 key : {lowest, highest})
        if (!channel.is_finite(key))
            throw InvalidArgument("a pixel of object " + std::to_string(object.label) +
                                  " is not a finite number; replace it first");
    const auto points = static_cast<double>(object.points);
    const WideSum sum = wide_sum(record.subspan(2, 2)), squares = wide_sum(record.subspan(4, 3));
    // Offsets are whole: the sum of the values themselves is exact.
    const WideSum exact = sum + static_cast<WideSum>(channel.offset()) * object.points;
    const double variance = covariance_of(object.points, sum, sum, squares);
    return {.mean = static_cast<double>(exact) / points * channel.unit(),
            .deviation = std::sqrt(std::max(variance, 0.0)) * channel.unit(),
            .lowest = channel.value_of(lowest),
            .highest = channel.value_of(highest),
            .sum = static_cast<double>(exact) * channel.unit()};
}

// Between the value at a rank and the next one, as far as the percentile lies beyond the rank.
double percentile_of(const KeyedChannel& channel, const u32* ranked, u32 percent,
                     std::int64_t points) {
    constexpr std::int64_t all = 100;
    const double part = static_cast<double>((points - 1) * percent % all) / all;
    const double low = channel.value_of(ranked[0]), high = channel.value_of(ranked[1]);
    return low + part * (high - low);
}

void add_percentiles(const ObjectMap& objects, std::span<const MeasuredObject> measured,
                     const KeyedChannel& channel, const Buffer<u32>& records, Queue& queue,
                     std::vector<MeasuredIntensity>& intensities) {
    std::vector<u32> first{0};
    for (const MeasuredObject& object : measured)
        first.push_back(first.back() + static_cast<u32>(object.points));
    const auto starts = queue.upload(std::span<const u32>(first), "first values of objects");
    auto gathered = queue.allocate<u32>(first.back(), "values by objects");
    auto filled = empty_records(objects, 1, queue);
    queue.launch(kernels::measure_gather, objects.tiles, objects.points, objects.present,
                 objects.before, channel.keys, starts, objects.map, filled, gathered);
    constexpr std::size_t words = 2 * measured_percentiles.size();
    auto ranked = queue.allocate<u32>(objects.count() * std::int64_t{words}, "ranked values");
    kernels::measure_ranks ranks{};
    std::copy(measured_percentiles.begin(), measured_percentiles.end(), ranks.percents);
    if (prefers_groups(queue.device()))
        queue.launch(kernels::measure_select_together, Groups{objects.count()}, gathered, starts,
                     records, ranks, ranked);
    else
        queue.launch(kernels::measure_select, Range{objects.count()}, gathered, starts, records,
                     ranks, ranked);
    const std::vector<u32> read = queue.download(ranked);
    for (std::size_t n = 0; n < intensities.size(); ++n)
        for (std::size_t p = 0; p < measured_percentiles.size(); ++p)
            intensities[n].percentiles[p] = percentile_of(
                channel, &read[n * words + 2 * p], measured_percentiles[p], measured[n].points);
}

}  // namespace

std::vector<MeasuredIntensity> intensities_of(const ObjectMap& objects,
                                              std::span<const MeasuredObject> measured,
                                              const AnyDeviceView& image, int channel,
                                              bool percentiles, Queue& queue) {
    const KeyedChannel values = std::visit(
        [&]<class T>(const DeviceImage<const T>& typed) -> KeyedChannel {
            if constexpr (std::is_same_v<T, double>)
                throw UnsupportedFormat(
                    "values of images on a device are measured in single precision at most; "
                    "convert the image to float32 first");
            else
                return keyed(objects, typed, channel, queue);
        },
        image);
    auto records = empty_records(objects, record_words, queue);
    queue.launch(kernels::measure_intensity_sums, objects.tiles, objects.points, objects.present,
                 objects.before, values.keys, objects.map, values.scale, records);
    const std::vector<u32> read = queue.download(records);
    std::vector<MeasuredIntensity> intensities;
    intensities.reserve(measured.size());
    for (std::size_t n = 0; n < measured.size(); ++n)
        intensities.push_back(intensity_of(std::span(read).subspan(n * record_words, record_words),
                                           measured[n], values));
    if (percentiles && !measured.empty())
        add_percentiles(objects, measured, values, records, queue, intensities);
    return intensities;
}

std::int64_t intensities_bytes(const Shape& shape, std::int64_t objects, bool percentiles) {
    const std::int64_t points = shape.points();
    constexpr std::int64_t of_ranks = 2 + 2 * std::int64_t{measured_percentiles.size()};
    return 4 * (points + std::int64_t{record_words} * objects +
                (percentiles ? points + of_ranks * objects : 0));
}

}  // namespace tesela::measuring
