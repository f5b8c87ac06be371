#include "operations/volume_parts.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "operations/coverage.h"
#include "operations/halo.h"
#include "operations/kinds/image.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/volume_file.h"

namespace tesela::operations {
namespace {

constexpr std::int64_t part_side = 256;  // voxels along x and y that are computed at once

bool is_volume(const Output& output) {
    return output.kind == kinds::image || output.kind == kinds::mask;
}

// Like the volume, of this size.
AnyImage blank(const ImageParts& volume, Shape shape) {
    const VolumeInputFacts& facts = volume.input->facts();
    shape.channels = facts.shape.channels;
    AnyImage image = filled_image(facts.type, shape);
    geometry_of(image) = volume.geometry;
    return image;
}

// With one voxel only along the axes of which the volume has one: no reach is known along them.
AnyImage sample_of(const ImageParts& volume) {
    const Shape& shape = volume.input->facts().shape;
    return blank(volume, {std::min<std::int64_t>(shape.x, 2), std::min<std::int64_t>(shape.y, 2),
                          std::min<std::int64_t>(shape.z, 2)});
}

std::int64_t halo_of(const Operation& whole, const Call& call, const ImageParts& volume) {
    return halo_in_parts(whole, call.options, sample_of(volume),
                         "volume at once; write another output than .tvol");
}

// The box and so many voxels around it, as far as the volume has them.
VoxelBox widened(const VoxelBox& box, std::int64_t halo, const Shape& shape) {
    const std::array<std::int64_t, 3> size{shape.x, shape.y, shape.z};
    VoxelBox wide;
    for (std::size_t a = 0; a < 3; ++a) {
        wide.begin[a] = std::max<std::int64_t>(0, box.begin[a] - halo);
        wide.end[a] = std::min(size[a], box.end[a] + halo);
    }
    return wide;
}

// What an image of the voxels from `begin` on has of a box.
AnyImage cropped(const AnyImageView& image, const std::array<std::int64_t, 3>& begin,
                 const VoxelBox& box) {
    return image.visit([&]<class T>(const PixelView<T>& from) -> AnyImage {
        const int channels = from.shape().channels;
        Image<T> to({box.length(0), box.length(1), box.length(2), 1, channels});
        T* at = to.data();
        for (std::int64_t z = box.begin[2]; z < box.end[2]; ++z)
            for (std::int64_t y = box.begin[1]; y < box.end[1]; ++y)
                at = std::copy_n(&from(box.begin[0] - begin[0], y - begin[1], z - begin[2]),
                                 box.length(0) * channels, at);
        return to;
    });
}

template <class T>
void paste(const Image<T>& piece, const std::array<std::int64_t, 3>& at, Image<T>& to) {
    const Shape& s = piece.shape();
    const T* from = piece.data();
    for (std::int64_t z = 0; z < s.z; ++z)
        for (std::int64_t y = 0; y < s.y; ++y, from += s.x * s.channels)
            std::copy_n(from, s.x * s.channels, &to(at[0], at[1] + y, at[2] + z));
}

// Read by all threads, each what is stored together.
AnyImage read_box(const PartSource& volume, const VoxelBox& box, int threads) {
    const PartSize size = volume.stored_part();
    std::array<std::int64_t, 3> first{}, counts{};
    for (std::size_t a = 0; a < 3; ++a) {
        first[a] = box.begin[a] / size[a];
        counts[a] = (box.end[a] - 1) / size[a] + 1 - first[a];
    }
    const VolumeInputFacts& facts = volume.facts();
    AnyImage image = filled_image(
        facts.type, {box.length(0), box.length(1), box.length(2), 1, facts.shape.channels});
    for_each_part(
        counts[0] * counts[1] * counts[2], static_cast<std::size_t>(host_threads(threads)), {},
        "read", [&](std::int64_t number, std::size_t) {
            const std::array<std::int64_t, 3> at{number % counts[0], number / counts[0] % counts[1],
                                                 number / counts[0] / counts[1]};
            VoxelBox own;
            std::array<std::int64_t, 3> to{};
            for (std::size_t a = 0; a < 3; ++a) {
                const std::int64_t begin = (first[a] + at[a]) * size[a];
                own.begin[a] = std::max(begin, box.begin[a]);
                own.end[a] = std::min(begin + size[a], box.end[a]);
                to[a] = own.begin[a] - box.begin[a];
            }
            const AnyImage piece = volume.read(own, 0);
            std::visit(
                [&]<class T>(Image<T>& pixels) { paste(std::get<Image<T>>(piece), to, pixels); },
                image);
        });
    return image;
}

// What a mask takes of a volume that is read in boxes, which may overlap.
class CoverageOfRows {
  public:
    explicit CoverageOfRows(const Shape& shape)
        : shape_(shape), is_counted_(static_cast<std::size_t>(shape.y * shape.z)) {}

