// Circles verified and fitted: around a maximum of the votes, edges are looked for along rays, and
// a circle goes through them by geometric least squares.
#define T_FILE circle_fit
#include "kernels/begin.h"
#include "kernels/detection/circle_grid.h"

// What a candidate is looked at with. Lengths are in units, of which a pixel has unit_x and unit_y.
typedef struct {
    i32 nx, ny;
    i32 rays;      // directions of a whole turn in the table, a power of two
    i32 radial;    // whether gradients are there, and have to point along the ray
    i32 polarity;  // 0: any, 1: bright circles, 2: dark ones
    f32 unit_x, unit_y;
    f32 band;  // edges count within this distance from the circle
} circle_fit_options;

enum {
    circle_any = 0,
    circle_bright = 1,
    circle_dark = 2,
    circle_samples = 3,         // on either side of a circle, a unit apart
    circle_samples_of_ray = 8,  // with one that fills a vector
    circle_rounds = 4,          // of fitting; the last one only measures
    circle_fit_words = 8
};

typedef struct {
    T_GLOBAL_PTR(const u8) edges;
    T_GLOBAL_PTR(const i32) gradient_x;
    T_GLOBAL_PTR(const i32) gradient_y;
    T_GLOBAL_PTR(const f32) beside;  // of edges, from circle_beside
} circle_pixels;

// An edge on a ray: where it is, in units from the candidate's pixel, and which way the ray climbs:
// 1 where it gets brighter outwards, -1 where darker, 0 where there is no edge that counts.
typedef struct {
    f32 x, y;
    i32 climbs;
} circle_edge;

// A slice's gradient.
typedef struct {
    T_GLOBAL_PTR(const i32) gx;
    T_GLOBAL_PTR(const i32) gy;
    i32 nx, ny;
} circle_slope;

T_FUNCTION f32 circle_steepness(const circle_slope slope, const f32 x, const f32 y) {
    const f32 left = T_FLOOR(x), top = T_FLOOR(y);
    const i32 x0 = T_CLAMP((i32)left, 0, slope.nx - 1), x1 = T_MIN(x0 + 1, slope.nx - 1);
    const i32 y0 = T_CLAMP((i32)top, 0, slope.ny - 1), y1 = T_MIN(y0 + 1, slope.ny - 1);
    const f32 u = x - left, v = y - top;
    f32 corner[4];
    T_UNROLL
    for (i32 c = 0; c < 4; ++c) {
        const i64 i = (i64)(c & 2 ? y1 : y0) * slope.nx + (c & 1 ? x1 : x0);
        const f32 gx = (f32)slope.gx[i], gy = (f32)slope.gy[i];
        corner[c] = T_SQRT(gx * gx + gy * gy);
    }
    const f32 above = corner[0] + u * (corner[1] - corner[0]);
    const f32 below = corner[2] + u * (corner[3] - corner[2]);
    return above + v * (below - above);
}

// How far the steepest place is from an edge's pixel, in pixels along its gradient: the top of a
// parabola through three of its lengths. Written for edges alone, which many rays meet.
T_KERNEL(circle_beside, (T_IN(u8) edges, T_IN(i32) gradient_x, T_IN(i32) gradient_y,
                         T_OUT(f32) beside, const i32 nx, const i32 ny)) {
    T_INDEX3(x, y, z);
    const i64 slice = (i64)z * ny * nx;
    const i64 i = slice + (i64)y * nx + x;
    if (edges[i] == 0) return;
    const f32 gx = (f32)gradient_x[i], gy = (f32)gradient_y[i];
    const f32 length = T_SQRT(gx * gx + gy * gy);
    const circle_slope slope = {gradient_x + slice, gradient_y + slice, nx, ny};
    const f32 along_x = gx / length, along_y = gy / length;
    const f32 here = circle_steepness(slope, (f32)x, (f32)y);
    const f32 before = circle_steepness(slope, (f32)x - along_x, (f32)y - along_y);
    const f32 after = circle_steepness(slope, (f32)x + along_x, (f32)y + along_y);
    const f32 bend = before - 2.0f * here + after;
    beside[i] = bend >= 0.0f ? 0.0f : T_CLAMP(0.5f * (before - after) / bend, -0.75f, 0.75f);
}

