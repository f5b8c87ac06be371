#include "transforms/match_lanes.h"

#include <algorithm>
#include <array>

#include "compute/fft_lanes.h"
#include "kernels/transforms/cpu/match_lanes.kernel.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::match_windows;

// On a CPU lines go from pixels to spectra, through products, and from spectra to scores in its
// cache; deviations of windows stand where scores will.
class LaneMatch {
  public:
    LaneMatch(Queue& queue, const MatchShape& shape, const FftShape& transform)
        : queue_(queue),
          shape_(shape),
          windows_(windows_of(shape)),
          size_(transform.size),
          columns_{size_[1], shape.batch, size_[0] / 2 + 1, false} {}

    void run(const MatchInput& input, Buffer<float>& scores) {
        find_deviations(input.images, scores);
        const auto pattern_spectra = forward(input.patterns, input.pattern_sums,
                                             shape_.pattern_width, shape_.pattern_height);
        auto spectra = forward(input.images, input.image_sums, shape_.width, shape_.height);
        {
            const detail::LanePlan plan = detail::lane_plan(queue_, columns_);
            auto rooms = rooms_of(plan, 3);
            queue_.launch(kernels::match_correlate_columns, plan.groups(), pattern_spectra, spectra,
                          plan.tables, rooms, plan.lines, windows_);
        }
        detail::LanePlan plan = rows_of(windows_.down);
        plan.lines.outer = shape_.batch;
        plan.lines.is_inverse = 1;
        auto rooms = rooms_of(plan, 2);
        queue_.launch(kernels::match_rows_inverse, plan.groups(), spectra, plan.tables, rooms,
                      input.pattern_deviations, scores, plan.lines, windows_,
                      static_cast<float>(size_[0]) * static_cast<float>(size_[1]));
    }

  private:
    // Each band begins with the sums of whole windows: low ones cost more, high ones are too few.
    void find_deviations(const Buffer<const std::uint16_t>& images, Buffer<float>& deviations) {
        const std::int64_t band = std::max<std::int64_t>(64, shape_.pattern_height / 2);
        const std::int64_t bands = (windows_.down + band - 1) / band;
        const std::int64_t values = shape_.batch * bands * shape_.width;
        auto sums = queue_.allocate<std::uint32_t>(values, "sums of columns");
        auto squares = queue_.allocate<std::uint64_t>(values, "squares of columns");
        queue_.launch(kernels::match_band_deviations, Groups{bands, shape_.batch}, images, sums,
                      squares, deviations, windows_, static_cast<i32>(band));
    }

    Buffer<float> forward(const Buffer<const std::uint16_t>& images,
                          const Buffer<std::int64_t>& sums, std::int64_t width,
                          std::int64_t height) {
        const detail::LanePlan plan = rows_of(height);
        auto spectra = queue_.allocate<float>(2 * shape_.batch * height * (size_[0] / 2 + 1),
                                              "half spectra of rows");
        auto rooms = rooms_of(plan, 2);
        queue_.launch(kernels::match_rows_forward, plan.groups(), images, sums, spectra,
                      plan.tables, rooms, plan.lines, static_cast<i32>(width),
                      static_cast<i32>(height));
        return spectra;
    }

    detail::LanePlan rows_of(std::int64_t height) {
        return detail::lane_plan(queue_, {size_[0], shape_.batch * height, 1, true});
    }
    Buffer<float> rooms_of(const detail::LanePlan& plan, std::int64_t each) {
        return queue_.allocate<float>(each * plan.lines.slots * plan.room, "lines under way");
    }

    Queue& queue_;
    MatchShape shape_;
    match_windows windows_;
    std::array<std::int64_t, 3> size_;
    detail::LaneLines columns_;
};

}  // namespace

bool matches_in_lanes(const Device& device, const MatchShape& shape, const FftShape& transform) {
    const auto [width, height, one] = transform.size;
    // Two values of a row make a complex one.
    return width % 2 == 0 &&
           detail::takes_lanes(device, {width, shape.batch * shape.height, 1, true}) &&
           detail::takes_lanes(device, {height, shape.batch, width / 2 + 1, false});
}

std::int64_t match_in_lanes_bytes(const Device& device, const MatchShape& shape,
                                  const FftShape& transform) {
    const auto [width, height, one] = transform.size;
    const std::int64_t spectra =
        8 * shape.batch * (shape.height + shape.pattern_height) * (width / 2 + 1);
    const detail::LaneLines rows{width, shape.batch * shape.height, 1, true};
    const detail::LaneLines columns{height, shape.batch, width / 2 + 1, false};
    return spectra + detail::lane_bytes(device, rows, 2) + detail::lane_bytes(device, columns, 3);
}

void match_in_lanes(Queue& queue, const MatchShape& shape, const FftShape& transform,
                    const MatchInput& input, Buffer<float>& scores) {
    LaneMatch(queue, shape, transform).run(input, scores);
}

}  // namespace tesela
