#include "kernels/rendering/render_composite.kernel.h"

#include "rendering/casts.h"

namespace tesela::rendering {
namespace {

struct Composite {
    const Cast& cast;
    const Groups& groups;

    template <class Kernel, class V>
    void launch(const Kernel& kernel, const Buffer<V>& pool) const {
        cast.queue.launch(kernel, groups, pool, cast.bricks.page_table, cast.distance_map,
                          cast.labels.pool, cast.table, cast.opacity_tables, cast.label_colors,
                          cast.pixels, cast.depth, cast.view, cast.grid, cast.style);
    }
    void operator()(const Buffer<std::uint8_t>& pool) const {
        launch(kernels::render_composite_u8, pool);
    }
    void operator()(const Buffer<std::uint16_t>& pool) const {
        launch(kernels::render_composite_u16, pool);
    }
    void operator()(const Buffer<float>& pool) const {
        launch(kernels::render_composite_f32, pool);
    }
    void operator()(const Buffer<std::uint32_t>& pool) const {
        launch(kernels::render_composite_rgb, pool);
    }
};

}  // namespace

void cast_composite(const Cast& cast, const Groups& groups) {
    std::visit(Composite{cast, groups}, cast.bricks.pool);
}

}  // namespace tesela::rendering
