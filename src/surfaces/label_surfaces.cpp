#include <algorithm>
#include <cmath>
#include <map>

#include "core/threads.h"
#include "core/vectors.h"
#include "surfaces/smooth_surface.h"
#include "surfaces/voxel_surface.h"
#include "tesela/align.h"
#include "tesela/error.h"
#include "tesela/label_surfaces.h"

namespace tesela {
namespace {

using namespace detail;
using surfaces::Neighbors;
using surfaces::PolygonMesh;
using surfaces::VoxelFace;
using Point = std::array<float, 3>;
using Triangle = std::array<std::uint32_t, 3>;

Vector vector_of(const Point& point) { return {point[0], point[1], point[2]}; }

// ---- Faces of each label ----

void require_map(const Shape& shape) {
    if (shape.channels > 1 || shape.t > 1)
        throw UnsupportedFormat(
            std::string("surfaces are of one volume of labels, and this image has ") +
            (shape.t > 1 ? "several times: choose one by --time N"
                         : "several channels: choose one by --channel N"));
    if (shape.z == 1)
        throw InvalidArgument(
            "surfaces are of volumes, and this is a picture: 'measure --outlines' writes the "
            "outlines of its labels");
}

bool is_chosen(const std::vector<LabelRange>& ranges, std::uint32_t label) {
    return ranges.empty() ||
           std::any_of(ranges.begin(), ranges.end(), [&](const LabelRange& range) {
               return range.first <= label && label <= range.second;
           });
}

// Calls `take` with the value of each chosen label and the face; values are made as labels are met.
template <class T, class Value, class Take>
std::map<std::uint32_t, Value> for_each_chosen(const PixelView<T>& labels,
                                               const std::vector<LabelRange>& ranges,
                                               std::map<std::uint32_t, Value> values,
                                               const Take& take) {
    std::uint32_t last = 0;
    Value* value = nullptr;
    surfaces::for_each_face(labels, [&](std::uint32_t label, VoxelFace face) {
        if (label != last) {
            last = label;
            value = is_chosen(ranges, label) ? &values[label] : nullptr;
        }
        if (value) take(*value, face);
    });
    return values;
}

using FaceCounts = std::map<std::uint32_t, std::int64_t>;

template <class T>
FaceCounts count_faces(const PixelView<T>& labels, const LabelSurfaceOptions& options) {
    validate_options(options);
    require_map(labels.shape());
    FaceCounts counts = for_each_chosen(labels, options.labels, FaceCounts{},
                                        [](std::int64_t& count, VoxelFace) { ++count; });
    for (const auto& [first, last] : options.labels)
        if (const auto found = counts.lower_bound(first);
            found == counts.end() || found->first > last)
            throw InvalidArgument((first == last ? "label " + std::to_string(first) + " is"
                                                 : "labels " + std::to_string(first) + " to " +
                                                       std::to_string(last) + " are") +
                                  " not in the label map");
    if (counts.empty()) throw InvalidArgument("the label map has no objects: all of it is 0");
    constexpr std::int64_t most = std::int64_t{1} << 29;
    for (const auto& [label, count] : counts)
        if (count > most)
            throw UnsupportedFormat("label " + std::to_string(label) + " has " +
                                    std::to_string(count) + " voxel faces, and at most " +
                                    std::to_string(most) +
                                    " are supported: cut it into parts, or resample it");
    return counts;
}

// ---- The mesh of one label ----

// From voxels to millimeters where they are known.
class Place {
  public:
    explicit Place(const Geometry& geometry) : known_(geometry.known()), matrix_{} {
        if (!known_) return;
        origin_ = physical_point(geometry, {0, 0, 0});
        for (std::size_t a = 0; a < 3; ++a) {
            Vector index{};
            index[a] = 1;
            const Vector step = physical_point(geometry, index) - origin_;
            for (std::size_t row = 0; row < 3; ++row) matrix_[3 * row + a] = step[row];
        }
    }
    void apply(std::vector<Point>& points) const {
        if (!known_) return;
        for (Point& point : points) {
            const Vector moved = origin_ + matrix_ * vector_of(point);
            for (std::size_t a = 0; a < 3; ++a) point[a] = static_cast<float>(moved[a]);
        }
    }
    // Whether the axes are a left hand's, so that outside becomes inside.
    bool mirrors() const {
        return known_ && dot(row_of(matrix_, 0), cross(row_of(matrix_, 1), row_of(matrix_, 2))) < 0;
    }

