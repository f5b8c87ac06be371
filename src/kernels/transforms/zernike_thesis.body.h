// Zernike moments of one order by five stages, as a thesis has them (Ruiz Sanchez 2015, chapter 6):
// places in the disk, polynomials, product with the image, pixels of the disk (a primitive), sums.
// ZERNIKE_VALUE is the type.

typedef struct {
    ZERNIKE_VALUE re, im;
} ZERNIKE_OF(zernike_thesis_complex);

// Where a pixel lies: radius, and cosine and sine of its angle.
typedef struct {
    ZERNIKE_VALUE radius, cosine, sine;
} ZERNIKE_OF(zernike_thesis_place);

// Of a pixel at (x, y) / side from the center, y up. The root is that of single precision, improved
// by Newton's steps.
T_FUNCTION ZERNIKE_OF(zernike_thesis_place)
    ZERNIKE_OF(zernike_thesis_place_of)(const i32 x, const i32 y, const i32 side) {
    const i32 square = x * x + y * y;
    ZERNIKE_OF(zernike_thesis_place) place;
    place.radius = 0;
    place.cosine = 1;
    place.sine = 0;
    if (square == 0) return place;
    ZERNIKE_VALUE root = (ZERNIKE_VALUE)T_SQRT((f32)square);
    root = (ZERNIKE_VALUE)0.5 * (root + (ZERNIKE_VALUE)square / root);
    root = (ZERNIKE_VALUE)0.5 * (root + (ZERNIKE_VALUE)square / root);
    place.radius = root / (ZERNIKE_VALUE)side;
    place.cosine = (ZERNIKE_VALUE)x / root;
    place.sine = (ZERNIKE_VALUE)y / root;
    return place;
}

T_FUNCTION ZERNIKE_VALUE ZERNIKE_OF(zernike_thesis_power)(ZERNIKE_VALUE base, i32 exponent) {
    ZERNIKE_VALUE power = 1;
    for (; exponent > 0; exponent >>= 1) {
        if ((exponent & 1) != 0) power *= base;
        base *= base;
    }
    return power;
}

T_FUNCTION ZERNIKE_OF(zernike_thesis_complex)
    ZERNIKE_OF(zernike_thesis_product)(const ZERNIKE_OF(zernike_thesis_complex) a,
                                       const ZERNIKE_OF(zernike_thesis_complex) b) {
    ZERNIKE_OF(zernike_thesis_complex) product;
    product.re = a.re * b.re - a.im * b.im;
    product.im = a.re * b.im + a.im * b.re;
    return product;
}

// e^(-jqt) of an angle t.
T_FUNCTION ZERNIKE_OF(zernike_thesis_complex)
    ZERNIKE_OF(zernike_thesis_turn)(const ZERNIKE_VALUE cosine, const ZERNIKE_VALUE sine, i32 q) {
    ZERNIKE_OF(zernike_thesis_complex) turn, base;
    turn.re = 1;
    turn.im = 0;
    base.re = cosine;
    base.im = -sine;
    for (; q > 0; q >>= 1) {
        if ((q & 1) != 0) turn = ZERNIKE_OF(zernike_thesis_product)(turn, base);
        base = ZERNIKE_OF(zernike_thesis_product)(base, base);
    }
    return turn;
}

// ---- Stage 1 -----------------------------------------------------------------------------------

// Places of all pixels (eq. 6.6). `polar` has radii, then cosines, then sines; `inside` is 1 in the
// disk.
T_KERNEL(ZERNIKE_OF(zernike_thesis_disk),
         (T_OUT(ZERNIKE_VALUE) polar, T_OUT(u32) inside, const i32 side)) {
    T_INDEX2(column, row);
    const i32 x = 2 * column + 1 - side, y = side - 1 - 2 * row;
    const i64 points = (i64)side * side, at = (i64)row * side + column;
    const ZERNIKE_OF(zernike_thesis_place) place = ZERNIKE_OF(zernike_thesis_place_of)(x, y, side);
    polar[at] = place.radius;
    polar[points + at] = place.cosine;
    polar[2 * points + at] = place.sine;
    inside[at] = x * x + y * y <= side * side;
}

// The same of eight pixels at once: those of the octant 0 <= y <= x, their quarter turns and mirror
// images (S. K. Hwang, W. Y. Kim, Pattern Recognition 39(11), 2006).
T_KERNEL(ZERNIKE_OF(zernike_thesis_octant),
         (T_OUT(ZERNIKE_VALUE) polar, T_OUT(u32) inside, const i32 side)) {
    T_INDEX2(i, row);
    const i32 parity = (side + 1) & 1;
    i32 x = 2 * i + parity, y = 2 * row + parity;
    if (y > x) return;
    const i64 points = (i64)side * side;
    const ZERNIKE_OF(zernike_thesis_place) place = ZERNIKE_OF(zernike_thesis_place_of)(x, y, side);
    ZERNIKE_VALUE cosine = place.cosine, sine = place.sine;
    for (i32 quarter = 0; quarter < 4; ++quarter) {
        for (i32 mirror = 1; mirror >= -1; mirror -= 2) {
            const i64 at = (i64)((side - 1 - mirror * y) >> 1) * side + ((x + side - 1) >> 1);
            polar[at] = place.radius;
            polar[points + at] = cosine;
            polar[2 * points + at] = (ZERNIKE_VALUE)mirror * sine;
            inside[at] = x * x + y * y <= side * side;
        }
        const i32 last_x = x;
        const ZERNIKE_VALUE last_cosine = cosine;
        x = -y;
        y = last_x;
        cosine = -sine;
        sine = last_cosine;
    }
}

