// The mutual information of two volumes by its formula, in double precision: D. Mattes et al.,
// "PET-CT image registration in the chest using free-form deformations", IEEE Trans. Med. Imaging
// 22(1), 2003, with a box as window of the fixed values and a cubic B-spline as that of the moving
// ones; and the normalized one (C. Studholme, D. L. G. Hill, D. J. Hawkes, 1999), whose fixed bins
// are smoothed by the B-spline at whole bins, too.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "tesela/image.h"
#include "tesela/transform.h"

namespace tesela::reference {

struct Information {
    double value = 0;
    double compared = 0;  // voxels
};

inline double cubic_spline(double x) {
    x = std::abs(x);
    if (x < 1) return (4 - 6 * x * x + 3 * x * x * x) / 6;
    return x < 2 ? (2 - x) * (2 - x) * (2 - x) / 6 : 0;
}

// By linear interpolation; nothing outside of the image.
inline std::optional<double> linear_value(const Image<float>& image, const SpacePoint& at) {
    const Shape& shape = image.shape();
    const std::array<std::int64_t, 3> size{shape.x, shape.y, shape.z};
    std::array<std::int64_t, 3> first{};
    for (std::size_t a = 0; a < 3; ++a) {
        if (at[a] < 0 || at[a] > static_cast<double>(size[a] - 1)) return {};
        first[a] = std::min(static_cast<std::int64_t>(at[a]), size[a] - 2);
    }
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
        double weight = 1;
        std::array<std::int64_t, 3> voxel{};
        for (std::size_t a = 0; a < 3; ++a) {
            const double part = at[a] - static_cast<double>(first[a]);
            const bool is_second = corner >> a & 1;
            voxel[a] = first[a] + is_second;
            weight *= is_second ? part : 1 - part;
        }
        sum += weight * static_cast<double>(image(voxel[0], voxel[1], voxel[2]));
    }
    return sum;
}

// Of values from 0 to 1 in `bins` bins, where `map` leads from voxels to voxels.
inline Information mutual_information(const Image<float>& fixed, const Image<float>& moving,
                                      const LinearMap& map, bool is_normalized, int bins = 32) {
    const auto n = static_cast<std::size_t>(bins);
    std::vector<double> joint(n * n), of_fixed(n), of_moving(n);
    Information result;
    const Shape& shape = fixed.shape();
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                const auto there = linear_value(moving, map({double(x), double(y), double(z)}));
                if (!there) continue;
                result.compared += 1;
                const auto row =
                    std::min(static_cast<int>(fixed(x, y, z) * static_cast<float>(bins)), bins - 1);
                const double position = 1 + *there * (bins - 3);
                for (int k = -1; k <= 1; ++k) {
                    const int neighbor = std::clamp(row + k, 0, bins - 1);
                    const double share = is_normalized ? cubic_spline(k) : k == 0;
                    for (int column = 0; column < bins; ++column)
                        joint[static_cast<std::size_t>(neighbor * bins + column)] +=
                            share * cubic_spline(position - column);
                }
            }
    const auto entropy = [&](const std::vector<double>& counts) {
        double sum = 0;
        for (const double count : counts)
            if (count > 0) sum -= count / result.compared * std::log(count / result.compared);
        return sum;
    };
    for (std::size_t i = 0; i < joint.size(); ++i) {
        of_fixed[i / n] += joint[i];
        of_moving[i % n] += joint[i];
    }
    const double both = entropy(joint), apart = entropy(of_fixed) + entropy(of_moving);
    result.value = is_normalized ? apart / both : apart - both;
    return result;
}

}  // namespace tesela::reference
