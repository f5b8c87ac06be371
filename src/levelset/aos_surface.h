// A surface between voxels on a device, which moves by additive operator splitting.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/levelset/aos.kernel.h"
#include "pixels/seeds.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

struct SurfaceOptions {
    bool geodesic = true;
    bool stops = false;  // the force counts less where the stop function is low
    double push = 0;     // balloon times step, positive to grow
    double step = 0.5;   // tau
};

// Lengths are in the unit of `spacing`. Beside u, g and the force it takes 9 bytes a point and
// `line_bytes`.
class Surface {
  public:
    // The zero level of u, which is negative inside.
    Surface(Queue& queue, const Shape& shape, const std::array<double, 3>& spacing, Buffer<float> u,
            Buffer<float> g, Buffer<std::int8_t> force);

    // Of lines under way: none where groups of a GPU hold them, and a byte a point or so on a CPU.
    static std::int64_t line_bytes(const Shape& shape, const Device& device);

    void step(const SurfaceOptions& options);
    // u becomes the distance from the front up to 4.6 times the shortest spacing, and stays that
    // beyond.
    void redistance();
    struct Counts {
        std::int64_t inside = 0, front = 0, changed = 0;  // since the last count
        std::array<std::int64_t, 3> first{}, last{};      // a box around what is inside
    };
    Counts count();
    // Behind `redistance` and `count`: from here on all of these look at a box alone, of what is
    // inside and `rim` voxels around it, and of where they looked before. What is beyond stays as
    // far away as distances go, so that the rim has to be wider than these and the movement until
    // the next call.
    void follow(const Counts& counts, std::int64_t rim);
    // Voxels to which distances reach.
    static constexpr int reach = 8;

    const Buffer<float>& u() const { return u_; }
    // One byte a point, 1 inside, as of the last count.
    const Buffer<std::uint8_t>& inside() const { return inside_; }

  private:
    void look_at(const std::array<std::int64_t, 3>& first, const Shape& box);
    void solve_lines(int axis, const SurfaceOptions& options, bool adds);

    Queue& queue_;
    Shape shape_;
    std::array<double, 3> spacing_;
    int axes_ = 0;  // of more than one point
    // What is looked at.
    std::array<std::int64_t, 3> first_{};
    Shape box_;
    bool follows_ = false;
    kernels::aos_grid grid_{};
    Buffer<float> u_, g_, steep_, right_, kept_;
    Buffer<std::int8_t> force_;
    Buffer<std::uint8_t> inside_;
    Buffer<std::uint32_t> counts_;
};

// Distances from the border of an object, which is not the whole image, to begin with.
Buffer<float> surface_around(Queue& queue, const Shape& shape, const std::array<double, 3>& spacing,
                             const Buffer<std::uint8_t>& inside);
// Balls join what is inside; `unit` is the length in `spacing` of the unit of the ball's radius.
void add_ball(Queue& queue, const Shape& shape, const PlacedBall& ball, double radius, double unit,
              Buffer<float>& u);

}  // namespace tesela
