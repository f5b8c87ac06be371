// Composites a volume along rays through a NanoVDB grid, for bench/peers/rendering.py.
//
//     nanovdb_rays SCENE PICTURE
//
// SCENE has, one behind the other: sizes of the volume along x, y and z and of the picture (i32);
// the origin of pixel (0, 0), what a column and a row add, the way of a step, all in voxels, and
// the number of steps (f32); the value of the table's first entry and the entries to a value (f32);
// the 4097 entries of the table, each with red, green, blue and the opacity of a step (f32); and
// the voxels (f32). PICTURE gets red, green and blue of each pixel. Printed are the bytes of the
// grid, and the processor milliseconds of a picture, the median of nine.
//
// The grid (FpN, within 0.5) holds voxels that a visible value is interpolated from. Rays pass over
// nodes without them, take voxels from the accessor's cache, and end at 1/1024, as Tesela's do.
#include <nanovdb/util/GridBuilder.h>
#include <nanovdb/util/Ray.h>
#include <nanovdb/util/SampleFromVoxels.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <thread>
#include <vector>

namespace {

using Vec3 = nanovdb::Vec3f;
constexpr int entries = 4097;

struct Scene {
    std::int32_t size[3], width, height;
    Vec3 origin, column, row, step;
    float steps, first_value, entries_per_value;
    std::vector<std::array<float, 4>> table;
    std::vector<float> voxels;

    float position(float value) const {
        return std::clamp((value - first_value) * entries_per_value, 0.0f, float(entries - 1));
    }
    bool is_visible(float value) const {
        const auto at = static_cast<std::size_t>(position(value));
        return table[at][3] > 0 || table[std::min<std::size_t>(at + 1, entries - 1)][3] > 0;
    }
};

template <class T>
void read(T* to, std::size_t count, std::FILE* file) {
    if (std::fread(to, sizeof(T), count, file) != count) {
        std::fputs("the scene is too short\n", stderr);
        std::exit(2);
    }
}

Scene read_scene(const char* path) {
    std::FILE* file = std::fopen(path, "rb");
    if (!file) {
        std::perror(path);
        std::exit(2);
    }
    Scene scene;
    read(scene.size, 3, file);
    read(&scene.width, 2, file);
    for (Vec3* vector : {&scene.origin, &scene.column, &scene.row, &scene.step})
        read(&(*vector)[0], 3, file);
    read(&scene.steps, 3, file);
    scene.table.resize(entries);
    read(scene.table.data(), scene.table.size(), file);
    scene.voxels.resize(std::size_t(scene.size[0]) * std::size_t(scene.size[1]) *
                        std::size_t(scene.size[2]));
    read(scene.voxels.data(), scene.voxels.size(), file);
    std::fclose(file);
    return scene;
}

// Voxels that are visible or next to one that is.
std::vector<bool> kept(const Scene& scene) {
    std::vector<bool> kept(scene.voxels.size());
    const auto [nx, ny, nz] = std::array{scene.size[0], scene.size[1], scene.size[2]};
    std::size_t at = 0;
    for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x, ++at)
                if (scene.is_visible(scene.voxels[at]))
                    for (int c = std::max(z - 1, 0); c <= std::min(z + 1, nz - 1); ++c)
                        for (int b = std::max(y - 1, 0); b <= std::min(y + 1, ny - 1); ++b)
                            for (int a = std::max(x - 1, 0); a <= std::min(x + 1, nx - 1); ++a)
                                kept[(std::size_t(c) * std::size_t(ny) + std::size_t(b)) *
                                         std::size_t(nx) +
                                     std::size_t(a)] = true;
    return kept;
}

nanovdb::GridHandle<> grid_of(const Scene& scene) {
    const float background = *std::min_element(scene.voxels.begin(), scene.voxels.end());
    nanovdb::GridBuilder<float, nanovdb::FpN> builder(background, nanovdb::GridClass::FogVolume);
    auto accessor = builder.getAccessor();
    const std::vector<bool> is_kept = kept(scene);
    std::size_t at = 0;
    for (int z = 0; z < scene.size[2]; ++z)
        for (int y = 0; y < scene.size[1]; ++y)
            for (int x = 0; x < scene.size[0]; ++x, ++at)
                if (is_kept[at]) accessor.setValue({x, y, z}, scene.voxels[at]);
    return builder.getHandle<nanovdb::AbsDiff, nanovdb::HostBuffer>(
        1.0, nanovdb::Vec3d(0), "volume", nanovdb::AbsDiff(0.5f));
}

