// Cubic interpolation through four samples.
#ifndef TESELA_KERNELS_FLOW_CUBIC_H
#define TESELA_KERNELS_FLOW_CUBIC_H

// Weights of the samples at -1, 0, 1 and 2 for a place t in 0..1: E. Catmull, R. Rom, "A class of
// local interpolating splines", Computer Aided Geometric Design, 1974.
T_FUNCTION void flow_cubic_weights(const f32 t, f32* weight) {
    weight[0] = ((-0.5f * t + 1.0f) * t - 0.5f) * t;
    weight[1] = (1.5f * t - 2.5f) * t * t + 1.0f;
    weight[2] = ((-1.5f * t + 2.0f) * t + 0.5f) * t;
    weight[3] = (0.5f * t - 0.5f) * t * t;
}

#endif
