#include "registration/spline_nodes.h"

#include <vector>

namespace tesela {

void interpolate_along(SplineMap& spline, std::size_t axis) {
    const auto n = static_cast<std::size_t>(spline.size[axis]);
    const auto nodes = static_cast<std::size_t>(spline.nodes());
    std::size_t step = 1;
    for (std::size_t a = 0; a < axis; ++a) step *= static_cast<std::size_t>(spline.size[a]);
    std::vector<double> share(n);
    for (std::size_t first = 0; first < spline.displacements.size(); ++first) {
        if (first % nodes / step % n != 0) continue;
        double* const line = &spline.displacements[first];
        const auto at = [&](std::size_t i) -> double& { return line[i * step]; };
        // At nodes 1 and n - 2 the value is the coefficient.
        share[1] = 0;
        for (std::size_t i = 2; i + 2 < n; ++i) {
            const double pivot = 4 - share[i - 1];
            share[i] = 1 / pivot;
            at(i) = (6 * at(i) - at(i - 1)) / pivot;
        }
        for (std::size_t i = n - 3; i > 1; --i) at(i) -= share[i] * at(i + 1);
        at(0) = 2 * at(1) - at(2);
        at(n - 1) = 2 * at(n - 2) - at(n - 3);
    }
}

}  // namespace tesela
