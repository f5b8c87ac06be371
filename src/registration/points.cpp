#include "registration/points.h"

namespace tesela {
namespace {

kernels::linear_map rows_of(const LinearMap& map) {
    kernels::linear_map rows{};
    float* const row[] = {rows.row_x, rows.row_y, rows.row_z};
    for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 3; ++c) row[r][c] = static_cast<float>(map.matrix[3 * r + c]);
        row[r][3] = static_cast<float>(map.translation[r]);
    }
    return rows;
}

kernels::spline_nodes nodes_of(const SplineMap& map) {
    // Each round divides the error by ten where displacements change by a tenth of a pixel a pixel.
    kernels::spline_nodes nodes{};
    nodes.axes = map.size[2] == 1 ? 2 : 3;
    nodes.rounds = 30;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        nodes.size[axis] = static_cast<std::int32_t>(map.size[axis]);
        nodes.origin[axis] = static_cast<float>(map.origin[axis]);
        nodes.inverse_spacing[axis] = static_cast<float>(1 / map.spacing[axis]);
    }
    return nodes;
}

Buffer<float> displacements_of(Queue& queue, const SplineMap& map) {
    const std::vector<float> values(map.displacements.begin(), map.displacements.end());
    return queue.upload(std::span<const float>(values), "spline nodes");
}

}  // namespace

Buffer<float> points_of(Queue& queue, const Shape& shape, const LinearMap& placed) {
    auto points = queue.allocate<float>(3 * shape.points(), "points");
    queue.launch(kernels::place_points, Range{shape.x, shape.y, shape.z}, points, rows_of(placed),
                 static_cast<std::int32_t>(shape.x), static_cast<std::int32_t>(shape.y),
                 static_cast<std::int32_t>(shape.z));
    return points;
}

void move_points(Queue& queue, const LinearMap& map, Buffer<float>& points) {
    const std::int64_t count = points.size() / 3;
    queue.launch(kernels::move_points, Range{count}, points, rows_of(map), count);
}

void move_points(Queue& queue, const SplineMap& map, Buffer<float>& points) {
    const std::int64_t count = points.size() / 3;
    const Buffer<float> nodes = displacements_of(queue, map);
    queue.launch(kernels::bend_points, Range{count}, points, nodes, nodes_of(map), count);
}

void move_points_back(Queue& queue, const SplineMap& map, Buffer<float>& points) {
    const std::int64_t count = points.size() / 3;
    const Buffer<float> nodes = displacements_of(queue, map);
    queue.launch(kernels::unbend_points, Range{count}, points, nodes, nodes_of(map), count);
}

}  // namespace tesela
