#include "experiments/mean_shift/images.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tesela/io.h"

namespace tesela::experiments {
namespace {

namespace fs = std::filesystem;

// A linear congruential generator: the same noise everywhere.
class Noise {
  public:
    explicit Noise(std::uint32_t seed) : state_(seed) {}
    double operator()(double amplitude) {
        state_ = state_ * 1664525u + 1013904223u;
        return amplitude * (static_cast<double>(state_ >> 8) / (1 << 24) - 0.5);
    }

  private:
    std::uint32_t state_;
};

std::uint8_t byte(double value) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
}

// Patches of color with a ramp and noise.
Image<std::uint8_t> made_picture(const Shape& shape, double noise) {
    Image<std::uint8_t> image(shape);
    Noise random(1);
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x)
            for (int c = 0; c < shape.channels; ++c) {
                const std::int64_t patch = (x / 60 * 7 + y / 50 * 5 + c * 3) % 9;
                const double ramp =
                    30.0 * static_cast<double>(x + y) / static_cast<double>(shape.x + shape.y);
                image(x, y, 0, 0, c) =
                    byte(20 + 20 * static_cast<double>(patch) + ramp + random(noise));
            }
    return image;
}

// Three nested ellipsoids with noise, as a head has skull, gray and white matter.
Image<std::uint8_t> made_volume(const Shape& shape) {
    Image<std::uint8_t> image(shape);
    Noise random(2);
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                const auto part = [](std::int64_t i, std::int64_t n) {
                    return 2 * (static_cast<double>(i) + 0.5) / static_cast<double>(n) - 1;
                };
                const double radius =
                    std::hypot(part(x, shape.x), part(y, shape.y), part(z, shape.z));
                const double value = radius < 0.5    ? 170
                                     : radius < 0.75 ? 110
                                     : radius < 0.85 ? 230
                                                     : 15;
                image(x, y, z) = byte(value + random(30));
            }
    return image;
}

template <class T>
Image<T> cropped(const Image<T>& image, std::int64_t width, std::int64_t height) {
    Shape shape = image.shape();
    const std::int64_t x0 = std::max<std::int64_t>(0, (shape.x - width) / 2),
                       y0 = std::max<std::int64_t>(0, (shape.y - height) / 2);
    shape.x = std::min(shape.x, width);
    shape.y = std::min(shape.y, height);
    Image<T> part(shape, image.geometry);
    part.has_alpha = image.has_alpha;
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x)
            for (int c = 0; c < shape.channels; ++c)
                part(x, y, 0, 0, c) = image(x0 + x, y0 + y, 0, 0, c);
    return part;
}

TestImage picture(Role role, const std::string& name, const fs::path& file, double noise,
                  bool quick) {
    const std::int64_t size = quick ? 64 : 512;
    TestImage result{role, name, "made up", {}};
    if (fs::exists(file)) {
        result.source = file.filename().string();
        result.image =
            std::visit([&](const auto& image) -> AnyImage { return cropped(image, size, size); },
                       io::read_image(file).image);
    } else {
        result.image = made_picture({size, size, 1, 1, 3}, noise);
    }
    return result;
}

}  // namespace

