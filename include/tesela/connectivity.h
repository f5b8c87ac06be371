// Which points of the grid are neighbors.
#pragma once

#include <array>

#include "tesela/image.h"
#include "tesela/options.h"

namespace tesela {

// `automatic` is 8 for pictures and 26 for volumes.
enum class Connectivity {
    automatic = 0,
    four = 4,
    eight = 8,
    six = 6,
    eighteen = 18,
    twenty_six = 26
};
constexpr auto enum_names(Connectivity) {
    return std::array{EnumNames<Connectivity>{Connectivity::automatic, "auto"},
                      EnumNames<Connectivity>{Connectivity::four, "4"},
                      EnumNames<Connectivity>{Connectivity::eight, "8"},
                      EnumNames<Connectivity>{Connectivity::six, "6"},
                      EnumNames<Connectivity>{Connectivity::eighteen, "18"},
                      EnumNames<Connectivity>{Connectivity::twenty_six, "26"}};
}

// Neighbors differ by one along at most this many axes. Throws InvalidArgument where the
// connectivity is one of pictures and the image a volume, or the other way round.
int axes_of_neighbors(Connectivity connectivity, const Shape& shape);

// `automatic` resolved for the shape; otherwise as given.
Connectivity resolve(Connectivity connectivity, const Shape& shape);

}  // namespace tesela
