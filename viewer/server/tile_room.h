// Memory for tiles while they are made: as many at once as fit, and where that is less than one
// tile takes, one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>

#include "tesela/error.h"
#include "viewer/server/slide_pyramid.h"

namespace tesela::viewer {

class TileRoom {
  public:
    // Of all slides together.
    static TileRoom& global() {
        static TileRoom room;
        return room;
    }

    void set(std::int64_t bytes) {
        const std::lock_guard lock(mutex_);
        bytes_ = bytes;
    }

    // What one tile takes, as long as it lives. Waits until there is room; throws Cancelled where
    // `is_gone` says meanwhile that nobody waits for the tile any more.
    class Share {
      public:
        Share(TileRoom& room, std::int64_t bytes, const SlidePyramid::IsGone& is_gone)
            : room_(room), bytes_(bytes) {
            std::unique_lock lock(room_.mutex_);
            while (room_.taken_ > 0 && room_.taken_ > room_.bytes_ - bytes_) {
                room_.freed_.wait_for(lock, std::chrono::milliseconds(100));
                if (is_gone && is_gone()) throw Cancelled("nobody waits for this tile any more");
            }
            room_.taken_ += bytes_;
        }
        ~Share() {
            const std::lock_guard lock(room_.mutex_);
            room_.taken_ -= bytes_;
            room_.freed_.notify_all();
        }
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;

      private:
        TileRoom& room_;
        std::int64_t bytes_;
    };

  private:
    std::mutex mutex_;
    std::condition_variable freed_;
    std::int64_t bytes_ = std::numeric_limits<std::int64_t>::max(), taken_ = 0;
};

}  // namespace tesela::viewer
