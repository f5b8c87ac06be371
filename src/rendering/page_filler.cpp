#include "rendering/page_filler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/threads.h"
#include "core/with_type.h"
#include "kernels/rendering/render_fill.kernel.h"
#include "kernels/volumes/bricks.kernel.h"
#include "tesela/error.h"
#include "tesela/stage_times.h"
#include "volumes/brick_batch.h"

namespace tesela::rendering {
namespace {

constexpr int side = kernels::render_brick_side, border = kernels::render_brick_border;

constexpr const auto& fill_kernel(std::uint8_t) { return kernels::render_fill_u8; }
constexpr const auto& fill_kernel(std::uint16_t) { return kernels::render_fill_u16; }
constexpr const auto& fill_kernel(float) { return kernels::render_fill_f32; }
constexpr const auto& fill_kernel(std::uint32_t) { return kernels::render_fill_rgb; }
constexpr const auto& values_kernel(std::uint8_t, std::uint8_t) {
    return kernels::brick_values_u8_u8;
}
constexpr const auto& values_kernel(std::uint16_t, std::uint16_t) {
    return kernels::brick_values_u16_u16;
}
constexpr const auto& values_kernel(std::uint8_t, float) { return kernels::brick_values_u8_f32; }
constexpr const auto& values_kernel(std::uint16_t, float) { return kernels::brick_values_u16_f32; }

// A stored number as a voxel of the pool: signed ones are stored from 0 on, infinite ones become
// NaN, which is invisible.
template <class V, class T>
V pool_value(T stored, const ValueScaling& scaling) {
    if constexpr (std::is_same_v<V, float>) {
        const double value = static_cast<double>(stored);
        const auto narrow = static_cast<float>(
            scaling.needed() ? scaling.slope * value + scaling.intercept : value);
        return std::isfinite(narrow) ? narrow : std::numeric_limits<float>::quiet_NaN();
    } else {
        constexpr auto lowest = static_cast<double>(std::numeric_limits<T>::lowest());
        return static_cast<V>(static_cast<double>(stored) - lowest);
    }
}

// Interleaved red, green and blue, and the luminance of ITU-R BT.709 in the highest byte, as
// render_packed has them.
std::uint32_t packed(std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
    const std::uint32_t luminance = (red * 13933u + green * 46871u + blue * 4732u + 32768u) >> 16;
    return red | green << 8 | blue << 16 | luminance << 24;
}

// What a brick has of a page. `number` counts the bricks of the source.
struct Job {
    std::int64_t number = 0;
    std::array<std::int32_t, kernels::render_fill_numbers> numbers{};

    std::int32_t rows() const {
        return numbers[kernels::render_fill_count + 1] * numbers[kernels::render_fill_count + 2];
    }
};

// A span of a page along an axis that one brick of the source has.
struct Part {
    std::int64_t brick = 0;
    std::int32_t begin = 0, count = 0, origin = 0, size = 0;
};

// `length` is that of the level, `page` the place of the page in the grid. Beyond the volume the
// outermost bricks have the page.
std::vector<Part> parts_of(std::int64_t page, std::int64_t length, int level) {
    const std::int64_t brick_side = BrickSource::side >> level;
    const std::int64_t first = page * side - border, end = first + side + 2 * border;
    const std::int64_t last = (std::min(end, length) - 1) / brick_side;
    std::vector<Part> parts;
    for (std::int64_t brick = std::max<std::int64_t>(first, 0) / brick_side; brick <= last;
         ++brick) {
        const std::int64_t at = brick * brick_side, size = std::min(brick_side, length - at);
        const std::int64_t from = brick == 0 ? first : std::max(first, at);
        const std::int64_t to = at + size == length ? end : std::min(end, at + size);
        parts.push_back({brick, static_cast<std::int32_t>(from - first),
                         static_cast<std::int32_t>(to - from),
                         static_cast<std::int32_t>(at - first), static_cast<std::int32_t>(size)});
    }
    return parts;
}

// Ordered by the brick.
std::vector<Job> jobs_of(const BrickSource& source, int level,
                         std::span<const PageTarget> targets) {
    const Shape& shape = source.facts().levels[static_cast<std::size_t>(level)];
    const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
    std::vector<Job> jobs;
    for (const PageTarget& target : targets) {
        std::array<std::vector<Part>, 3> parts;
        for (std::size_t a = 0; a < 3; ++a) parts[a] = parts_of(target.brick[a], lengths[a], level);
        for (const Part& z : parts[2])
            for (const Part& y : parts[1])
                for (const Part& x : parts[0])
                    jobs.push_back(
                        {source.number_of({x.brick, y.brick, z.brick}),
                         {target.page, x.begin, y.begin, z.begin, x.count, y.count, z.count,
                          x.origin, y.origin, z.origin, x.size, y.size, z.size}});
    }
    std::sort(jobs.begin(), jobs.end(),
              [](const Job& a, const Job& b) { return a.number < b.number; });
    return jobs;
}

// Bricks that are decoded together, with their jobs.
struct Batch {
    std::vector<BrickPlace> bricks;
    std::vector<std::span<const Job>> jobs;

