// Components of an image in parts: each part by itself, then joined.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "segmentation/components/component_joiner.h"
#include "segmentation/components/components.h"
#include "tesela/components.h"
#include "tesela/tile_cache.h"

namespace tesela {
namespace {

Shape shape_of_box(const VoxelBox& box) { return {box.length(0), box.length(1), box.length(2)}; }

// The two first values besides 0 of images whose parts come in any order.
class GrayValues {
  public:
    void add(const FoundValue& found) {
        const std::lock_guard lock(mutex_);
        all_.push_back(found);
        const auto before = [](const FoundValue& a, const FoundValue& b) {
            return a.point < b.point;
        };
        std::swap(all_[0], *std::min_element(all_.begin(), all_.end(), before));
        std::erase_if(all_, [&](const FoundValue& other) {
            return other.point != all_[0].point && other.value == all_[0].value;
        });
        if (all_.size() > 2) {
            std::swap(all_[1], *std::min_element(all_.begin() + 1, all_.end(), before));
            all_.resize(2);
        }
    }
    std::optional<std::array<double, 2>> two() const {
        if (all_.size() < 2) return {};
        return std::array{all_[0].value, all_[1].value};
    }

  private:
    std::mutex mutex_;
    std::vector<FoundValue> all_;
};

class ComponentsInParts {
  public:
    ComponentsInParts(const VolumeInput& image, const PartSize& size,
                      const ComponentOptions& options, std::span<Queue* const> queues)
        : image_(image),
          grid_(image.facts().shape, size),
          options_(options),
          queues_(queues.begin(), queues.end()) {
        if (queues.empty()) throw InvalidArgument("components in parts need a queue");
        check_components(options, image.facts().shape, image.facts().has_alpha);
        check_component_points(shape_of_box(grid_.box(0)));
        axes_ = axes_of_neighbors(options.connectivity, image.facts().shape);
        runs_.resize(queues_.size());
        background_ = is_binary() ? 0 : background_of(options, image.facts().type);
    }

    const VolumeInputFacts& facts() const { return image_.facts(); }
    const PartGrid& grid() const { return grid_; }
    int axes() const { return axes_; }
    std::size_t workers() const { return queues_.size(); }
    bool is_binary() const { return options_.values == ComponentValues::binary; }

    // What a part has of components, on the host.
    void add_to(ComponentJoiner& joiner, std::int64_t part, std::size_t worker, GrayValues& gray) {
        const VoxelBox box = grid_.box(part);
        const AnyImage image = image_.read(box, 0);
        PartRuns& runs = runs_[worker];
        std::visit(
            [&](const auto& typed) {
                refuse_nan(typed, box);
                runs.find(typed, axes_, is_binary(), background_);
                joiner.add(part, runs, sums_of(runs, typed, box));
            },
            image);
        for (FoundValue found : runs.first_values()) {
            if (found.point < 0) continue;
            found.point = point_of(found.point, shape_of(image), box);
            gray.add(found);
        }
    }
    // Labels 1..N of a part, raster-first.
    LabelImage labels_of(std::int64_t part, std::size_t worker) const {
        const AnyImage values = image_.read(grid_.box(part), 0);
        const ComponentOptions own{.values = options_.values,
                                   .background = options_.background,
                                   .connectivity = connectivity_of(axes_, shape_of(values))};
        return components(values, own, *queues_[worker], ComponentOutput::labels_only).labels;
    }

  private:
    // Parts of a volume may have one slice.
    static Connectivity connectivity_of(int axes, const Shape& part) {
        if (part.z == 1) return axes == 1 ? Connectivity::four : Connectivity::eight;
        return axes == 1   ? Connectivity::six
               : axes == 2 ? Connectivity::eighteen
                           : Connectivity::twenty_six;
    }

