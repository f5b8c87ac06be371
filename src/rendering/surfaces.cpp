#include "kernels/rendering/render_surface.kernel.h"

#include "rendering/casts.h"

namespace tesela::rendering {
namespace {

struct Surfaces {
    const Cast& cast;
    const Groups& groups;

    template <class Kernel, class V>
    void launch(const Kernel& kernel, const Buffer<V>& pool) const {
        cast.queue.launch(kernel, groups, pool, cast.bricks.page_table, cast.distance_map,
                          cast.labels.pool, cast.labels.shares, cast.label_colors, cast.pixels,
                          cast.depth, cast.view, cast.grid, cast.style);
    }
    void operator()(const Buffer<std::uint8_t>& pool) const {
        launch(kernels::render_surface_u8, pool);
    }
    void operator()(const Buffer<std::uint16_t>& pool) const {
        launch(kernels::render_surface_u16, pool);
    }
    void operator()(const Buffer<float>& pool) const { launch(kernels::render_surface_f32, pool); }
    void operator()(const Buffer<std::uint32_t>& pool) const {
        launch(kernels::render_surface_rgb, pool);
    }
};

struct Probe {
    const Cast& cast;
    std::int32_t shown_as;
    const std::array<float, 3>& position;
    Buffer<float>& found;

    template <class Kernel, class V>
    void launch(const Kernel& kernel, const Buffer<V>& pool) const {
        cast.queue.launch(kernel, Range{1}, pool, cast.bricks.page_table, cast.labels.pool,
                          cast.labels.shares, cast.label_colors, shown_as, cast.grid, cast.style,
                          position[0], position[1], position[2], found);
    }
    void operator()(const Buffer<std::uint8_t>& pool) const {
        launch(kernels::render_probe_u8, pool);
    }
    void operator()(const Buffer<std::uint16_t>& pool) const {
        launch(kernels::render_probe_u16, pool);
    }
    void operator()(const Buffer<float>& pool) const { launch(kernels::render_probe_f32, pool); }
    void operator()(const Buffer<std::uint32_t>& pool) const {
        launch(kernels::render_probe_rgb, pool);
    }
};

}  // namespace

void cast_surfaces(const Cast& cast, const Groups& groups) {
    std::visit(Surfaces{cast, groups}, cast.bricks.pool);
}

void probe(const Cast& cast, std::int32_t shown_as, const std::array<float, 3>& position,
           Buffer<float>& found) {
    std::visit(Probe{cast, shown_as, position, found}, cast.bricks.pool);
}

}  // namespace tesela::rendering
