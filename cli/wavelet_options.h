// The options that the verbs of wavelets share, as they are typed.
#pragma once

#include <optional>
#include <string>

#include "option_types.h"
#include "tesela/wavelet.h"
#include "verb.h"

namespace tesela::cli {

struct WaveletChoice {
    std::string wavelet = "bior4.4";
    WaveletBorder border = WaveletBorder::reflect;
};
template <class V>
void describe(V&& v, WaveletChoice& o) {
    v("wavelet", o.wavelet, "bior4.4, bior2.2, db2, haar, bior2.2-int, haar-int");
    v("border", o.border, "how lines continue beyond their ends");
}

// "max" or a number; nothing for `automatic`.
inline std::optional<int> parse_levels(const std::string& text, const Shape& shape,
                                       const std::string& automatic = "") {
    if (!automatic.empty() && text == automatic) return {};
    const int most = most_wavelet_levels(shape);
    if (text == "max") return most;
    return static_cast<int>(parse_integer("levels", text, 0, most));
}

int run_wavelet_forward(const Arguments& arguments);
int run_wavelet_inverse(const Arguments& arguments);
int run_wavelet_denoise(const Arguments& arguments);

}  // namespace tesela::cli
