// The reference itself is checked against values that others have published.
#include "reference/color_reference.h"

#include <gtest/gtest.h>

namespace tesela::reference {
namespace {

// Every channel in steps of 1/51, the lattice of spec 000, section 3.3.
template <class F>
void for_each_color(F visit) {
    for (int r = 0; r <= 51; ++r)
        for (int g = 0; g <= 51; ++g)
            for (int b = 0; b <= 51; ++b) visit(Color{r / 51.0, g / 51.0, b / 51.0});
}

double difference(const Color& a, const Color& b) {
    return std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2])});
}

TEST(ColorReference, MidGrayWithAndWithoutGamma) {
    EXPECT_NEAR(lightness_from_gray(0.5, Gamma::srgb), 53.39, 0.005);
    EXPECT_NEAR(lightness_from_gray(0.5, Gamma::none), 76.07, 0.005);
}

TEST(ColorReference, BlackAndWhite) {
    for (const Gamma gamma : {Gamma::srgb, Gamma::none}) {
        EXPECT_NEAR(luv_from_rgb({1, 1, 1}, gamma)[0], 100, 1e-3);
        EXPECT_NEAR(lab_from_rgb({1, 1, 1}, gamma)[0], 100, 1e-3);
        EXPECT_NEAR(lightness_from_gray(1, gamma), 100, 1e-9);
        EXPECT_EQ(luv_from_rgb({0, 0, 0}, gamma), (Color{0, 0, 0}));
        EXPECT_NEAR(difference(lab_from_rgb({0, 0, 0}, gamma), {0, 0, 0}), 0, 1e-12);
        EXPECT_EQ(rgb_from_luv({0, 0, 0}, gamma), (Color{0, 0, 0}));
    }
}

// scikit-image 0.19.3: skimage.color.rgb2luv and rgb2lab (D65, 2 degrees) of sRGB primaries and an
// orange. Its matrix has six digits and a slightly other white, hence the tolerance.
TEST(ColorReference, CloseToScikitImage) {
    struct Known {
        Color rgb, luv, lab;
    };
    for (const Known& known :
         {Known{{1, 0, 0}, {53.2406, 175.0145, 37.7562}, {53.2406, 80.0923, 67.2028}},
          Known{{0, 1, 0}, {87.7351, -83.0779, 107.3991}, {87.7351, -86.1830, 83.1797}},
          Known{{0, 0, 1}, {32.2957, -9.4049, -130.3370}, {32.2957, 79.1856, -107.8573}},
          Known{{1, 0.5, 0.25}, {67.2332, 102.7055, 50.5329}, {67.2332, 44.3701, 55.3669}}}) {
        EXPECT_LT(difference(luv_from_rgb(known.rgb, Gamma::srgb), known.luv), 0.03);
        EXPECT_LT(difference(lab_from_rgb(known.rgb, Gamma::srgb), known.lab), 0.03);
    }
}

TEST(ColorReference, RoundTrip) {
    double luv = 0, lab = 0, gray = 0;
    for (const Gamma gamma : {Gamma::srgb, Gamma::none}) {
        for_each_color([&](const Color& rgb) {
            luv = std::max(luv, difference(rgb_from_luv(luv_from_rgb(rgb, gamma), gamma), rgb));
            lab = std::max(lab, difference(rgb_from_lab(lab_from_rgb(rgb, gamma), gamma), rgb));
        });
        for (int g = 0; g <= 1000; ++g)
            gray = std::max(
                gray, std::abs(gray_from_lightness(lightness_from_gray(g / 1000.0, gamma), gamma) -
                               g / 1000.0));
    }
    EXPECT_LT(luv, 1.75e-6);  // spec 000, section 3.3: 1.7e-6 in two digits
    EXPECT_LT(lab, 1.75e-6);
    EXPECT_LE(gray, 1e-7);
}

}  // namespace
}  // namespace tesela::reference
