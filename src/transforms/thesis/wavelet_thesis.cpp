#include "tesela/wavelet_thesis.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/transforms/wavelet_thesis.kernel.h"
#include "kernels/transforms/wavelet_thesis_filters.kernel.h"
#include "tesela/error.h"

namespace tesela {
namespace {

using std::int64_t;
using Kind = ThesisWavelet;
using kernels::i32;

constexpr std::array factors{-1.586134342f, -0.052980119f, 0.882911076f, 0.443506852f};
constexpr std::array low_filter{0.48296291314453416f, 0.83651630373780791f, 0.22414386804201339f,
                                -0.12940952255126037f};
constexpr int64_t most_samples = int64_t{1} << 30;

// What blocks of `length` samples do, and what is left to the borders. False where these would
// meet.
bool cut(kernels::wavelet_thesis_split& split, int levels, int widening) {
    int first = widening, last = widening, behind = 0;  // last: before the end of the block
    for (int k = 0; k < 4 * levels; ++k) {
        const int units = split.length >> (k / 4), parity = k % 2 == 0 ? 1 : 0, g = 1 << (k / 4);
        if (k > 0 && k % 4 == 0) {
            first = (first + 1) / 2;
            last = units - 1 - (2 * units - 1 - last) / 2;
        }
        first += first % 2 == parity ? 2 : 1;
        last += (units - 1 - last) % 2 == parity ? 2 : 1;
        split.first[k] = first;
        split.last[k] = last;
        split.before = std::max(split.before, last * g);
        behind = std::max(behind, (first - 1) * g + 1);
    }
    split.steps = 4 * levels;
    split.window = split.before + behind;
    return split.window <= std::min<int>(split.length, kernels::wavelet_thesis_block);
}

// Low values of all levels at multiples of 2^levels, high ones of level l at odd multiples of 2^l.
std::vector<float> in_order_of_levels(const std::vector<float>& values, int levels) {
    std::vector<float> ordered;
    ordered.reserve(values.size());
    const auto take = [&](std::size_t first, std::size_t step) {
        for (std::size_t i = first; i < values.size(); i += step) ordered.push_back(values[i]);
    };
    take(0, std::size_t{1} << levels);
    for (int level = levels; level-- > 0;) take(std::size_t{1} << level, std::size_t{2} << level);
    return ordered;
}
// Bit l of a sample's place tells whether it is a high value of level l.
std::vector<float> in_order_of_bands(const std::vector<float>& values, int levels) {
    std::vector<float> ordered;
    ordered.reserve(values.size());
    const std::size_t bands = std::size_t{1} << levels;
    for (std::size_t band = 0; band < bands; ++band) {
        std::size_t first = 0;
        for (int level = 0; level < levels; ++level)
            first |= (band >> (levels - 1 - level) & 1) << level;
        for (std::size_t i = first; i < values.size(); i += bands) ordered.push_back(values[i]);
    }
    return ordered;
}

void check(std::size_t samples, const ThesisWaveletOptions& options) {
    const auto count = static_cast<int64_t>(samples);
    const int64_t multiple = int64_t{1} << options.levels;
    if (count < 1 || count > most_samples || count % multiple != 0)
        throw InvalidArgument("a line of " + std::to_string(count) + " samples has no " +
                              std::to_string(options.levels) +
                              " levels here; its length must be a multiple of " +
                              std::to_string(multiple) + ", 2^30 at most");
    if (options.phase_levels == 3)
        throw InvalidArgument("--phase-levels is 3; it must be 1, 2 or 4");
}

int64_t kept_elements(int64_t samples, const ThesisWaveletOptions& options) {
    if (options.wavelet == Kind::cdf97 || options.form == ThesisWaveletForm::direct) return 0;
    const int64_t sequences = options.wavelet == Kind::packet ? 8 : 1;
    // Blocks have 64 samples at least, but for a single one.
    return 4 * sequences * kernels::wavelet_thesis_kept * (samples / 64 + 1);
}
int64_t parts_of(const ThesisWaveletOptions& options) {
    return options.wavelet == Kind::cdf97 ? 1 : 3;
}

}  // namespace

ThesisWaveletWork::ThesisWaveletWork(std::span<const float> samples,
                                     const ThesisWaveletOptions& options, Queue& queue)
    : options_(options), queue_(queue), samples_(samples.begin(), samples.end()) {
    check(samples.size(), options);
    const auto count = static_cast<int64_t>(samples.size());
    data_ = queue.allocate<float>(parts_of(options) * count, "line");
    if (const int64_t kept = kept_elements(count, options); kept > 0)
        kept_ = queue.allocate<float>(kept, "samples at borders");
}

void ThesisWaveletWork::load() {
    queue_.write(data_, std::span<const float>(samples_));
    queue_.finish();
    place_ = 0;
    is_inverse_ = false;
}

void ThesisWaveletWork::transform() {
    for (int level = 0; level < options_.levels;) {
        const int levels = std::min(options_.phase_levels, options_.levels - level);
        const int64_t step = int64_t{1} << level;
        if (options_.wavelet == Kind::cdf97 && options_.form == ThesisWaveletForm::split) {
            lift_blocks(step, levels);
            level += levels;
        } else if (options_.wavelet == Kind::cdf97) {
            for (int k = 0; k < 4; ++k) lift(step, k, false);
            ++level;
        } else if (options_.form == ThesisWaveletForm::split && filter_blocks(level, levels)) {
            level += levels;
        } else {
            filter(level);
            ++level;
        }
    }
    queue_.finish();
}

void ThesisWaveletWork::invert() {
    for (int level = options_.levels; level-- > 0;)
        for (int k = 4; k-- > 0;) lift(int64_t{1} << level, k, true);
    is_inverse_ = true;
    queue_.finish();
}

void ThesisWaveletWork::lift(int64_t step, int k, bool is_inverse) {
    const int64_t samples = std::ssize(samples_) / step;
    const i32 parity = k % 2 == 0 ? 1 : 0;
    const kernels::wavelet_thesis_step of{static_cast<i32>(samples),
                                          options_.item_each ? 0 : parity,
                                          options_.item_each ? 1 : 2, parity};
    const float factor = factors[static_cast<std::size_t>(k)];
    queue_.launch(kernels::wavelet_thesis_lift, Range{samples / of.spread}, data_, step,
                  is_inverse ? -factor : factor, of);
}

// As many samples as a group takes, or all.
int64_t ThesisWaveletWork::length_of_block(int64_t samples) const {
    const bool is_half = options_.wavelet == Kind::cdf97 && options_.item_each;
    const int64_t most = is_half ? kernels::wavelet_thesis_items : kernels::wavelet_thesis_block;
    int64_t length = most;
    while (length > 32 && samples % length != 0) length /= 2;
    return samples % length == 0 ? length : 0;
}

// Levels that blocks cannot do are done directly.
void ThesisWaveletWork::lift_blocks(int64_t step, int levels) {
    const int64_t samples = std::ssize(samples_) / step, length = length_of_block(samples);
    kernels::wavelet_thesis_split split{};
    split.samples = samples;
    split.step = step;
    split.length = static_cast<i32>(length);
    split.is_whole = options_.item_each;
    split.blocks = length > 0 ? static_cast<i32>(samples / length) : 0;
    if (length == 0 || length % (int64_t{1} << levels) != 0 ||
        !cut(split, levels, options_.widening)) {
        for (int level = 0; level < levels; ++level)
            for (int k = 0; k < 4; ++k) lift(step << level, k, false);
        return;
    }
    queue_.launch(kernels::wavelet_thesis_split_lifting, Groups{split.blocks}, data_, split);
    if (options_.merge == ThesisMergeMemory::group)
        queue_.launch(kernels::wavelet_thesis_merge_lifting, Groups{split.blocks}, data_, split);
    else
        queue_.launch(kernels::wavelet_thesis_merge_lifting_there, Range{split.blocks}, data_,
                      split);
}

// A level from one part of the memory to the other, high values of d4 to the third one.
void ThesisWaveletWork::filter(int level) {
    const int64_t count = std::ssize(samples_), g = int64_t{1} << level;
    const bool is_packet = options_.wavelet == Kind::packet;
    const int64_t from = place_ * count, to = (1 - place_) * count;
    const int64_t sequences = is_packet ? g : 1;
    queue_.launch(kernels::wavelet_thesis_filter, Range{count / g / 2 * sequences}, data_, from, to,
                  is_packet ? to : 2 * count, count / g, g, sequences);
    place_ = 1 - place_;
}

// False where the line does not make whole blocks.
bool ThesisWaveletWork::filter_blocks(int level, int levels) {
    const int64_t step = int64_t{1} << level, samples = std::ssize(samples_) / step;
    const int64_t length = length_of_block(samples);
    const bool is_packet = options_.wavelet == Kind::packet;
    if (place_ != 0 || length < 64 || length >> levels < 8) return false;
    const kernels::wavelet_thesis_filters of{step,
                                             static_cast<i32>(length),
                                             levels,
                                             is_packet,
                                             static_cast<i32>(samples / length),
                                             is_packet ? static_cast<i32>(step) : 1,
                                             is_packet ? 8 : 1};
    queue_.launch(kernels::wavelet_thesis_split_filters, Groups{of.blocks, of.lines}, data_, kept_,
                  of);
    queue_.launch(kernels::wavelet_thesis_merge_filters, Range{int64_t{of.blocks} * of.lines},
                  data_, kept_, of);
    return true;
}

std::vector<float> ThesisWaveletWork::values() const {
    std::vector<float> all = queue_.download(data_);
    const auto count = samples_.size();
    const auto place = static_cast<std::ptrdiff_t>(place_ * samples_.size());
    std::vector<float> line(all.begin() + place,
                            all.begin() + place + static_cast<std::ptrdiff_t>(count));
    if (is_inverse_) return line;
    if (options_.wavelet == Kind::packet) return in_order_of_bands(line, options_.levels);
    if (options_.wavelet == Kind::d4) {
        // High values of levels that blocks did are in the first part, of others in the third.
        int direct_from = 0;
        while (direct_from < options_.levels) {
            const int levels = std::min(options_.phase_levels, options_.levels - direct_from);
            const int64_t length = length_of_block(std::ssize(samples_) >> direct_from);
            if (options_.form == ThesisWaveletForm::direct || length < 64 || length >> levels < 8)
                break;
            direct_from += levels;
        }
        const std::size_t lowest = std::size_t{1} << options_.levels;
        for (std::size_t i = 0; i < count; ++i) {
            if (i % lowest == 0) continue;
            const bool is_direct = i % (std::size_t{1} << direct_from) == 0;
            line[i] = all[(is_direct ? 2 * count : 0) + i];
        }
    }
    return in_order_of_levels(line, options_.levels);
}

std::vector<float> wavelet_thesis_on_host(std::span<const float> samples,
                                          const ThesisWaveletOptions& options) {
    check(samples.size(), options);
    std::vector<float> x(samples.begin(), samples.end());
    const std::size_t count = x.size();
    if (options.wavelet == Kind::cdf97) {
        for (std::size_t g = 1; g < std::size_t{1} << options.levels; g *= 2)
            for (std::size_t k = 0; k < 4; ++k) {
                const float factor = factors[k];
                const std::size_t first = k % 2 == 0 ? g : 0;
                for (std::size_t i = first; i < count; i += 2 * g)
                    x[i] += factor * (x[i >= g ? i - g : count - g] + x[i + g < count ? i + g : 0]);
            }
        return in_order_of_levels(x, options.levels);
    }
    const bool is_packet = options.wavelet == Kind::packet;
    std::vector<float> next = x;
    for (std::size_t g = 1; g < std::size_t{1} << options.levels; g *= 2) {
        for (std::size_t line = 0; line < (is_packet ? g : 1); ++line)
            for (std::size_t i = line; i < count; i += 2 * g) {
                const auto at = [&](std::size_t k) {
                    return x[i + k * g < count ? i + k * g : i + k * g - count];
                };
                next[i] = low_filter[0] * at(0) + low_filter[1] * at(1) + low_filter[2] * at(2) +
                          low_filter[3] * at(3);
                next[i + g] = low_filter[3] * at(0) - low_filter[2] * at(1) +
                              low_filter[1] * at(2) - low_filter[0] * at(3);
            }
        if (is_packet) {
            x.swap(next);
            continue;
        }
        for (std::size_t i = 0; i < count; i += g) x[i] = next[i];
    }
    return is_packet ? in_order_of_bands(x, options.levels) : in_order_of_levels(x, options.levels);
}

std::int64_t wavelet_thesis_bytes(std::int64_t samples, const ThesisWaveletOptions& options) {
    return 4 * (parts_of(options) * samples + kept_elements(samples, options));
}

}  // namespace tesela
