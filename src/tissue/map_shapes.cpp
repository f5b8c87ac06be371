// What is made of a map: labels, polygons, shares of classes.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "tesela/tissue_slides.h"

namespace tesela {
namespace {

using std::int64_t;

struct Corner {
    int64_t x = 0, y = 0;
    auto operator<=>(const Corner&) const = default;
};
using Ring = std::vector<Corner>;

// Components of cells of one label that share edges; 0 is none. Numbers begin with 1.
std::vector<int> components_of(const TissueMap& map, int& count) {
    const int64_t nx = map.grid.columns, ny = map.grid.rows;
    std::vector<int> component(static_cast<std::size_t>(nx * ny));
    count = 0;
    std::vector<int64_t> open;
    for (int64_t start = 0; start < nx * ny; ++start) {
        const std::uint8_t label = map.labels[static_cast<std::size_t>(start)];
        if (label == 0 || component[static_cast<std::size_t>(start)] != 0) continue;
        component[static_cast<std::size_t>(start)] = ++count;
        open.push_back(start);
        while (!open.empty()) {
            const int64_t cell = open.back();
            open.pop_back();
            const int64_t x = cell % nx, y = cell / nx;
            const std::pair<bool, int64_t> neighbors[] = {{x > 0, cell - 1},
                                                          {x + 1 < nx, cell + 1},
                                                          {y > 0, cell - nx},
                                                          {y + 1 < ny, cell + nx}};
            for (const auto& [there, next] : neighbors) {
                const auto at = static_cast<std::size_t>(there ? next : 0);
                if (!there || map.labels[at] != label || component[at] != 0) continue;
                component[at] = count;
                open.push_back(next);
            }
        }
    }
    return component;
}

// Edges of a component, the component on the right when y points down: outer rings turn from x
// towards y, holes the other way.
using Edges = std::multimap<Corner, Corner>;

std::vector<Edges> edges_of(const TissueMap& map, const std::vector<int>& component, int count) {
    const int64_t nx = map.grid.columns, ny = map.grid.rows;
    std::vector<Edges> edges(static_cast<std::size_t>(count));
    const auto at = [&](int64_t x, int64_t y) {
        return x < 0 || y < 0 || x >= nx || y >= ny
                   ? 0
                   : component[static_cast<std::size_t>(y * nx + x)];
    };
    for (int64_t y = 0; y < ny; ++y)
        for (int64_t x = 0; x < nx; ++x) {
            const int own = at(x, y);
            if (own == 0) continue;
            Edges& all = edges[static_cast<std::size_t>(own - 1)];
            if (at(x, y - 1) != own) all.emplace(Corner{x, y}, Corner{x + 1, y});
            if (at(x + 1, y) != own) all.emplace(Corner{x + 1, y}, Corner{x + 1, y + 1});
            if (at(x, y + 1) != own) all.emplace(Corner{x + 1, y + 1}, Corner{x, y + 1});
            if (at(x - 1, y) != own) all.emplace(Corner{x, y + 1}, Corner{x, y});
        }
    return edges;
}

// Rings that visit no corner twice: where one would, what lies between is a ring of its own, which
// touches the other in that corner.
std::vector<Ring> simple_rings(Edges edges) {
    std::vector<Ring> rings;
    while (!edges.empty()) {
        Ring path{edges.begin()->first};
        while (!path.empty()) {
            const auto edge = edges.find(path.back());
            const Corner next = edge->second;
            edges.erase(edge);
            const auto seen = std::find(path.begin(), path.end(), next);
            if (seen == path.end()) {
                path.push_back(next);
                continue;
            }
            rings.emplace_back(seen, path.end());
            path.erase(seen + 1, path.end());
            if (path.size() == 1 && !edges.contains(path.front())) path.clear();
        }
    }
    return rings;
}

PlaneLine corners_of(const Ring& ring, const TissueGrid& grid, const Shape& full) {
    PlaneLine line;
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const Corner& before = ring[(i + ring.size() - 1) % ring.size()];
        const Corner& next = ring[(i + 1) % ring.size()];
        if (before.x == next.x || before.y == next.y) continue;  // on a straight line
        line.push_back(
            {std::min(static_cast<double>(ring[i].x) * grid.stride[0], static_cast<double>(full.x)),
             std::min(static_cast<double>(ring[i].y) * grid.stride[1],
                      static_cast<double>(full.y))});
    }
    return line;
}

Polygon polygon_of(Edges edges, const TissueGrid& grid, const Shape& full) {
    Polygon polygon;
    for (const Ring& ring : simple_rings(std::move(edges))) {
        PlaneLine line = corners_of(ring, grid, full);
        if (signed_area(line) > 0)
            polygon.outer = std::move(line);
        else
            polygon.holes.push_back(std::move(line));
    }
    return polygon;
}

}  // namespace

