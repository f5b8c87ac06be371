#include "segmentation/components/most_components.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <variant>
#include <vector>

#include "core/threads.h"
#include "tesela/connectivity.h"

namespace tesela {
namespace {

// To a row whose points come before those of another: steps along y, z and t, and whether
// neighbors may differ along x too.
struct RowBefore {
    std::array<std::int64_t, 3> along;
    bool diagonal;
};

std::vector<RowBefore> rows_before(int axes) {
    std::vector<RowBefore> rows;
    for (int n = 0; n < 13; ++n) {  // of the 27 places, those before the middle
        const std::array<std::int64_t, 3> along{n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        const auto moved = std::abs(along[0]) + std::abs(along[1]) + std::abs(along[2]);
        if (moved <= axes) rows.push_back({along, moved < axes});
    }
    return rows;
}

// Of some rows. Works on bytes for each point of a row, without branches, so that noise takes no
// longer.
template <class T, bool binary>
class RunCount {
  public:
    RunCount(const PixelView<T>& image, const std::vector<RowBefore>& before,
             std::optional<double> background)
        : pixels_(image.pixels().data()),
          shape_(image.shape()),
          before_(before),
          background_(background),
          starts_(static_cast<std::size_t>(shape_.x)),
          joined_(starts_.size()) {}

    MostComponents count(std::int64_t first_row, std::int64_t end_row) {
        for (std::int64_t row = first_row; row < end_row; ++row) {
            join(row, {row % shape_.y, row / shape_.y % shape_.z, row / shape_.y / shape_.z});
            count_runs(pixels_ + row * shape_.x);
        }
        return most_;
    }

  private:
    static std::uint8_t same(T a, T b) {
        if constexpr (binary)
            return (a != 0) == (b != 0);
        else
            return a == b;
    }

    // Which points of a row have a neighbor before them in another.
    void join(std::int64_t row, const std::array<std::int64_t, 3>& at) {
        std::fill(joined_.begin(), joined_.end(), std::uint8_t{0});
        for (const RowBefore& before : before_) {
            const std::array<std::int64_t, 3> other{
                at[0] + before.along[0], at[1] + before.along[1], at[2] + before.along[2]};
            if (other[0] < 0 || other[0] >= shape_.y || other[1] < 0 || other[1] >= shape_.z ||
                other[2] < 0)
                continue;
            const T* const points = pixels_ + row * shape_.x;
            const T* const others =
                pixels_ + ((other[2] * shape_.z + other[1]) * shape_.y + other[0]) * shape_.x;
            join_pairs(points, others, joined_.data(), shape_.x);
            if (!before.diagonal) continue;
            join_pairs(points + 1, others, joined_.data() + 1, shape_.x - 1);
            join_pairs(points, others + 1, joined_.data(), shape_.x - 1);
        }
    }
    static void join_pairs(const T* points, const T* others, std::uint8_t* joined,
                           std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) joined[i] |= same(points[i], others[i]);
    }

    void count_runs(const T* points) {
        starts_[0] = 1;
        for (std::int64_t x = 1; x < shape_.x; ++x)
            starts_[static_cast<std::size_t>(x)] = !same(points[x], points[x - 1]);
        std::uint8_t begins = 0;  // the run so far
        std::int64_t found = 0, dropped = 0;
        for (std::size_t x = 0; x < starts_.size(); ++x) {
            begins = (starts_[x] | begins) & (joined_[x] ^ 1);
            const bool ends = x + 1 == starts_.size() || starts_[x + 1] != 0;
            found += begins & ends;
            dropped += begins & ends & is_background(points[x]);
        }
        most_.found += found;
        most_.foreground += found - dropped;
    }
    bool is_background(T pixel) const {
        return binary ? pixel == 0 : background_ == static_cast<double>(pixel);
    }

    const T* pixels_;
    const Shape& shape_;
    const std::vector<RowBefore>& before_;
    std::optional<double> background_;
    std::vector<std::uint8_t> starts_, joined_;  // 0 or 1 for each point of a row
    MostComponents most_;
};

// By all threads, some rows at a time.
template <class T, bool binary>
MostComponents count_runs(const PixelView<T>& image, int axes, std::optional<double> background) {
    constexpr std::int64_t points_at_once = 1 << 18;
    const std::int64_t rows = image.shape().points() / image.shape().x;
    const std::int64_t step = std::max<std::int64_t>(1, points_at_once / image.shape().x);
    const std::vector<RowBefore> before = rows_before(axes);
    std::atomic<std::int64_t> found = 0, foreground = 0;
    detail::for_each_index((rows + step - 1) / step, 0, [&](std::int64_t part) {
        const MostComponents most = RunCount<T, binary>(image, before, background)
                                        .count(part * step, std::min((part + 1) * step, rows));
        found += most.found;
        foreground += most.foreground;
    });
    return {found, foreground};
}

}  // namespace

MostComponents most_components(const AnyImageView& image, const ComponentOptions& options) {
    const Shape& shape = image.shape();
    const int axes = axes_of_neighbors(options.connectivity, shape);
    MostComponents most = image.visit([&]<class T>(const PixelView<T>& typed) {
        return options.values == ComponentValues::binary
                   ? count_runs<T, true>(typed, axes, {})
                   : count_runs<T, false>(typed, axes, options.background);
    });
    most.kept = most.foreground;
    if (options.min_size > 1) most.kept = std::min(most.kept, shape.points() / options.min_size);
    return most;
}

}  // namespace tesela