Image<std::uint8_t> resampled(const AnyImage& volume, const Shape& shape,
                              const std::array<double, 3>& begin,
                              const std::array<double, 3>& end) {
    Image<std::uint8_t> result(shape);
    const Shape& from = shape_of(volume);
    const std::array<std::int64_t, 3> to_count{shape.x, shape.y, shape.z},
        from_count{from.x, from.y, from.z};
    const auto sample = [&](const auto& image, const std::array<std::int64_t, 3>& at) {
        double value = 0;
        std::array<std::int64_t, 3> low{};
        std::array<double, 3> share{};
        for (std::size_t a = 0; a < 3; ++a) {
            const double step = (end[a] - begin[a]) / static_cast<double>(to_count[a]);
            const double place = begin[a] + (static_cast<double>(at[a]) + 0.5) * step - 0.5;
            const double inside = std::clamp(place, 0.0, static_cast<double>(from_count[a]) - 1.0);
            low[a] = static_cast<std::int64_t>(inside);
            share[a] = inside - static_cast<double>(low[a]);
        }
        for (int corner = 0; corner < 8; ++corner) {
            double weight = 1;
            std::array<std::int64_t, 3> near{};
            for (std::size_t a = 0; a < 3; ++a) {
                const int up = corner >> a & 1;
                weight *= up ? share[a] : 1 - share[a];
                near[a] = std::min(low[a] + up, from_count[a] - 1);
            }
            value += weight * static_cast<double>(image(near[0], near[1], near[2]));
        }
        return value;
    };
    std::visit(
        [&](const auto& image) {
            const auto highest = static_cast<double>(
                *std::max_element(image.pixels().begin(), image.pixels().end()));
            const double scale = highest > 255 ? 255 / highest : 1;
            for (std::int64_t z = 0; z < shape.z; ++z)
                for (std::int64_t y = 0; y < shape.y; ++y)
                    for (std::int64_t x = 0; x < shape.x; ++x)
                        result(x, y, z) = byte(scale * sample(image, {x, y, z}));
        },
        volume);
    return result;
}

std::vector<TestImage> stand_ins(const fs::path& folder, bool quick) {
    std::vector<TestImage> images;
    images.push_back(picture(Role::lenna, "lenna", folder / "astronaut.png", 20, quick));
    images.push_back(picture(Role::mandrill, "mandrill", folder / "ihc.png", 120, quick));
    const Shape slice{quick ? 53 : 424, quick ? 64 : 512};
    const Shape volume{quick ? 24 : 192, quick ? 24 : 192, quick ? 20 : 160};
    const fs::path head = folder / "ch2.nii.gz";
    if (!fs::exists(head)) {
        images.push_back({Role::mri_2d, "mri-2d", "made up", made_volume(slice)});
        images.push_back({Role::mri_3d, "mri-3d", "made up", made_volume(volume)});
        return images;
    }
    const AnyImage scan = io::read_image(head).image;
    const Shape& from = shape_of(scan);
    const auto nx = static_cast<double>(from.x), ny = static_cast<double>(from.y),
               nz = static_cast<double>(from.z);
    const double middle = std::floor(nz / 2);
    images.push_back({Role::mri_2d, "mri-2d", "axial slice of ch2.nii.gz",
                      resampled(scan, slice, {0, 0, middle}, {nx, ny, middle + 1})});
    // The largest part with the sides of the volume to be made, in the middle.
    const double unit = std::min({nx / 192, ny / 192, nz / 160});
    const std::array<double, 3> begin{(nx - 192 * unit) / 2, (ny - 192 * unit) / 2,
                                      (nz - 160 * unit) / 2};
    images.push_back(
        {Role::mri_3d, "mri-3d", "ch2.nii.gz",
         resampled(scan, volume, begin,
                   {begin[0] + 192 * unit, begin[1] + 192 * unit, begin[2] + 160 * unit})});
    return images;
}

TestImage own_image(const fs::path& path) {
    return {Role::own, path.stem().stem().string(), path.filename().string(),
            io::read_image(path).image, ColorSpace::automatic};
}

Image<std::uint8_t> moving_balls(std::int64_t size, std::int64_t frames) {
    Image<std::uint8_t> image({size, size, size, frames});
    Noise random(3);
    const auto edge = static_cast<double>(size);
    for (std::int64_t t = 0; t < frames; ++t)
        for (std::int64_t z = 0; z < size; ++z)
            for (std::int64_t y = 0; y < size; ++y)
                for (std::int64_t x = 0; x < size; ++x) {
                    const auto from = [&](double cx, double cy, double cz) {
                        return std::hypot(static_cast<double>(x) / edge - cx,
                                          static_cast<double>(y) / edge - cy,
                                          static_cast<double>(z) / edge - cz);
                    };
                    const double drift = 0.04 * static_cast<double>(t);
                    const double value = from(0.35 + drift, 0.4, 0.4) < 0.2 ? 200
                                         : from(0.65, 0.65 - drift, 0.6) < 0.22
                                             ? 140 - 10 * static_cast<double>(t)
                                             : 40;
                    image(x, y, z, t) = byte(value + random(24));
                }
    return image;
}

}  // namespace tesela::experiments