Annotations tissue_polygons(const TileSource& slide, const TissueModel& model,
                            const TissueMap& map) {
    const TileLevel& first = slide.facts().levels.front();
    Annotations result;
    double square = 0;  // mm2 of a pixel of level 0
    if (first.geometry.known()) {
        const auto spacing = first.geometry.spacing_mm();
        square = spacing[0] * spacing[1];
        result.calibration = SlideCalibration{{spacing[0] * 1000, spacing[1] * 1000}, {}};
    }
    int count = 0;
    const std::vector<int> component = components_of(map, count);
    std::vector<int> label_of(static_cast<std::size_t>(count));
    for (std::size_t cell = 0; cell < component.size(); ++cell)
        if (component[cell] > 0)
            label_of[static_cast<std::size_t>(component[cell] - 1)] = map.labels[cell];
    std::vector<Edges> edges = edges_of(map, component, count);
    for (std::size_t c = 0; c < edges.size(); ++c) {
        const auto own = static_cast<std::size_t>(label_of[c] - 1);
        const Polygon polygon = polygon_of(std::move(edges[c]), map.grid, first.shape);
        Annotation annotation;
        annotation.classes = {model.classes[own]};
        annotation.color = model.colors[own];
        if (square > 0) annotation.measurements = {{"Area mm^2", area(polygon) * square}};
        annotation.shape = Polygons{polygon};
        result.list.push_back(std::move(annotation));
    }
    return result;
}

std::vector<ClassShare> class_shares(const TileSource& slide, const TissueModel& model,
                                     const TissueMap& map) {
    const TileLevel& first = slide.facts().levels.front();
    const TissueGrid& grid = map.grid;
    double square = 0;  // mm2 of a pixel of level 0
    if (first.geometry.known())
        square = first.geometry.spacing_mm()[0] * first.geometry.spacing_mm()[1];
    const auto part = [&](int64_t cell, std::size_t axis, int64_t length) {
        const double begin = static_cast<double>(cell) * grid.stride[axis];
        return std::min(begin + grid.stride[axis], static_cast<double>(length)) - begin;
    };
    std::vector<ClassShare> shares(model.classes.size());
    double all = 0;
    for (int64_t cell = 0; cell < grid.cells(); ++cell) {
        const int label = map.labels[static_cast<std::size_t>(cell)];
        if (label == 0) continue;
        const double area = part(cell % grid.columns, 0, first.shape.x) *
                            part(cell / grid.columns, 1, first.shape.y);
        ClassShare& own = shares[static_cast<std::size_t>(label - 1)];
        ++own.tiles;
        own.area_mm2 += area * square;
        own.percent += area;
        all += area;
    }
    for (ClassShare& own : shares) own.percent *= all > 0 ? 100 / all : 0;
    return shares;
}

LabelImage tissue_labels(const TileSource& slide, const TissueMap& map) {
    LabelImage labels({map.grid.columns, map.grid.rows});
    std::copy(map.labels.begin(), map.labels.end(), labels.pixels().begin());
    const Geometry& first = slide.facts().levels.front().geometry;
    if (!first.known()) return labels;
    labels.geometry = first;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        labels.geometry.spacing[axis] = first.spacing[axis] * map.grid.stride[axis];
        for (std::size_t row = 0; row < 3; ++row)
            labels.geometry.origin[row] += first.direction[3 * row + axis] * first.spacing[axis] *
                                           (map.grid.stride[axis] - 1) / 2;
    }
    return labels;
}

}  // namespace tesela