    void add(const BrickPlace& brick, std::span<const Job> its) {
        bricks.push_back(brick);
        jobs.push_back(its);
    }
};

template <class V>
class Filler : public PageFiller {
  public:
    Filler(std::shared_ptr<const BrickSource> source, Queue& queue)
        : source_(std::move(source)), queue_(queue) {
        set_values();
    }

    Bricks::Pool allocate(std::int64_t pages) override {
        return queue_.allocate<V>(pages * kernels::render_brick_voxels, "bricks");
    }
    std::int64_t voxel_bytes() const override { return sizeof(V); }
    double value_offset() const override {
        if (std::is_same_v<V, float> || std::is_same_v<V, std::uint32_t>) return 0;
        return detail::with_type(facts().type, [](auto type) {
            return static_cast<double>(std::numeric_limits<decltype(type)>::lowest());
        });
    }

    void fill(int level, std::span<const PageTarget> targets, double lowest, Bricks::Pool& pool,
              BrickCounts& counts, const Progress& progress) override {
        level_ = level;
        counts_ = &counts;
        pool_ = &std::get<Buffer<V>>(pool);
        if constexpr (std::is_same_v<V, float>)
            lowest_ = std::numeric_limits<float>::quiet_NaN();
        else
            lowest_ = static_cast<V>(lowest);
        const std::size_t most = pages_at_once();
        for (std::size_t at = 0; at < targets.size(); at += most)
            fill_together(targets.subspan(at, std::min(most, targets.size() - at)), progress);
        counts.pages += std::ssize(targets);
    }

  private:
    const BrickSourceFacts& facts() const { return source_->facts(); }

    // So many that their jobs take no more than bricks on their way.
    std::size_t pages_at_once() const {
        constexpr std::int64_t most_bytes = std::int64_t{32} << 20;
        const std::int64_t along_axis =
            (side + 2 * border - 1) / (BrickSource::side >> level_) + 2;  // the most
        const std::int64_t page = along_axis * along_axis * along_axis * std::int64_t{sizeof(Job)};
        return static_cast<std::size_t>(
            std::max<std::int64_t>(1, std::min(stage_bytes_, most_bytes) / page));
    }
    void fill_together(std::span<const PageTarget> targets, const Progress& progress) {
        const std::vector<Job> jobs = jobs_of(*source_, level_, targets);
        const std::int64_t most = bricks_at_once();
        Batch on_host;
        std::map<detail::BrickSize, Batch> on_device;
        for (std::size_t at = 0; at < jobs.size();) {
            std::size_t end = at;
            while (end < jobs.size() && jobs[end].number == jobs[at].number) ++end;
            const BrickPlace place = source_->place_of(jobs[at].number);
            Batch& batch = is_decoded_here(place) ? on_device[source_->brick_size(place)] : on_host;
            batch.add(place, std::span(jobs).subspan(at, end - at));
            if (std::ssize(batch.bricks) == most) flush(batch, &batch != &on_host, progress);
            at = end;
        }
        flush(on_host, false, progress);
        for (auto& [size, batch] : on_device) flush(batch, true, progress);
    }

    // Voxels, those of the next coarser level, and chunks.
    std::int64_t bricks_at_once() const {
        constexpr std::int64_t copies = 3, most = 4096;
        const std::int64_t length = BrickSource::side >> level_;
        const std::int64_t brick = length * length * length * std::int64_t{sizeof(V)} * copies;
        return std::clamp<std::int64_t>(stage_bytes_ / brick, 1, most);
    }
    bool is_decoded_here(const BrickPlace& place) const {
        return coded_bytes_ > 0 && source_->coding(place) == BrickCoding::wavelet;
    }

