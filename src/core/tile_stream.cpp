// Boxes of a level on their way through stages:
//
//   read (several threads) -> compute (one thread a method) -> write (several threads)
//
// A box that is read takes a ticket, which comes back when it is written.
#include "tesela/tile_stream.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <string>

#include "core/stages.h"
#include "core/threads.h"

namespace tesela {
namespace {

using detail::Channel;
using detail::Shift;

struct Result {
    std::int64_t column = 0, row = 0;
    TileResults images;
};

enum Stage { reading, computing, writing };

class TileStream {
  public:
    // Without methods what is read goes to the sink at once.
    TileStream(const TileSource& source, int level, const TileGrid& grid,
               std::span<const TileMethod> methods, const TileSink& sink, int threads,
               const Progress& progress)
        : source_(source),
          level_(level),
          grid_(grid),
          shape_(checked_shape(source, level, grid)),
          methods_(methods),
          sink_(sink),
          progress_(progress),
          columns_((shape_.x - 1) / grid.width + 1),
          rows_((shape_.y - 1) / grid.height + 1) {
        threads_ = static_cast<int>(
            std::min<std::int64_t>(detail::threads_or_all(threads), columns_ * rows_));
        loads_ = {{"read", threads_},
                  {"compute", static_cast<int>(methods.size())},
                  {"write", methods.empty() ? 0 : threads_}};
        const int under_way =
            methods.empty() ? threads_ : 2 * threads_ + 2 * static_cast<int>(methods.size());
        for (int i = 0; i < under_way; ++i) tickets_.push({});
    }

    std::vector<StageLoad> run() {
        {
            detail::StageThreads threads([this] { stop(); });
            loads_[reading].threads = threads.start_up_to(threads_, [this] { read(); });
            for (const TileMethod& method : methods_)
                threads.start([this, &method] { compute(method); });
            if (!methods_.empty())
                loads_[writing].threads = threads.start_up_to(threads_, [this] { write(); });
            detail::await_parts(ended_, columns_ * rows_, progress_, "tiles");
        }
        return std::move(loads_);
    }

  private:
    static Shape checked_shape(const TileSource& source, int level, const TileGrid& grid) {
        const auto& levels = source.facts().levels;
        if (level < 0 || static_cast<std::size_t>(level) >= levels.size() || grid.width < 1 ||
            grid.height < 1 || grid.halo < 0)
            throw InvalidArgument("level " + std::to_string(level) +
                                  " cannot be read in boxes of " + std::to_string(grid.width) +
                                  " x " + std::to_string(grid.height) + " pixels with " +
                                  std::to_string(grid.halo) + " around them");
        return levels[static_cast<std::size_t>(level)].shape;
    }

    void stop() {
        tickets_.abandon();
        read_.abandon();
        computed_.abandon();
        ended_.abandon();
    }

    // The next box, in strips of columns, each from top to bottom; nothing after the last one.
    std::optional<std::array<std::int64_t, 2>> next_place() {
        const std::lock_guard lock(next_mutex_);
        if (next_ == columns_ * rows_) return {};
        const std::int64_t first = next_ / (strip_columns * rows_) * strip_columns;
        const std::int64_t within = next_++ - first * rows_;
        const std::int64_t width = std::min(strip_columns, columns_ - first);
        return std::array{first + within % width, within / width};
    }

    std::unique_ptr<TileArea> area_at(std::int64_t column, std::int64_t row) const {
        auto area = std::make_unique<TileArea>();
        area->column = column;
        area->row = row;
        TileBox& box = area->box;
        box.x = column * grid_.width;
        box.y = row * grid_.height;
        box.width = std::min(grid_.width, shape_.x - box.x);
        box.height = std::min(grid_.height, shape_.y - box.y);
        const std::int64_t left = std::max<std::int64_t>(0, box.x - grid_.halo);
        const std::int64_t top = std::max<std::int64_t>(0, box.y - grid_.halo);
        const std::int64_t right = std::min(shape_.x, box.x + box.width + grid_.halo);
        const std::int64_t bottom = std::min(shape_.y, box.y + box.height + grid_.halo);
        area->inside = {box.x - left, box.y - top, box.width, box.height};
        area->pixels = source_.read(level_, {left, top, right - left, bottom - top});
        return area;
    }

    void read() {
        Shift shift(loads_[reading], loads_mutex_);
        while (shift.take(tickets_)) {
            const auto place = next_place();
            if (!place) return;
            attempt([&] {
                auto area = area_at((*place)[0], (*place)[1]);
                if (!methods_.empty()) return read_.push(std::move(area));
                TileResults pixels;
                pixels.push_back(std::move(area->pixels));
                finish({area->column, area->row, std::move(pixels)});
            });
        }
    }

    void compute(const TileMethod& method) {
        Shift shift(loads_[computing], loads_mutex_);
        while (const auto taken = shift.take(read_)) {
            const TileArea& area = **taken;
            attempt([&] { computed_.push({area.column, area.row, method(area)}); });
        }
    }

    void write() {
        Shift shift(loads_[writing], loads_mutex_);
        while (const std::optional<Result> result = shift.take(computed_))
            attempt([&] { finish(*result); });
    }

    void finish(const Result& result) {
        sink_(result.column, result.row, result.images);
        ended_.push({});
        tickets_.push({});
    }

    template <class Work>
    void attempt(const Work& work) {
        try {
            work();
        } catch (...) {
            ended_.push(std::current_exception());
            tickets_.abandon();  // nothing new begins
        }
    }

    const TileSource& source_;
    const int level_;
    const TileGrid grid_;
    const Shape shape_;
    const std::span<const TileMethod> methods_;
    const TileSink& sink_;
    const Progress& progress_;
    const std::int64_t columns_, rows_;
    int threads_ = 1;

    std::mutex next_mutex_;
    std::int64_t next_ = 0;
    Channel<detail::Ticket> tickets_;
    Channel<std::unique_ptr<TileArea>> read_;
    Channel<Result> computed_;
    Channel<std::exception_ptr> ended_;  // null where a box is written

    std::mutex loads_mutex_;
    std::vector<StageLoad> loads_;
};

}  // namespace

std::vector<StageLoad> stream_tiles(const TileSource& source, int level, const TileGrid& grid,
                                    std::span<const TileMethod> methods, const TileSink& sink,
                                    int threads, const Progress& progress) {
    if (methods.empty()) throw InvalidArgument("a stream of tiles needs a method");
    return TileStream(source, level, grid, methods, sink, threads, progress).run();
}

void for_each_tile(const TileSource& source, int level, std::int64_t width, std::int64_t height,
                   int threads, const Progress& progress,
                   const std::function<void(std::int64_t, std::int64_t, const AnyImage&)>& work) {
    const TileSink sink = [&](std::int64_t column, std::int64_t row, const TileResults& pixels) {
        work(column, row, pixels.front());
    };
    TileStream(source, level, {width, height, 0}, {}, sink, threads, progress).run();
}

}  // namespace tesela
