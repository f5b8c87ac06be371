#include "registration/points.h"

#include <algorithm>
#include <string>

namespace tesela {
namespace {

kernels::spline_nodes nodes_of(const SplineMap& map) {
    kernels::spline_nodes nodes{};
    nodes.axes = map.size[2] == 1 ? 2 : 3;
    nodes.rounds = 200;  // of which about 15 are taken where little is bent
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

kernels::linear_map rows_of(const LinearMap& map) {
    kernels::linear_map rows{};
    float* const row[] = {rows.row_x, rows.row_y, rows.row_z};
    for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 3; ++c) row[r][c] = static_cast<float>(map.matrix[3 * r + c]);
        row[r][3] = static_cast<float>(map.translation[r]);
    }
    return rows;
}

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

ImageGrid grid_for(const Transform& transform, const ImageGrid& own, bool is_moving) {
    const std::optional<ImageGrid>& known = is_moving ? transform.moving : transform.fixed;
    const auto size = [](const Shape& shape) { return std::array{shape.x, shape.y, shape.z}; };
    if (known && size(known->shape) == size(own.shape) &&
        !(own.geometry.known() && known->geometry.known()))
        return {own.shape, known->geometry};
    if (transform.unit == Unit::millimeter && !own.geometry.known())
        throw InvalidArgument(std::string("the transform is in millimeters, and the ") +
                              (is_moving ? "moving" : "fixed") +
                              " image has no spacing: take a file that has one");
    return own;
}

// Linear maps that follow each other are one.
Buffer<float> source_points(Queue& queue, const Transform& transform, bool inverse,
                            const Shape& shape, const LinearMap& placed, const LinearMap& source) {
    LinearMap linear = placed;
    Buffer<float> points;
    const auto move = [&] {
        if (points.empty())
            points = points_of(queue, shape, linear);
        else
            move_points(queue, linear, points);
        linear = {};
    };
    const auto take = [&](const auto& step) {
        if (const auto* map = std::get_if<LinearMap>(&step)) {
            linear = composed(linear, inverse ? map->inverse() : *map);
            return;
        }
        move();
        const auto& spline = std::get<SplineMap>(step);
        if (inverse)
            move_points_back(queue, spline, points);
        else
            move_points(queue, spline, points);
    };
    if (inverse)
        std::for_each(transform.steps.rbegin(), transform.steps.rend(), take);
    else
        std::for_each(transform.steps.begin(), transform.steps.end(), take);
    linear = composed(linear, source.inverse());
    move();
    return points;
}

}  // namespace tesela