    // Where the device decodes: which type codes the bricks, and the table of its values.
    void set_values() {
        if constexpr (!std::is_same_v<V, std::uint32_t>) {
            const bool is_same = std::is_integral_v<V> && !facts().quantization.needed();
            if (facts().levels.front().channels != 1) return;
            if (std::is_same_v<V, std::uint8_t> ? detail::holds_coded<std::uint8_t>(facts())
                                                : detail::holds_coded<std::uint16_t>(facts()))
                coded_bytes_ = std::is_same_v<V, std::uint8_t> ? 1 : 2;
            else if (std::is_same_v<V, float> && detail::holds_coded<std::uint8_t>(facts()))
                coded_bytes_ = 1;
            if (coded_bytes_ > 0 && !is_same)
                values_ = queue_.upload(std::span<const V>(value_table()), "values of numbers");
        }
    }
    std::vector<V> value_table() const {
        const bool is_signed =
            facts().coded_type == PixelType::i8 || facts().coded_type == PixelType::i16;
        const int count = 1 << (8 * coded_bytes_), lowest = is_signed ? -count / 2 : 0;
        std::vector<V> values;
        detail::with_type(facts().type, [&]<class T>(T) {
            for (int number = 0; number < count; ++number)
                values.push_back(pool_value<V>(
                    facts().quantization.template stored<T>(number + lowest), facts().scaling));
        });
        return values;
    }

    void flush(Batch& batch, bool on_device, const Progress& progress) {
        if (batch.bricks.empty()) return;
        progress.throw_if_cancelled();
        counts_->decoded += std::ssize(batch.bricks);
        if (!on_device || !decode_on_device(batch)) decode_on_host(batch);
        batch = {};
    }

    bool decode_on_device(const Batch& batch) {
        if constexpr (std::is_same_v<V, std::uint32_t>) {
            return false;
        } else if constexpr (std::is_same_v<V, float>) {
            return coded_bytes_ == 1 ? decode_as<std::uint8_t>(batch)
                                     : decode_as<std::uint16_t>(batch);
        } else {
            return decode_as<V>(batch);
        }
    }
    // False where a brick is damaged: the host finds which.
    template <class U>
    bool decode_as(const Batch& batch) try {
        clock_.start("read");
        const detail::BrickBatch chunks = detail::read_batch(*source_, level_, batch.bricks);
        clock_.start("decode");
        std::optional<Buffer<U>> coded = detail::decode_batch<U>(chunks, queue_);
        if (!coded) return false;
        const std::int64_t each = detail::voxels_of(detail::size_at(chunks.size, level_));
        std::vector<std::int64_t> starts;
        for (std::int64_t i = 0; i < chunks.count; ++i) starts.push_back(i * each);
        if (values_.size() > 0) {
            Buffer<V> voxels = queue_.allocate<V>(coded->size(), "bricks");
            queue_.launch(values_kernel(U{}, V{}), Range{coded->size()}, *coded, values_, voxels);
            copy(batch, voxels, starts);
        } else if constexpr (std::is_same_v<U, V>) {
            copy(batch, *coded, starts);
        }
        return true;
    } catch (const UnreadableInput&) {
        return false;
    }

    void decode_on_host(const Batch& batch) {
        clock_.start("decode");
        std::vector<std::int64_t> starts{0};
        for (const BrickPlace& brick : batch.bricks)
            starts.push_back(starts.back() + detail::voxels_of(detail::size_at(
                                                 source_->brick_size(brick), level_)));
        std::vector<V> voxels(static_cast<std::size_t>(starts.back()));
        std::vector<std::string> damaged(batch.bricks.size());
        detail::for_each_index(std::ssize(batch.bricks), 0, [&](std::int64_t i) {
            const auto k = static_cast<std::size_t>(i);
            const auto own =
                std::span(voxels).subspan(static_cast<std::size_t>(starts[k]),
                                          static_cast<std::size_t>(starts[k + 1] - starts[k]));
            try {
                read_brick(batch.bricks[k], own);
            } catch (const UnreadableInput& error) {
                damaged[k] = error.what();
                std::fill(own.begin(), own.end(), lowest_);
            }
        });
        for (std::string& sentence : damaged)
            if (!sentence.empty() && std::find(counts_->damaged.begin(), counts_->damaged.end(),
                                               sentence) == counts_->damaged.end())
                counts_->damaged.push_back(std::move(sentence));
        copy(batch, queue_.upload(std::span<const V>(voxels), "bricks"), starts);
    }

