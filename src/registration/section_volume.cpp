// Aligned sections, one by one and as the planes of a volume.
#include <algorithm>
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

// One channel three times where the volume has three.
void copy_plane(const AnyImage& plane, AnyImage& volume, std::int64_t z) {
    std::visit(
        [&]<class T>(const Image<T>& from) {
            auto& to = std::get<Image<T>>(volume);
            const int channels = to.shape().channels, own = from.shape().channels;
            for (std::int64_t y = 0; y < from.shape().y; ++y)
                for (std::int64_t x = 0; x < from.shape().x; ++x)
                    for (int c = 0; c < channels; ++c)
                        to(x, y, z, 0, c) = from(x, y, 0, 0, own == 1 ? 0 : c);
        },
        plane);
}

class StackVolume : public VolumeInput {
  public:
    StackVolume(const SectionSeries& series, const SectionStack& stack,
                const SectionStackOptions& options, Queue& queue, const Progress& progress)
        : series_(series), stack_(stack), queue_(queue), progress_(progress) {
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
        const TileBox plane{box.begin[0], box.begin[1], box.length(0), box.length(1)};
        std::visit([&](auto& pixels) { pixels.has_alpha = stack_.has_alpha; }, part);
        for (std::int64_t z = box.begin[2]; z < box.end[2]; ++z) {
            progress_.report(static_cast<double>(z) / static_cast<double>(facts_.shape.z),
                             "planes");
            if (const auto section = section_at(z))
                copy_plane(aligned_part(series_, stack_, *section, plane, queue_), part,
                           z - box.begin[2]);
        }
        return part;
    }

  private:
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
                                          const Progress& progress) {
    return std::make_unique<StackVolume>(series, stack, options, queue, progress);
}

}  // namespace tesela
