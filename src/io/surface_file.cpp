#include <cstring>
#include <limits>

#include "core/vectors.h"
#include "io/text_file.h"
#include "tesela/surface_io.h"

namespace tesela::io {
namespace {

using detail::Vector;
using detail::operator-;
using Point = std::array<float, 3>;

// Bytes of a file, handed on as they become many.
class Bytes {
  public:
    explicit Bytes(OutputFile& file) : file_(file) {}

    void text(std::string_view words) {
        bytes_ += words;
        hand_on(full);
    }
    template <class T>
    void raw(const T& value) {
        text({reinterpret_cast<const char*>(&value), sizeof value});
    }
    void number(float value) {
        char digits[32];
        text({digits, std::to_chars(digits, digits + sizeof digits, value).ptr});
    }
    void number(std::uint32_t value) { text(std::to_string(value)); }
    void finish() {
        hand_on(1);
        file_.close();
    }

  private:
    static constexpr std::size_t full = 1 << 20;
    void hand_on(std::size_t least) {
        if (bytes_.size() < least) return;
        file_.write_or_throw(bytes_.data(), bytes_.size());
        bytes_.clear();
    }

    OutputFile& file_;
    std::string bytes_;
};

struct Counts {
    std::int64_t points = 0, triangles = 0;
};
Counts counts_of(const LabelSurfaces& surfaces) {
    Counts counts;
    for (const LabelSurface& surface : surfaces.list) {
        counts.points += std::ssize(surface.points);
        counts.triangles += std::ssize(surface.triangles);
    }
    return counts;
}

std::string name_of(const LabelSurface& surface) {
    return surface.name.empty() ? "label_" + std::to_string(surface.label)
                                : printable(surface.name);
}
std::string unit_of(const LabelSurfaces& surfaces) { return surfaces.millimeters ? "mm" : "voxel"; }

// ---- PLY: Turk, The PLY polygon file format, 1994 ----

constexpr std::int64_t ply_point_bytes = 3 * 4 + 3 + 4, ply_triangle_bytes = 1 + 3 * 4;

void write_ply(const LabelSurfaces& surfaces, const Counts& counts, Bytes& out) {
    out.text("ply\nformat binary_little_endian 1.0\ncomment made by Tesela, SPACE=LPS, unit " +
             unit_of(surfaces) + "\n");
    for (const LabelSurface& surface : surfaces.list)
        out.text("comment label " + std::to_string(surface.label) + " = " + name_of(surface) +
                 "\n");
    out.text("element vertex " + std::to_string(counts.points) +
             "\nproperty float x\nproperty float y\nproperty float z\n"
             "property uchar red\nproperty uchar green\nproperty uchar blue\n"
             "property uint label\nelement face " +
             std::to_string(counts.triangles) +
             "\nproperty list uchar int vertex_indices\nend_header\n");
    for (const LabelSurface& surface : surfaces.list)
        for (const Point& point : surface.points) {
            out.raw(point);
            out.raw(surface.color);
            out.raw(surface.label);
        }
    std::uint32_t first = 0;
    for (const LabelSurface& surface : surfaces.list) {
        for (const auto& triangle : surface.triangles) {
            out.raw(std::uint8_t{3});
            for (const std::uint32_t point : triangle) out.raw(first + point);
        }
        first += static_cast<std::uint32_t>(surface.points.size());
    }
}

// ---- STL ----

constexpr std::int64_t stl_head_bytes = 84, stl_triangle_bytes = 50;

Vector vector_of(const Point& point) { return {point[0], point[1], point[2]}; }

Point normal_of(const Point& a, const Point& b, const Point& c) {
    const Vector across = detail::cross(vector_of(b) - vector_of(a), vector_of(c) - vector_of(a));
    const double length = detail::length(across);
    Point normal{};
    for (std::size_t i = 0; i < 3 && length > 0; ++i)
        normal[i] = static_cast<float>(across[i] / length);
    return normal;
}

void write_stl(const LabelSurfaces& surfaces, const Counts& counts, Bytes& out) {
    std::string head = "made by Tesela, SPACE=LPS, unit " + unit_of(surfaces);
    head.resize(80, ' ');
    out.text(head);
    out.raw(static_cast<std::uint32_t>(counts.triangles));
    for (const LabelSurface& surface : surfaces.list)
        for (const auto& [a, b, c] : surface.triangles) {
            const Point corners[] = {surface.points[a], surface.points[b], surface.points[c]};
            out.raw(normal_of(corners[0], corners[1], corners[2]));
            out.raw(corners);
            out.raw(std::uint16_t{0});
        }
}

// ---- OBJ ----

// At least: a line has 6 numbers of two digits or three numbers of one.
constexpr std::int64_t obj_point_bytes = 14, obj_triangle_bytes = 8;

// Blanks would make several names of one.
std::string group_of(const LabelSurface& surface) {
    std::string name = name_of(surface);
    for (char& c : name)
        if (c == ' ') c = '_';
    return name;
}

void write_obj(const LabelSurfaces& surfaces, Bytes& out) {
    out.text("# made by Tesela, SPACE=LPS, unit " + unit_of(surfaces) + "\n");
    std::uint32_t first = 1;
    for (const LabelSurface& surface : surfaces.list) {
        out.text("o " + group_of(surface) + "\ng " + group_of(surface) + "\n");
        for (const Point& point : surface.points) {
            out.text("v");
            for (const float coordinate : point) {
                out.text(" ");
                out.number(coordinate);
            }
            for (const std::uint8_t part : surface.color) {
                constexpr float steps = 1000;
                out.text(" ");
                out.number(std::round(steps * static_cast<float>(part) / 255) / steps);
            }
            out.text("\n");
        }
        for (const auto& triangle : surface.triangles) {
            out.text("f");
            for (const std::uint32_t point : triangle) {
                out.text(" ");
                out.number(first + point);
            }
            out.text("\n");
        }
        first += static_cast<std::uint32_t>(surface.points.size());
    }
}

}  // namespace

std::vector<std::string> write_surfaces(const LabelSurfaces& surfaces, const fs::path& path,
                                        const WriteOptions& options) {
    const std::string suffix = path.extension().string();
    const bool is_ply = suffix == ".ply", is_stl = suffix == ".stl";
    if (!is_ply && !is_stl && suffix != ".obj")
        throw UnsupportedFormat(quoted(path) + ": surfaces are written as .ply, .stl or .obj");
    const Counts counts = counts_of(surfaces);
    if (std::max(counts.points, counts.triangles) > std::numeric_limits<std::int32_t>::max())
        throw UnsupportedFormat(quoted(path) + ": surfaces of " + std::to_string(counts.triangles) +
                                " triangles are more than a file can number: take fewer labels");
    std::vector<std::string> warnings;
    if (is_stl && surfaces.list.size() > 1)
        warnings.push_back(quoted(path.filename()) + " holds " +
                           std::to_string(surfaces.list.size()) +
                           " surfaces without their labels, which STL cannot keep: write .ply or "
                           ".obj, or one label by --label N");
    with_memory_guard(path, [&] {
        Staging staging({path}, options.overwrite);
        require_room(
            staging.scratch("room"), path,
            is_ply   ? counts.points * ply_point_bytes + counts.triangles * ply_triangle_bytes
            : is_stl ? stl_head_bytes + counts.triangles * stl_triangle_bytes
                     : counts.points * obj_point_bytes + counts.triangles * obj_triangle_bytes);
        OutputFile file(staging.staged(), path);
        Bytes out(file);
        if (is_ply)
            write_ply(surfaces, counts, out);
        else if (is_stl)
            write_stl(surfaces, counts, out);
        else
            write_obj(surfaces, out);
        out.finish();
        staging.commit();
    });
    return warnings;
}

}  // namespace tesela::io
