#include "common_options.h"

#include "tesela/error.h"

namespace tesela::cli {

const std::map<std::string, std::string, std::less<>>& message_aliases() {
    static const std::map<std::string, std::string, std::less<>> aliases{{"quiet", "-q"},
                                                                         {"verbose", "-v"}};
    return aliases;
}

QueueOptions queue_options(const JobOptions& job, const MemoryOptions& memory) {
    QueueOptions options;
    options.threads = job.threads;
    options.max_memory = memory.max_memory.bytes;
    options.profile = job.profile;
    return options;
}

void apply_spacing(const Spacing& spacing, AnyImage& image) {
    if (!spacing.given()) return;
    if (shape_of(image).z > 1 && spacing.millimeters[2] == 0)
        throw InvalidArgument(
            "--spacing needs three numbers, X,Y,Z, because the image is a volume");
    Geometry& geometry = geometry_of(image);
    geometry.unit = Unit::millimeter;
    for (std::size_t axis = 0; axis < 3; ++axis)
        geometry.spacing[axis] = spacing.millimeters[axis] > 0 ? spacing.millimeters[axis] : 1;
}

}  // namespace tesela::cli
