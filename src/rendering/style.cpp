#include "rendering/style.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tesela/error.h"

namespace tesela::rendering {
namespace {

// Colors of isosurfaces without a transfer function, from the outermost on.
constexpr std::array<std::array<float, 3>, kernels::render_max_surfaces> surface_colors{
    {{0.91f, 0.84f, 0.72f},
     {0.82f, 0.36f, 0.30f},
     {0.35f, 0.55f, 0.80f},
     {0.95f, 0.77f, 0.30f},
     {0.45f, 0.70f, 0.45f},
     {0.65f, 0.45f, 0.70f},
     {0.40f, 0.75f, 0.75f},
     {0.85f, 0.55f, 0.35f}}};
constexpr float outer_opacity = 0.35f;  // of all isosurfaces but the last one named

}  // namespace

TransferFunction gray(double low, double high) {
    if (!(high > low)) high = low + 1;
    return {.name = "gray",
            .color = {{low, {0, 0, 0}}, {high, {1, 1, 1}}},
            .opacity = {{low, 0}, {high, 1}},
            .gradient_opacity = {},
            .reference_length = 1};
}

ValueScale scale_of(const ValueStatistics& values) {
    constexpr double nodes = kernels::render_table_nodes;
    const double width = values.highest - values.lowest;
    if (!(width > 0)) return {values.lowest, 1};
    // Integers fall on nodes, where there are enough of them.
    const double per_value = nodes / width;
    return {values.lowest, per_value >= 1 ? std::floor(per_value) : per_value};
}

void add_surfaces(const std::vector<double>& isovalues, const TransferFunction* transfer,
                  double value_offset, kernels::render_style& style) {
    if (isovalues.size() > kernels::render_max_surfaces)
        throw InvalidArgument("render: there are " + std::to_string(isovalues.size()) +
                              " isovalues, of at most " +
                              std::to_string(kernels::render_max_surfaces));
    std::vector<std::size_t> order(isovalues.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return isovalues[a] < isovalues[b]; });
    for (const std::size_t i : order) {
        if (!std::isfinite(isovalues[i]))
            throw InvalidArgument("render: an isovalue is not finite");
        float* rgba = style.surface_color + 4 * style.surfaces;
        std::copy(surface_colors[i].begin(), surface_colors[i].end(), rgba);
        if (transfer) {
            const auto color = color_at(transfer->color, isovalues[i]);
            std::transform(color.begin(), color.end(), rgba,
                           [](double channel) { return static_cast<float>(channel); });
        }
        rgba[3] = i + 1 == isovalues.size() ? 1 : outer_opacity;
        style.isovalue[style.surfaces++] = static_cast<float>(isovalues[i] - value_offset);
    }
}

}  // namespace tesela::rendering
