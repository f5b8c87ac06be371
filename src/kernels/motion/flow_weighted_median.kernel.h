// Weighted medians of a flow, of pixels that look like the one in the middle and whose flow is to
// be trusted (docs/optical-flow.md). The third index of a range counts pairs of frames.
#define T_FILE flow_weighted_median
#include "kernels/begin.h"
#include "kernels/exp_of_minus.h"
#include "kernels/filters/sampling_f32.h"
#include "kernels/motion/flow_guide.h"
#include "kernels/motion/flow_margin.h"

enum {
    flow_median_side = 7,   // samples along x and along y
    flow_median_step = 3,   // from one to the next, in pixels
    flow_median_reach = 9,  // of the outermost
    flow_median_samples = 49,
    flow_median_halvings = 10,  // of the interval that the median is in
    flow_median_segment = 32,   // pixels of a row
    flow_median_columns = 50,   // of a segment and what it reaches to
    flow_median_rows = 7 * 50,
    flow_median_middle = 3 * 50 + 9  // where the segment itself begins in its rows
};

// How far a flow is to be trusted: less where it runs together, since something is covered there,
// and where the second frame is not what the first one is; hardly where it leaves the frame.
T_KERNEL(flow_reliability, (T_IN(f32) images, T_IN(f32) flow, T_OUT(f32) reliability,
                            const i32 width, const i32 height)) {
    T_INDEX3(x, y, pair);
    const f32 half_per_variance = 0.5f / (0.3f * 0.3f);       // of the divergence
    const f32 half_per_brightness2 = 0.5f * (25.5f * 25.5f);  // deviation 10 of 255
    const i64 points = (i64)width * height;
    const i64 i = (i64)y * width + x;
    T_GLOBAL_PTR(const f32) u = flow + flow_margin + 2 * pair * points + i;
    T_GLOBAL_PTR(const f32) v = u + points;
    const f32 along_x = u[x < width - 1 ? 1 : 0] - u[x > 0 ? -1 : 0];
    const f32 along_y = v[y < height - 1 ? width : 0] - v[y > 0 ? -width : 0];
    const f32 inflow = T_MIN(0.5f * (along_x + along_y), 0.0f);
    const sampling_cell there = sampling_cell_at((f32)x + u[0], (f32)y + v[0], width, height);
    T_GLOBAL_PTR(const f32) first = images + pair * points;
    const f32 difference = linear_in_cell(first + points, width, there) - first[i];
    const f32 doubt =
        inflow * inflow * half_per_variance + difference * difference * half_per_brightness2;
    const f32 trust = there.is_inside ? t_exp_of_minus(T_MIN(doubt, 79.0f)) : 0.0f;
    reliability[pair * points + i] = trust + 1e-4f;
}

// The weight of a sample at a squared distance of colors: nearly a Gaussian, of deviation 8 of 255.
T_FUNCTION f32 flow_sample_weight(const f32 distance2, const f32 reliability) {
    const f32 eighth_per_variance = 0.125f * (255.0f / 8) * (255.0f / 8);
    const f32 root = 1.0f + distance2 * eighth_per_variance;
    const f32 square = root * root;
    return (1.0f / (square * square) + 1e-6f) * reliability;
}

// One item a pixel.
T_KERNEL(flow_weighted_median,
         (T_IN(f32) flow, T_IN(f32) guide, T_IN(f32) reliability, T_OUT(f32) filtered,
          const i32 width, const i32 height, const i32 channels)) {
    T_INDEX3(x, y, pair);
    const i64 points = (i64)width * height;
    const i64 i = (i64)y * width + x;
    f32 weight[flow_median_samples], value[flow_median_samples];
    f32 total = 0;
    T_UNROLL
    for (i32 k = 0; k < flow_median_samples; ++k) {
        const i32 sx = x + (k % flow_median_side) * flow_median_step - flow_median_reach;
        const i32 sy = y + (k / flow_median_side) * flow_median_step - flow_median_reach;
        const i64 there = (i64)border_repeated(sy, height) * width + border_repeated(sx, width);
        weight[k] =
            flow_sample_weight(flow_color_distance2(guide, points, channels, pair, i, there),
                               reliability[pair * points + there]);
        total += weight[k];
    }
    for (i32 component = 0; component < 2; ++component) {
        const i64 begin = flow_margin + (2 * pair + component) * points;
        f32 low = flow[begin + i];
        f32 high = low;
        T_UNROLL
        for (i32 k = 0; k < flow_median_samples; ++k) {
            const i32 sx = x + (k % flow_median_side) * flow_median_step - flow_median_reach;
            const i32 sy = y + (k / flow_median_side) * flow_median_step - flow_median_reach;
            value[k] =
                flow[begin + (i64)border_repeated(sy, height) * width + border_repeated(sx, width)];
            low = T_MIN(low, value[k]);
            high = T_MAX(high, value[k]);
        }
        for (i32 halving = 0; halving < flow_median_halvings; ++halving) {
            const f32 middle = 0.5f * (low + high);
            f32 sum = 0;
            T_UNROLL
            for (i32 k = 0; k < flow_median_samples; ++k)
                sum += value[k] <= middle ? weight[k] : 0.0f;
            const i32 is_below = sum >= 0.5f * total;
            low = is_below ? low : middle;
            high = is_below ? middle : high;
        }
        filtered[begin + i] = 0.5f * (low + high);
    }
}