    template <class T>
    std::vector<ComponentSums> sums_of(const PartRuns& runs, const Image<T>& image,
                                       const VoxelBox& box) const {
        std::vector<ComponentSums> sums(runs.count());
        runs.for_each([&](std::uint32_t component, std::int64_t x, std::int64_t last_x,
                          std::int64_t y, std::int64_t z) {
            ComponentSums& own = sums[component];
            const std::int64_t at_x = box.begin[0] + x, at_y = box.begin[1] + y,
                               at_z = box.begin[2] + z;
            if (own.area == 0) {
                const T value = image(x, y, z);
                own.first_point = (at_z * grid_.shape().y + at_y) * grid_.shape().x + at_x;
                own.value = is_binary() ? 1.0 : static_cast<double>(value) + 0.0;  // no -0
            }
            own.add_run(at_x, at_x + last_x - x, at_y, at_z);
        });
        return sums;
    }

    // In the raster of the whole image.
    std::int64_t point_of(std::int64_t at, const Shape& part, const VoxelBox& box) const {
        const std::int64_t x = box.begin[0] + at % part.x, y = box.begin[1] + at / part.x % part.y,
                           z = box.begin[2] + at / part.x / part.y;
        return (z * grid_.shape().y + y) * grid_.shape().x + x;
    }
    template <class T>
    void refuse_nan(const Image<T>& image, const VoxelBox& box) const {
        if constexpr (std::is_floating_point_v<T>)
            for (std::size_t i = 0; i < image.pixels().size(); ++i)
                if (std::isnan(image.pixels()[i]))
                    refuse_nan_at(point_of(static_cast<std::int64_t>(i), image.shape(), box),
                                  grid_.shape());
    }

    const VolumeInput& image_;
    PartGrid grid_;
    ComponentOptions options_;
    std::vector<Queue*> queues_;
    std::vector<PartRuns> runs_;  // of each worker
    int axes_ = 0;
    std::optional<double> background_;
};

template <class T>
AnyImage as(const LabelImage& labels) {
    Image<T> narrow(labels.shape(), labels.geometry);
    std::transform(labels.pixels().begin(), labels.pixels().end(), narrow.pixels().begin(),
                   [](std::uint32_t label) { return static_cast<T>(label); });
    return narrow;
}

// Copies what an image at `at` has of the box of another one.
template <class T>
void copy_common(const Image<T>& from, const VoxelBox& at, const VoxelBox& box, Image<T>& to) {
    VoxelBox common;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        common.begin[axis] = std::max(at.begin[axis], box.begin[axis]);
        common.end[axis] = std::min(at.end[axis], box.end[axis]);
    }
    const auto offset = [](const VoxelBox& of, const VoxelBox& in, std::size_t axis) {
        return of.begin[axis] - in.begin[axis];
    };
    for (std::int64_t z = 0; z < common.length(2); ++z)
        for (std::int64_t y = 0; y < common.length(1); ++y)
            std::copy_n(
                &from(offset(common, at, 0), offset(common, at, 1) + y, offset(common, at, 2) + z),
                common.length(0),
                &to(offset(common, box, 0), offset(common, box, 1) + y,
                    offset(common, box, 2) + z));
}

class RemadeLabels : public PartLabels {
  public:
    RemadeLabels(std::unique_ptr<ComponentsInParts> parts, std::unique_ptr<ComponentJoiner> joiner,
                 std::size_t count)
        : parts_(std::move(parts)), joiner_(std::move(joiner)) {
        const VolumeInputFacts& image = parts_->facts();
        facts_.shape = image.shape;
        facts_.geometry = image.geometry;
        facts_.type = count <= 0xff     ? PixelType::u8
                      : count <= 0xffff ? PixelType::u16
                                        : PixelType::u32;
    }

    const VolumeInputFacts& facts() const override { return facts_; }

    AnyImage read(const VoxelBox& box, std::int64_t) const override {
        const std::lock_guard lock(mutex_);
        AnyImage image = filled_image(facts_.type, shape_of_box(box));
        const std::vector<std::int64_t> met = parts_of(box);
        for_each_part(
            std::ssize(met), parts_->workers(), {}, "labels",
            [&](std::int64_t i, std::size_t worker) {
                const std::int64_t part = met[static_cast<std::size_t>(i)];
                const Tile tile = cache_.get({0, 0, part, 0}, [&] { return made(part, worker); });
                std::visit(
                    [&](auto& to) {
                        using Labels = std::decay_t<decltype(to)>;
                        copy_common(std::get<Labels>(*tile), parts_->grid().box(part), box, to);
                    },
                    image);
            });
        return image;
    }

