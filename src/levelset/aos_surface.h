// A sub-voxel surface on a device that evolves by additive operator splitting.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "kernels/levelset/aos.kernel.h"
#include "pixels/seeds.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

struct SurfaceOptions {
    bool geodesic = true;
    bool stops = false;  // the stop function weighs the force
    double push = 0;     // balloon times step, positive to grow
    double step = 0.5;   // tau
};

// Lengths are in the unit of `spacing`. In addition to u, g and the force it takes 9 bytes a point
// and `line_bytes`.
class Surface {
  public:
    // The zero level of u, which is negative inside.
    Surface(Queue& queue, const Shape& shape, const std::array<double, 3>& spacing, Buffer<float> u,
            Buffer<float> g, Buffer<std::int8_t> force);

    // Device memory for lines in elimination: none where groups of a GPU hold them, about a byte a
    // point on a CPU.
    static std::int64_t line_bytes(const Shape& shape, const Device& device);

    void step(const SurfaceOptions& options);
    // Reinitializes u as the distance from the front, clamped to 4.6 times the shortest spacing.
    void redistance();
    struct Counts {
        std::int64_t inside = 0, front = 0, changed = 0;  // since the last count
        std::array<std::int64_t, 3> first{}, last{};      // a box around what is inside
    };
    Counts count();
    // Call after `redistance` and `count`: restricts steps to a box with the points inside and
    // `margin` voxels around them, united with the box before. Beyond it u stays clamped, so the
    // margin must be wider than the reach of distances plus the movement until the next call.
    void fit_box(const Counts& counts, std::int64_t margin);
    // Number of voxels that distances extend from the front.
    static constexpr int reach = 8;

    const Buffer<float>& u() const { return u_; }
    Buffer<float> take_u() && { return std::move(u_); }
    // One byte for each point, 1 inside; as of the last count.
    const Buffer<std::uint8_t>& inside() const { return inside_; }

  private:
    void look_at(const std::array<std::int64_t, 3>& first, const Shape& box);
    void solve_lines(int axis, const SurfaceOptions& options, bool adds);

    Queue& queue_;
    Shape shape_;
    std::array<double, 3> spacing_;
    int axes_ = 0;  // of more than one point
    // The box that is computed.
    std::array<std::int64_t, 3> first_{};
    Shape box_;
    bool has_box_ = false;
    kernels::aos_grid grid_{};
    Buffer<float> u_, g_, steep_, right_, kept_;
    Buffer<std::int8_t> force_;
    Buffer<std::uint8_t> inside_;
    Buffer<std::uint32_t> counts_;
};

// The initial surface: distances from the border of an object that is not the whole image.
Buffer<float> surface_around(Queue& queue, const Shape& shape, const std::array<double, 3>& spacing,
                             const Buffer<std::uint8_t>& inside);
// Adds a ball to the inside; `unit` is the unit of its radius in that of `spacing`.
void add_ball(Queue& queue, const Shape& shape, const PlacedBall& ball, double radius, double unit,
              Buffer<float>& u);

}  // namespace tesela
