// Means, deviations, extremes and percentiles of an image's values in objects.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>

#include "core/with_type.h"
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

// Makes integers below 2^31 of floats up to `largest`.
float scale_for(double largest) {
    constexpr int bits = 31, highest_exponent = 126;
    int exponent = 0;
    std::frexp(largest, &exponent);
    return std::ldexp(1.0f, largest > 0 ? std::min(bits - exponent, highest_exponent) : 0);
}

template <class T>
Buffer<u32> keys_on_device(const DeviceImage<const T>& image, int channel, Queue& queue) {
    auto keys = queue.allocate<u32>(image.shape.points(), "keys of values");
    queue.launch(keys_of<T>(), Range{image.shape.points()}, image.pixels, i32{image.shape.channels},
                 i32{channel}, keys);
    return keys;
}

}  // namespace

double ChannelKeys::value_of(u32 key) const {
    constexpr u32 sign = 0x80000000u;
    return is_float ? double{std::bit_cast<float>((key & sign) != 0 ? key ^ sign : ~key)}
                    : lowest + key;
}
bool ChannelKeys::is_finite(u32 key) const { return std::isfinite(value_of(key)); }

ChannelKeys channel_keys(PixelType type) {
    return detail::with_type(type, []<class T>(T) -> ChannelKeys {
        if constexpr (std::is_floating_point_v<T>)
            return {.is_float = true};
        else
            return {.bits = 8 * static_cast<int>(sizeof(T)),
                    .lowest = static_cast<double>(std::numeric_limits<T>::lowest())};
    });
}

KeyedChannel keyed(const AnyDeviceView& image, int channel, Queue& queue) {
    return std::visit(
        [&]<class T>(const DeviceImage<const T>& typed) -> KeyedChannel {
            if constexpr (std::is_same_v<T, double>)
                throw UnsupportedFormat(
                    "values of images on a device are measured in single precision at most; "
                    "convert the image to float32 first");
            else
                return {channel_keys(pixel_type_of<T>()), keys_on_device(typed, channel, queue)};
        },
        image);
}

KeyRange key_range(const ObjectMap& objects, const KeyedChannel& channel, Queue& queue) {
    auto range = queue.allocate_filled<u32>(2, 0u, "range of keys");
    queue.launch(kernels::measure_key_range, objects.tiles, objects.points, channel.keys,
                 objects.map, range);
    const std::vector<u32> ends = queue.download(range);
    return {~ends[0], ends[1]};
}

float scale_of(const KeyRange& range, const ChannelKeys& channel) {
    if (range.lowest > range.highest || !channel.is_finite(range.lowest) ||
        !channel.is_finite(range.highest))
        return 0;
    return scale_for(std::max(std::abs(channel.value_of(range.lowest)),
                              std::abs(channel.value_of(range.highest))));
}

void IntensitySums::add(const IntensitySums& other) {
    lowest = std::min(lowest, other.lowest);
    highest = std::max(highest, other.highest);
    sum += other.sum;
    squares += other.squares;
}

MeasuredIntensity IntensitySums::intensity(const MeasuredObject& object,
                                           const ChannelKeys& channel) const {
    for (const u32 key : {lowest, highest})
        if (!channel.is_finite(key))
            throw InvalidArgument("a pixel of object " + std::to_string(object.label) +
                                  " is not a finite number; replace it first");
    const auto points = static_cast<double>(object.points);
    // Offsets are whole: the sum of the values themselves is exact.
    const WideSum exact = sum + static_cast<WideSum>(channel.offset()) * object.points;
    const double variance = covariance_of(object.points, sum, sum, squares);
    return {.mean = static_cast<double>(exact) / points * channel.unit(),
            .deviation = std::sqrt(std::max(variance, 0.0)) * channel.unit(),
            .lowest = channel.value_of(lowest),
            .highest = channel.value_of(highest),
            .sum = static_cast<double>(exact) * channel.unit()};
}

IntensityRecords::IntensityRecords(const ObjectMap& objects, const KeyedChannel& channel,
                                   Queue& queue)
    : records_(empty_records(objects, record_words, queue)) {
    queue.launch(kernels::measure_intensity_sums, objects.tiles, objects.points, objects.present,
                 objects.before, channel.keys, objects.map, channel.scale, records_);
    words_ = queue.download(records_);
}

IntensitySums IntensityRecords::operator[](std::size_t object) const {
    const auto record = std::span(words_).subspan(object * record_words, record_words);
    return {.lowest = ~record[0],
            .highest = record[1],
            .sum = wide_sum(record.subspan(2, 2)),
            .squares = wide_sum(record.subspan(4, 3))};
}

