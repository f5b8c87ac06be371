// Measures of objects in parts: counts of each part, joined by the labels of the objects.
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "measuring/key_ranks.h"
#include "measuring/label_checks.h"
#include "measuring/object_joiner.h"
#include "measuring/part_map.h"
#include "pixels/native_pixels.h"
#include "tesela/measure.h"

namespace tesela {

namespace {

using namespace measuring;

// Two pixels around a point say on which part of a border it is, one around a voxel which faces,
// edges and corners it has first.
constexpr std::int64_t halo_of_picture = 2, halo_of_volume = 1;
constexpr std::int64_t most_points = std::int64_t{1} << 40;
constexpr std::int64_t rows_of_hulls = 1 << 20;  // at once

// A channel of an image, and what is joined of its values.
struct JoinedChannel {
    const VolumeInput* image;
    int channel;
    ChannelKeys keys;
    KeyRange range = {};
    std::vector<IntensitySums> sums = {};
    std::vector<RankedKeys> ranked = {};                     // of objects within one part
    std::vector<std::unique_ptr<KeyRanks>> in_several = {};  // of the others
};

// A part of the map on a queue's device.
struct PartOnDevice {
    PartOnDevice(PartMap map, int axes, Queue& queue)
        : part(std::move(map)),
          lent{queue.lend(std::span<const std::uint32_t>(part.labels.pixels()), "label map"),
               part.labels.shape(), part.labels.geometry},
          objects(map_objects(lent, part.inside, axes, queue)) {}
    PartOnDevice(const PartOnDevice&) = delete;
    PartOnDevice& operator=(const PartOnDevice&) = delete;

    // Of the map's objects.
    std::uint32_t label(std::size_t object) const {
        return part.of_map[objects.labels[object] - 1];
    }
    std::int64_t points(std::size_t object) const {
        return part.points[objects.labels[object] - 1];
    }

    PartMap part;
    DeviceImage<const std::uint32_t> lent;
    ObjectMap objects;
};

class MeasureInParts {
  public:
    MeasureInParts(const VolumeInput& labels, const Geometry& geometry,
                   std::span<const VolumeInput* const> images, const PartSize& size,
                   const MeasureOptions& options, std::span<Queue* const> queues,
                   std::int64_t max_bytes)
        : labels_(labels),
          grid_(labels.facts().shape, size),
          queues_(queues.begin(), queues.end()),
          axes_(labels.facts().shape.z > 1 ? 3 : 2),
          memory_(max_bytes),
          joiner_(memory_),
          result_{.shape = labels.facts().shape, .geometry = geometry, .options = options} {
        if (queues.empty()) throw InvalidArgument("measuring in parts needs a queue");
        check_map(result_.shape, most_points);
        result_.options.hulls = options.hulls && axes_ == 2;
        for (const VolumeInput* image : images) {
            const VolumeInputFacts& facts = image->facts();
            check_image(result_.shape, facts.shape);
            for (int channel = 0; channel < facts.shape.channels - (facts.has_alpha ? 1 : 0);
                 ++channel)
                channels_.push_back({image, channel, channel_keys(facts.type)});
        }
    }

    Measurements run(const Progress& progress) {
        StageClock clock;
        clock.start("objects");
        // Of the image as often as it is read.
        const double objects_end = channels_.empty() ? 0.9 : 0.4, values_end = 0.7;
        for_each_part(progress.part(0, objects_end), "objects",
                      [&](std::int64_t part, Queue& queue) { count_part(part, queue); });
        joiner_.sort();
        make_objects();
        clock.start("hulls");
        if (result_.options.hulls) make_hulls();
        progress.report(objects_end, "hulls");
        clock.start("intensities");
        if (!channels_.empty()) {
            begin_values();
            for_each_part(progress.part(objects_end, values_end), "intensities",
                          [&](std::int64_t part, Queue& queue) { add_values(part, queue); });
            if (need_another_round())
                for_each_part(progress.part(values_end, 1), "percentiles",
                              [&](std::int64_t part, Queue& queue) { add_ranks(part, queue); });
            make_intensities();
        }
        result_.stages = clock.take();
        result_.warnings.assign(warnings_.begin(), warnings_.end());
        progress.report(1, "done");
        return std::move(result_);
    }

  private:
    template <class Work>
    void for_each_part(const Progress& progress, std::string_view stage, const Work& work) {
        tesela::for_each_part(
            grid_.count(), queues_.size(), progress, stage,
            [&](std::int64_t part, std::size_t worker) { work(part, *queues_[worker]); });
    }