    void read_brick(const BrickPlace& place, std::span<V> voxels) const {
        if constexpr (std::is_same_v<V, std::uint32_t>) {
            std::array<std::vector<std::uint32_t>, 3> colors;
            for (std::size_t c = 0; c < 3; ++c) {
                BrickPlace channel = place;
                channel.channel = static_cast<int>(c);
                std::visit(
                    [&]<class T>(const Image<T>& brick) {
                        if constexpr (std::is_integral_v<T> && sizeof(T) <= 2)
                            for (const T stored : brick.pixels())
                                colors[c].push_back(static_cast<std::uint32_t>(stored) >>
                                                    (8 * (sizeof(T) - 1)));
                    },
                    source_->brick(level_, channel));
            }
            for (std::size_t i = 0; i < voxels.size(); ++i)
                voxels[i] = packed(colors[0][i], colors[1][i], colors[2][i]);
        } else {
            std::visit(
                [&]<class T>(const Image<T>& brick) {
                    std::transform(
                        brick.pixels().begin(), brick.pixels().end(), voxels.begin(),
                        [&](T stored) { return pool_value<V>(stored, facts().scaling); });
                },
                source_->brick(level_, place));
        }
    }

    // Jobs of many rows and of few are launched apart, as all of a launch get the rows of the
    // largest.
    void copy(const Batch& batch, const Buffer<V>& voxels,
              const std::vector<std::int64_t>& starts_of_bricks) {
        clock_.start("copy");
        constexpr std::int32_t few = 4 * side;
        for (const bool is_large : {true, false}) {
            std::vector<std::int32_t> numbers;
            std::vector<std::int64_t> starts;
            std::int64_t rows = 0;
            for (std::size_t i = 0; i < batch.jobs.size(); ++i)
                for (const Job& job : batch.jobs[i]) {
                    if ((job.rows() > few) != is_large) continue;
                    numbers.insert(numbers.end(), job.numbers.begin(), job.numbers.end());
                    starts.push_back(starts_of_bricks[i]);
                    rows = std::max<std::int64_t>(rows, job.rows());
                }
            launch(voxels, starts, numbers, rows);
        }
        queue_.finish();  // for its time
        for (const StageTime& stage : clock_.take())
            (stage.name == "read"     ? counts_->read_ms
             : stage.name == "decode" ? counts_->decode_ms
                                      : counts_->copy_ms) += stage.milliseconds;
    }
    void launch(const Buffer<V>& voxels, const std::vector<std::int64_t>& starts,
                const std::vector<std::int32_t>& numbers, std::int64_t rows) {
        if (starts.empty()) return;
        const auto on_device =
            queue_.upload(std::span<const std::int32_t>(numbers), "parts of pages");
        const auto from = queue_.upload(std::span<const std::int64_t>(starts), "starts of bricks");
        constexpr std::int64_t most = 1 << 15;  // of a launch along y
        for (std::int64_t first = 0; first < std::ssize(starts); first += most)
            queue_.launch(fill_kernel(V{}), Range{rows, std::min(most, std::ssize(starts) - first)},
                          voxels, from, on_device, static_cast<std::int32_t>(first), *pool_);
    }

    std::shared_ptr<const BrickSource> source_;
    Queue& queue_;
    int coded_bytes_ = 0;  // of numbers that the device decodes; 0: none
    Buffer<V> values_;     // of each of them; empty: as they are

    int level_ = 0;  // of a call of `fill`, like the following members
    V lowest_{};
    Buffer<V>* pool_ = nullptr;
    BrickCounts* counts_ = nullptr;
    StageClock clock_;
};

}  // namespace

std::unique_ptr<PageFiller> PageFiller::of(std::shared_ptr<const BrickSource> source,
                                           Queue& queue) {
    const BrickSourceFacts& facts = source->facts();
    const auto made = [&](auto value) -> std::unique_ptr<PageFiller> {
        return std::make_unique<Filler<decltype(value)>>(std::move(source), queue);
    };
    if (facts.levels.front().channels == 3) return made(std::uint32_t{});
    if (facts.scaling.needed()) return made(float{});
    switch (facts.type) {
        case PixelType::u8:
        case PixelType::i8:
            return made(std::uint8_t{});
        case PixelType::u16:
        case PixelType::i16:
            return made(std::uint16_t{});
        default:
            return made(float{});
    }
}

}  // namespace tesela::rendering