// Steps, from `at` on, that stay in the node of `dim` voxels along each axis around a voxel.
float steps_within(const Vec3& at, const Vec3& step, const nanovdb::Coord& voxel, int dim) {
    float steps = 1e30f;
    for (int a = 0; a < 3; ++a) {
        const float first = float(voxel[a] & ~(dim - 1));
        if (step[a] > 1e-9f) steps = std::min(steps, (first + float(dim) - at[a]) / step[a]);
        if (step[a] < -1e-9f) steps = std::min(steps, (first - at[a]) / step[a]);
    }
    return std::max(1.0f, std::ceil(steps));
}

std::array<float, 3> traced(const Scene& scene, const nanovdb::NanoGrid<nanovdb::FpN>& grid,
                            const Vec3& origin) {
    auto accessor = grid.getAccessor();
    auto sampler = nanovdb::createSampler<1>(accessor);
    std::array<float, 3> color{};
    float light = 1;
    for (float k = 0; k < scene.steps && light >= 1.0f / 1024;) {
        const Vec3 at = origin + k * scene.step;
        const nanovdb::Coord voxel = nanovdb::Coord::Floor(at);
        const nanovdb::Ray<float> ray(at, scene.step);
        const int dim = static_cast<int>(accessor.getDim(voxel, ray));
        if (dim > 1 && !accessor.isActive(voxel)) {
            // Interpolation reads a voxel beyond the node.
            const float steps = steps_within(at, scene.step, voxel, dim);
            k += std::max(1.0f, steps - 1 / scene.step.length());
            continue;
        }
        const float position = scene.position(sampler(at));
        const auto low = std::min(static_cast<std::size_t>(position), std::size_t{entries - 2});
        const float weight = position - float(low);
        const auto channel = [&](std::size_t c) {
            return scene.table[low][c] + weight * (scene.table[low + 1][c] - scene.table[low][c]);
        };
        const float opacity = channel(3) * light;
        for (std::size_t c = 0; c < 3; ++c) color[c] += opacity * channel(c);
        light -= opacity;
        k += 1;
    }
    return color;
}

std::vector<std::uint8_t> picture(const Scene& scene, const nanovdb::NanoGrid<nanovdb::FpN>& grid) {
    std::vector<std::uint8_t> pixels(3 * std::size_t(scene.width) * std::size_t(scene.height));
    const unsigned count = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; ++i)
        threads.emplace_back([&, i] {
            for (int y = int(i); y < scene.height; y += int(count))
                for (int x = 0; x < scene.width; ++x) {
                    const auto color = traced(
                        scene, grid, scene.origin + float(x) * scene.column + float(y) * scene.row);
                    for (std::size_t c = 0; c < 3; ++c)
                        pixels[3 * (std::size_t(y) * std::size_t(scene.width) + std::size_t(x)) +
                               c] =
                            std::uint8_t(std::lround(255 * std::clamp(color[c], 0.0f, 1.0f)));
                }
        });
    for (std::thread& thread : threads) thread.join();
    return pixels;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: nanovdb_rays SCENE PICTURE\n", stderr);
        return 2;
    }
    const Scene scene = read_scene(argv[1]);
    const auto handle = grid_of(scene);
    const auto* grid = handle.grid<nanovdb::FpN>();
    std::vector<double> times;
    std::vector<std::uint8_t> pixels;
    for (int turn = 0; turn < 9; ++turn) {
        const std::clock_t start = std::clock();
        pixels = picture(scene, *grid);
        times.push_back(1000.0 * double(std::clock() - start) / CLOCKS_PER_SEC);
    }
    std::nth_element(times.begin(), times.begin() + 4, times.end());
    std::FILE* file = std::fopen(argv[2], "wb");
    if (!file || std::fwrite(pixels.data(), 1, pixels.size(), file) != pixels.size()) {
        std::perror(argv[2]);
        return 1;
    }
    std::fclose(file);
    std::printf("%llu %.3f\n", static_cast<unsigned long long>(handle.size()), times[4]);
    return 0;
}
