// Wavelet packets: what nodes cost, and which of them are taken. Part of wavelet.kernel.h and
// wavelet_f64.kernel.h.

// The cost of each piece of a row: the sum of magnitudes, or of -p log2 p where p is the square.
// `scale` brings the squares of all samples to a sum of 1.
T_KERNEL(WAVELET_OF(wavelet_packet_cost),
         (T_IN(WAVELET_VALUE) in, T_OUT(f32) costs, const wavelet_cells cells, const f32 scale,
          const i32 is_entropy)) {
    T_INDEX3(piece, y, z);
    const i64 line = (i64)z * cells.size[1] + y;
    const i32 first = piece / cells.pieces * cells.cell[0] + piece % cells.pieces * cells.piece;
    const i32 behind = T_MIN(first + cells.piece, (piece / cells.pieces + 1) * cells.cell[0]);
    f32 sum = 0;
    for (i32 x = first; x < behind; ++x) {
        const f32 value = T_ABS((f32)(in[line * cells.size[0] + x] * (WAVELET_SCALE)scale));
        const f32 p = value * value;
        sum += is_entropy ? (p > 0 ? wavelet_entropy_of(p) : 0.0f) : value;
    }
    costs[line * (cells.size[0] / cells.cell[0] * cells.pieces) + piece] = sum;
}

// Takes over the cells whose leaf is at a level from `lowest` to `highest`.
T_KERNEL(WAVELET_OF(wavelet_packet_take),
         (T_IN(WAVELET_VALUE) from, T_OUT(WAVELET_VALUE) to, T_IN(i32) leaves,
          const wavelet_cells cells, const i32 lowest, const i32 highest)) {
    T_INDEX3(x, y, z);
    const i32 leaf = leaves[wavelet_cell_at(x, y, z, cells)];
    const i64 at = ((i64)z * cells.size[1] + y) * cells.size[0] + x;
    if (leaf >= lowest && leaf <= highest) to[at] = from[at];
}
