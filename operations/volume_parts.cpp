#include "operations/volume_parts.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "operations/coverage.h"
#include "operations/halo.h"
#include "operations/kinds/image.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/volume_file.h"
#include "tesela/error.h"
#include "tesela/read_in_columns.h"
#include "tesela/tile_cache.h"

namespace tesela::operations {
namespace {

// Voxels along x and y that are computed at once at most: some bricks, and what the writer looks at
// around them.
constexpr std::int64_t part_side = 4 * BrickSource::side + 2;

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
    const std::string advice =
        is_unbounded(whole, call.options) ? "give --within, or write " : "write ";
    return halo_in_parts(whole, call.options, sample_of(volume),
                         "volume at once; " + advice + "another output than .tvol");
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

// What a mask takes of a volume that is read in boxes, which may overlap, brick by brick.
class CoverageOfBricks {
  public:
    explicit CoverageOfBricks(const Shape& shape)
        : grid_(shape, {BrickSource::side, BrickSource::side, BrickSource::side}),
          is_counted_(static_cast<std::size_t>(grid_.count())) {}

    // Of parts of bricks nothing is known.
    void add(const VoxelBox& box, const Image<std::uint8_t>& mask) {
        for (std::int64_t number = 0; number < grid_.count(); ++number) {
            const VoxelBox brick = grid_.box(number);
            if (is_counted_[static_cast<std::size_t>(number)] || !is_within(brick, box)) continue;
            is_counted_[static_cast<std::size_t>(number)] = true;
            ++counted_;
            for (std::int64_t z = brick.begin[2]; z < brick.end[2]; ++z)
                for (std::int64_t y = brick.begin[1]; y < brick.end[1]; ++y) {
                    const std::uint8_t* first =
                        &mask(brick.begin[0] - box.begin[0], y - box.begin[1], z - box.begin[2]);
                    taken_ += brick.length(0) -
                              std::count(first, first + brick.length(0), std::uint8_t{0});
                }
        }
    }
    void warn(Results& results) const {
        if (counted_ == grid_.count())
            warn_of_coverage("the mask", taken_, grid_.shape().points(), results);
    }

  private:
    static bool is_within(const VoxelBox& brick, const VoxelBox& box) {
        for (std::size_t a = 0; a < 3; ++a)
            if (brick.begin[a] < box.begin[a] || brick.end[a] > box.end[a]) return false;
        return true;
    }

    PartGrid grid_;
    std::vector<bool> is_counted_;
    std::int64_t counted_ = 0, taken_ = 0;
};

// Queues that share the parts of a volume, and what each device did of them.
class SharingQueues {
  public:
    SharingQueues(const Call& call, Queue& only) : queues_(call.queues) {
        if (queues_.empty()) queues_.push_back(&only);
        for (const Queue* queue : queues_) ++load_of(*queue).threads;
    }

    // Calls `work` with each number below `count` and a queue of its thread's own.
    void share(std::int64_t count,
               const std::function<void(std::int64_t number, Queue& queue)>& work) {
        using Clock = std::chrono::steady_clock;
        for_each_part(count, queues_.size(), {}, "parts",
                      [&](std::int64_t number, std::size_t worker) {
                          const Clock::time_point begin = Clock::now();
                          Queue& queue = *queues_[worker];
                          naming(queue.device().id(), [&] { work(number, queue); });
                          const std::chrono::duration<double> taken = Clock::now() - begin;
                          const std::lock_guard lock(mutex_);
                          DeviceLoad& load = load_of(queue);
                          load.busy_seconds += taken.count();
                          ++load.done;
                      });
    }
    const std::vector<DeviceLoad>& loads() const { return loads_; }

  private:
    // Where one of several queues fails, the error says on which device.
    template <class Work>
    void naming(const std::string& device, const Work& work) const try {
        work();
    } catch (const OutOfMemory& error) {
        if (queues_.size() == 1) throw;
        throw OutOfMemory(device + ": " + error.what(), error.bytes_needed(), error.bytes_free());
    } catch (const DeviceUnavailable& error) {
        if (queues_.size() == 1) throw;
        throw DeviceUnavailable(device + ": " + error.what());
    }
    DeviceLoad& load_of(const Queue& queue) {
        const std::string id = queue.device().id();
        for (DeviceLoad& load : loads_)
            if (load.name == id) return load;
        return loads_.emplace_back(DeviceLoad{{id}});
    }

