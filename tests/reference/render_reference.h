// Pictures of volumes in double precision, sample by sample (docs/rendering.md), for nobody to
// optimize: no bricks, no tables, no skipping.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "tesela/camera.h"
#include "tesela/image.h"
#include "tesela/render.h"
#include "tesela/transfer_function.h"

namespace tesela::reference {

using V3 = std::array<double, 3>;
inline double dot(const V3& a, const V3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline V3 cross(const V3& a, const V3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline V3 sum(const V3& a, double s, const V3& b) {
    return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}
inline V3 unit(const V3& a) {
    const double l = std::sqrt(dot(a, a));
    return {a[0] / l, a[1] / l, a[2] / l};
}

struct RenderedPixel {
    V3 color{};  // times opacity
    double opacity = 0;
    double depth = -1;
    V3 normal{};  // of the first isosurface, as the gradient points
};

// A volume of one channel with a direction matrix whose columns are perpendicular.
class RenderReference {
  public:
    RenderReference(const Image<float>& volume, const TransferFunction& transfer,
                    const Camera& camera, const RenderSettings& settings)
        : volume_(volume), transfer_(transfer), camera_(camera), settings_(settings) {
        const Geometry& g = volume.geometry;
        size_ = {double(volume.shape().x), double(volume.shape().y), double(volume.shape().z)};
        for (std::size_t a = 0; a < 3; ++a) {
            axis_[a] = {g.direction[a], g.direction[3 + a], g.direction[6 + a]};
            if (size_[a] > 1) shortest_ = std::min(shortest_, g.spacing[a]);
        }
        forward_ = unit(sum(camera.target, -1, camera.position));
        right_ = unit(cross(forward_, camera.up));
        down_ = cross(forward_, right_);
    }

    RenderedPixel pixel(std::int64_t x, std::int64_t y) const {
        V3 origin = camera_.position, toward = forward_;
        const V3 to_target = sum(camera_.target, -1, camera_.position);
        const double distance = std::sqrt(dot(to_target, to_target));
        const bool perspective = camera_.view_angle > 0;
        const double height =
            perspective ? 2 * distance * std::tan(camera_.view_angle * std::numbers::pi / 360)
                        : camera_.height;
        const double side = height / double(settings_.height);
        const double across = (double(x) + 0.5 - double(settings_.width) / 2) * side;
        const double below = (double(y) + 0.5 - double(settings_.height) / 2) * side;
        V3& moved = perspective ? toward : origin;
        if (perspective) toward = to_target;
        moved = sum(sum(moved, across, right_), below, down_);
        toward = unit(toward);
        double first = 0, last = 1e30;
        for (std::size_t a = 0; a < 3; ++a) {
            double lowest = -0.5, highest = size_[a] - 0.5;
            if (settings_.clip_box) {
                lowest = std::max(lowest, settings_.clip_box->first[a] - 0.5);
                highest = std::min(highest, settings_.clip_box->last[a] + 0.5);
            }
            const double spacing = volume_.geometry.spacing[a];
            const double o = voxel(origin)[a], d = dot(toward, axis_[a]) / spacing;
            narrow(o - lowest, d, first, last);
            narrow(highest - o, -d, first, last);
        }
        for (const ClipPlane& plane : settings_.clip_planes)
            narrow(dot(plane.normal, origin) + plane.offset, dot(plane.normal, toward), first,
                   last);
        return gathered(origin, toward, first, last, jitter(x, y));
    }

    double value_at(const V3& p) const {
        double value = 0;
        for (int corner = 0; corner < 8; ++corner) {
            double weight = 1;
            std::array<std::int64_t, 3> at{};
            for (std::size_t a = 0; a < 3; ++a) {
                const double low = std::floor(p[a]);
                const int upper = corner >> a & 1;
                weight *= upper ? p[a] - low : 1 - (p[a] - low);
                at[a] = std::clamp<std::int64_t>(std::int64_t(low) + upper, 0,
                                                 std::int64_t(size_[a]) - 1);
            }
            value += weight * double(volume_(at[0], at[1], at[2]));
        }
        return value;
    }
    // In values per mm, along the axes of space.
    V3 gradient_at(const V3& p) const {
        V3 gradient{};
        for (std::size_t a = 0; a < 3; ++a) {
            V3 ahead = p, behind = p;
            ahead[a] += 1;
            behind[a] -= 1;
            const double slope =
                (value_at(ahead) - value_at(behind)) / (2 * volume_.geometry.spacing[a]);
            gradient = sum(gradient, slope, axis_[a]);
        }
        return gradient;
    }

  private:
    // Keeps where at + t * toward >= 0.
    static void narrow(double at, double toward, double& first, double& last) {
        if (std::abs(toward) < 1e-12) {
            if (at < 0) last = -1;
        } else if (toward > 0) {
            first = std::max(first, -at / toward);
        } else {
            last = std::min(last, -at / toward);
        }
    }
    static double jitter(std::int64_t x, std::int64_t y) {
        auto hash = std::uint32_t(x) * 0x9e3779b1u + std::uint32_t(y) * 0x85ebca77u;
        hash ^= hash >> 16;
        hash *= 0x85ebca6bu;
        hash ^= hash >> 13;
        hash *= 0xc2b2ae35u;
        hash ^= hash >> 16;
        return double(hash >> 8) / 16777216.0;
    }
    V3 voxel(const V3& point) const {
        const V3 from = sum(point, -1, volume_.geometry.origin);
        V3 place{};
        for (std::size_t a = 0; a < 3; ++a)
            place[a] = dot(from, axis_[a]) / volume_.geometry.spacing[a];
        return place;
    }

    void light(const V3& gradient, const V3& toward, V3& color) const {
        if (!settings_.shading) return;
        const double length = std::sqrt(dot(gradient, gradient));
        const double cosine = length > 0 ? std::abs(dot(gradient, toward)) / length : 1;
        for (double& channel : color)
            channel = std::min(1.0, (0.25 + 0.7 * cosine) * channel + 0.15 * std::pow(cosine, 16));
    }
    static void add(RenderedPixel& pixel, const V3& color, double opacity, double t) {
        const double share = (1 - pixel.opacity) * opacity;
        pixel.color = sum(pixel.color, share, color);
        pixel.opacity += share;
        if (pixel.depth < 0 && pixel.opacity >= 0.5) pixel.depth = t;
    }

    RenderedPixel gathered(const V3& origin, const V3& toward, double first, double last,
                           double jitter) const {
        RenderedPixel pixel;
        const double step = settings_.step * shortest_;
        const auto value_on = [&](double t) { return value_at(voxel(sum(origin, t, toward))); };
        double highest = 0, total = 0, before = 0, met = -1;
        std::int64_t count = 0;
        for (auto k = std::int64_t(std::max(0.0, std::ceil(first / step - jitter)));
             (double(k) + jitter) * step < last; ++k) {
            const double t = (double(k) + jitter) * step;
            const double value = value_on(t);
            if (settings_.mode == RenderMode::composite) {
                add_sample(pixel, value, voxel(sum(origin, t, toward)), toward, t, step);
            } else if (settings_.mode == RenderMode::isosurface) {
                if (count > 0) add_surfaces(pixel, before, value, t - step, t, origin, toward);
            } else if (count == 0 || (settings_.mode == RenderMode::mip && value > highest)) {
                highest = value;
                met = t;
            }
            total += value;
            before = value;
            ++count;
            if (1 - pixel.opacity < 1.0 / 1024) break;
        }
        if (count > 0 &&
            (settings_.mode == RenderMode::mip || settings_.mode == RenderMode::average)) {
            const double value =
                settings_.mode == RenderMode::mip ? highest : total / double(count);
            add(pixel, color_at(transfer_.color, value), opacity_at(transfer_.opacity, value), met);
            pixel.depth = met;
        }
        if (1 - pixel.opacity < 1.0 / 1024) {
            for (double& channel : pixel.color) channel /= pixel.opacity;
            pixel.opacity = 1;
        }
        return pixel;
    }
    void add_sample(RenderedPixel& pixel, double value, const V3& p, const V3& toward, double t,
                    double step) const {
        double opacity = opacity_at(transfer_.opacity, value);
        if (opacity <= 0) return;
        V3 color = color_at(transfer_.color, value);
        const V3 gradient = gradient_at(p);
        if (!transfer_.gradient_opacity.empty())
            opacity *= opacity_at(transfer_.gradient_opacity, std::sqrt(dot(gradient, gradient)));
        light(gradient, toward, color);
        add(pixel, color, 1 - std::pow(1 - opacity, step / transfer_.reference_length), t);
    }
    void add_surfaces(RenderedPixel& pixel, double before, double value, double near, double far,
                      const V3& origin, const V3& toward) const {
        std::vector<double> crossed;
        for (const double isovalue : settings_.isovalues)
            if ((before >= isovalue) != (value >= isovalue)) crossed.push_back(isovalue);
        std::sort(crossed.begin(), crossed.end());
        if (before > value) std::reverse(crossed.begin(), crossed.end());
        for (const double isovalue : crossed) {
            double low = near, high = far;
            for (int i = 0; i < 60; ++i) {
                const double middle = 0.5 * (low + high);
                const bool inside = value_at(voxel(sum(origin, middle, toward))) >= isovalue;
                (inside == (before >= isovalue) ? low : high) = middle;
            }
            V3 color = color_at(transfer_.color, isovalue);
            const V3 gradient = gradient_at(voxel(sum(origin, low, toward)));
            if (pixel.opacity == 0) pixel.normal = unit(gradient);
            light(gradient, toward, color);
            add(pixel, color, isovalue == settings_.isovalues.back() ? 1 : double(0.35f), low);
        }
    }

    const Image<float>& volume_;
    TransferFunction transfer_;
    Camera camera_;
    RenderSettings settings_;
    V3 size_{}, forward_{}, right_{}, down_{};
    std::array<V3, 3> axis_{};
    double shortest_ = 1e300;
};

}  // namespace tesela::reference