// ---- By segments of rows: what a processor's vectors are good at --------------------------------

// A plane's values on the rows that samples are on, from as far before the segment as they reach.
T_FUNCTION void flow_load_rows(T_GLOBAL_PTR(const f32) from, const i32 width, const i32 height,
                               const i32 x0, const i32 y, f32* rows) {
    for (i32 j = 0; j < flow_median_side; ++j) {
        const i32 sy = y + j * flow_median_step - flow_median_reach;
        T_GLOBAL_PTR(const f32) row = from + (i64)border_repeated(sy, height) * width;
        for (i32 k = 0; k < flow_median_columns; ++k)
            rows[j * flow_median_columns + k] =
                row[border_repeated(x0 + k - flow_median_reach, width)];
    }
}

// Weights of all samples of each pixel, and their sums, from rows of colors and of reliability.
T_FUNCTION void flow_weigh_rows(const f32* colors, const f32* reliability, f32* weight,
                                f32* total) {
    for (i32 i = 0; i < flow_median_segment; ++i) total[i] = 0;
    for (i32 k = 0; k < flow_median_samples; ++k) {
        const i32 at =
            k / flow_median_side * flow_median_columns + k % flow_median_side * flow_median_step;
        T_SIMD_FOR(i, 0, flow_median_segment) {
            f32 distance2 = 0;
            T_UNROLL
            for (i32 c = 0; c < 3; ++c) {
                const f32* color = colors + c * flow_median_rows + i;
                const f32 difference = color[at] - color[flow_median_middle];
                distance2 += difference * difference;
            }
            const f32 weight_there = flow_sample_weight(distance2, reliability[at + i]);
            weight[k * flow_median_segment + i] = weight_there;
            total[i] += weight_there;
        }
    }
}

// Medians of the segment's pixels, from rows of values.
T_FUNCTION void flow_halve_rows(const f32* rows, const f32* weight, const f32* total, f32* median) {
    f32 low[flow_median_segment], high[flow_median_segment], sum[flow_median_segment];
    for (i32 i = 0; i < flow_median_segment; ++i) {
        low[i] = rows[flow_median_middle + i];
        high[i] = low[i];
    }
    for (i32 j = 0; j < flow_median_side; ++j) {
        const f32* row = rows + j * flow_median_columns;
        T_SIMD_FOR(i, 0, flow_median_segment) {
            T_UNROLL
            for (i32 k = 0; k < flow_median_side; ++k) {
                const f32 value = row[i + k * flow_median_step];
                low[i] = T_MIN(low[i], value);
                high[i] = T_MAX(high[i], value);
            }
        }
    }
    for (i32 halving = 0; halving < flow_median_halvings; ++halving) {
        T_SIMD_FOR(i, 0, flow_median_segment) {
            median[i] = 0.5f * (low[i] + high[i]);
            sum[i] = 0;
        }
        for (i32 j = 0; j < flow_median_side; ++j) {
            const f32* row = rows + j * flow_median_columns;
            const f32* weights = weight + j * flow_median_side * flow_median_segment;
            T_SIMD_FOR(i, 0, flow_median_segment) {
                f32 so_far = sum[i];
                T_UNROLL
                for (i32 k = 0; k < flow_median_side; ++k) {
                    const f32 value = row[i + k * flow_median_step];
                    so_far += value <= median[i] ? weights[k * flow_median_segment + i] : 0.0f;
                }
                sum[i] = so_far;
            }
        }
        T_SIMD_FOR(i, 0, flow_median_segment) {
            const i32 is_below = sum[i] >= 0.5f * total[i];
            low[i] = is_below ? low[i] : median[i];
            high[i] = is_below ? median[i] : high[i];
        }
    }
    T_SIMD_FOR(i, 0, flow_median_segment) median[i] = 0.5f * (low[i] + high[i]);
}

// The same bits; one item a segment, which the first index counts.
T_KERNEL(flow_weighted_median_row,
         (T_IN(f32) flow, T_IN(f32) guide, T_IN(f32) reliability, T_OUT(f32) filtered,
          const i32 width, const i32 height, const i32 channels)) {
    T_INDEX3(segment, y, pair);
    const i64 points = (i64)width * height;
    const i32 x0 = segment * flow_median_segment;
    f32 colors[3 * flow_median_rows], rows[flow_median_rows];
    f32 weight[flow_median_samples * flow_median_segment];
    f32 total[flow_median_segment], median[flow_median_segment];
    for (i32 c = 0; c < 3; ++c)
        flow_load_rows(flow_guide(guide, points, channels, pair, c), width, height, x0, y,
                       colors + c * flow_median_rows);
    flow_load_rows(reliability + pair * points, width, height, x0, y, rows);
    flow_weigh_rows(colors, rows, weight, total);
    for (i32 component = 0; component < 2; ++component) {
        const i64 begin = flow_margin + (2 * pair + component) * points;
        flow_load_rows(flow + begin, width, height, x0, y, rows);
        flow_halve_rows(rows, weight, total, median);
        const i32 count = T_MIN(flow_median_segment, width - x0);
        for (i32 i = 0; i < count; ++i) filtered[begin + (i64)y * width + x0 + i] = median[i];
    }
}

#include "kernels/end.h"
