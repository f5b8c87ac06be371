#include "operations/coverage.h"

#include <algorithm>
#include <array>
#include <optional>

namespace tesela::operations {
namespace {

constexpr double most_of_image = 0.95, most_of_border = 0.5;

struct Share {
    std::int64_t taken = 0, of = 0;

    double value() const { return static_cast<double>(taken) / static_cast<double>(of); }
};

// Of the pixels on the outer faces. An axis of two points or less has no inside, and what a stack
// of few slices shows mostly goes on beyond the first and the last.
template <class T>
Share share_of_border(const PixelView<T>& image) {
    const Shape& s = image.shape();
    const bool is_thick = 4 * s.z >= std::min(s.x, s.y);
    const auto is_end = [](std::int64_t at, std::int64_t length) {
        return length > 2 && (at == 0 || at + 1 == length);
    };
    Share share;
    for (std::int64_t t = 0; t < s.t; ++t)
        for (std::int64_t z = 0; z < s.z; ++z)
            for (std::int64_t y = 0; y < s.y; ++y) {
                const bool whole_row = (is_thick && is_end(z, s.z)) || is_end(y, s.y);
                const std::int64_t step = whole_row ? 1 : s.x - 1;
                if (!whole_row && s.x <= 2) continue;
                for (std::int64_t x = 0; x < s.x; x += step) {
                    share.taken += image(x, y, z, t) != 0;
                    ++share.of;
                }
            }
    return share;
}

std::string text_of(const Share& share, const char* of) {
    return printed("%.1f %% of the %s (%lld of %lld pixels)", 100 * share.value(), of,
                   static_cast<long long>(share.taken), static_cast<long long>(share.of));
}

template <class T>
Share share_of_image(const PixelView<T>& image) {
    const auto pixels = image.pixels();
    return {std::ssize(pixels) - std::count(pixels.begin(), pixels.end(), T{0}),
            std::ssize(pixels)};
}

// Whether there was something to say.
bool warn_of_image(const std::string& name, const Share& whole, Results& results) {
    if (whole.taken == 0)
        results.warnings.push_back(name + " is empty: none of " + counted(whole.of, "pixel") +
                                   " is in it");
    else if (whole.value() > most_of_image)
        results.warnings.push_back(name + " takes " + text_of(whole, "image") +
                                   ": look whether it leaked");
    else
        return false;
    return true;
}

template <class T>
void warn(std::string_view thing, const PixelView<T>& image, const Share& whole, Results& results) {
    const std::string name(thing);
    if (warn_of_image(name, whole, results)) return;
    const Share border = share_of_border(image);
    if (border.of > 0 && border.value() > most_of_border)
        results.warnings.push_back(name + " takes " + text_of(border, "border of the image") +
                                   ": it may be the background, or reach beyond the object");
}

// The first pixel that is neither 0 nor `one`; the end where there is none. Without a branch for
// each pixel, which noise makes slow.
template <class T>
const T* find_another(const T* begin, const T* end, T one) {
    constexpr std::ptrdiff_t block = 4096;
    for (const T* at = begin; at != end;) {
        const T* const next = at + std::min(block, end - at);
        std::int32_t others = 0;
        for (const T* p = at; p != next; ++p) others |= (*p != 0) & (*p != one);
        if (others)
            return std::find_if(at, next, [one](T value) { return value != 0 && value != one; });
        at = next;
    }
    return end;
}

}  // namespace

void warn_of_coverage(const Call& call, std::string_view thing, const PixelView<std::uint8_t>& mask,
                      Results& results) {
    if (!call.is_part) warn(thing, mask, share_of_image(mask), results);
}
void warn_of_coverage(const Call& call, std::string_view thing, const LabelView& labels,
                      Results& results) {
    if (!call.is_part) warn(thing, labels, share_of_image(labels), results);
}
void warn_of_coverage(const Call& call, std::string_view thing, const LabelView& labels,
                      std::int64_t taken, Results& results) {
    if (!call.is_part) warn(thing, labels, {taken, labels.shape().elements()}, results);
}

void warn_of_coverage(std::string_view thing, std::int64_t taken, std::int64_t points,
                      Results& results) {
    warn_of_image(std::string(thing), {taken, points}, results);
}

void warn_of_gray(const AnyImageView& image, std::string_view otherwise, Results& results) {
    const auto other = image.visit([](const auto& typed) -> std::optional<std::array<double, 2>> {
        using T = typename std::decay_t<decltype(typed)>::value_type;
        const T* const end = typed.data() + typed.pixels().size();
        const T* const first = find_another(typed.data(), end, T{0});
        if (first == end) return {};
        const T* const second = find_another(first, end, *first);
        if (second == end) return {};
        return std::array{static_cast<double>(*first), static_cast<double>(*second)};
    });
    if (other) warn_of_gray(*other, otherwise, results);
}
void warn_of_gray(const std::array<double, 2>& values, std::string_view otherwise,
                  Results& results) {
    results.warnings.push_back(printed(
        "this is no mask: it has several values besides 0 (%.6g, %.6g, ...), all of which count as "
        "one; make a mask with 'threshold', or %s",
        values[0], values[1], std::string(otherwise).c_str()));
}

void CoverageOfParts::add(const AnyImageView& part) {
    const Share share = part.visit([](const auto& image) { return share_of_image(image); });
    taken_ += share.taken;
    of_ += share.of;
}

void CoverageOfParts::warn(std::string_view thing, Results& results) const {
    warn_of_coverage(thing, taken_, of_, results);
}

}  // namespace tesela::operations
