// Guides of a flow: what the first frame of each pair shows, in planes of one or three channels.
#ifndef TESELA_KERNELS_FLOW_GUIDE_H
#define TESELA_KERNELS_FLOW_GUIDE_H

T_FUNCTION T_GLOBAL_PTR(const f32) flow_guide(T_GLOBAL_PTR(const f32) guide, const i64 points,
                                              const i32 channels, const i64 pair, const i32 color) {
    return guide + (pair * channels + color % channels) * points;
}

// Squared distance of the colors of two pixels; gray has three channels that are equal.
T_FUNCTION f32 flow_color_distance2(T_GLOBAL_PTR(const f32) guide, const i64 points,
                                    const i32 channels, const i64 pair, const i64 from,
                                    const i64 to) {
    f32 sum = 0;
    T_UNROLL
    for (i32 c = 0; c < 3; ++c) {
        T_GLOBAL_PTR(const f32) plane = flow_guide(guide, points, channels, pair, c);
        const f32 difference = plane[to] - plane[from];
        sum += difference * difference;
    }
    return sum;
}

#endif
