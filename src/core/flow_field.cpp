#include "tesela/flow_field.h"

#include <string>

namespace tesela {

void check_flow(const FlowView& flow, std::string_view name) {
    const Shape& shape = flow.shape();
    if (shape.elements() == 0) throw InvalidArgument(std::string(name) + " has no pixels");
    if (shape.channels != 2)
        throw InvalidArgument(std::string(name) + " has " + std::to_string(shape.channels) +
                              " channels: a flow field has two, u and v");
    if (shape.dimensions() != 2)
        throw InvalidArgument(std::string(name) + " has " + std::to_string(shape.dimensions()) +
                              " dimensions: a flow field has two");
}

}  // namespace tesela