    void for_each(
        const Progress& progress,
        const std::function<void(const VoxelBox&, const AnyImage&)>& take) const override {
        for_each_part(parts_->grid().count(), parts_->workers(), progress, "labels",
                      [&](std::int64_t part, std::size_t worker) {
                          take(parts_->grid().box(part), made(part, worker));
                      });
    }

  private:
    AnyImage made(std::int64_t part, std::size_t worker) const {
        LabelImage labels = parts_->labels_of(part, worker);
        joiner_->renumber(part, labels);
        if (facts_.type == PixelType::u8) return as<std::uint8_t>(labels);
        if (facts_.type == PixelType::u16) return as<std::uint16_t>(labels);
        return labels;
    }

    std::vector<std::int64_t> parts_of(const VoxelBox& box) const {
        const PartGrid& grid = parts_->grid();
        const VoxelBox first = grid.box(0);
        std::array<std::int64_t, 3> begin{}, end{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            begin[axis] = box.begin[axis] / first.length(axis);
            end[axis] = (box.end[axis] - 1) / first.length(axis) + 1;
        }
        std::vector<std::int64_t> parts;
        for (std::int64_t x = begin[0]; x < end[0]; ++x)
            for (std::int64_t y = begin[1]; y < end[1]; ++y)
                for (std::int64_t z = begin[2]; z < end[2]; ++z)
                    parts.push_back(grid.number({x, y, z}));
        return parts;
    }

    std::unique_ptr<ComponentsInParts> parts_;
    std::unique_ptr<ComponentJoiner> joiner_;
    VolumeInputFacts facts_;
    mutable std::mutex mutex_;  // queues serve one box at a time
    mutable TileCache cache_{cache_bytes};
};

}  // namespace

JoinedComponents components_in_parts(const VolumeInput& image, const PartSize& size,
                                     const ComponentOptions& options,
                                     std::span<Queue* const> queues, std::int64_t max_bytes,
                                     const Progress& progress) {
    auto parts = std::make_unique<ComponentsInParts>(image, size, options, queues);
    auto joiner = std::make_unique<ComponentJoiner>(parts->grid(), parts->axes(), max_bytes);
    JoinedComponents result;
    result.connectivity = resolve(options.connectivity, image.facts().shape);
    StageClock clock;
    clock.start("components");
    GrayValues gray;
    for_each_part(
        parts->grid().count(), parts->workers(), progress, "components",
        [&](std::int64_t part, std::size_t worker) { parts->add_to(*joiner, part, worker, gray); });
    clock.start("joining");
    std::vector<ComponentSums> sums;
    const std::int64_t all = joiner->finish(
        [&](const ComponentSums& component) { return component.area >= options.min_size; }, sums);
    result.count = static_cast<std::uint32_t>(sums.size());
    result.dropped_count = static_cast<std::uint32_t>(all) - result.count;
    for (const ComponentSums& component : sums) result.table.push_back(component.component());
    if (parts->is_binary()) result.gray_values = gray.two();
    result.labels =
        std::make_unique<RemadeLabels>(std::move(parts), std::move(joiner), result.table.size());
    result.stages = clock.take();
    return result;
}

ComponentBytes components_part_bytes(const VolumeInputFacts& facts, const PartSize& size,
                                     const Device& device) {
    constexpr std::int64_t word = 4;
    const Shape part = shape_of_box(PartGrid(facts.shape, size).box(0));
    const std::int64_t pixels = part.points() * pixel_type_bytes(facts.type);
    ComponentBytes bytes{.device = pixels + 2 * word * part.points() + label_components_bytes(part),
                         .making = pixels + part.points()};
    if (device.back_end() != BackEnd::cpu) bytes.making += word * part.points();
    bytes.making = std::max(bytes.making, pixels + PartRuns::bytes(part));
    return bytes;
}

}  // namespace tesela
