// The thirteen texture features of a tile as a thesis computes them, for comparison with the group
// `thesis` of `FeatureSet`.
//
// A. Ruiz Sanchez, "Clasificacion tisular en GPU: aceleracion y optimizaciones", doctoral thesis,
// Universidad de Malaga, 2015, chapter 4: four stages, each in the ways that its table 4.8
// compares. All ways give the same matrices, codes and features.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/glcm.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"

namespace tesela {

enum class ThesisColorWay { floats, padded, bytes, staged };
constexpr auto enum_names(ThesisColorWay) {
    using E = ThesisColorWay;
    return std::array{EnumNames<E>{E::floats, "floats"}, EnumNames<E>{E::padded, "padded"},
                      EnumNames<E>{E::bytes, "bytes"}, EnumNames<E>{E::staged, "staged"}};
}
constexpr auto enum_help(ThesisColorWay) {
    return std::array<std::string_view, 4>{"three floats a pixel", "four floats a pixel",
                                           "four bytes a pixel",
                                           "four bytes, through the memory of a group"};
}

enum class ThesisMatrixWay { predicate, global, shared, spread };
constexpr auto enum_names(ThesisMatrixWay) {
    using E = ThesisMatrixWay;
    return std::array{EnumNames<E>{E::predicate, "predicate"}, EnumNames<E>{E::global, "global"},
                      EnumNames<E>{E::shared, "shared"}, EnumNames<E>{E::spread, "spread"}};
}
constexpr auto enum_help(ThesisMatrixWay) {
    return std::array<std::string_view, 4>{
        "a pass for each element, which counts its pairs", "in the device's memory",
        "a matrix of bytes for each item, in the memory of its group",
        "the same, laid out so that items do not meet in a bank"};
}

enum class ThesisPatternWay { halo, blocks };
constexpr auto enum_names(ThesisPatternWay) {
    using E = ThesisPatternWay;
    return std::array{EnumNames<E>{E::halo, "halo"}, EnumNames<E>{E::blocks, "blocks"}};
}
constexpr auto enum_help(ThesisPatternWay) {
    return std::array<std::string_view, 2>{"items at the edge of a group read the pixels beside it",
                                           "overlapped blocks, in which all items do the same"};
}

enum class ThesisHistogramWay { global, local, warps };
constexpr auto enum_names(ThesisHistogramWay) {
    using E = ThesisHistogramWay;
    return std::array{EnumNames<E>{E::global, "global"}, EnumNames<E>{E::local, "local"},
                      EnumNames<E>{E::warps, "warps"}};
}
constexpr auto enum_help(ThesisHistogramWay) {
    return std::array<std::string_view, 3>{"in the device's memory", "in the memory of a group",
                                           "there for each 32 items"};
}

struct ThesisTextureOptions {
    int levels = 4;
    ThesisColorWay color = ThesisColorWay::staged;
    ThesisMatrixWay matrices = ThesisMatrixWay::spread;
    ThesisPatternWay patterns = ThesisPatternWay::blocks;
    int block = 16;
    ThesisHistogramWay histogram = ThesisHistogramWay::warps;
};

template <class V>
void describe(V&& v, ThesisTextureOptions& o) {
    v("levels", o.levels, "gray levels of the matrices: 4, 8 or 16",
      OptionRange{.lowest = 4, .highest = 16});
    v("color", o.color, "how pixels reach the conversion to L*a*b*");
    v("matrix", o.matrices, "where co-occurrence is counted");
    v("pattern", o.patterns, "how groups share the pixels of local patterns");
    v("block", o.block, "side of the overlapped blocks: 8, 10, ..., 20",
      OptionRange{.lowest = 8, .highest = 20, .unit = "pixels"});
    v("histogram", o.histogram, "where patterns are counted");
}

struct ThesisTextureResult {
    std::array<CooccurrenceMatrix, 3> matrices;  // of L*, a* and b*, pixels and right neighbors
    Image<std::uint8_t> codes;                   // of L*, without the border of one pixel
    std::vector<std::int64_t> histogram;         // of the codes, 256 counts
    std::vector<double> features;                // as FeatureSet("thesis-LEVELS")
    std::int64_t passes = 0;                     // over the tile, for the matrices
    // prepare, upload, color, matrices, patterns, histogram, features: one ends before the next
    // begins.
    std::vector<StageTime> stages;
};

// Of an 8-bit picture, gray or in colors, of at least 3 x 3 and at most 2^29 pixels. Throws
// InvalidArgument, UnsupportedFormat, OutOfMemory, Cancelled.
ThesisTextureResult texture_thesis(const AnyImageView& image, const ThesisTextureOptions& options,
                                   Queue& queue, const Progress& progress = {});

// Device memory at most, in bytes.
std::int64_t texture_thesis_bytes(const Shape& image, const ThesisTextureOptions& options);

}  // namespace tesela
