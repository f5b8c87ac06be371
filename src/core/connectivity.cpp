#include "tesela/connectivity.h"

#include <string>

namespace tesela {

Connectivity resolve(Connectivity connectivity, const Shape& shape) {
    if (connectivity != Connectivity::automatic) return connectivity;
    return shape.z > 1 ? Connectivity::twenty_six : Connectivity::eight;
}

int axes_of_neighbors(Connectivity connectivity, const Shape& shape) {
    const Connectivity resolved = resolve(connectivity, shape);
    const bool volume = shape.z > 1;
    const bool of_pictures = resolved == Connectivity::four || resolved == Connectivity::eight;
    if (volume == of_pictures)
        throw InvalidArgument("--connectivity " + std::string(enum_name(resolved)) + " is one of " +
                              (of_pictures ? "pictures, and the image is a volume: use 6, 18 or 26"
                                           : "volumes, and the image is a picture: use 4 or 8"));
    switch (resolved) {
        case Connectivity::four:
        case Connectivity::six:
            return 1;
        case Connectivity::eight:
        case Connectivity::eighteen:
            return 2;
        default:
            return 3;
    }
}

}  // namespace tesela
