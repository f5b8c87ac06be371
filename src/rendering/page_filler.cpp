#include "rendering/page_filler.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/made_ahead.h"
#include "core/threads.h"
#include "core/with_type.h"
#include "kernels/rendering/render_fill.kernel.h"
#include "kernels/volumes/bricks.kernel.h"
#include "tesela/error.h"
#include "volumes/brick_batch.h"

namespace tesela::rendering {
namespace {

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

// Bricks that are decoded together: numbers of the source. Those for the device are of one size.
struct Batch {
    std::vector<std::int64_t> bricks;
    bool on_device = false;
};

// Bricks that are copied to pages by one launch: what it is told of them, where their voxels begin,
// and the most rows that one of them fills.
struct Copies {
    std::vector<std::int32_t> numbers;
    std::vector<std::int64_t> starts;
    std::int64_t rows = 0;
};

// Adds the time from its beginning to its end.
class Stopwatch {
  public:
    explicit Stopwatch(double& milliseconds) : milliseconds_(milliseconds) {}
    ~Stopwatch() {
        milliseconds_ += std::chrono::duration<double, std::milli>(Clock::now() - begin_).count();
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

  private:
    using Clock = std::chrono::steady_clock;

    double& milliseconds_;
    Clock::time_point begin_ = Clock::now();
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
    void drop_memory() override {
        bytes_ = {};
        words_ = {};
        voxels_ = {};
        starts_ = {};
        bricks_ = {};
        pages_ = {};
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
    // The bricks of a batch, ready for the device: chunks that it decodes, or voxels.
    struct Ready {
        std::vector<BrickPlace> places;
        std::vector<std::int64_t> starts;  // of their voxels, and where the last end
        std::array<Copies, 2> copies;
        std::optional<detail::BrickBatch> chunks;
        std::vector<V> voxels;
        std::vector<std::string> damaged;  // a sentence for each, or none
    };

    const BrickSourceFacts& facts() const { return source_->facts(); }

    // So many that the numbers of their bricks take no more than bricks on their way.
    std::size_t pages_at_once() const {
        constexpr std::int64_t most_bytes = std::int64_t{32} << 20;
        const std::int64_t page = most_bricks_under(level_) * std::int64_t{sizeof(std::int64_t)};
        return static_cast<std::size_t>(
            std::max<std::int64_t>(1, std::min(stage_bytes_, most_bytes) / page));
    }
    void fill_together(std::span<const PageTarget> targets, const Progress& progress) {
        const std::vector<Batch> batches = batches_of(bricks_under(*source_, level_, targets));
        pages_ = queue_.upload(
            std::span<const std::int32_t>(page_table_of(facts(), level_, targets)), "pages");
        double waited = 0;
        detail::made_ahead<Ready>(
            std::ssize(batches),
            [&](std::int64_t i) { return made_ready(batches[static_cast<std::size_t>(i)]); },
            [&](Ready batch) {
                progress.throw_if_cancelled();
                (batch.chunks ? counts_->read_ms : counts_->decode_ms) += std::exchange(waited, 0);
                counts_->decoded += std::ssize(batch.places);
                if (!batch.chunks || !decode_on_device(batch)) take_from_host(batch);
            },
            [&](const auto& wait) {
                const Stopwatch watch(waited);
                wait();
            });
    }

    // Several, so that one is read while another is decoded, but each enough for a device.
    std::vector<Batch> batches_of(const std::vector<std::int64_t>& bricks) const {
        constexpr std::int64_t several = 8, enough = 1024;
        const std::int64_t most =
            std::min(bricks_at_once(), std::max(enough, std::ssize(bricks) / several + 1));
        std::vector<Batch> full;
        Batch on_host;
        std::map<detail::BrickSize, Batch> on_device;
        for (const std::int64_t number : bricks) {
            const BrickPlace place = source_->place_of(number);
            const bool is_decoded_there = is_decoded_here(place);
            Batch& batch = is_decoded_there ? on_device[source_->brick_size(place)] : on_host;
            batch.on_device = is_decoded_there;
            batch.bricks.push_back(number);
            if (std::ssize(batch.bricks) == most) full.push_back(std::exchange(batch, {}));
        }
        for (auto& [size, batch] : on_device)
            if (!batch.bricks.empty()) full.push_back(std::move(batch));
        if (!on_host.bricks.empty()) full.push_back(std::move(on_host));
        return full;
    }

    // Voxels, those of the next coarser level, and chunks, of which others are read meanwhile.
    std::int64_t bricks_at_once() const {
        constexpr std::int64_t copies = 4, most = 4096;
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

    Ready made_ready(const Batch& batch) const {
        Ready ready;
        ready.starts.push_back(0);
        for (const std::int64_t number : batch.bricks) {
            ready.places.push_back(source_->place_of(number));
            const detail::BrickSize size =
                detail::size_at(source_->brick_size(ready.places.back()), level_);
            add_copy(ready.places.back(), ready.starts.back(), ready.copies);
            ready.starts.push_back(ready.starts.back() + detail::voxels_of(size));
        }
        if (batch.on_device) try {
                ready.chunks = detail::read_batch(*source_, level_, ready.places);
                return ready;
            } catch (const UnreadableInput&) {
                // The host finds which.
            }
        decode_on_host(ready);
        return ready;
    }
    // Bricks at the borders of the volume, which fill more rows, are launched apart, as all of a
    // launch get the rows of the largest.
    void add_copy(const BrickPlace& place, std::int64_t start,
                  std::array<Copies, 2>& copies) const {
        const auto filled = filled_by(*source_, level_, place);
        const int inner_side = (BrickSource::side >> level_) + kernels::render_brick_border;
        const std::int64_t rows = std::int64_t{filled[kernels::render_fill_count + 1]} *
                                  filled[kernels::render_fill_count + 2];
        Copies& own = copies[rows > inner_side * inner_side ? 1 : 0];
        own.numbers.insert(own.numbers.end(), filled.begin(), filled.end());
        own.starts.push_back(start);
        own.rows = std::max(own.rows, rows);
    }

    bool decode_on_device(const Ready& batch) {
        if constexpr (std::is_same_v<V, std::uint32_t>) {
            return false;
        } else if constexpr (std::is_same_v<V, float>) {
            return coded_bytes_ == 1 ? decode_as(bytes_, batch) : decode_as(words_, batch);
        } else if constexpr (std::is_same_v<V, std::uint8_t>) {
            return decode_as(bytes_, batch);
        } else {
            return decode_as(words_, batch);
        }
    }
    // False where a brick is damaged: the host finds which.
    template <class U>
    bool decode_as(detail::BatchDecoder<U>& decoder, const Ready& batch) {
        const Buffer<U>* coded = nullptr;
        {
            const Stopwatch watch(counts_->decode_ms);
            coded = decoder.decode(*batch.chunks, queue_);
        }
        if (!coded) return false;
        if (values_.size() > 0) {
            const std::int64_t count = batch.starts.back();
            Buffer<V>& voxels = voxels_.holding(count, queue_, "bricks");
            queue_.launch(values_kernel(U{}, V{}), Range{count}, *coded, values_, voxels);
            copy(batch, voxels);
        } else if constexpr (std::is_same_v<U, V>) {
            copy(batch, *coded);
        }
        return true;
    }

    void decode_on_host(Ready& batch) const {
        const std::vector<std::int64_t>& starts = batch.starts;
        batch.voxels.resize(static_cast<std::size_t>(starts.back()));
        batch.damaged.resize(batch.places.size());
        detail::for_each_index(std::ssize(batch.places), 0, [&](std::int64_t i) {
            const auto k = static_cast<std::size_t>(i);
            const auto own = std::span(batch.voxels)
                                 .subspan(static_cast<std::size_t>(starts[k]),
                                          static_cast<std::size_t>(starts[k + 1] - starts[k]));
            try {
                read_brick(batch.places[k], own);
            } catch (const UnreadableInput& error) {
                batch.damaged[k] = error.what();
                std::fill(own.begin(), own.end(), lowest_);
            }
        });
    }
    // Voxels that were decoded on the host, or are now.
    void take_from_host(Ready& batch) {
        if (batch.chunks) {
            const Stopwatch watch(counts_->decode_ms);
            decode_on_host(batch);
        }
        for (std::string& sentence : batch.damaged)
            if (!sentence.empty() && std::find(counts_->damaged.begin(), counts_->damaged.end(),
                                               sentence) == counts_->damaged.end())
                counts_->damaged.push_back(std::move(sentence));
        copy(batch, voxels_.written(batch.voxels, queue_, "bricks"));
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

    void copy(const Ready& batch, const Buffer<V>& voxels) {
        const Stopwatch watch(counts_->copy_ms);
        for (const Copies& copies : batch.copies) {
            if (copies.starts.empty()) continue;
            queue_.launch(fill_kernel(V{}), Range{copies.rows, std::ssize(copies.starts)}, voxels,
                          starts_.written(copies.starts, queue_, "starts of bricks"),
                          bricks_.written(copies.numbers, queue_, "bricks to copy"), pages_,
                          pages_of_level(facts(), level_), *pool_);
        }
        queue_.finish();  // for its time
    }

    std::shared_ptr<const BrickSource> source_;
    Queue& queue_;
    int coded_bytes_ = 0;  // of numbers that the device decodes; 0: none
    Buffer<V> values_;     // of each of them; empty: as they are

    int level_ = 0;  // of a call of `fill`, like the following members
    V lowest_{};
    Buffer<V>* pool_ = nullptr;
    BrickCounts* counts_ = nullptr;
    Buffer<std::int32_t> pages_;  // of the bricks of the level; of those that are filled together

    detail::BatchDecoder<std::uint8_t> bytes_;
    detail::BatchDecoder<std::uint16_t> words_;
    detail::ReusedBuffer<V> voxels_;
    detail::ReusedBuffer<std::int64_t> starts_;
    detail::ReusedBuffer<std::int32_t> bricks_;
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