GatheredKeys gathered(const ObjectMap& objects, std::span<const std::int64_t> points,
                      const KeyedChannel& channel, Queue& queue) {
    GatheredKeys keys{.starts = {0}};
    for (const std::int64_t of_object : points)
        keys.starts.push_back(keys.starts.back() + static_cast<u32>(of_object));
    keys.first = queue.upload(std::span<const u32>(keys.starts), "first values of objects");
    keys.keys = queue.allocate<u32>(keys.starts.back(), "values by objects");
    auto filled = empty_records(objects, 1, queue);
    queue.launch(kernels::measure_gather, objects.tiles, objects.points, objects.present,
                 objects.before, channel.keys, keys.first, objects.map, filled, keys.keys);
    return keys;
}

std::vector<RankedKeys> ranked(const ObjectMap& objects, const GatheredKeys& gathered,
                               const IntensityRecords& records, Queue& queue) {
    constexpr std::size_t words = std::tuple_size_v<RankedKeys>;
    auto ranked = queue.allocate<u32>(objects.count() * std::int64_t{words}, "ranked values");
    kernels::measure_ranks ranks{};
    std::copy(measured_percentiles.begin(), measured_percentiles.end(), ranks.percents);
    if (prefers_groups(queue.device()))
        queue.launch(kernels::measure_select_together, Groups{objects.count()}, gathered.keys,
                     gathered.first, records.on_device(), ranks, ranked);
    else
        queue.launch(kernels::measure_select, Range{objects.count()}, gathered.keys, gathered.first,
                     records.on_device(), ranks, ranked);
    const std::vector<u32> read = queue.download(ranked);
    std::vector<RankedKeys> keys(objects.labels.size());
    for (std::size_t n = 0; n < keys.size(); ++n)
        std::copy_n(read.begin() + static_cast<std::ptrdiff_t>(n * words), words, keys[n].begin());
    return keys;
}

std::array<std::int64_t, measured_percentiles.size()> percentile_ranks(std::int64_t points) {
    std::array<std::int64_t, measured_percentiles.size()> ranks{};
    for (std::size_t p = 0; p < ranks.size(); ++p)
        ranks[p] = (points - 1) * measured_percentiles[p] / 100;
    return ranks;
}

// Between the value at a rank and the next one, as far as the percentile lies beyond the rank.
void set_percentiles(const RankedKeys& keys, std::int64_t points, const ChannelKeys& channel,
                     MeasuredIntensity& intensity) {
    constexpr std::int64_t all = 100;
    for (std::size_t p = 0; p < measured_percentiles.size(); ++p) {
        const double part = static_cast<double>((points - 1) * measured_percentiles[p] % all) / all;
        const double low = channel.value_of(keys[2 * p]), high = channel.value_of(keys[2 * p + 1]);
        intensity.percentiles[p] = low + part * (high - low);
    }
}

std::vector<MeasuredIntensity> intensities_of(const ObjectMap& objects,
                                              std::span<const MeasuredObject> measured,
                                              const AnyDeviceView& image, int channel,
                                              bool percentiles, Queue& queue) {
    KeyedChannel values = keyed(image, channel, queue);
    if (values.is_float) values.scale = scale_of(key_range(objects, values, queue), values);
    const IntensityRecords records(objects, values, queue);
    std::vector<MeasuredIntensity> intensities;
    intensities.reserve(measured.size());
    for (std::size_t n = 0; n < measured.size(); ++n)
        intensities.push_back(records[n].intensity(measured[n], values));
    if (!percentiles || measured.empty()) return intensities;
    std::vector<std::int64_t> points;
    points.reserve(measured.size());
    for (const MeasuredObject& object : measured) points.push_back(object.points);
    const std::vector<RankedKeys> keys =
        ranked(objects, gathered(objects, points, values, queue), records, queue);
    for (std::size_t n = 0; n < measured.size(); ++n)
        set_percentiles(keys[n], points[n], values, intensities[n]);
    return intensities;
}

std::int64_t intensities_bytes(const Shape& shape, std::int64_t objects, bool percentiles) {
    const std::int64_t points = shape.points();
    constexpr std::int64_t of_ranks = 2 + 2 * std::int64_t{measured_percentiles.size()};
    return 4 * (points + std::int64_t{record_words} * objects +
                (percentiles ? points + of_ranks * objects : 0));
}

}  // namespace tesela::measuring
