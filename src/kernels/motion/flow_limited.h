// The limit of what a warp changes.
#ifndef TESELA_KERNELS_FLOW_LIMITED_H
#define TESELA_KERNELS_FLOW_LIMITED_H

T_FUNCTION f32 flow_limited(const f32 old, const f32 solved, const f32 most) {
    return old + T_CLAMP(solved - old, -most, most);
}

#endif