    // Of parts of rows nothing is known.
    void add(const VoxelBox& box, const Image<std::uint8_t>& mask) {
        if (box.length(0) < shape_.x) return;
        for (std::int64_t z = box.begin[2]; z < box.end[2]; ++z)
            for (std::int64_t y = box.begin[1]; y < box.end[1]; ++y) {
                const auto row = static_cast<std::size_t>(z * shape_.y + y);
                if (is_counted_[row]) continue;
                is_counted_[row] = true;
                ++rows_;
                const std::uint8_t* first = &mask(0, y - box.begin[1], z - box.begin[2]);
                taken_ += shape_.x - std::count(first, first + shape_.x, std::uint8_t{0});
            }
    }
    void warn(Results& results) const {
        if (rows_ == shape_.y * shape_.z)
            warn_of_coverage("the mask", taken_, shape_.points(), results);
    }

  private:
    Shape shape_;
    std::vector<bool> is_counted_;
    std::int64_t rows_ = 0, taken_ = 0;
};

// An output, of which each box is computed when it is read.
class ComputedVolume : public VolumeInput {
  public:
    ComputedVolume(const Operation& whole, const Call& call, const Output& output, Queue& queue,
                   Results& results)
        : whole_(whole),
          call_(call),
          output_(output),
          queue_(queue),
          results_(results),
          volume_(call.inputs.get<ImageParts>(whole.inputs.front().name)),
          halo_(halo_of(whole, call, volume_)),
          wanted_{std::string(output.name)} {
        facts_ = volume_.input->facts();
        facts_.geometry = volume_.geometry;
        if (output.kind == kinds::mask) coverage_.emplace(facts_.shape);
        if (!output.pixels) return;
        const PixelFormat format = output.pixels(sample_of(volume_));
        facts_.type = format.type;
        facts_.shape.channels = format.channels;
        facts_.has_alpha = false;
    }

    const VolumeInputFacts& facts() const override { return facts_; }
    AnyImage read(const VoxelBox& box, std::int64_t) const override {
        AnyImage image = filled_image(
            facts_.type, {box.length(0), box.length(1), box.length(2), 1, facts_.shape.channels});
        VoxelBox part = box;
        for (std::int64_t y = box.begin[1]; y < box.end[1]; y += part_side)
            for (std::int64_t x = box.begin[0]; x < box.end[0]; x += part_side) {
                part.begin = {x, y, box.begin[2]};
                part.end = {std::min(x + part_side, box.end[0]),
                            std::min(y + part_side, box.end[1]), box.end[2]};
                const AnyImage made = computed(part);
                std::visit(
                    [&]<class T>(Image<T>& to) {
                        paste(std::get<Image<T>>(made), {x - box.begin[0], y - box.begin[1], 0},
                              to);
                    },
                    image);
            }
        if (coverage_) {
            const std::lock_guard lock(mutex_);
            coverage_->add(box, std::get<Image<std::uint8_t>>(image));
        }
        return image;
    }
    // When all was read.
    void warn_of_mask() const {
        if (coverage_) coverage_->warn(results_);
    }

