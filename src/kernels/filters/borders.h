// Border handling along one axis.
#ifndef TESELA_KERNELS_FILTERS_BORDERS_H
#define TESELA_KERNELS_FILTERS_BORDERS_H

// Replicated borders: the pixel of a line of `length` at `at`, the outermost one beyond the ends.
T_FUNCTION i32 border_repeated(const i32 at, const i32 length) {
    return T_CLAMP(at, 0, length - 1);
}

// Mirrored once with the border pixel repeated; replicated beyond the mirror image.
T_FUNCTION i32 border_mirrored(const i32 at, const i32 length) {
    const i32 before = at < 0 ? -at - 1 : at;
    return border_repeated(before >= length ? 2 * length - 1 - before : before, length);
}

// Mirrored at both ends, repeatedly.
T_FUNCTION i32 border_folded(const i32 at, const i32 length) {
    const i32 turn = at % (2 * length);
    const i32 place = turn < 0 ? turn + 2 * length : turn;
    return place < length ? place : 2 * length - 1 - place;
}

// The k-th border point of a line: the `inside` points whose neighbors within `reach` all exist are
// left out.
T_FUNCTION i32 border_point(const i32 k, const i32 reach, const i32 inside) {
    return k < reach ? k : k + inside;
}

#endif
