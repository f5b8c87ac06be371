#include "registration/shift_peaks.h"

#include <utility>

#include "kernels/registration/window_match.kernel.h"

namespace tesela {
namespace {

using kernels::i32;

kernels::shift_form form_of(const ShiftPlanes& planes) {
    return {static_cast<i32>(planes.across), static_cast<i32>(planes.down),
            static_cast<i32>(planes.apart)};
}

}  // namespace

BestShifts best_shifts(Queue& queue, const Buffer<float>& scores, const Buffer<i32>& around,
                       const ShiftPlanes& planes) {
    const std::int64_t count = planes.count;
    const kernels::shift_form form = form_of(planes);
    auto row_at = queue.allocate<i32>(form.down * count, "best shifts of rows");
    BestShifts best{queue.allocate<float>(count, "best scores"),
                    queue.allocate<i32>(count, "best shifts"),
                    queue.allocate<float>(form.down * count, "best scores of rows")};
    queue.launch(kernels::best_of_rows, Range{form.down, count}, scores, around, best.rows, row_at,
                 form);
    queue.launch(kernels::best_of_windows, Range{count}, best.rows, row_at, best.scores, best.at,
                 form.down);
    return best;
}

ShiftPeaks highest_of_shifts(Queue& queue, const Buffer<float>& ranks, const Buffer<float>& scores,
                             const ShiftPlanes& planes) {
    const std::int64_t count = planes.count;
    BestShifts best =
        best_shifts(queue, ranks, queue.allocate_filled<i32>(count, -1, "no shifts"), planes);
    const BestShifts second = best_shifts(queue, ranks, best.at, planes);
    auto parts = queue.allocate<float>(2 * count, "parts of shifts");
    queue.launch(kernels::peaks_between, Range{count}, scores, best.at, parts, form_of(planes));
    ShiftPeaks peaks{.at = std::move(best.at)};
    peaks.places = queue.download(peaks.at);
    peaks.parts = queue.download(parts);
    peaks.ranks = queue.download(best.scores);
    peaks.seconds = queue.download(second.scores);
    return peaks;
}

}  // namespace tesela
