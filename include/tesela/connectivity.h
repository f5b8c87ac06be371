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
constexpr auto enum_help(Connectivity) {
    return std::array<std::string_view, 9>{"the default of the dimension",
                                           "edges in 2-D",
                                           "faces in 3-D",
                                           "edges and corners in 2-D; faces in 4-D",
                                           "faces and edges in 3-D",
                                           "faces, edges and corners in 3-D",
                                           "faces and edges in 4-D",
                                           "up to corners of cubes in 4-D",
                                           "all that touch in 4-D"};
}

// Neighbors differ by one along at most this many axes. Throws InvalidArgument where the
// connectivity is one of images with other axes.
int axes_of_neighbors(Connectivity connectivity, const Shape& shape);

// `automatic` resolved for the shape; otherwise as given.
Connectivity resolve(Connectivity connectivity, const Shape& shape);

}  // namespace tesela
