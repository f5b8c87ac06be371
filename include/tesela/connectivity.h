// Which points of the grid are neighbors.
#pragma once

#include <array>

#include "tesela/image.h"
#include "tesela/options.h"

namespace tesela {

// The number of a point's neighbors: 4 or 8 on pictures, 6, 18 or 26 on volumes, 8, 32, 64 or 80 on
// images with a time axis. `automatic` is the highest of these.
enum class Connectivity {
    automatic = 0,
    four = 4,
    six = 6,
    eight = 8,
    eighteen = 18,
    twenty_six = 26,
    thirty_two = 32,
    sixty_four = 64,
    eighty = 80
};
constexpr auto enum_names(Connectivity) {
    return std::array{EnumNames<Connectivity>{Connectivity::automatic, "auto"},
                      EnumNames<Connectivity>{Connectivity::four, "4"},
                      EnumNames<Connectivity>{Connectivity::six, "6"},
                      EnumNames<Connectivity>{Connectivity::eight, "8"},
                      EnumNames<Connectivity>{Connectivity::eighteen, "18"},
                      EnumNames<Connectivity>{Connectivity::twenty_six, "26"},
                      EnumNames<Connectivity>{Connectivity::thirty_two, "32"},
                      EnumNames<Connectivity>{Connectivity::sixty_four, "64"},
                      EnumNames<Connectivity>{Connectivity::eighty, "80"}};
}

// Neighbors differ by one along at most this many axes. Throws InvalidArgument where the
// connectivity is one of images with other axes.
int axes_of_neighbors(Connectivity connectivity, const Shape& shape);

// `automatic` resolved for the shape; otherwise as given.
Connectivity resolve(Connectivity connectivity, const Shape& shape);

}  // namespace tesela
