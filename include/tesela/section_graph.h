// Places of the sections of a series, from the maps between pairs of them.
//
// Every pair says where the points of one section lie in another one, more or less wrongly. Of all
// pairs together the maps from one canvas to each section are found that contradict them least:
// motion averaging (V. M. Govindu, "Lie-algebraic averaging for globally consistent motion
// estimation", CVPR 2004), made robust by iteratively reweighted least squares (A. Chatterjee, V.
// M. Govindu, "Efficient and robust large-scale rotation averaging", ICCV 2013), so that a few
// wrong pairs do not bend the rest. Two dimensions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tesela/progress.h"
#include "tesela/transform.h"

namespace tesela {

// From the points of section `fixed` to those of section `moving`, numbers from 0.
struct SectionPair {
    std::int64_t fixed = 0, moving = 0;
    Transform map;
    double trust = 1;  // weight among other pairs, above 0
    // Where the sections were expected, not found: joins groups that no other pair joins. Of
    // little trust, and its residual does not count for what is usual.
    bool is_expected = false;
};

struct SectionGraphOptions {
    LinearKind kind = LinearKind::affine;
    // Whose map is the identity. Without one sections move as little as possible in total: the
    // canvas has their mean position, rotation and stretch.
    std::optional<std::int64_t> reference = {};
    // Residuals that count as none, in units of points. By default a hundredth of half a section.
    std::optional<double> precision = {};
};

// How a pair fits the places of its sections.
struct SectionPairFit {
    double residual = 0;  // root mean square distance of points on the canvas
    double weight = 0;    // share of its trust that counts, from 0 to 1
};

struct SectionPlaces {
    // From the canvas to the points of each section; nothing for those that no pair joins to the
    // largest group.
    std::vector<std::optional<LinearMap>> maps;
    std::vector<SectionPairFit> pairs;  // as given
};

// Splines in the pairs are left out. Throws InvalidArgument for pairs of sections that do not
// exist, and for a reference that no pair joins to the largest group.
SectionPlaces place_sections(const std::vector<ImageGrid>& grids,
                             const std::vector<SectionPair>& pairs,
                             const SectionGraphOptions& options = {});

// The corners of the canvas that holds all sections under their maps.
struct CanvasBox {
    SpacePoint low{}, high{};
};
CanvasBox canvas_of(const std::vector<ImageGrid>& grids,
                    const std::vector<std::optional<Transform>>& maps);

struct SectionBendOptions {
    double nodes = 48;  // along the longer side of the largest section
    int rounds = 3;
    std::optional<std::int64_t> reference = {};
};

// Maps with a spline before the linear map. Each node of each section moves to the weighted mean of
// where its neighbors and their pairs put it, and less far where that costs little, so that the
// splines of a series have the mean 0 and cannot drift; with a reference its spline is 0. A spline
// that would fold is scaled down. Throws Cancelled.
std::vector<std::optional<Transform>> bend_sections(const std::vector<ImageGrid>& grids,
                                                    const std::vector<SectionPair>& pairs,
                                                    const SectionPlaces& places,
                                                    const SectionBendOptions& options = {},
                                                    const Progress& progress = {});

}  // namespace tesela