// The edge at pixel (x, y), if there is one that the ray (ray_x, ray_y) crosses steeply: within 30
// degrees of the gradient.
T_FUNCTION circle_edge circle_edge_at(const circle_pixels pixels, const circle_place center,
                                      const i32 x, const i32 y, const f32 ray_x, const f32 ray_y,
                                      const circle_fit_options o) {
    circle_edge edge = {(f32)(x - center.x) * o.unit_x, (f32)(y - center.y) * o.unit_y, 0};
    const i64 i = ((i64)center.slice * o.ny + y) * o.nx + x;
    if (pixels.edges[i] == 0) return edge;
    if (!o.radial) {
        edge.climbs = 1;
        return edge;
    }
    const f32 gx = (f32)pixels.gradient_x[i] / o.unit_x;
    const f32 gy = (f32)pixels.gradient_y[i] / o.unit_y;
    const f32 along = gx * ray_x + gy * ray_y;
    if (along * along < 0.75f * (gx * gx + gy * gy)) return edge;
    edge.climbs = along > 0.0f ? 1 : -1;
    if ((o.polarity == circle_bright && edge.climbs > 0) ||
        (o.polarity == circle_dark && edge.climbs < 0))
        edge.climbs = 0;
    return edge;
}

// Moves an edge to its place between pixels.
T_FUNCTION circle_edge circle_refined(const circle_pixels pixels, const circle_place center,
                                      const circle_edge edge, const i32 x, const i32 y,
                                      const circle_fit_options o) {
    circle_edge moved = edge;
    const i64 i = ((i64)center.slice * o.ny + y) * o.nx + x;
    const f32 gx = (f32)pixels.gradient_x[i], gy = (f32)pixels.gradient_y[i];
    const f32 length = T_SQRT(gx * gx + gy * gy);
    moved.x += pixels.beside[i] * (gx / length) * o.unit_x;
    moved.y += pixels.beside[i] * (gy / length) * o.unit_y;
    return moved;
}

// Sums over the rays of a circle.
typedef struct {
    f32 xx, xy, yy, x, y, xe, ye, e, ee;  // of directions x, y and distances e from the circle
    i32 rays, supported, bright;          // rays inside the image, those with an edge
    i32 others, others_looked_at;         // edges farther from the circle, and pixels there
} circle_sums;

// Center, from the candidate's pixel, and radius.
typedef struct {
    f32 x, y, radius;
} circle_shape;

T_FUNCTION void circle_add_edge(circle_sums* sums, const circle_shape shape, const circle_edge edge,
                                const f32 distance) {
    const f32 e = distance - shape.radius;
    const f32 ux = (edge.x - shape.x) / distance, uy = (edge.y - shape.y) / distance;
    sums->xx += ux * ux;
    sums->xy += ux * uy;
    sums->yy += uy * uy;
    sums->x += ux;
    sums->y += uy;
    sums->xe += ux * e;
    sums->ye += uy * e;
    sums->e += e;
    sums->ee += e * e;
    sums->supported += 1;
    sums->bright += edge.climbs < 0 ? 1 : 0;
}

// Looks along a ray: of the edges within `band` of the circle the nearest one supports it; those
// farther away tell how many there are by chance.
T_FUNCTION void circle_look(circle_sums* sums, const circle_pixels pixels,
                            const circle_place center, const circle_shape shape, const f32 ray_x,
                            const f32 ray_y, const f32 band, const circle_fit_options o) {
    circle_edge nearest = {0.0f, 0.0f, 0};
    f32 nearest_distance = 0.0f;
    i32 x_of[circle_samples_of_ray], y_of[circle_samples_of_ray], known[circle_samples_of_ray];
    T_SIMD_FOR(s, 0, circle_samples_of_ray) {
        const f32 at = shape.radius + (f32)(s - circle_samples);
        const i32 x = center.x + T_ROUND((shape.x + at * ray_x) / o.unit_x);
        const i32 y = center.y + T_ROUND((shape.y + at * ray_y) / o.unit_y);
        x_of[s] = x;
        y_of[s] = y;
        known[s] = at >= 1.0f && x >= 0 && y >= 0 && x < o.nx && y < o.ny ? 1 : 0;
    }
    const i32 inside = known[circle_samples];
    T_UNROLL
    for (i32 s = 0; s < 2 * circle_samples + 1; ++s) {
        if (!known[s]) continue;
        const i32 x = x_of[s], y = y_of[s];
        const i32 far_away = T_ABS(s - circle_samples) > 1;
        sums->others_looked_at += far_away;
        circle_edge edge = circle_edge_at(pixels, center, x, y, ray_x, ray_y, o);
        if (edge.climbs == 0) continue;
        sums->others += far_away;
        if (o.radial) edge = circle_refined(pixels, center, edge, x, y, o);
        const f32 dx = edge.x - shape.x, dy = edge.y - shape.y;
        const f32 distance = T_SQRT(dx * dx + dy * dy);
        const f32 off = T_ABS(distance - shape.radius);
        if (off > band || distance <= 0.0f) continue;
        if (nearest.climbs != 0 && off >= T_ABS(nearest_distance - shape.radius)) continue;
        nearest = edge;
        nearest_distance = distance;
    }
    sums->rays += inside;
    if (inside && nearest.climbs != 0) circle_add_edge(sums, shape, nearest, nearest_distance);
}

