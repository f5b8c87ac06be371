#include "tesela/connectivity.h"

#include <string>
#include <vector>

namespace tesela {
namespace {

// The connectivities of an image, by the number of axes along which neighbors may differ.
std::vector<Connectivity> connectivities(const Shape& shape) {
    switch (shape.dimensions()) {
        case 2:
            return {Connectivity::four, Connectivity::eight};
        case 3:
            return {Connectivity::six, Connectivity::eighteen, Connectivity::twenty_six};
        default:
            return {Connectivity::eight, Connectivity::thirty_two, Connectivity::sixty_four,
                    Connectivity::eighty};
    }
}

[[noreturn]] void refuse(Connectivity connectivity, const Shape& shape) {
    const char* kinds[] = {"a picture", "a volume", "an image with a time axis"};
    std::string choices;
    const std::vector<Connectivity> fitting = connectivities(shape);
    for (std::size_t i = 0; i < fitting.size(); ++i)
        choices += (i == 0                    ? ""
                    : i + 1 == fitting.size() ? " or "
                                              : ", ") +
                   std::string(enum_name(fitting[i]));
    throw InvalidArgument("--connectivity " + std::string(enum_name(connectivity)) +
                          " is not one of " + kinds[shape.dimensions() - 2] + ": use " + choices);
}

}  // namespace

Connectivity resolve(Connectivity connectivity, const Shape& shape) {
    return connectivity == Connectivity::automatic ? connectivities(shape).back() : connectivity;
}

int axes_of_neighbors(Connectivity connectivity, const Shape& shape) {
    const Connectivity resolved = resolve(connectivity, shape);
    const std::vector<Connectivity> fitting = connectivities(shape);
    for (std::size_t i = 0; i < fitting.size(); ++i)
        if (fitting[i] == resolved) return static_cast<int>(i) + 1;
    refuse(resolved, shape);
}

}  // namespace tesela
