// A slide to its map: read, count, describe and classify at the same time.
//
// Workers read batches of tiles and describe batches that are counted; a thread for each queue
// counts. A batch takes a ticket before it is read, which comes back when it is classified: that
// bounds the memory. Each cell has its own place in the result, so that batches may overtake one
// another.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "core/stages.h"
#include "tesela/tissue_slides.h"
#include "tissue/area_shares.h"
#include "tissue/stain_tiles.h"

namespace tesela {
namespace {

using detail::Clock;
using detail::seconds_since;
using std::int64_t;

struct Batch {
    std::vector<int64_t> cells;
    std::vector<std::uint8_t> pixels;
    TileCounts counts;
};

class Pipeline {
  public:
    Pipeline(const TileSource& slide, const TissueModel& model, TissueMap& map,
             std::vector<int64_t> cells, int threads, const std::vector<Queue*>& queues)
        : slide_(slide),
          model_(model),
          features_(model.features),
          colors_(slide, model.stains),
          map_(map),
          cells_(std::move(cells)),
          queues_(queues) {
        workers_ = detail::threads_or_all(threads);
        // At most 100 MB of pixels and twice as much for what is made of them, but enough for a
        // GPU.
        constexpr int64_t pixels_in_flight = int64_t{1} << 25;
        constexpr int64_t least_batch = 1 << 20, largest_batch = 1 << 22;
        tickets_ = workers_ + 2;
        const int64_t batch = std::clamp(pixels_in_flight / tickets_, least_batch, largest_batch);
        // Several for each queue, so that all end at about the same time.
        const auto shares = static_cast<int64_t>(4 * queues.size());
        const int64_t share = (static_cast<int64_t>(cells_.size()) + shares - 1) / shares;
        tiles_ = std::clamp<int64_t>(batch / (int64_t{1} * model.tile * model.tile), 1, share);
    }

    void run(const Progress& progress) {
        std::vector<std::string> ids;
        for (const Queue* queue : queues_) ids.push_back(queue->device().id());
        map_.devices = detail::device_loads(ids);
        std::vector<std::thread> threads;
        const auto start = [&](auto work) {
            threads.push_back(detail::start_thread([this, work] {
                try {
                    work();
                } catch (...) {
                    stop(std::current_exception());
                }
            }));
        };
        try {
            for (int w = 0; w < workers_; ++w) start([this] { work(); });
            for (Queue* queue : queues_) start([this, queue] { count(*queue); });
            watch(progress);
        } catch (...) {
            stop(std::current_exception());
        }
        for (std::thread& thread : threads) thread.join();
        if (error_) std::rethrow_exception(error_);
    }

  private:
    void stop(std::exception_ptr why) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::move(why);
        changed_.notify_all();
    }
    bool ended() const { return error_ || done_ == static_cast<int64_t>(cells_.size()); }

    void watch(const Progress& progress) {
        std::unique_lock lock(mutex_);
        while (!ended()) {
            constexpr std::chrono::milliseconds pause(50);
            changed_.wait_for(lock, pause);
            const double fraction = static_cast<double>(done_) /
                                    static_cast<double>(std::max<std::size_t>(cells_.size(), 1));
            lock.unlock();
            progress.report(fraction, "classify");
            lock.lock();
        }
    }

    // What is counted goes first, so that tickets come back.
    void work() {
        for (;;) {
            std::unique_lock lock(mutex_);
            const auto may_read = [this] {
                return tickets_ > 0 && next_ < static_cast<int64_t>(cells_.size());
            };
            changed_.wait(lock, [&] { return ended() || !counted_.empty() || may_read(); });
            if (ended()) return;
            if (!counted_.empty()) {
                const std::unique_ptr<Batch> batch = std::move(counted_.front());
                counted_.pop_front();
                lock.unlock();
                describe(*batch);
                finish(*batch);
                continue;
            }
            --tickets_;
            auto batch = std::make_unique<Batch>();
            const int64_t end = std::min(next_ + tiles_, static_cast<int64_t>(cells_.size()));
            batch->cells.assign(cells_.begin() + next_, cells_.begin() + end);
            next_ = end;
            lock.unlock();
            read(*batch);
            lock.lock();
            filled_.push_back(std::move(batch));
            changed_.notify_all();
        }
    }

