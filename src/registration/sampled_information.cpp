#include "registration/sampled_information.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "kernels/registration/mutual_information.kernel.h"
#include "registration/points.h"

namespace tesela {
namespace {

constexpr std::int64_t most_samples = std::int64_t{1} << 22;  // so that counts stay below 2^32
static_assert(most_samples * kernels::information_unit <= std::int64_t{1} << 32);

// Boxes of nearly the same number of voxels along all axes.
std::array<std::int64_t, 3> boxes_of(const Shape& shape, std::int64_t samples) {
    const std::array<std::int64_t, 3> size{shape.x, shape.y, shape.z};
    const double share =
        std::min(1.0, static_cast<double>(samples) / static_cast<double>(shape.points()));
    std::array<std::int64_t, 3> boxes{};
    for (std::size_t a = 0; a < 3; ++a)
        boxes[a] = std::clamp<std::int64_t>(
            std::lround(static_cast<double>(size[a]) * std::cbrt(share)), 1, size[a]);
    return boxes;
}

// Sums of products of the entries of columns, from those of groups.
class Triangle {
  public:
    explicit Triangle(const std::vector<float>& sums) {
        const auto groups = std::ssize(sums) / kernels::equation_sums;
        for (auto first = sums.begin(); first != sums.end(); first += groups)
            rows_.push_back(std::accumulate(first, first + groups, 0.0));
    }
    double operator()(std::size_t row, std::size_t column) const {
        if (row > column) std::swap(row, column);
        return rows_[row * kernels::equation_entries - row * (row + 1) / 2 + column];
    }

  private:
    std::vector<double> rows_;  // of the upper triangle
};

}  // namespace

SampledInformation::SampledInformation(Queue& queue, const RegistrationLevel& fixed,
                                       const RegistrationLevel& moving, const UnitSpace& space,
                                       RegistrationMeasure measure, std::int64_t samples)
    : queue_(queue), moving_(moving), to_unit_(space.map()), measure_(measure) {
    const auto boxes = boxes_of(fixed.shape, std::min(samples, most_samples / 8));
    count_ = boxes[0] * boxes[1] * boxes[2];
    points_ = queue.allocate<float>(3 * count_, "samples");
    rows_ = queue.allocate<std::int32_t>(count_, "rows of samples");
    found_ = queue.allocate<float>(4 * count_, "samples of the moving level");
    kernels::sample_boxes lattice{};
    const std::array<std::int64_t, 3> size{fixed.shape.x, fixed.shape.y, fixed.shape.z};
    for (std::size_t a = 0; a < 3; ++a) {
        lattice.size[a] = static_cast<std::int32_t>(size[a]);
        lattice.boxes[a] = static_cast<std::int32_t>(boxes[a]);
    }
    lattice.is_weighted = !fixed.weight.empty();
    queue.launch(kernels::take_samples, Range{boxes[0], boxes[1], boxes[2]}, fixed.gray,
                 lattice.is_weighted ? fixed.weight : fixed.gray, points_, rows_, lattice,
                 rows_of(composed(fixed.placed, to_unit_)));
}

MutualInformation SampledInformation::information(const LinearMap& map) {
    constexpr std::int64_t most_groups = 512, samples_of_group = 2048;
    auto counts =
        queue_.allocate_filled(kernels::information_cells, std::uint32_t{0}, "joint histogram");
    const LinearMap to_moving =
        composed(composed(to_unit_.inverse(), map), moving_.placed.inverse());
    queue_.launch(kernels::find_samples,
                  Groups{std::clamp(count_ / samples_of_group, std::int64_t{1}, most_groups)},
                  moving_.gray, points_, rows_, found_, counts, rows_of(to_moving),
                  sampled(moving_.shape, count_, 0.0f, 0.0f));
    return mutual_information(queue_.download(counts), measure_);
}

LinearEquations SampledInformation::equations(const LinearMap& map) {
    const MutualInformation found = information(map);
    const Buffer<float> gains =
        queue_.upload(std::span<const float>(found.gains), "gains of information");
    constexpr std::int64_t turns = 8, of_group = turns * kernels::equation_group;
    const std::int64_t groups = (count_ + of_group - 1) / of_group;
    auto sums = queue_.allocate<float>(kernels::equation_sums * groups, "sums of groups");
    queue_.launch(kernels::information_equations, Groups{groups}, points_, rows_, found_, gains,
                  sums, count_, static_cast<std::int32_t>(turns));
    // From slopes along the axes of the moving level to those of points of the fixed image.
    const SpaceMatrix m = composed(map, moving_.placed.inverse()).matrix;
    const Triangle products(queue_.download(sums));
    constexpr std::size_t one = kernels::equation_entries - 1;
    LinearEquations equations;
    for (std::size_t i = 0; i < equations.unknowns; ++i)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t a = i / 4, b = i % 4;
            equations.right[i] += m[3 * k + a] * products(4 * k + b, one);
            for (std::size_t j = 0; j < equations.unknowns; ++j)
                for (std::size_t l = 0; l < 3; ++l)
                    equations.matrix[equations.unknowns * i + j] +=
                        m[3 * k + a] * m[3 * l + j / 4] * products(4 * k + b, 4 * l + j % 4);
        }
    equations.error = -found.value;
    equations.similarity = found.correlation;
    equations.compared = products(one, one) / static_cast<double>(count_);
    return equations;
}

}  // namespace tesela
