// Wavelet packets: every band is transformed again, not the low one alone. Of the tree of bands the
// best basis takes those whose coefficients cost least: R. R. Coifman, M. V. Wickerhauser,
// "Entropy-based algorithms for best basis selection", IEEE Trans. Inf. Theory 38(2), 1992.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tesela/wavelet.h"

namespace tesela {

// full: all bands of the last level. Others: a band is divided where its parts cost less together,
// by the sum of -p log2 p, where p is the share of a coefficient in the energy of the samples, or
// by the sum of magnitudes.
enum class PacketBasis { full, entropy, l1 };
constexpr auto enum_names(PacketBasis) {
    return std::array{EnumNames<PacketBasis>{PacketBasis::full, "full"},
                      EnumNames<PacketBasis>{PacketBasis::entropy, "entropy"},
                      EnumNames<PacketBasis>{PacketBasis::l1, "l1"}};
}
constexpr auto enum_help(PacketBasis) {
    return std::array<std::string_view, 3>{"all bands of the last level",
                                           "the basis of least entropy",
                                           "the basis of the least sum of magnitudes"};
}

// The level at which each cell's band is no more divided. Cells are the bands of the last level,
// 2^levels along each axis that is longer than 1; x goes first. Bands stand as in Mallat's order:
// both halves of an axis are divided again where they are.
using PacketLeaves = std::vector<std::uint8_t>;

// The shape whose x, y and z axes are multiples of 2^levels, whatever the border is.
Shape packet_shape(const Shape& shape, int levels);
// As most_wavelet_levels, and with at most 2^18 cells.
int most_packet_levels(const Shape& shape);

// Device level, of packet_shape; otherwise as wavelet_forward and wavelet_inverse. `leaves` has one
// level for each cell, or none of the full tree.
template <class T>
void packet_forward(Queue& queue, const Shape& shape, const WaveletOptions& options,
                    const Buffer<const T>& samples, Buffer<T>& coefficients);
// The best basis, which is not PacketBasis::full, of all images together. `norm` is the root of the
// samples' sum of squares. Waits, and holds all levels.
template <class T>
PacketLeaves packet_forward_best(Queue& queue, const Shape& shape, const WaveletOptions& options,
                                 PacketBasis basis, double norm, const Buffer<const T>& samples,
                                 Buffer<T>& coefficients);
template <class T>
void packet_inverse(Queue& queue, const Shape& shape, const WaveletOptions& options,
                    const PacketLeaves& leaves, Buffer<T>& coefficients, Buffer<T>& samples);

// Host level; the other way is wavelet_inverse. Throws as wavelet_forward.
WaveletCoefficients wavelet_packet(const AnyImageView& image, const WaveletOptions& options,
                                   PacketBasis basis, Queue& queue, const Progress& progress = {});

// How many bands a basis has.
std::int64_t packet_count(const WaveletForm& form);

// A basis as text, band by band from the whole on: 1 where it is divided, followed by its parts, x
// first, and 0 where not. The inverse throws InvalidArgument for a text that is none.
std::string packet_tree(const WaveletForm& form);
PacketLeaves packet_leaves(std::string_view tree, const Shape& shape, int levels);

// Device memory that it takes at most, in bytes.
std::int64_t packet_device_bytes(const AnyImageView& image, const WaveletOptions& options,
                                 PacketBasis basis);

}  // namespace tesela