    // ---- Sizes, boundaries and ends of rows ----

    void count_part(std::int64_t number, Queue& queue) {
        const std::int64_t halo = !result_.options.boundaries ? 0
                                  : axes_ == 3                ? halo_of_volume
                                                              : halo_of_picture;
        const PartOnDevice on_device(read_part(labels_, grid_, number, halo), axes_, queue);
        const ObjectMap& objects = on_device.objects;
        const SumRecords sums(objects, queue);
        std::optional<BoundaryRecords> boundaries;
        if (result_.options.boundaries) boundaries.emplace(objects, queue);
        std::vector<ObjectJoiner::Part> parts;
        for (std::size_t n = 0; n < objects.labels.size(); ++n) {
            parts.push_back({on_device.label(n), sums[n]});
            if (boundaries) parts.back().boundary = (*boundaries)[n];
        }
        if (result_.options.hulls) add_rows(on_device, parts, queue);
        for (ObjectJoiner::Part& part : parts) part.sums.move(on_device.part.box.begin);
        joiner_.add(parts);
        for (JoinedChannel& channel : channels_)
            if (channel.keys.is_float) add_range(channel, on_device, queue);
    }

    void add_rows(const PartOnDevice& on_device, std::vector<ObjectJoiner::Part>& parts,
                  Queue& queue) const {
        const auto rows_of = [&](std::size_t n) {
            return std::int64_t{parts[n].sums.last[1]} - parts[n].sums.first[1] + 1;
        };
        for (std::size_t first = 0, end = 0; first < parts.size(); first = end) {
            std::int64_t rows = 0;
            do rows += rows_of(end++);
            while (end < parts.size() && rows + rows_of(end) <= rows_of_hulls);
            add_rows(on_device, parts, first, end, queue);
        }
    }

    void add_rows(const PartOnDevice& on_device, std::vector<ObjectJoiner::Part>& parts,
                  std::size_t first, std::size_t end, Queue& queue) const {
        const RowEnds ends = row_ends_of(
            on_device.objects, static_cast<std::int64_t>(first), static_cast<std::int64_t>(end),
            [&](std::int64_t n) {
                const ObjectSums& sums = parts[static_cast<std::size_t>(n)].sums;
                return std::array{sums.first[1], sums.last[1]};
            },
            queue);
        const auto left = queue.download(ends.left), right = queue.download(ends.right);
        const VoxelBox& box = on_device.part.box;
        const auto of_left = static_cast<std::uint32_t>(result_.shape.x - box.end[0]);
        const auto of_right = static_cast<std::uint32_t>(box.begin[0]);
        for (std::size_t n = first; n < end; ++n) {
            const std::int64_t first_row = box.begin[1] + parts[n].sums.first[1];
            const std::size_t start = ends.starts[n - first];
            for (std::size_t k = start; k < ends.starts[n - first + 1]; ++k) {
                if (left[k] == 0) continue;
                const std::int64_t row = first_row + static_cast<std::int64_t>(k - start);
                parts[n].left.push_back({row, left[k] + of_left});
                parts[n].right.push_back({row, right[k] + of_right});
            }
        }
    }

    void make_objects() {
        const BoundaryWeights weights(axes_, result_.geometry.spacing);
        for (std::size_t n = 0; n < static_cast<std::size_t>(joiner_.count()); ++n) {
            MeasuredObject object = joiner_[n].sums.object(joiner_.label(n), result_.shape);
            if (result_.options.boundaries) weights.measure(joiner_[n].boundary, object);
            result_.objects.push_back(object);
        }
    }

    void make_hulls() {
        Queue& queue = *queues_.front();
        const std::span<MeasuredObject> all(result_.objects);
        for_each_hull_span(all, rows_of_hulls, [&](std::size_t first, std::size_t end) {
            RowEnds ends;
            std::vector<std::uint32_t> left, right;
            for (std::size_t n = first; n < end; ++n) {
                const auto rows = static_cast<std::size_t>(all[n].last[1] - all[n].first[1] + 1);
                const std::size_t start = left.size();
                left.resize(start + rows);
                right.resize(start + rows);
                const auto fill = [&](const HullRows& side, std::vector<std::uint32_t>& out) {
                    for (const RowEnd& end_of_row : side.rows())
                        out[start + static_cast<std::size_t>(end_of_row.row - all[n].first[1])] =
                            end_of_row.out;
                };
                fill(joiner_[n].left, left);
                fill(joiner_[n].right, right);
                ends.starts.push_back(static_cast<std::uint32_t>(left.size()));
            }
            ends.left = queue.upload(std::span<const std::uint32_t>(left), "left ends of rows");
            ends.right = queue.upload(std::span<const std::uint32_t>(right), "right ends of rows");
            measure_hulls(ends, result_.shape.x, result_.geometry, queue,
                          all.subspan(first, end - first));
        });
    }