    void count(Queue& queue) {
        const std::string device = queue.device().id();
        DeviceLoad& load = detail::load_of(map_.devices, device);
        const bool shared = map_.devices.size() > 1;
        for (;;) {
            const auto idle = Clock::now();
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return ended() || !filled_.empty(); });
            load.waited_seconds += seconds_since(idle);
            if (ended()) return;
            std::unique_ptr<Batch> batch = std::move(filled_.front());
            filled_.pop_front();
            lock.unlock();
            const auto begin = Clock::now();
            const auto tiles = static_cast<int64_t>(batch->cells.size());
            detail::naming(device, shared, [&] {
                const auto pixels =
                    queue.lend(std::span<const std::uint8_t>(batch->pixels), "tiles");
                batch->counts = features_.count(queue, pixels, model_.tile, model_.tile, tiles, 3);
            });
            batch->pixels = {};
            lock.lock();
            load.busy_seconds += seconds_since(begin);
            load.done += tiles;
            counted_.push_back(std::move(batch));
            changed_.notify_all();
        }
    }

    void read(Batch& batch) {
        const auto begin = Clock::now();
        for (const int64_t cell : batch.cells) {
            Image<std::uint8_t> tile = colors_.normalized(
                read_tile(slide_, map_.grid, cell % map_.grid.columns, cell / map_.grid.columns));
            if (batch.cells.size() == 1) {
                batch.pixels = std::move(tile.pixels());
            } else {
                batch.pixels.reserve(batch.cells.size() * tile.pixels().size());
                batch.pixels.insert(batch.pixels.end(), tile.pixels().begin(), tile.pixels().end());
            }
            if (stopped()) return;
        }
        const std::lock_guard lock(mutex_);
        map_.stage_seconds_reading += seconds_since(begin);
    }
    bool stopped() {
        const std::lock_guard lock(mutex_);
        return error_ != nullptr;
    }

    void describe(const Batch& batch) {
        const auto begin = Clock::now();
        std::vector<double> features(features_.size());
        for (std::size_t i = 0; i < batch.cells.size(); ++i) {
            features_.describe(batch.counts, static_cast<int64_t>(i), features);
            const std::vector<double> p = model_.classifier.probabilities(features);
            const auto cell = static_cast<std::size_t>(batch.cells[i]);
            map_.labels[cell] = static_cast<std::uint8_t>(most_probable(p) + 1);
            for (std::size_t c = 0; c < p.size(); ++c)
                map_.probabilities[cell * p.size() + c] = static_cast<float>(p[c]);
        }
        const std::lock_guard lock(mutex_);
        map_.stage_seconds_describing += seconds_since(begin);
    }
    void finish(const Batch& batch) {
        const std::lock_guard lock(mutex_);
        ++tickets_;
        done_ += static_cast<int64_t>(batch.cells.size());
        changed_.notify_all();
    }

    const TileSource& slide_;
    const TissueModel& model_;
    const FeatureSet features_;
    const tissue::TileColors colors_;
    TissueMap& map_;
    const std::vector<int64_t> cells_;
    const std::vector<Queue*>& queues_;
    int workers_ = 1;
    int64_t tiles_ = 1;  // of a batch

    std::mutex mutex_;  // guards what follows, and the times of the map
    std::condition_variable changed_;
    int64_t tickets_ = 1, next_ = 0, done_ = 0;
    std::deque<std::unique_ptr<Batch>> filled_, counted_;
    std::exception_ptr error_;
};

std::vector<int64_t> cells_inside(const TileSource& slide, const TissueGrid& grid,
                                  const TissueMapOptions& options) {
    std::vector<tissue::AreaShares> masks;
    for (const Image<std::uint8_t>* mask : options.masks) masks.emplace_back(*mask);
    std::vector<int64_t> cells;
    for (int64_t cell = 0; cell < grid.cells(); ++cell)
        if (std::all_of(masks.begin(), masks.end(), [&](const tissue::AreaShares& mask) {
                return tissue::share_of_cell(mask, slide, grid, cell % grid.columns,
                                             cell / grid.columns) >= 0.5;
            }))
            cells.push_back(cell);
    return cells;
}

}  // namespace

TissueMap classify_slide(const TileSource& slide, const TissueModel& model,
                         const std::vector<Queue*>& queues, const TissueMapOptions& options,
                         const Progress& progress) {
    if (queues.empty()) throw InvalidArgument("a slide is classified on at least one queue");
    TissueMap map;
    map.grid = tissue_grid(slide, model.micrometers_per_pixel, model.tile, options.stride);
    const auto cells = static_cast<std::size_t>(map.grid.cells());
    map.labels.assign(cells, 0);
    map.probabilities.assign(cells * model.classes.size(), 0);
    std::vector<int64_t> inside = cells_inside(slide, map.grid, options);
    if (inside.empty()) return map;
    Pipeline(slide, model, map, std::move(inside), options.threads, queues).run(progress);
    return map;
}

}  // namespace tesela
