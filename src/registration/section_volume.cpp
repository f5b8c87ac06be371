// Aligned sections, one by one and as the planes of a volume.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "tesela/error.h"
#include "tesela/section_stack.h"
#include "tesela/tile_source.h"
#include "tesela/warp.h"

namespace tesela {
namespace {

// A part of a section on the canvas.
AnyImage aligned_part(const SectionSeries& series, const SectionStack& stack, std::size_t section,
                      const TileBox& box, Queue& queue) {
    AnyImage image = series[section].read();
    geometry_of(image) = stack.sections[section].grid->geometry;
    ImageGrid part{{box.width, box.height}, stack.canvas.geometry};
    Transform transform = stack.sections[section].transform.value();
    const auto x = static_cast<double>(box.x), y = static_cast<double>(box.y);
    if (part.geometry.known()) {
        part.geometry.origin[0] += x * part.geometry.spacing[0];
        part.geometry.origin[1] += y * part.geometry.spacing[1];
    } else {
        transform.steps.insert(transform.steps.begin(),
                               LinearMap{LinearKind::rigid, LinearMap{}.matrix, {x, y, 0}});
    }
    transform.fixed = part;
    return warp(image, transform, part, {.outside = outside_value(stack.type, stack.channels)},
                queue);
}

// What lies there of a plane, from a point of it. One channel three times where the volume has
// three.
void copy_plane(const AnyImage& plane, const std::array<std::int64_t, 2>& begin, AnyImage& volume,
                std::int64_t z) {
    std::visit(
        [&]<class T>(const Image<T>& from) {
            auto& to = std::get<Image<T>>(volume);
            const int channels = to.shape().channels, own = from.shape().channels;
            for (std::int64_t y = 0; y < to.shape().y; ++y)
                for (std::int64_t x = 0; x < to.shape().x; ++x)
                    for (int c = 0; c < channels; ++c)
                        to(x, y, z, 0, c) =
                            from(begin[0] + x, begin[1] + y, 0, 0, own == 1 ? 0 : c);
        },
        plane);
}

class StackVolume : public VolumeInput {
  public:
    StackVolume(const SectionSeries& series, const SectionStack& stack,
                const SectionStackOptions& options, Queue& queue, const Progress& progress,
                std::int64_t most_kept)
        : series_(series),
          stack_(stack),
          queue_(queue),
          progress_(progress),
          most_kept_(most_kept) {
        facts_.shape = stack.canvas.shape;
        facts_.shape.channels = stack.channels;
        facts_.type = stack.type;
        facts_.has_alpha = stack.has_alpha;
        facts_.geometry = stack.canvas.geometry;
        facts_.geometry.spacing[2] = plane_distance(options, stack.canvas.geometry);
        for (std::size_t i = 0; i < stack.sections.size(); ++i)
            if (stack.sections[i].state == SectionState::aligned)
                aligned_[stack.sections[i].number - stack.first_number()] = i;
        bridges_ = options.bridge == PlaneBridge::nearest;
    }

    const VolumeInputFacts& facts() const override { return facts_; }
    AnyImage read(const VoxelBox& box, std::int64_t) const override {
        const Shape shape{box.length(0), box.length(1), box.length(2), 1, stack_.channels};
        AnyImage part = filled_image(stack_.type, shape,
                                     std::vector(static_cast<std::size_t>(stack_.channels),
                                                 outside_value(stack_.type, stack_.channels)));
        std::erase_if(kept_, [&](const auto& plane) {
            return plane.first < box.begin[2] || plane.first >= box.end[2];
        });
        std::visit([&](auto& pixels) { pixels.has_alpha = stack_.has_alpha; }, part);
        for (std::int64_t z = box.begin[2]; z < box.end[2]; ++z) {
            progress_.report(static_cast<double>(z) / static_cast<double>(facts_.shape.z),
                             "planes");
            if (const auto section = section_at(z)) copy_section(*section, z, box, part);
        }
        return part;
    }

  private:
    // Volumes are read strip by strip of the same planes: as many of them are kept as may be, so
    // that their sections are not read and warped for each strip.
    void copy_section(std::size_t section, std::int64_t z, const VoxelBox& box,
                      AnyImage& part) const {
        const Shape& whole = facts_.shape;
        const std::int64_t bytes =
            whole.x * whole.y * whole.channels * pixel_type_bytes(facts_.type);
        const bool is_whole = box.length(0) == whole.x && box.length(1) == whole.y;
        const bool fits = (std::ssize(kept_) + 1) * bytes <= most_kept_;
        if (!is_whole && fits && !kept_.contains(z))
            kept_.emplace(z, aligned_section(series_, stack_, section, queue_));
        const auto found = kept_.find(z);
        if (found != kept_.end())
            copy_plane(found->second, {box.begin[0], box.begin[1]}, part, z - box.begin[2]);
        else
            copy_plane(
                aligned_part(series_, stack_, section,
                             {box.begin[0], box.begin[1], box.length(0), box.length(1)}, queue_),
                {0, 0}, part, z - box.begin[2]);
    }

    // The nearest one where planes are bridged, of two the first.
    std::optional<std::size_t> section_at(std::int64_t plane) const {
        const auto next = aligned_.lower_bound(plane);
        if (next != aligned_.end() && next->first == plane) return next->second;
        if (!bridges_) return {};
        if (next == aligned_.begin()) return next->second;
        const auto last = std::prev(next);
        if (next == aligned_.end() || plane - last->first <= next->first - plane)
            return last->second;
        return next->second;
    }

    const SectionSeries& series_;
    const SectionStack& stack_;
    Queue& queue_;
    Progress progress_;
    VolumeInputFacts facts_;
    std::map<std::int64_t, std::size_t> aligned_;  // by their planes
    bool bridges_ = false;
    std::int64_t most_kept_;                         // bytes
    mutable std::map<std::int64_t, AnyImage> kept_;  // planes of the boxes that are being read
};

}  // namespace

double plane_distance(const SectionStackOptions& options, const Geometry& sections) {
    if (!options.thickness)
        throw InvalidArgument("--thickness is missing: give the distance of sections, as 4um");
    if (!sections.known())
        throw InvalidArgument("the sections have no pixel size beside --thickness: give --mpp");
    return options.thickness->physical() ? options.thickness->millimeters()
                                         : options.thickness->value * sections.spacing_mm()[0];
}

AnyImage aligned_section(const SectionSeries& series, const SectionStack& stack,
                         std::size_t section, Queue& queue) {
    return aligned_part(series, stack, section, {0, 0, stack.canvas.shape.x, stack.canvas.shape.y},
                        queue);
}

std::unique_ptr<VolumeInput> stack_volume(const SectionSeries& series, const SectionStack& stack,
                                          const SectionStackOptions& options, Queue& queue,
                                          const Progress& progress, std::int64_t most_kept) {
    return std::make_unique<StackVolume>(series, stack, options, queue, progress, most_kept);
}

}  // namespace tesela
