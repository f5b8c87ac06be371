// Additive operator splitting in a narrow band of regions.
#include <algorithm>
#include <array>
#include <span>

#include "kernels/levelset/aos_thesis.kernel.h"
#include "levelset/thesis/active_regions.h"
#include "levelset/thesis/methods.h"
#include "tesela/compute/primitives.h"
#include "tesela/tridiagonal.h"

namespace tesela {
namespace {

using kernels::i32;
using std::int64_t;
using Floats = Buffer<float>;
using Words = Buffer<std::uint32_t>;

// The bits of numbers below `count`.
int bits_of(int64_t count) {
    int bits = 1;
    while (bits < 32 && (int64_t{1} << bits) < count) ++bits;
    return bits;
}

class Band {
  public:
    Band(const Image<float>& u, const Image<float>& g, const ThesisAosOptions& options,
         Queue& queue)
        : options_(options),
          queue_(queue),
          grid_(thesis_regions_of(u.shape(), options.region)),
          active_(queue, grid_),
          sums_(queue),
          u_(queue.upload(std::span<const float>(u.pixels()), "surface")),
          g_(queue.lend(std::span<const float>(g.pixels()), "stop function")),
          steep_(allocate(u_.size(), "gradient")),
          right_(allocate(u_.size(), "right-hand sides")),
          sum_(allocate(u_.size(), "sum of solutions")),
          keys_(queue.allocate<std::uint32_t>(active_.regions(), "keys of regions")),
          status_(queue.allocate<std::uint32_t>(1, "pivots")) {
        active_.take_all();
    }

    void step(int64_t round, ThesisLevelSetResult& result) {
        const double before = sums_.total();
        sums_.time("regions", [&] { find_regions(); });
        const int64_t regions = active_.count();
        if (regions > 0) {
            fit(regions * voxels());
            sums_.time("gradient", [&] { differentiate(); });
            for (i32 axis = 0; axis < 3; ++axis) {
                sums_.time("systems", [&] { build(axis); });
                sums_.time("solution", [&] {
                    solve_tridiagonal<float>(queue_, contiguous_lines(regions * voxels(), 1), a_,
                                             b_, c_, d_, status_);
                });
                sums_.time("average", [&] { add(axis); });
            }
            sums_.time("average", [&] {
                queue_.launch(kernels::aos_thesis_commit, points(), active_.list(), sum_, u_,
                              grid_);
            });
        }
        result.updates.push_back(
            {"step", round, regions, regions * voxels(), sums_.total() - before});
    }
    void read(Image<float>& u) { queue_.read(u_, std::span<float>(u.pixels())); }
    std::vector<StageTime> stages() { return sums_.take(); }

  private:
    Floats allocate(int64_t count, const char* name) { return queue_.allocate<float>(count, name); }
    int64_t voxels() const { return int64_t{grid_.side} * grid_.side * grid_.side; }
    Range points() const { return {voxels(), active_.count()}; }

    void find_regions() {
        const i32 reach = (options_.band - 1) / options_.region + 1;
        queue_.launch(kernels::aos_thesis_explore, Range{active_.count()}, active_.list(), u_,
                      active_.flags(), reach, grid_);
        active_.update();
        for (i32 axis = 1; axis < 3; ++axis) {
            Words& list = lists_[static_cast<std::size_t>(axis - 1)];
            if (list.size() == 0)
                list = queue_.allocate<std::uint32_t>(active_.regions(), "active regions");
            queue_.launch(kernels::aos_thesis_keys, Range{active_.count()}, active_.list(), keys_,
                          axis, grid_);
            queue_.copy(active_.list(), list);
            sort_pairs(queue_, keys_, list, active_.count(), bits_of(active_.regions()));
        }
    }
    // Of an axis, in the order of its systems.
    const Words& list(i32 axis) const {
        return axis == 0 ? active_.list() : lists_[static_cast<std::size_t>(axis - 1)];
    }

    // Makes room for systems of so many equations.
    void fit(int64_t equations) {
        if (d_.size() >= equations) return;
        const int64_t all = active_.regions() * voxels();
        const int64_t room = std::min(all, equations + equations / 4);
        rows_ = allocate(4 * room, "equations");
        d_ = allocate(room, "equations");
        voxel_keys_ = queue_.allocate<std::uint32_t>(room, "keys of voxels");
        order_ = queue_.allocate<std::uint32_t>(room, "order of voxels");
    }

    void differentiate() {
        const double k =
            options_.direction == ThesisDirection::expand ? -options_.balloon : options_.balloon;
        queue_.launch(kernels::aos_thesis_gradient, points(), active_.list(), u_, g_, steep_,
                      right_, static_cast<float>(options_.step * k),
                      i32{options_.model == SurfaceModel::geodesic}, grid_);
    }
    void build(i32 axis) {
        const int64_t equations = active_.count() * voxels();
        // Harmonic means and three axes: 2 m tau.
        queue_.launch(kernels::aos_thesis_rows, points(), list(axis), active_.members(), u_, g_,
                      steep_, right_, rows_, voxel_keys_, order_,
                      static_cast<float>(6 * options_.step), axis, grid_);
        sort_pairs(queue_, voxel_keys_, order_, equations, bits_of(active_.regions() * voxels()));
        // The solver reads the matrix alone; its memory comes back from the pool.
        for (auto* column : {&a_, &b_, &c_}) *column = {};
        Floats a = allocate(equations, "equations"), b = allocate(equations, "equations"),
               c = allocate(equations, "equations");
        queue_.launch(kernels::aos_thesis_system, Range{equations}, rows_, order_, a, b, c, d_);
        a_ = std::move(a);
        b_ = std::move(b);
        c_ = std::move(c);
    }
    void add(i32 axis) {
        queue_.launch(kernels::aos_thesis_average, Range{active_.count() * voxels()}, list(axis),
                      order_, d_, sum_, i32{axis > 0}, grid_);
    }

    const ThesisAosOptions& options_;
    Queue& queue_;
    kernels::thesis_regions grid_;
    ActiveRegions active_;
    StageSums sums_;
    Floats u_;
    Buffer<const float> g_;
    Floats steep_, right_, sum_, rows_, d_;
    Buffer<const float> a_, b_, c_;
    Words keys_, status_, voxel_keys_, order_;
    std::array<Words, 2> lists_;
};

}  // namespace

void run_aos_regions(Image<float>& u, const Image<float>& g, const ThesisAosOptions& options,
                     Queue& queue, const Progress& progress, ThesisLevelSetResult& result) {
    Band band(u, g, options, queue);
    for (; result.rounds < options.iterations; ++result.rounds) {
        progress.report(static_cast<double>(result.rounds) / options.iterations, "steps");
        band.step(result.rounds + 1, result);
    }
    band.read(u);
    result.stages = band.stages();
}

}  // namespace tesela
