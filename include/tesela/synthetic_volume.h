// Volumes of known objects, to test segmentation with.
#pragma once

#include <array>
#include <cstdint>

#include "tesela/image.h"
#include "tesela/options.h"

namespace tesela {

// Of two spheres that touch or that a thin bridge joins each has a label; the bridge has none. The
// head has scalp, skull and a folded brain: labels 1 cerebrospinal fluid, 2 gray and 3 white
// matter. Vessels are a tree that forks seven times. A ramp grows along all three axes;
// marschner-lobb is the function that tells interpolations apart (S. R. Marschner and R. J. Lobb,
// "An evaluation of reconstruction filters for volume rendering", IEEE Visualization 1994). The
// last two have no objects and no blur.
enum class VolumeScene {
    sphere,
    cube,
    torus,
    kissing_spheres,
    bridged_spheres,
    head,
    vessels,
    ramp,
    marschner_lobb
};
constexpr auto enum_names(VolumeScene) {
    return std::array{EnumNames<VolumeScene>{VolumeScene::sphere, "sphere"},
                      EnumNames<VolumeScene>{VolumeScene::cube, "cube"},
                      EnumNames<VolumeScene>{VolumeScene::torus, "torus"},
                      EnumNames<VolumeScene>{VolumeScene::kissing_spheres, "kissing-spheres"},
                      EnumNames<VolumeScene>{VolumeScene::bridged_spheres, "bridged-spheres"},
                      EnumNames<VolumeScene>{VolumeScene::head, "head"},
                      EnumNames<VolumeScene>{VolumeScene::vessels, "vessels"},
                      EnumNames<VolumeScene>{VolumeScene::ramp, "ramp"},
                      EnumNames<VolumeScene>{VolumeScene::marschner_lobb, "marschner-lobb"}};
}
constexpr auto enum_help(VolumeScene) {
    return std::array<std::string_view, 9>{"a sphere",
                                           "a cube",
                                           "a torus",
                                           "two spheres that touch",
                                           "two spheres with a bridge",
                                           "a head with brain and skull",
                                           "branching vessels",
                                           "values that rise along all axes",
                                           "the function of Marschner and Lobb"};
}

struct SyntheticVolumeOptions {
    VolumeScene scene = VolumeScene::head;
    Shape shape{128, 128, 128};
    std::array<double, 3> spacing{1, 1, 1};  // in millimeters
    double noise = 0;  // standard deviation, as a share of the brightest tissue
    double bias = 0;   // brightness varies by this share through the volume
    std::uint64_t seed = 1;
};

// Background 80 and objects 160 but for the head and the scenes without objects. Edges are blurred
// by a binomial of three voxels; the truth is that of voxel centers.
struct SyntheticVolume {
    Image<std::uint8_t> image;
    LabelImage truth;
};

// Throws InvalidArgument for a shape with channels or frames, and values out of range.
SyntheticVolume synthetic_volume(const SyntheticVolumeOptions& options);

}  // namespace tesela
