// A slide to its map, in stages that work at the same time:
//
//   read (several threads) -> count (one thread a queue) -> describe and classify (several threads)
//
// Tiles travel in batches, which are used again: a thread that reads takes a free one, which is
// free again when its tiles are classified. That bounds the memory, and no memory of pixels is
// allocated meanwhile. Each cell has its own place in the result, so that batches may overtake one
// another.
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "core/stages.h"
#include "tesela/tissue_slides.h"
#include "tissue/area_shares.h"
#include "tissue/stain_tiles.h"
#include "tissue/tile_reader.h"

namespace tesela {
namespace {

using detail::Channel;
using detail::Shift;
using std::int64_t;

struct Batch {
    std::span<const int64_t> cells;
    AnyImage tiles;  // one below the other
    TileCounts counts;
};

enum Stage { reading, counting, describing };

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
          queues_(queues),
          workers_(detail::threads_or_all(threads)),
          batches_(static_cast<std::size_t>(workers_) + 2 * queues.size()) {
        // Enough for a GPU, and little enough that a CPU ends soon where the work is cancelled.
        constexpr int64_t pixels = 1 << 20;
        // Several for each queue, so that all end at about the same time.
        const auto shares = static_cast<int64_t>(4 * queues.size());
        const int64_t share = (static_cast<int64_t>(cells_.size()) + shares - 1) / shares;
        tiles_ = std::clamp<int64_t>(pixels / (int64_t{1} * model.tile * model.tile), 1, share);
        for (Batch& batch : batches_) free_.push(&batch);

        std::vector<std::string> ids;
        for (const Queue* queue : queues) ids.push_back(queue->device().id());
        map_.devices = detail::device_loads(ids);
        map_.stages[counting].threads = static_cast<int>(queues.size());
    }

    void run(const Progress& progress) {
        {
            detail::StageThreads threads([this] { stop(); });
            const int readers = threads.start_up_to(workers_, [this] { read(); });
            for (Queue* queue : queues_) threads.start([this, queue] { count(*queue); });
            const int describers = threads.start_up_to(workers_, [this] { describe(); });
            {
                const std::lock_guard lock(loads_mutex_);
                map_.stages[reading].threads = readers;
                map_.stages[describing].threads = describers;
            }
            const int64_t batches = (static_cast<int64_t>(cells_.size()) + tiles_ - 1) / tiles_;
            detail::await_parts(ended_, batches, progress, "classify");
        }
        detail::add_up(map_.devices, map_.stages[counting]);
    }

  private:
    void stop() {
        stop_.cancel();
        free_.abandon();
        read_.abandon();
        counted_.abandon();
        ended_.abandon();
    }

    template <class Work>
    void attempt(const Work& work) {
        try {
            work();
        } catch (...) {
            ended_.push(std::current_exception());
            free_.abandon();  // nothing new begins
        }
    }

    void read() {
        Shift shift(map_.stages[reading], loads_mutex_);
        tissue::TileReader reader(slide_, map_.grid);
        while (const std::optional<Batch*> batch = shift.take(free_)) {
            const auto first = static_cast<std::size_t>(next_.fetch_add(tiles_));
            if (first >= cells_.size()) return;
            const auto count = std::min(static_cast<std::size_t>(tiles_), cells_.size() - first);
            (*batch)->cells = std::span(cells_).subspan(first, count);
            attempt([&] {
                fill(**batch, reader);
                read_.push(*batch);
            });
        }
    }

    void fill(Batch& batch, tissue::TileReader& reader) const {
        const int64_t side = model_.tile;
        if (shape_of(batch.tiles).points() == 0)
            batch.tiles = Image<std::uint8_t>({side, side * tiles_, 1, 1, channels});
        int64_t at = 0;
        for (const int64_t cell : batch.cells) {
            if (stop_.cancelled()) return;
            reader.read(cell % map_.grid.columns, cell / map_.grid.columns, batch.tiles, at);
            at += side;
        }
        colors_.normalize(pixels_of(batch));
    }
    // Those of its cells.
    std::span<std::uint8_t> pixels_of(Batch& batch) const {
        auto& tiles = std::get<Image<std::uint8_t>>(batch.tiles);
        const int64_t bytes_of_tile = int64_t{1} * channels * model_.tile * model_.tile;
        return std::span(tiles.pixels())
            .first(batch.cells.size() * static_cast<std::size_t>(bytes_of_tile));
    }

    void count(Queue& queue) {
        const std::string device = queue.device().id();
        const bool shared = map_.devices.size() > 1;
        DeviceLoad& load = detail::load_of(map_.devices, device);
        Shift shift(load, loads_mutex_);
        while (const std::optional<Batch*> batch = shift.take(read_))
            attempt([&] {
                const auto tiles = static_cast<int64_t>((*batch)->cells.size());
                detail::naming(device, shared, [&] {
                    const std::span<const std::uint8_t> bytes = pixels_of(**batch);
                    const auto pixels = queue.lend(bytes, "tiles");
                    (*batch)->counts =
                        features_.count(queue, pixels, model_.tile, model_.tile, tiles, channels);
                });
                counted_.push(*batch);
                const std::lock_guard lock(loads_mutex_);
                load.done += tiles;
            });
    }

    void describe() {
        Shift shift(map_.stages[describing], loads_mutex_);
        std::vector<double> features(features_.size());
        while (const std::optional<Batch*> batch = shift.take(counted_))
            attempt([&] {
                classify(**batch, features);
                free_.push(*batch);
                ended_.push({});
            });
    }

    void classify(const Batch& batch, std::span<double> features) {
        for (std::size_t i = 0; i < batch.cells.size(); ++i) {
            features_.describe(batch.counts, static_cast<int64_t>(i), features);
            const std::vector<double> p = model_.classifier.probabilities(features);
            const auto cell = static_cast<std::size_t>(batch.cells[i]);
            map_.labels[cell] = static_cast<std::uint8_t>(most_probable(p) + 1);
            for (std::size_t c = 0; c < p.size(); ++c)
                map_.probabilities[cell * p.size() + c] = static_cast<float>(p[c]);
        }
    }

    static constexpr int channels = 3;

    const TileSource& slide_;
    const TissueModel& model_;
    const FeatureSet features_;
    const tissue::TileColors colors_;
    TissueMap& map_;
    const std::vector<int64_t> cells_;
    const std::vector<Queue*>& queues_;
    const int workers_;
    int64_t tiles_ = 1;  // of a batch
    std::atomic<int64_t> next_{0};

    std::vector<Batch> batches_;
    CancelToken stop_;
    Channel<Batch*> free_, read_, counted_;
    Channel<std::exception_ptr> ended_;  // null where a batch is classified

    std::mutex loads_mutex_;  // guards stages and devices of the map
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

double slowest_stage_seconds(const TissueMap& map) {
    const auto of_thread = [](const StageLoad& load) {
        return load.threads > 0 ? load.busy_seconds / load.threads : 0.0;
    };
    double slowest = of_thread(map.stages.front()) + of_thread(map.stages.back());
    for (const DeviceLoad& device : map.devices) slowest = std::max(slowest, of_thread(device));
    return slowest;
}

TissueMap classify_slide(const TileSource& slide, const TissueModel& model,
                         const std::vector<Queue*>& queues, const TissueMapOptions& options,
                         const Progress& progress) {
    if (queues.empty()) throw InvalidArgument("a slide is classified on at least one queue");
    TissueMap map;
    map.stages = {{"read"}, {"count"}, {"describe"}};
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
