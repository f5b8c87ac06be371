#include "rendering/tables.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rendering/bricks.h"

namespace tesela::rendering {
namespace {

constexpr int nodes = kernels::render_table_nodes;

// Opacity correction: the transmittances of layers multiply.
double of_step(double opacity, double steps) { return 1 - std::pow(1 - opacity, steps); }

}  // namespace

Tables tables_of(const TransferFunction& transfer, const ValueScale& scale, double step,
                 Opacity opacity) {
    Tables tables;
    const double share = step / transfer.reference_length;
    tables.visible_below.push_back(0);
    for (int i = 0; i <= nodes; ++i) {
        const double value = scale.lowest + i / scale.nodes_per_value;
        for (const double channel : color_at(transfer.color, value))
            tables.rgba.push_back(static_cast<float>(channel));
        const double raw = opacity_at(transfer.opacity, value);
        const double used = opacity == Opacity::of_step ? of_step(raw, share) : raw;
        tables.rgba.push_back(static_cast<float>(used));
        tables.visible_below.push_back(tables.visible_below.back() +
                                       (tables.rgba.back() > 0 ? 1 : 0));
    }
    const auto last_transparent =
        std::upper_bound(tables.visible_below.begin(), tables.visible_below.end(), 0u) -
        tables.visible_below.begin() - 2;
    tables.visible_above = last_transparent < 0 ? std::numeric_limits<float>::lowest()
                                                : static_cast<float>(last_transparent);
    const bool by_gradient = !transfer.gradient_opacity.empty();
    const double steepest = by_gradient ? transfer.gradient_opacity.back().value : 0;
    tables.gradient_nodes_per_value = steepest > 0 ? nodes / steepest : 0;
    for (int i = 0; i <= nodes; ++i) {
        tables.opacities.push_back(static_cast<float>(of_step(double(i) / nodes, share)));
        const double gradient = steepest * i / nodes;
        tables.opacities.push_back(
            by_gradient ? static_cast<float>(opacity_at(transfer.gradient_opacity, gradient)) : 1);
    }
    return tables;
}

}  // namespace tesela::rendering