  private:
    AnyImage computed(const VoxelBox& box) const {
        const VoxelBox wide = widened(box, halo_, facts_.shape);
        AnyImage part = read_box(*volume_.input, wide, call_.threads);
        geometry_of(part) = geometry_of_part(volume_.geometry, 0, wide.begin);
        const std::lock_guard lock(mutex_);
        Values inputs;
        inputs.refer(whole_.inputs.front().name, part);
        const Results made = operations::run(whole_,
                                             {.inputs = inputs,
                                              .options = call_.options,
                                              .wanted = wanted_,
                                              .threads = call_.threads,
                                              .is_part = true},
                                             queue_);
        for (const std::string& warning : made.warnings)
            if (std::find(results_.warnings.begin(), results_.warnings.end(), warning) ==
                results_.warnings.end())
                results_.warnings.push_back(warning);
        return cropped(made.outputs.image(output_.name).image(), wide.begin, box);
    }

    const Operation& whole_;
    const Call& call_;
    const Output& output_;
    Queue& queue_;
    Results& results_;
    const ImageParts& volume_;
    std::int64_t halo_;
    std::set<std::string, std::less<>> wanted_;
    VolumeInputFacts facts_;
    mutable std::optional<CoverageOfRows> coverage_;  // of a mask
    mutable std::mutex mutex_;
};

Results run_in_parts(const Operation& whole, const Call& call, Queue& queue,
                     const Progress& progress) {
    Results results;
    std::vector<const Output*> outputs;
    for (const Output& output : whole.outputs)
        if (is_volume(output) && call.wants(output.name)) outputs.push_back(&output);
    double done = 0;
    for (const Output* output : outputs) {
        const ComputedVolume computed(whole, call, *output, queue, results);
        const double end = done + 1.0 / static_cast<double>(outputs.size());
        call.parts.get<WriteVolume>(output->name)(
            computed, {.labels = output->kind == kinds::mask, .threads = call.threads},
            progress.part(done, end));
        computed.warn_of_mask();
        done = end;
    }
    const Shape& shape = call.inputs.get<ImageParts>(whole.inputs.front().name).shape();
    results.details = {{"size", std::vector<std::int64_t>{shape.x, shape.y, shape.z}}};
    return results;
}

Memory memory_in_parts(const Operation& whole, const Call& call, const Device& device) {
    const auto& volume = call.inputs.get<ImageParts>(whole.inputs.front().name);
    const VolumeInputFacts& facts = volume.input->facts();
    const std::int64_t around = 2 * halo_of(whole, call, volume);
    // The writer reads slices of its bricks, and one before and after.
    constexpr std::int64_t slices = BrickSource::side + 2;
    const Shape slab{std::min(facts.shape.x, part_side + around),
                     std::min(facts.shape.y, part_side + around),
                     std::min(facts.shape.z, slices + around)};
    const AnyImage part = blank(volume, slab);
    Values inputs;
    inputs.refer(whole.inputs.front().name, part);
    Memory memory = whole.memory({inputs, call.options, call.wanted}, device);
    // The part, its results as numbers of up to 4 bytes, and what is coded.
    VolumeInputFacts written = facts;
    written.type = PixelType::f32;
    memory.computing += memory.held + memory.finishing +
                        slab.elements() * (pixel_type_bytes(facts.type) + 8) +
                        volume_write_bytes(written, call.threads);
    memory.held = memory.finishing = 0;
    return memory;
}

}  // namespace

Operation in_volume_parts(const Operation& whole) {
    Operation parts = whole;
    parts.inputs.front().kind = kinds::parts;
    for (Output& output : parts.outputs)
        if (is_volume(output)) output.kind = kinds::volume_file;
    parts.device = {};
    parts.finish = nullptr;
    parts.memory = [whole](const Call& call, const Device& device) {
        return memory_in_parts(whole, call, device);
    };
    parts.run = [whole](const Call& call, Queue& queue, const Progress& progress) {
        return run_in_parts(whole, call, queue, progress);
    };
    return parts;
}

}  // namespace tesela::operations
