// Fourier transforms of lines side by side, of complex and of real values.
#define T_FILE fft_lanes
#include "kernels/begin.h"
#include "kernels/primitives/cpu/fft_lanes.h"

// Lines of complex values in place.
T_GROUP_KERNEL(fft_lanes_complex, 1, 1, 1,
               (T_OUT(f32) values, T_IN(f32) tables, T_OUT(f32) rooms, const fft_lines lines)) {
    T_PHASE {
        const i64 across = fft_blocks_of_lines(lines.inner > 1 ? lines.inner : lines.outer);
        const i64 blocks = lines.inner > 1 ? across * lines.outer : across;
        T_GLOBAL_PTR(f32) data = fft_room(rooms, 2 * T_GX, lines);
        T_GLOBAL_PTR(f32) other = fft_room(rooms, 2 * T_GX + 1, lines);
        for (i64 at = T_GX; at < blocks; at += lines.slots) {
            const i64 line = at % across * V_WIDTH;
            fft_lane_block block = fft_lines_apart(2 * lines.length, lines.outer - line);
            T_GLOBAL_PTR(f32) first = values + 2 * line * lines.length;
            if (lines.inner > 1) {
                block.lane = 2;
                block.step = 2 * lines.inner;
                block.lanes = (i32)T_MIN(lines.inner - line, (i64)V_WIDTH);
                first = values + 2 * (at / across * lines.length * lines.inner + line);
            }
            fft_read_lanes(data, first, block, lines.length, lines.is_inverse);
            fft_write_lanes(fft_transform_lanes(data, other, tables, lines), first, block,
                            lines.length, lines.is_inverse);
        }
    }
}

// Real lines to half spectra.
T_GROUP_KERNEL(fft_lanes_forward, 1, 1, 1,
               (T_IN(f32) real, T_OUT(f32) spectrum, T_IN(f32) tables, T_OUT(f32) rooms,
                const fft_lines lines)) {
    T_PHASE {
        const i32 is_even = lines.transformed != lines.length, middle = lines.length / 2;
        T_GLOBAL_PTR(f32) data = fft_room(rooms, 2 * T_GX, lines);
        T_GLOBAL_PTR(f32) other = fft_room(rooms, 2 * T_GX + 1, lines);
        for (i64 at = T_GX; at < fft_blocks_of_lines(lines.outer); at += lines.slots) {
            const i64 line = at * V_WIDTH, left = lines.outer - line;
            const fft_lane_block from = fft_lines_apart(lines.length, left);
            T_GLOBAL_PTR(const f32) first = real + line * lines.length;
            if (is_even)
                fft_read_lanes(data, first, from, middle, 0);
            else
                for (i32 e = 0; e < lines.length; ++e)
                    for (i32 k = 0; k < V_WIDTH; ++k) {
                        const i32 is_there = k < from.lanes;
                        data[e * fft_pair + k] = is_there ? first[k * from.lane + e] : 0.0f;
                        data[e * fft_pair + V_WIDTH + k] = 0;
                    }
            T_GLOBAL_PTR(f32) result = fft_transform_lanes(data, other, tables, lines);
            if (is_even) {
                T_GLOBAL_PTR(f32) halves = result == data ? other : data;
                fft_half_lanes(result, halves, tables + 2 * lines.half_turns, middle, 0);
                result = halves;
            }
            fft_write_lanes(result, spectrum + 2 * line * (middle + 1),
                            fft_lines_apart(2 * (middle + 1), left), middle + 1, 0);
        }
    }
}

// Half spectra to real lines.
T_GROUP_KERNEL(fft_lanes_inverse, 1, 1, 1,
               (T_IN(f32) spectrum, T_OUT(f32) real, T_IN(f32) tables, T_OUT(f32) rooms,
                const fft_lines lines)) {
    T_PHASE {
        const i32 is_even = lines.transformed != lines.length, middle = lines.length / 2;
        T_GLOBAL_PTR(f32) data = fft_room(rooms, 2 * T_GX, lines);
        T_GLOBAL_PTR(f32) other = fft_room(rooms, 2 * T_GX + 1, lines);
        for (i64 at = T_GX; at < fft_blocks_of_lines(lines.outer); at += lines.slots) {
            const i64 line = at * V_WIDTH, left = lines.outer - line;
            fft_read_lanes(other, spectrum + 2 * line * (middle + 1),
                           fft_lines_apart(2 * (middle + 1), left), middle + 1, 0);
            const fft_lane_block to = fft_lines_apart(lines.length, left);
            T_GLOBAL_PTR(f32) first = real + line * lines.length;
            if (is_even)
                fft_half_lanes(other, data, tables + 2 * lines.half_turns, middle, 1);
            else
                fft_whole_lanes(other, data, lines.length);
            T_GLOBAL_PTR(const f32) result = fft_transform_lanes(data, other, tables, lines);
            if (is_even)
                fft_write_lanes(result, first, to, middle, 1);
            else
                for (i32 e = 0; e < lines.length; ++e)
                    for (i32 k = 0; k < to.lanes; ++k)
                        first[k * to.lane + e] = result[e * fft_pair + V_WIDTH + k];
        }
    }
}

#include "kernels/end.h"
