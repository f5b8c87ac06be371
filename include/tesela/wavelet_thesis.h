// Wavelet transforms of a line as a thesis has them, for comparison with `wavelet_forward`.
//
// J. Lamas Rodriguez, "Tecnicas para la segmentacion y visualizacion eficiente de imagen medica 3D:
// explotando la arquitectura de la GPU", doctoral thesis, Universidade de Santiago de Compostela,
// 2014, section 2.6. Lines go on periodically.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/options.h"

namespace tesela {

// cdf97: without the factors that scale low and high values. d4: pairs begin at x[2k].
enum class ThesisWavelet { cdf97, d4, packet };
constexpr auto enum_names(ThesisWavelet) {
    using E = ThesisWavelet;
    return std::array{EnumNames<E>{E::cdf97, "cdf9/7"}, EnumNames<E>{E::d4, "d4"},
                      EnumNames<E>{E::packet, "d4-packet"}};
}
constexpr auto enum_help(ThesisWavelet) {
    return std::array<std::string_view, 3>{"by lifting, in place", "by filters",
                                           "by filters, low and high values at every level"};
}

enum class ThesisWaveletForm { direct, split };
constexpr auto enum_names(ThesisWaveletForm) {
    using E = ThesisWaveletForm;
    return std::array{EnumNames<E>{E::direct, "direct"}, EnumNames<E>{E::split, "split"}};
}
constexpr auto enum_help(ThesisWaveletForm) {
    return std::array<std::string_view, 2>{"a launch for each level, or step of lifting",
                                           "blocks in the memory of groups, then their borders"};
}

enum class ThesisMergeMemory { group, device };
constexpr auto enum_names(ThesisMergeMemory) {
    using E = ThesisMergeMemory;
    return std::array{EnumNames<E>{E::group, "group"}, EnumNames<E>{E::device, "device"}};
}
constexpr auto enum_help(ThesisMergeMemory) {
    return std::array<std::string_view, 2>{"a group for each border", "an item for each border"};
}

struct ThesisWaveletOptions {
    ThesisWavelet wavelet = ThesisWavelet::cdf97;
    ThesisWaveletForm form = ThesisWaveletForm::split;
    int levels = 8;
    int phase_levels = 2;
    ThesisMergeMemory merge = ThesisMergeMemory::group;
    bool item_each = false;
    int widening = 0;
};

template <class V>
void describe(V&& v, ThesisWaveletOptions& o) {
    v("wavelet", o.wavelet, "the transform");
    v("form", o.form, "how it is cut into launches");
    v("levels", o.levels, "levels of the transform", OptionRange{.lowest = 1, .highest = 24});
    v("phase-levels", o.phase_levels, "levels of split between merges, N",
      OptionRange{.lowest = 1, .highest = 4});
    v("merge", o.merge, "cdf9/7: memory in which borders are merged");
    v("item-each", o.item_each, "cdf9/7: an item for each sample, not for two: H = 1");
    v("widening", o.widening, "cdf9/7: samples left to borders, A",
      OptionRange{.lowest = 0, .highest = 128});
}

// The work on one line, of which the memory is prepared once.
class ThesisWaveletWork {
  public:
    // `queue` outlives this. Throws InvalidArgument for a line whose length is not a multiple of
    // 2^levels, or above 2^30; OutOfMemory.
    ThesisWaveletWork(std::span<const float> samples, const ThesisWaveletOptions& options,
                      Queue& queue);

    void load();       // the samples to the device; returns when they are there
    void transform();  // of what was loaded, or was left by the last transform; returns when done
    // Of cdf9/7, direct, after a transform: the samples again.
    void invert();
    // Low values first, then the high values of the last level, and so on; of packets bands in the
    // order of their path, low before high. After `invert` the samples.
    std::vector<float> values() const;

  private:
    void lift(std::int64_t step, int k, bool is_inverse);
    void lift_blocks(std::int64_t step, int levels);
    void filter(int level);
    bool filter_blocks(int level, int levels);
    std::int64_t length_of_block(std::int64_t samples) const;

    const ThesisWaveletOptions options_;
    Queue& queue_;
    const std::vector<float> samples_;
    Buffer<float> data_, kept_;  // data: the line, and of filters two more parts
    int place_ = 0;              // of the low values, or packets, among the parts
    bool is_inverse_ = false;
};

// The same transform on one thread of the host, in single precision; gives the bits of `values`.
std::vector<float> wavelet_thesis_on_host(std::span<const float> samples,
                                          const ThesisWaveletOptions& options);

// Device memory at most, in bytes.
std::int64_t wavelet_thesis_bytes(std::int64_t samples, const ThesisWaveletOptions& options);

}  // namespace tesela
