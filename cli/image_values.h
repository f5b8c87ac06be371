// Values of an image: what they are like, and those at points.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report.h"
#include "tesela/image.h"
#include "tesela/seeds.h"

namespace tesela::cli {

struct ValueStatistics {
    double lowest = 0, highest = 0;  // of the finite values; meaningless where there is none
    std::int64_t finite = 0, nan = 0, infinite = 0;
};

// Over all channels but alpha.
ValueStatistics value_statistics(const AnyImage& image);

struct ProbedPoint {
    SeedPlace asked;
    std::array<std::int64_t, 4> pixel{};
    std::optional<std::array<double, 3>> millimeters = {};  // of the pixel's center, in LPS
    int dimensions = 2;
    std::vector<double> values;  // of the channels
};

// At points as --seeds takes them. Throws InvalidArgument that names --at.
std::vector<ProbedPoint> probe(const AnyImage& image, const std::string& points);

Json json_of(const std::vector<ProbedPoint>& points);
// "  point        90 at -30,-20,15mm, voxel 60,106,87", a line each
std::string text_of(const std::vector<ProbedPoint>& points);

}  // namespace tesela::cli
