// The mutual information of two volumes and its derivative.
#include <cmath>

#include "devices.h"
#include "reference/mutual_information_reference.h"
#include "registration/sampled_information.h"

namespace tesela {
namespace {

constexpr double size = 1.5;  // of voxels

Image<float> blobs(const Shape& shape, double phase) {
    Image<float> image(shape);
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x)
                image(x, y, z) = static_cast<float>(
                    0.5 + 0.16 * (std::sin(0.4 * double(x) + phase) + std::cos(0.5 * double(y)) +
                                  std::sin(0.3 * double(z + x) - phase)));
    image.geometry.unit = Unit::millimeter;
    image.geometry.spacing = {size, size, size};
    return image;
}

LinearMap affine(double scale) {
    return {LinearKind::affine,
            {scale, 0.03, -0.02, -0.04, 1.02, 0.01, 0.02, 0.03, 0.97},
            {2.13 * size, 1.71 * size, 2.37 * size}};
}

// The map between voxels.
LinearMap of_voxels(const LinearMap& map) {
    const LinearMap placed{LinearKind::affine, {size, 0, 0, 0, size, 0, 0, 0, size}, {}};
    return composed(composed(placed, map), placed.inverse());
}

class Information : public testing::OnDevice {
  protected:
    RegistrationLevel level_of(const Image<float>& image, float weight = 1) {
        RegistrationLevel level;
        level.shape = image.shape();
        level.placed = placement(grid_of(image));
        level.gray = queue.upload(std::span<const float>(image.pixels()), "level");
        level.weight = queue.allocate_filled(image.shape().points(), weight, "weight");
        return level;
    }

    Queue queue{GetParam()};
    const Image<float> fixed = blobs({21, 18, 15}, 0), moving = blobs({27, 25, 22}, 0.6);
};
TESELA_ON_EVERY_DEVICE(Information);

TEST_P(Information, EqualsTheFormula) {
    const RegistrationLevel here = level_of(fixed), there = level_of(moving);
    const UnitSpace space(grid_of(fixed));
    for (const auto measure : {RegistrationMeasure::mi, RegistrationMeasure::nmi})
        for (const double scale : {1.0, 1.4}) {  // the latter leaves the moving image
            SampledInformation samples(queue, here, there, space, measure, 1 << 20);
            const LinearEquations found = samples.equations(affine(scale));
            const reference::Information wanted = reference::mutual_information(
                fixed, moving, of_voxels(affine(scale)), measure == RegistrationMeasure::nmi);
            EXPECT_NEAR(-found.error, wanted.value, 2e-4) << enum_name(measure) << scale;
            EXPECT_DOUBLE_EQ(found.compared,
                             wanted.compared / static_cast<double>(fixed.shape().points()));
            EXPECT_EQ(wanted.compared<static_cast<double>(fixed.shape().points()), scale> 1);
        }
}

// The right side is the derivative of the information of all samples: that of the formula by
// differences. Of the normalized one it has another length.
TEST_P(Information, ItsDerivativeIsThatOfTheFormula) {
    const RegistrationLevel here = level_of(fixed), there = level_of(moving);
    const UnitSpace space(grid_of(fixed));
    const LinearMap to_unit = space.map(), map = affine(1);
    for (const auto measure : {RegistrationMeasure::mi, RegistrationMeasure::nmi}) {
        SampledInformation samples(queue, here, there, space, measure, 1 << 20);
        const LinearEquations equations = samples.equations(map);
        double product = 0, squares = 0, wanted_squares = 0;
        for (std::size_t k = 0; k < equations.unknowns; ++k) {
            const auto value_at = [&](double change) {
                LinearMap moved = to_unit;  // the shift, as a map of unit coordinates
                moved.matrix = {};
                moved.translation = {};
                (k % 4 == 0 ? moved.translation[k / 4] : moved.matrix[3 * (k / 4) + k % 4 - 1]) =
                    change;
                LinearMap changed = composed(to_unit, moved);
                for (std::size_t a = 0; a < 3; ++a) changed.matrix[4 * a] += 1;
                return reference::mutual_information(fixed, moving,
                                                     of_voxels(composed(changed, map)),
                                                     measure == RegistrationMeasure::nmi)
                    .value;
            };
            constexpr double step = 1e-4;
            const double wanted = (value_at(step) - value_at(-step)) / (2 * step) *
                                  static_cast<double>(fixed.shape().points());
            product += wanted * equations.right[k];
            squares += equations.right[k] * equations.right[k];
            wanted_squares += wanted * wanted;
            if (measure == RegistrationMeasure::mi) {
                EXPECT_NEAR(equations.right[k], wanted, 2e-3 * std::abs(wanted) + 0.5) << k;
            }
        }
        EXPECT_GT(product / std::sqrt(squares * wanted_squares), 0.99999) << enum_name(measure);
    }
}

// One voxel of each box: nearly the information of all, but for what few samples share by chance.
// Nothing where the weight is 0.
TEST_P(Information, OfSamples) {
    const Image<float> large = blobs({60, 55, 50}, 0), other = blobs({66, 60, 57}, 0.6);
    const RegistrationLevel here = level_of(large), there = level_of(other);
    const UnitSpace space(grid_of(large));
    const auto information = [&](const RegistrationLevel& level, std::int64_t count) {
        return SampledInformation(queue, level, there, space, RegistrationMeasure::mi, count)
            .equations(affine(1));
    };
    const double all = information(here, 1 << 20).error;
    const LinearEquations some = information(here, 20000);
    EXPECT_NEAR(some.error, all, 1024.0 / (2 * 20000));  // bins of pairs over twice the samples
    EXPECT_NE(some.error, all);
    EXPECT_EQ(some.right, information(here, 20000).right);
    EXPECT_EQ(information(level_of(large, 0), 20000).compared, 0);
    EXPECT_EQ(information(level_of(large, 0), 20000).error, 0);
}

}  // namespace
}  // namespace tesela