    // ---- Intensities ----

    // A channel of a box, with its keys; values in double precision become single ones first.
    KeyedChannel keyed_part(const JoinedChannel& of, const VoxelBox& box, Queue& queue) {
        const AnyImage image = of.image->read(box, 0);
        KeyedChannel made = std::visit(
            [&]<class T>(const Image<T>& typed) {
                const auto key = [&]<class U>(const PixelView<U>& pixels) {
                    return keyed(
                        DeviceImage<const U>{queue.lend(pixels.pixels(), "image to measure"),
                                             pixels.shape(), pixels.geometry, pixels.has_alpha},
                        of.channel, queue);
                };
                if constexpr (std::is_same_v<T, double>) {
                    std::vector<std::string> warnings;
                    const Image<float> converted = to_float(PixelView<T>(typed), warnings);
                    const std::lock_guard lock(mutex_);
                    warnings_.insert(warnings.begin(), warnings.end());
                    return key(PixelView<float>(converted));
                } else {
                    return key(PixelView<T>(typed));
                }
            },
            image);
        made.scale = of.keys.scale;
        return made;
    }

    void add_range(JoinedChannel& channel, const PartOnDevice& on_device, Queue& queue) {
        const KeyRange range =
            key_range(on_device.objects, keyed_part(channel, on_device.part.box, queue), queue);
        const std::lock_guard lock(mutex_);
        channel.range.lowest = std::min(channel.range.lowest, range.lowest);
        channel.range.highest = std::max(channel.range.highest, range.highest);
    }

    void begin_values() {
        const std::size_t count = result_.objects.size();
        constexpr std::int64_t object_bytes = sizeof(IntensitySums) + sizeof(MeasuredIntensity);
        constexpr std::int64_t rank_bytes = sizeof(RankedKeys) + sizeof(void*);
        for (JoinedChannel& channel : channels_) {
            if (channel.keys.is_float) channel.keys.scale = scale_of(channel.range, channel.keys);
            memory_.change(object_bytes * static_cast<std::int64_t>(count));
            channel.sums.resize(count);
            if (!result_.options.percentiles) continue;
            memory_.change(rank_bytes * static_cast<std::int64_t>(count));
            channel.ranked.resize(count);
            channel.in_several.resize(count);
        }
    }

    bool is_within(const PartOnDevice& on_device, std::size_t object) const {
        return on_device.points(object) == points_of(on_device.label(object));
    }
    std::int64_t points_of(std::uint32_t label) const {
        return result_.objects[joiner_.place(label)].points;
    }

    void add_values(std::int64_t number, Queue& queue) {
        const PartOnDevice on_device(read_part(labels_, grid_, number), axes_, queue);
        const ObjectMap& objects = on_device.objects;
        if (objects.labels.empty()) return;
        for (JoinedChannel& channel : channels_) {
            const KeyedChannel keys = keyed_part(channel, on_device.part.box, queue);
            const IntensityRecords records(objects, keys, queue);
            {
                const std::lock_guard lock(mutex_);
                for (std::size_t n = 0; n < objects.labels.size(); ++n)
                    channel.sums[joiner_.place(on_device.label(n))].add(records[n]);
            }
            if (result_.options.percentiles)
                add_percentiles(channel, on_device, keys, records, queue);
        }
    }

    GatheredKeys gathered_part(const PartOnDevice& on_device, const KeyedChannel& keys,
                               Queue& queue) const {
        std::vector<std::int64_t> points;
        for (std::size_t n = 0; n < on_device.objects.labels.size(); ++n)
            points.push_back(on_device.points(n));
        return gathered(on_device.objects, points, keys, queue);
    }

    void add_percentiles(JoinedChannel& channel, const PartOnDevice& on_device,
                         const KeyedChannel& keys, const IntensityRecords& records, Queue& queue) {
        const ObjectMap& objects = on_device.objects;
        const GatheredKeys of_objects = gathered_part(on_device, keys, queue);
        const std::vector<RankedKeys> found = ranked(objects, of_objects, records, queue);
        bool any_beyond = false;
        for (std::size_t n = 0; n < objects.labels.size(); ++n)
            if (is_within(on_device, n))
                channel.ranked[joiner_.place(on_device.label(n))] = found[n];
            else
                any_beyond = true;
        if (any_beyond) add_keys(channel, on_device, queue.download(of_objects.keys), of_objects);
    }