// A step of Gauss and Newton on the sum of squared distances from the circle.
T_FUNCTION circle_shape circle_step(const circle_sums s, const circle_shape shape) {
    const f32 n = (f32)s.supported;
    const f32 a = s.yy * n - s.y * s.y, b = s.x * s.y - s.xy * n, c = s.xy * s.y - s.yy * s.x;
    const f32 determinant = s.xx * a + s.xy * b + s.x * c;
    circle_shape next = shape;
    if (determinant <= 0.001f * n * n * n) return next;
    const f32 d = s.xx * n - s.x * s.x, f = s.xy * s.x - s.xx * s.y, g = s.xx * s.yy - s.xy * s.xy;
    next.x += (a * s.xe + b * s.ye + c * s.e) / determinant;
    next.y += (b * s.xe + d * s.ye + f * s.e) / determinant;
    next.radius += (c * s.xe + f * s.ye + g * s.e) / determinant;
    return next;
}

// Of each maximum: center from its pixel, radius and root of the mean squared distance; then rays,
// those with an edge, those that darken outwards, and the share of pixels nearby that have an edge.
// The first round looks twice as far, as maxima are whole pixels.
T_KERNEL(circle_fit, (T_IN(u32) maxima, T_IN(f32) radii, T_IN(f32) directions, T_IN(u8) edges,
                      T_IN(i32) gradient_x, T_IN(i32) gradient_y, T_IN(f32) beside, T_OUT(f32) fits,
                      const circle_fit_options o)) {
    T_INDEX1(i);
    T_GLOBAL_PTR(const u32) maximum = maxima + (i64)i * circle_maximum_words;
    const circle_pixels pixels = {edges, gradient_x, gradient_y, beside};
    const circle_place center = {(i32)maximum[0], (i32)maximum[1], (i32)maximum[2]};
    circle_shape shape = {0.0f, 0.0f, radii[maximum[3]]};
    i32 stride = o.rays;
    while (stride > 1 && (f32)(o.rays / stride) < 3.0f * shape.radius) stride /= 2;
    circle_sums sums;
    for (i32 round = 0; round < circle_rounds; ++round) {
        const circle_sums none = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f,
                                  0.0f, 0.0f, 0,    0,    0,    0,    0};
        sums = none;
        for (i32 ray = 0; ray < o.rays; ray += stride)
            circle_look(&sums, pixels, center, shape, directions[2 * ray], directions[2 * ray + 1],
                        round == 0 ? 2.0f * o.band : o.band, o);
        if (sums.supported < 4) break;
        if (round + 1 < circle_rounds) shape = circle_step(sums, shape);
    }
    T_GLOBAL_PTR(f32) fit = fits + (i64)i * circle_fit_words;
    fit[0] = shape.x / o.unit_x;
    fit[1] = shape.y / o.unit_y;
    fit[2] = shape.radius;
    fit[3] = sums.supported > 0 ? T_SQRT(sums.ee / (f32)sums.supported) : 0.0f;
    fit[4] = (f32)sums.rays;
    fit[5] = (f32)sums.supported;
    fit[6] = (f32)sums.bright;
    fit[7] = sums.others_looked_at > 0 ? (f32)sums.others / (f32)sums.others_looked_at : 0.0f;
}

#include "kernels/end.h"
