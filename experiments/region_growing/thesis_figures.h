// Figures that the thesis behind region growing prints (Barriuso Medrano 2011).
#pragma once

#include <array>
#include <string_view>

namespace tesela::experiments {

// Microseconds of one launch, on circulo.bmp, 477x350.
struct PrintedKernel {
    std::string_view name, here;  // there, and how the kernel's name begins here
    double atomics, reduction;    // figures 6.2 and 6.3, GeForce GTX 460
    double by_16, by_20;          // figures 6.8 and 6.9, GeForce 210
};
inline constexpr std::array<PrintedKernel, 5> printed_kernels{
    {{"RGBtoYCbCr", "region_thesis_to_planes", 163.444, 164.171, 1001.821, 1100.733},
     {"regionGrowingOnDevice", "region_thesis_grow", 115604.604, 32377.218, 756675.423, 548177.446},
     {"regionGrowingOnDevice2", "region_thesis_merge", 1299.850, 1299.729, 16466.287, 8677.509},
     {"regionGrowingOnDevice3", "region_thesis_paint", 132.655, 132.708, 1408.604, 1472.924},
     {"YCbCrtoRGB", "region_thesis_to_picture", 135.473, 135.784, 968.317, 1061.661}}};
inline constexpr std::size_t growth_kernel = 1;

// Of rows of 512 bytes, the pitch of that picture.
inline constexpr int printed_pitch = 512, printed_height = 350;

}  // namespace tesela::experiments