    std::vector<Queue*> queues_;
    std::mutex mutex_;  // guards what follows
    std::vector<DeviceLoad> loads_;
};

// The widest columns of bricks, each along z, whose slabs find again in the cache what those below
// them read of the volume.
std::array<std::int64_t, 2> cached_column(const PartSource& volume, std::int64_t halo) {
    constexpr std::int64_t side = BrickSource::side;
    const Shape& shape = volume.facts().shape;
    const PartSize part = volume.stored_part();
    const std::int64_t around = 2 * (halo + 1);  // the writer looks one voxel farther
    const auto stored_along = [&](std::int64_t length, std::size_t axis, std::int64_t all) {
        const std::int64_t parts = (length + around - 1) / part[axis] + 2;
        return std::min(parts, (all - 1) / part[axis] + 1);
    };
    const std::int64_t part_bytes =
        part[0] * part[1] * part[2] * shape.channels * pixel_type_bytes(volume.facts().type);
    const auto bytes_of = [&](const std::array<std::int64_t, 2>& bricks) {
        return stored_along(bricks[0] * side, 0, shape.x) *
               stored_along(bricks[1] * side, 1, shape.y) * stored_along(side, 2, shape.z) *
               part_bytes;
    };
    const std::array<std::int64_t, 2> all{(shape.x - 1) / side + 1, (shape.y - 1) / side + 1};
    const std::array<std::int64_t, 2> whole_parts{std::lcm(part[0], side) / side,
                                                  std::lcm(part[1], side) / side};
    std::array<std::int64_t, 2> column = all;
    while (bytes_of(column) > TileCache::global().capacity()) {
        const std::size_t longer = column[0] > column[1] ? 0 : 1;
        // Narrower ones of chunks that fill the cache by themselves would be read no less often.
        if (column[longer] == 1) return all;
        const std::int64_t half = (column[longer] + 1) / 2, step = whole_parts[longer];
        column[longer] = half > step ? (half + step - 1) / step * step : half;  // of whole chunks
    }
    return column;
}

// An output, of which each box is computed when it is read.
class ComputedVolume : public VolumeInput, public ReadInColumns {
  public:
    ComputedVolume(const Operation& whole, const Call& call, const Output& output,
                   SharingQueues& queues, Results& results)
        : whole_(whole),
          call_(call),
          output_(output),
          queues_(queues),
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
        const Shape& shape = shape_of(image);
        const auto evenly = [](std::int64_t length) {
            return (length - 1) / ((length - 1) / part_side + 1) + 1;
        };
        const PartGrid parts(shape, {evenly(shape.x), evenly(shape.y), shape.z});
        queues_.share(parts.count(), [&](std::int64_t number, Queue& queue) {
            const VoxelBox at = parts.box(number);
            VoxelBox part = at;
            for (std::size_t a = 0; a < 3; ++a) {
                part.begin[a] += box.begin[a];
                part.end[a] += box.begin[a];
            }
            const AnyImage made = computed(part, queue);
            std::visit(
                [&]<class T>(Image<T>& to) { paste(std::get<Image<T>>(made), at.begin, to); },
                image);
        });
        if (coverage_) {
            const std::lock_guard lock(mutex_);
            coverage_->add(box, std::get<Image<std::uint8_t>>(image));
        }
        return image;
    }
    std::array<std::int64_t, 2> column() const override {
        return cached_column(*volume_.input, halo_);
    }
    // When all was read.
    void finish() const {
        object_.require(call_.options);
        if (coverage_) coverage_->warn(results_);
    }

  private:
    AnyImage computed(const VoxelBox& box, Queue& queue) const {
        const VoxelBox wide = widened(box, halo_, facts_.shape);
        AnyImage part = read_box(*volume_.input, wide, call_.threads);
        geometry_of(part) = geometry_of_part(volume_.geometry, 0, wide.begin);
        Values inputs;
        inputs.set(whole_.inputs.front().name,
                   ImageValue(AnyImageView(part)).with_labels(volume_.labels));
        const Results made = operations::run(whole_,
                                             {.inputs = inputs,
                                              .options = call_.options,
                                              .wanted = wanted_,
                                              .threads = call_.threads,
                                              .is_part = true},
                                             queue);
        object_.add(made.figures);
        keep_warnings(made.warnings);
        return cropped(made.outputs.image(output_.name).image(), wide.begin, box);
    }
    void keep_warnings(const std::vector<std::string>& warnings) const {
        const std::lock_guard lock(mutex_);
        std::vector<std::string>& all = results_.warnings;
        for (const std::string& warning : warnings)
            if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(warning);
    }

    const Operation& whole_;
    const Call& call_;
    const Output& output_;
    SharingQueues& queues_;
    Results& results_;
    const ImageParts& volume_;
    std::int64_t halo_;
    std::set<std::string, std::less<>> wanted_;
    VolumeInputFacts facts_;
    mutable std::optional<CoverageOfBricks> coverage_;  // of a mask
    mutable ObjectOfParts object_;
    mutable std::mutex mutex_;
};

// Whether an output that keeps labels has some: as its files say, or as was asked for.
bool has_labels(const ImageParts& volume, const Options& options) {
    if (volume.labels || volume.input->facts().type == PixelType::u32) return true;
    for (const Option& option : options.described())
        if (option.name == "labels") return std::get<bool>(options.get("labels"));
    return false;
}

Results run_in_parts(const Operation& whole, const Call& call, Queue& queue,
                     const Progress& progress) {
    Results results;
    std::vector<const Output*> outputs;
    for (const Output& output : whole.outputs)
        if (is_volume(output) && call.wants(output.name)) outputs.push_back(&output);
    SharingQueues queues(call, queue);
    const bool is_label_map =
        has_labels(call.inputs.get<ImageParts>(whole.inputs.front().name), call.options);
    double done = 0;
    for (const Output* output : outputs) {
        const ComputedVolume computed(whole, call, *output, queues, results);
        const double end = done + 1.0 / static_cast<double>(outputs.size());
        call.parts.get<WriteVolume>(output->name)(
            computed,
            {.labels = output->kind == kinds::mask || (output->keeps_labels && is_label_map),
             .threads = call.threads},
            progress.part(done, end));
        computed.finish();
        done = end;
    }
    const Shape& shape = call.inputs.get<ImageParts>(whole.inputs.front().name).shape();
    results.shared = queues.loads();
    results.shared_thing = "part";
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
    // The part and its results as numbers of up to 4 bytes on each queue, and what is coded.
    VolumeInputFacts written = facts;
    written.type = PixelType::f32;
    const int queues = queues_for(Queues::of_devices, device, call.threads);
    memory.device *= queues;
    memory.computing = queues * (memory.computing + memory.held + memory.finishing +
                                 slab.elements() * (pixel_type_bytes(facts.type) + 8)) +
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
    parts.device = {.queues = Queues::of_devices};
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
