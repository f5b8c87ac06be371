#include "registration/least_squares.h"

#include <cmath>

namespace tesela {

std::optional<std::vector<SpacePoint>> least_squares(std::vector<std::vector<double>> rows,
                                                     std::vector<SpacePoint> values) {
    const std::size_t count = rows.size(), unknowns = rows[0].size();
    if (count < unknowns) return {};
    for (std::size_t k = 0; k < unknowns; ++k) {
        double length = 0;
        for (std::size_t i = k; i < count; ++i) length = std::hypot(length, rows[i][k]);
        if (!(length > 1e-9)) return {};
        if (rows[k][k] > 0) length = -length;
        std::vector<double> axis(count);
        for (std::size_t i = k; i < count; ++i) axis[i] = rows[i][k];
        axis[k] -= length;
        double squared = 0;
        for (const double value : axis) squared += value * value;
        const auto reflect = [&](const auto& element) {
            double along = 0;
            for (std::size_t i = k; i < count; ++i) along += axis[i] * element(i);
            for (std::size_t i = k; i < count; ++i) element(i) -= 2 * along / squared * axis[i];
        };
        for (std::size_t j = k; j < unknowns; ++j)
            reflect([&](std::size_t i) -> double& { return rows[i][j]; });
        for (std::size_t j = 0; j < 3; ++j)
            reflect([&](std::size_t i) -> double& { return values[i][j]; });
    }
    std::vector<SpacePoint> solution(unknowns);
    for (std::size_t k = unknowns; k-- > 0;)
        for (std::size_t j = 0; j < 3; ++j) {
            double value = values[k][j];
            for (std::size_t i = k + 1; i < unknowns; ++i) value -= rows[k][i] * solution[i][j];
            solution[k][j] = value / rows[k][k];
        }
    return solution;
}

}  // namespace tesela