  private:
    bool known_;
    Vector origin_{};
    Matrix matrix_;
};

// Quads are cut along their shorter diagonal; what has more corners gets a point in its middle,
// which is appended to the points and to `parts`.
std::vector<Triangle> triangulate(PolygonMesh& mesh, const Vector& spacing,
                                  std::vector<std::uint32_t>& parts) {
    const auto distance = [&](std::uint32_t p, std::uint32_t q) {
        Vector step = vector_of(mesh.points[p]) - vector_of(mesh.points[q]);
        for (std::size_t a = 0; a < 3; ++a) step[a] *= spacing[a];
        return dot(step, step);
    };
    std::vector<Triangle> triangles;
    triangles.reserve(2 * mesh.ends.size());
    for (std::size_t i = 0; i < mesh.ends.size(); ++i) {
        const auto c = mesh.polygon(i);
        if (c.size() == 4) {
            const std::size_t first = distance(c[0], c[2]) <= distance(c[1], c[3]) ? 0 : 1;
            triangles.push_back({c[first], c[first + 1], c[first + 2]});
            triangles.push_back({c[first + 2], c[(first + 3) % 4], c[first]});
            continue;
        }
        Point middle{};
        for (const std::uint32_t corner : c)
            for (std::size_t a = 0; a < 3; ++a)
                middle[a] += mesh.points[corner][a] / static_cast<float>(c.size());
        for (std::size_t k = 0; k < c.size(); ++k)
            triangles.push_back(
                {c[k], c[(k + 1) % c.size()], static_cast<std::uint32_t>(mesh.points.size())});
        mesh.points.push_back(middle);
        parts.push_back(parts[c[0]]);
    }
    return triangles;
}

// Volumes of the closed meshes from the tetrahedra of their triangles with their first points,
// which keep digits where a mesh is far from the origin.
struct Volumes {
    std::vector<double> volume;
    std::vector<Vector> first, moment;

