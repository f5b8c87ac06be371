#include "kernels/rendering/render_projection.kernel.h"

#include "rendering/casts.h"

namespace tesela::rendering {
namespace {

struct Projection {
    const Cast& cast;
    const Groups& groups;
    std::int32_t takes_mean;

    template <class Kernel, class V>
    void launch(const Kernel& kernel, const Buffer<V>& pool) const {
        cast.queue.launch(kernel, groups, pool, cast.bricks.page_table, cast.bricks.ranges,
                          cast.table, takes_mean, cast.pixels, cast.depth, cast.view, cast.grid,
                          cast.style);
    }
    void operator()(const Buffer<std::uint8_t>& pool) const {
        launch(kernels::render_projection_u8, pool);
    }
    void operator()(const Buffer<std::uint16_t>& pool) const {
        launch(kernels::render_projection_u16, pool);
    }
    void operator()(const Buffer<float>& pool) const {
        launch(kernels::render_projection_f32, pool);
    }
    void operator()(const Buffer<std::uint32_t>& pool) const {
        launch(kernels::render_projection_rgb, pool);
    }
};

}  // namespace

void cast_projection(const Cast& cast, const Groups& groups, bool takes_mean) {
    std::visit(Projection{cast, groups, takes_mean}, cast.bricks.pool);
}

}  // namespace tesela::rendering