// ---- Stage 2, direct: one repetition (eq. 6.4), by groups of several sizes ---------------------

#define ZERNIKE_GROUP 32
#include "kernels/transforms/zernike_thesis_direct.body.h"
#undef ZERNIKE_GROUP
#define ZERNIKE_GROUP 64
#include "kernels/transforms/zernike_thesis_direct.body.h"
#undef ZERNIKE_GROUP
#define ZERNIKE_GROUP 128
#include "kernels/transforms/zernike_thesis_direct.body.h"
#undef ZERNIKE_GROUP
#define ZERNIKE_GROUP 256
#include "kernels/transforms/zernike_thesis_direct.body.h"
#undef ZERNIKE_GROUP

// ---- Stage 2, q-recursive: all repetitions -----------------------------------------------------

// R_pq for q = p, p - 2, ..., a plane each (C.-W. Chong, P. Raveendran, R. Mukundan, Pattern
// Recognition 36(3), 2003): R_p,q-4 = H1 R_pq + (H2 + H3 / r^2) R_p,q-2. `steps` has H1, H2 and H3
// of q = p, p - 2, ...
T_KERNEL(ZERNIKE_OF(zernike_thesis_radial),
         (T_IN(ZERNIKE_VALUE) polar, T_IN(u32) inside, T_IN(ZERNIKE_VALUE) steps,
          T_OUT(ZERNIKE_VALUE) radial, const i64 points, const i32 p)) {
    T_INDEX1(i);
    if (inside[i] == 0) return;
    const ZERNIKE_VALUE r = polar[i];
    const i32 repetitions = p / 2 + 1;
    if (!(r > 0)) {  // only R_p0 is not 0 at the center: 1 or -1
        for (i32 k = 0; k < repetitions; ++k) radial[k * points + i] = 0;
        if ((p & 1) == 0) radial[(repetitions - 1) * points + i] = (p & 2) != 0 ? -1 : 1;
        return;
    }
    const ZERNIKE_VALUE square = r * r;
    const ZERNIKE_VALUE inner = p < 2 ? 0 : ZERNIKE_OF(zernike_thesis_power)(r, p - 2);
    ZERNIKE_VALUE last = p < 2 ? (p == 0 ? 1 : r) : inner * square;
    ZERNIKE_VALUE value = inner * ((ZERNIKE_VALUE)p * square - (ZERNIKE_VALUE)(p - 1));
    radial[i] = last;
    if (repetitions > 1) radial[points + i] = value;
    for (i32 k = 2; k < repetitions; ++k) {
        T_GLOBAL_PTR(const ZERNIKE_VALUE) const h = steps + 3 * (k - 2);
        const ZERNIKE_VALUE next = h[0] * last + (h[1] + h[2] / square) * value;
        last = value;
        value = next;
        radial[k * points + i] = value;
    }
}

// Makes V*_pq of them: for q = p, p - 2, ... a plane of its real part and one of its imaginary
// part.
T_KERNEL(ZERNIKE_OF(zernike_thesis_turns),
         (T_IN(ZERNIKE_VALUE) polar, T_IN(u32) inside, T_IN(ZERNIKE_VALUE) radial,
          T_OUT(ZERNIKE_VALUE) planes, const i64 points, const i32 p)) {
    T_INDEX1(i);
    const ZERNIKE_VALUE cosine = polar[points + i], sine = polar[2 * points + i];
    const ZERNIKE_OF(zernike_thesis_complex) two = ZERNIKE_OF(zernike_thesis_turn)(cosine, sine, 2);
    ZERNIKE_OF(zernike_thesis_complex) turn = ZERNIKE_OF(zernike_thesis_turn)(cosine, sine, p & 1);
    for (i32 k = p / 2; k >= 0; --k) {
        const ZERNIKE_VALUE value = inside[i] != 0 ? radial[k * points + i] : 0;
        planes[2 * k * points + i] = value * turn.re;
        planes[(2 * k + 1) * points + i] = value * turn.im;
        turn = ZERNIKE_OF(zernike_thesis_product)(turn, two);
    }
}

// ---- Stages 3 and 5 ----------------------------------------------------------------------------

// f V*_pq, plane by plane.
T_SIMD_KERNEL(ZERNIKE_OF(zernike_thesis_apply),
              (T_IN(f32) image, T_OUT(ZERNIKE_VALUE) planes, const i64 points)) {
    T_INDEX2(i, plane);
    planes[plane * points + i] *= (ZERNIKE_VALUE)image[i];
}

// Sums of planes, from `first_sum` on a number of each for each group along x. Phases:
// 1. sum over the points of an item;
// 2. add the sums of one half of the items to those of the other, until one is left;
// 3. write.
T_GROUP_KERNEL(ZERNIKE_OF(zernike_thesis_sum), 256, 1, 1,
               (T_IN(ZERNIKE_VALUE) planes, T_OUT(ZERNIKE_VALUE) sums, const i64 points,
                const i64 first_sum)) {
    T_LOCAL(ZERNIKE_VALUE, shared, 256);
    T_PHASE {
        ZERNIKE_VALUE sum = 0;
        for (i64 i = (i64)T_GX * 256 + T_LI; i < points; i += (i64)T_GROUPS_X * 256)
            sum += planes[T_GY * points + i];
        shared[T_LI] = sum;
    }
    for (i32 width = 128; width > 0; width >>= 1) {
        T_PHASE {
            if (T_LI < width) shared[T_LI] += shared[T_LI + width];
        }
    }
    T_PHASE {
        if (T_LI == 0) sums[first_sum + (i64)T_GY * T_GROUPS_X + T_GX] = shared[0];
    }
}