    void add_keys(JoinedChannel& channel, const PartOnDevice& on_device,
                  const std::vector<std::uint32_t>& keys, const GatheredKeys& of_objects) {
        const std::lock_guard lock(mutex_);
        for (std::size_t n = 0; n < on_device.objects.labels.size(); ++n) {
            if (is_within(on_device, n)) continue;
            const std::uint32_t label = on_device.label(n);
            auto& ranks = channel.in_several[joiner_.place(label)];
            const std::int64_t before = ranks ? ranks->bytes() : 0;
            if (!ranks) ranks = std::make_unique<KeyRanks>(points_of(label), channel.keys.bits);
            ranks->add(std::span(keys).subspan(of_objects.starts[n],
                                               of_objects.starts[n + 1] - of_objects.starts[n]));
            memory_.change(ranks->bytes() - before);
        }
    }

    bool need_another_round() {
        bool any = false;
        for (JoinedChannel& channel : channels_)
            for (const auto& ranks : channel.in_several)
                if (ranks) any |= ranks->needs_another_round();
        return any;
    }

    void add_ranks(std::int64_t number, Queue& queue) {
        const PartOnDevice on_device(read_part(labels_, grid_, number), axes_, queue);
        const std::size_t count = on_device.objects.labels.size();
        bool any_beyond = false;
        for (std::size_t n = 0; n < count; ++n) any_beyond |= !is_within(on_device, n);
        if (!any_beyond) return;
        for (JoinedChannel& channel : channels_) {
            if (channel.keys.bits <= 16) continue;
            const GatheredKeys of_objects =
                gathered_part(on_device, keyed_part(channel, on_device.part.box, queue), queue);
            add_keys(channel, on_device, queue.download(of_objects.keys), of_objects);
        }
    }

    void make_intensities() {
        for (const JoinedChannel& channel : channels_) {
            std::vector<MeasuredIntensity>& made = result_.intensities.emplace_back();
            for (std::size_t n = 0; n < result_.objects.size(); ++n) {
                const MeasuredObject& object = result_.objects[n];
                made.push_back(channel.sums[n].intensity(object, channel.keys));
                if (!result_.options.percentiles) continue;
                const auto& ranks = channel.in_several[n];
                set_percentiles(ranks ? ranks->keys() : channel.ranked[n], object.points,
                                channel.keys, made.back());
            }
        }
    }

    const VolumeInput& labels_;
    PartGrid grid_;
    std::vector<Queue*> queues_;
    int axes_;
    MemoryUse memory_;
    ObjectJoiner joiner_;
    Measurements result_;
    std::vector<JoinedChannel> channels_;
    std::mutex mutex_;  // of what follows, and of channels
    std::set<std::string> warnings_;
};

}  // namespace

Measurements measure_in_parts(const VolumeInput& labels, const Geometry& geometry,
                              std::span<const VolumeInput* const> images, const PartSize& size,
                              const MeasureOptions& options, std::span<Queue* const> queues,
                              std::int64_t max_bytes, const Progress& progress) {
    return MeasureInParts(labels, geometry, images, size, options, queues, max_bytes).run(progress);
}

MeasurePartBytes measure_part_bytes(const VolumeInputFacts& labels,
                                    std::span<const VolumeInput* const> images,
                                    const PartSize& size, const MeasureOptions& options) {
    const PartGrid grid(labels.shape, size);
    const VoxelBox box = grid.box(0);
    const Shape part{box.length(0) + 2 * halo_of_picture, box.length(1) + 2 * halo_of_picture,
                     labels.shape.z > 1 ? box.length(2) + 2 * halo_of_volume : 1};
    constexpr std::int64_t word = 4;
    // Objects of a few points each; where there are more, a queue says what it lacks.
    const std::int64_t objects = part.points() / 16;
    MeasurePartBytes bytes{
        .device = word * part.points() +
                  measure_device_bytes(part, objects, objects, !images.empty(), options),
        .host = (word + pixel_type_bytes(labels.type)) * part.points() +
                objects * static_cast<std::int64_t>(sizeof(ObjectJoiner::Part))};
    std::int64_t largest = 0;
    for (const VolumeInput* image : images)
        largest = std::max(largest, image->facts().shape.channels *
                                        std::int64_t{pixel_type_bytes(image->facts().type)});
    bytes.device += largest * part.points();
    bytes.host += (largest + word) * part.points();
    return bytes;
}

}  // namespace tesela
