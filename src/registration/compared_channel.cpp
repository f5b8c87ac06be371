#include "registration/compared_channel.h"

#include <utility>

namespace tesela {

bool has_densities(RegistrationChannel channel, PixelType type, int channels, bool has_alpha) {
    return channel != RegistrationChannel::gray && channels == (has_alpha ? 4 : 3) &&
           (type == PixelType::u8 || type == PixelType::u16);
}

ColorMatrix compared_densities(RegistrationChannel channel) {
    constexpr double third = 1.0 / 3;
    if (channel == RegistrationChannel::automatic || channel == RegistrationChannel::gray)
        return {{{third, 0, 0}, {third, 0, 0}, {third, 0, 0}}};
    const ColorMatrix amounts = amounts_of_densities(stain_matrix(StainSet::hdab));
    if (channel == RegistrationChannel::hematoxylin) return amounts;
    ColorMatrix swapped = amounts;
    for (auto& row : swapped) std::swap(row[0], row[1]);
    return swapped;
}

}  // namespace tesela
