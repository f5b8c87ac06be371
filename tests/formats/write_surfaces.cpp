// Writes surfaces of label maps into a folder, in every format, for other programs to read:
//   tesela_write_surfaces FOLDER
// Each line of surfaces.tsv is of one file: name, surfaces, points, triangles, volume and area.
#include <cmath>
#include <fstream>
#include <iostream>
#include <random>

#include "tesela/surface_io.h"

namespace {

namespace fs = std::filesystem;
using namespace tesela;

class Files {
  public:
    explicit Files(const fs::path& folder) : folder_(folder), list_(folder / "surfaces.tsv") {
        list_.precision(9);
    }

    void add(const std::string& name, LabelImage map, const LabelSurfaceOptions& options = {}) {
        map.geometry.unit = Unit::millimeter;
        map.geometry.spacing = {0.5, 0.75, 2};
        map.geometry.origin = {100, -200, 300};
        map.geometry.direction = {0, -1, 0, 0, 0, 1, 1, 0, 0};  // a left hand's
        const LabelSurfaces surfaces = label_surfaces(map, options);
        std::size_t points = 0, triangles = 0;
        double volume = 0, area = 0;
        for (const LabelSurface& surface : surfaces.list) {
            points += surface.points.size();
            triangles += surface.triangles.size();
            volume += surface.volume;
            area += surface.area;
        }
        for (const char* suffix : {".ply", ".obj", ".stl"}) {
            io::write_surfaces(surfaces, folder_ / (name + suffix));
            list_ << name << suffix << '\t' << surfaces.list.size() << '\t' << points << '\t'
                  << triangles << '\t' << volume << '\t' << area << '\n';
        }
    }

  private:
    fs::path folder_;
    std::ofstream list_;
};

// Parts, tunnels and cavities of two labels, cut off at the border.
LabelImage waves(const Shape& shape) {
    LabelImage map(shape);
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                const auto wave = [](std::int64_t at, double length) {
                    return std::sin(static_cast<double>(at) / length);
                };
                const double sum = wave(x, 3) + wave(y, 4) + wave(z, 5);
                map(x, y, z) = sum > 1.2 ? 2 : sum < -1 ? 5 : 0;
            }
    return map;
}

LabelImage noise(const Shape& shape) {
    std::mt19937 random(3);
    LabelImage map(shape);
    for (std::uint32_t& voxel : map.pixels()) voxel = static_cast<std::uint32_t>(random() % 2);
    return map;
}

}  // namespace

int main(int count, char** arguments) try {
    if (count != 2) throw std::runtime_error("usage: tesela_write_surfaces FOLDER");
    Files files(arguments[1]);
    files.add("waves", waves({70, 60, 50}));
    files.add("one-wave", waves({70, 60, 50}), {.labels = {{2, 2}}});
    files.add("noise", noise({23, 17, 11}));
    files.add("noise-faces", noise({23, 17, 11}), {.smooth = 0});
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