    Volumes(const std::vector<Point>& points, const std::vector<std::uint32_t>& parts) {
        for (std::size_t i = 0; i < points.size(); ++i)
            if (parts[i] == first.size()) first.push_back(vector_of(points[i]));
        volume.resize(first.size());
        moment.resize(first.size());
    }
    void add(std::uint32_t part, const Point& p, const Point& q, const Point& r) {
        const Vector a = vector_of(p) - first[part], b = vector_of(q) - first[part],
                     c = vector_of(r) - first[part];
        const double tetrahedron = dot(a, cross(b, c)) / 6;
        volume[part] += tetrahedron;
        moment[part] = moment[part] + 0.25 * tetrahedron * (a + b + c);
    }
    Vector centroid(std::size_t part) const {
        return first[part] + (1 / volume[part]) * moment[part];
    }
};

Volumes volumes_of(const PolygonMesh& mesh, const std::vector<std::uint32_t>& parts) {
    Volumes volumes(mesh.points, parts);
    for (std::size_t i = 0; i < mesh.ends.size(); ++i) {
        const auto c = mesh.polygon(i);
        for (std::size_t k = 2; k < c.size(); ++k)
            volumes.add(parts[c[0]], mesh.points[c[0]], mesh.points[c[k - 1]], mesh.points[c[k]]);
    }
    return volumes;
}

// About the centroid of each closed mesh, to the volume that it had. Meshes that smoothing turned
// inside out stay as they are.
void restore_volumes(const Volumes& before, const std::vector<Triangle>& triangles,
                     const std::vector<std::uint32_t>& parts, std::vector<Point>& points) {
    Volumes after(points, parts);
    for (const auto& [a, b, c] : triangles) after.add(parts[a], points[a], points[b], points[c]);
    std::vector<double> scale(after.volume.size());
    std::vector<Vector> centroid(scale.size());
    for (std::size_t part = 0; part < scale.size(); ++part) {
        const double ratio = before.volume[part] / after.volume[part];
        const bool has_sense = std::isfinite(ratio) && ratio > 0;
        scale[part] = has_sense ? std::cbrt(ratio) : 1;
        centroid[part] = has_sense ? after.centroid(part) : Vector{};
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vector& middle = centroid[parts[i]];
        const Vector moved = middle + scale[parts[i]] * (vector_of(points[i]) - middle);
        for (std::size_t a = 0; a < 3; ++a) points[i][a] = static_cast<float>(moved[a]);
    }
}

void measure(LabelSurface& surface) {
    const Vector first = vector_of(surface.points.front());
    for (const auto& [p, q, r] : surface.triangles) {
        const Vector a = vector_of(surface.points[p]) - first,
                     b = vector_of(surface.points[q]) - first,
                     c = vector_of(surface.points[r]) - first;
        surface.volume += dot(a, cross(b, c)) / 6;
        surface.area += length(cross(b - a, c - a)) / 2;
    }
}

LabelSurface surface_of(const LabelView& labels, std::uint32_t label, std::vector<VoxelFace> faces,
                        const Place& place, int rounds, const Progress& progress) {
    PolygonMesh mesh = surfaces::voxel_surface(labels, label, faces);
    std::vector<VoxelFace>().swap(faces);
    const Neighbors neighbors(mesh);
    std::vector<std::uint32_t> parts = neighbors.parts();
    // Smoothing and scaling give the same in voxels as in millimeters.
    const Volumes voxels = volumes_of(mesh, parts);
    surfaces::smooth_taubin(neighbors, rounds, progress, mesh.points);
    LabelSurface surface{
        .label = label, .color = label_color(label), .points = {}, .triangles = {}};
    surface.triangles = triangulate(mesh, labels.geometry.spacing, parts);
    if (rounds > 0) restore_volumes(voxels, surface.triangles, parts, mesh.points);
    place.apply(mesh.points);
    surface.points = std::move(mesh.points);
    if (place.mirrors())
        for (Triangle& triangle : surface.triangles) std::swap(triangle[1], triangle[2]);
    measure(surface);
    return surface;
}

}  // namespace

// A face has four corners, and makes about one point, two triangles and eight entries of neighbors.
SurfaceSize surface_size(const AnyImageView& labels, const LabelSurfaceOptions& options) {
    constexpr std::int64_t of_result = 2 * sizeof(Triangle) + sizeof(Point),
                           of_work = sizeof(VoxelFace) + 2 * sizeof(Point) + 14 * 4;
    SurfaceSize size;
    const FaceCounts counts =
        labels.visit([&](const auto& typed) { return count_faces(typed, options); });
    for (const auto& [label, count] : counts) size.faces += count;
    size.result_bytes = size.faces * of_result;
    size.work_bytes = size.faces * of_work;
    return size;
}

LabelSurfaces label_surfaces(const LabelView& labels, const LabelSurfaceOptions& options,
                             int threads, const Progress& progress) {
    progress.report(0, "faces");
    std::map<std::uint32_t, std::vector<VoxelFace>> faces;
    for (const auto& [label, count] : count_faces(labels, options))
        faces[label].reserve(static_cast<std::size_t>(count));
    faces =
        for_each_chosen(labels, options.labels, std::move(faces),
                        [](std::vector<VoxelFace>& list, VoxelFace face) { list.push_back(face); });
    std::vector<std::pair<std::uint32_t, std::vector<VoxelFace>>> jobs(
        std::make_move_iterator(faces.begin()), std::make_move_iterator(faces.end()));
    progress.report(0.2, "surfaces");
    LabelSurfaces made{.list = std::vector<LabelSurface>(jobs.size()),
                       .millimeters = labels.geometry.known()};
    const Place place(labels.geometry);
    for_each_index(
        std::ssize(jobs), threads,
        [&](std::int64_t n) {
            auto& [label, list] = jobs[static_cast<std::size_t>(n)];
            made.list[static_cast<std::size_t>(n)] = surface_of(
                labels, label, std::move(list), place, options.smooth, progress.part(0, 1));
        },
        [&](std::int64_t done) {
            progress.report(
                0.2 + 0.8 * static_cast<double>(done) / static_cast<double>(jobs.size()),
                "surfaces");
        });
    return made;
}

}  // namespace tesela
