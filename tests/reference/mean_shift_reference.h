// Reference: mean shift filtering in double precision, as the equations stand (spec 000, sections
// 2.3 to 2.5). One point after the other, every sample looked at. Nobody optimizes this.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace tesela::reference {

// The samples: features on a grid of pixels, in the units of the range bandwidth.
struct Samples {
    std::array<int, 3> size{1, 1, 1};  // x, y, z
    int channels = 1;
    // Channel c of pixel (x, y, z, t): (((t * nz + z) * ny + y) * nx + x) * channels + c.
    std::vector<double> features;
    int frames = 1;  // t

    std::size_t points() const { return features.size() / static_cast<std::size_t>(channels); }
};

struct MeanShiftParameters {
    // In pixels along x, y and z: a bandwidth in millimeters is divided by the spacing of each
    // axis.
    std::array<double, 3> spatial_bandwidth{8, 8, 8};
    double range_bandwidth = 8;
    double epsilon = 0.01;
    int max_iterations = 100;
    // Whether samples that lie outside the window by their position alone are looked at. They
    // cannot count, so the result is the same; without them larger images can be tested.
    bool every_sample = false;
    double temporal_bandwidth = 1;  // frames
    // Weights exp(-u^2/2) at u bandwidths, out to three bandwidths in each domain, in place of the
    // flat window.
    bool gaussian = false;
};

// Where the points came to rest. The filtered image has the modes' features at the points' own
// positions (z_i of Algorithm 2).
struct Modes {
    std::vector<double> features;   // laid out as Samples::features
    std::vector<double> positions;  // x, y, z in pixels, three a point
    std::vector<int> iterations;    // rounds made
    std::vector<double> times;      // t in frames
    std::vector<int> samples;       // n_x, samples in the window of the last round
    std::vector<double> shifts;     // ||M_h|| of the last round, in bandwidths
};

namespace detail {

struct Point {
    std::array<double, 3> position{};  // pixels
    std::array<double, 3> feature{};
    double time = 0;  // frames
};

// The pixels along one axis that a window around `center` can hold.
inline std::array<int, 2> reach(double center, double bandwidth, int size, bool everything) {
    if (everything) return {0, size - 1};
    const double first = std::floor(center - bandwidth), last = std::ceil(center + bandwidth);
    return {static_cast<int>(std::clamp(first, 0.0, size - 1.0)),
            static_cast<int>(std::clamp(last, 0.0, size - 1.0))};
}

// The mean of the samples in the window S_h(y) (eq. 4.4, 4.5: below 1 in each domain), and their
// number; with the Gaussian kernel their weighted mean (eq. 2.1).
inline int window_mean(const Samples& x, const MeanShiftParameters& h, const Point& y,
                       Point& mean) {
    const auto square = [](double a) { return a * a; };
    const auto& hs = h.spatial_bandwidth;
    const double limit = h.gaussian ? 3 : 1;  // bandwidths
    std::array<std::array<int, 2>, 3> box;
    for (std::size_t a = 0; a < 3; ++a)
        box[a] = reach(y.position[a], limit * hs[a], x.size[a], h.every_sample);
    mean = {};
    int count = 0;
    double weights = 0;
    for (int pt = 0; pt < x.frames; ++pt)
        for (int pz = box[2][0]; pz <= box[2][1]; ++pz)
            for (int py = box[1][0]; py <= box[1][1]; ++py)
                for (int px = box[0][0]; px <= box[0][1]; ++px) {
                    const std::array<int, 3> p{px, py, pz};
                    const std::size_t slice = static_cast<std::size_t>(pt) * x.size[2] + pz;
                    const double* feature =
                        &x.features[((slice * x.size[1] + py) * x.size[0] + px) * x.channels];
                    double spatial = 0, range = 0;
                    for (std::size_t a = 0; a < 3; ++a)
                        spatial += square((p[a] - y.position[a]) / hs[a]);
                    for (int c = 0; c < x.channels; ++c)
                        range += square((feature[c] - y.feature[c]) / h.range_bandwidth);
                    const double time = square((pt - y.time) / h.temporal_bandwidth);
                    if (!(std::max({spatial, range, time}) < square(limit))) continue;
                    const double weight =
                        h.gaussian ? std::exp(-0.5 * (spatial + range + time)) : 1;
                    ++count;
                    weights += weight;
                    for (std::size_t a = 0; a < 3; ++a) mean.position[a] += weight * p[a];
                    for (int c = 0; c < x.channels; ++c) mean.feature[c] += weight * feature[c];
                    mean.time += weight * pt;
                }
    if (count == 0) return 0;
    for (std::size_t a = 0; a < 3; ++a) mean.position[a] /= weights;
    for (int c = 0; c < x.channels; ++c) mean.feature[c] /= weights;
    mean.time /= weights;
    return count;
}

// ||M_h||, over all normalized coordinates.
inline double shift_norm(const MeanShiftParameters& h, const Point& from, const Point& to) {
    const double time = (to.time - from.time) / h.temporal_bandwidth;
    double sum = time * time;
    for (std::size_t a = 0; a < 3; ++a) {
        const double spatial = (to.position[a] - from.position[a]) / h.spatial_bandwidth[a];
        const double range = (to.feature[a] - from.feature[a]) / h.range_bandwidth;
        sum += spatial * spatial + range * range;
    }
    return std::sqrt(sum);
}

}  // namespace detail

inline Modes mean_shift(const Samples& x, const MeanShiftParameters& h) {
    Modes modes;
    for (std::size_t i = 0; i < x.points(); ++i) {
        detail::Point y;
        const int pixel = static_cast<int>(i);
        const int slice = pixel / x.size[0] / x.size[1];
        y.position = {static_cast<double>(pixel % x.size[0]),
                      static_cast<double>(pixel / x.size[0] % x.size[1]),
                      static_cast<double>(slice % x.size[2])};
        y.time = slice / x.size[2];
        for (int c = 0; c < x.channels; ++c) y.feature[c] = x.features[i * x.channels + c];
        int iterations = 0, count = 0;
        double shift = 0;
        bool moves = true;
        while (moves && iterations < h.max_iterations) {
            detail::Point mean;
            count = detail::window_mean(x, h, y, mean);
            ++iterations;
            if (count == 0) break;  // an empty window keeps the point where it is (section 10, A6)
            shift = detail::shift_norm(h, y, mean);
            y = mean;
            moves = !(shift < h.epsilon);
        }
        modes.features.insert(modes.features.end(), y.feature.begin(),
                              y.feature.begin() + x.channels);
        modes.positions.insert(modes.positions.end(), y.position.begin(), y.position.end());
        modes.times.push_back(y.time);
        modes.iterations.push_back(iterations);
        modes.samples.push_back(count);
        modes.shifts.push_back(shift);
    }
    return modes;
}

}  // namespace tesela::reference
