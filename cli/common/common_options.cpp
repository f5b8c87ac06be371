#include "common_options.h"

#include <algorithm>

#include "messages.h"
#include "tesela/error.h"

namespace tesela::cli {

const std::map<std::string, std::string, std::less<>>& message_aliases() {
    static const std::map<std::string, std::string, std::less<>> aliases{{"quiet", "-q"},
                                                                         {"verbose", "-v"}};
    return aliases;
}

bool names_several(std::string_view list) {
    return list.find(',') != list.npos || list.ends_with(":all");
}

std::vector<Device::Choice> devices_of(const std::string& list) {
    std::vector<Device::Choice> choices = choose_devices(list);
    for (const Device::Choice& choice : choices)
        explain("device {}: {} ({})", choice.device.id(), choice.device.properties().name,
                choice.reason);
    return choices;
}

Device::Choice first_device(const std::string& list) {
    const std::vector<Device::Choice> choices = choose_devices(list);
    const Device::Choice& first = choices.front();
    if (choices.size() > 1)
        say("device {}: {} ({}; the others are not needed)", first.device.id(),
            first.device.properties().name, first.reason);
    else
        explain("device {}: {} ({})", first.device.id(), first.device.properties().name,
                first.reason);
    return first;
}

QueueOptions queue_options(const JobOptions& job, std::int64_t max_memory) {
    QueueOptions options;
    options.threads = job.threads;
    options.max_memory = max_memory;
    options.profile = job.profile;
    return options;
}

std::vector<Queue> open_queues(const std::vector<Device::Choice>& devices, operations::Queues use,
                               const QueueOptions& options) {
    std::vector<Queue> queues;
    for (const Device::Choice& choice : devices) {
        const Device& device = choice.device;
        const int count = operations::queues_for(use, device, options.threads);
        QueueOptions own = options;
        own.max_memory /= count;
        if (use == operations::Queues::for_tiles && device.back_end() == BackEnd::cpu)
            own.threads = 1;
        for (int i = 0; i < count; ++i) queues.emplace_back(device, own);
    }
    return queues;
}

io::ReadOptions read_options(const MemoryOptions& memory, std::int64_t taken) {
    const std::int64_t limit = memory.max_memory.bytes;
    return {limit > 0 ? std::max<std::int64_t>(limit - taken, 1) : 0};
}

io::ReadOptions read_options(const MemoryOptions& memory, const RawOptions& raw) {
    io::ReadOptions options = read_options(memory);
    if (!raw.raw.empty()) options.raw = io::RawLayout::parse(raw.raw);
    return options;
}

void apply_spacing(const Spacing& spacing, const Shape& shape, Geometry& geometry) {
    if (!spacing.given()) return;
    if (shape.z > 1 && spacing.millimeters[2] == 0)
        throw InvalidArgument(
            "--spacing needs one number, or three, X,Y,Z, because the image is a volume");
    geometry.unit = spacing.in_micrometers ? Unit::micrometer : Unit::millimeter;
    const double units = spacing.in_micrometers ? 1e3 : 1;  // of a millimeter
    for (std::size_t axis = 0; axis < 3; ++axis)
        geometry.spacing[axis] =
            spacing.millimeters[axis] > 0 ? spacing.millimeters[axis] * units : 1;
}

void apply_spacing(const Spacing& spacing, AnyImage& image) {
    apply_spacing(spacing, shape_of(image), geometry_of(image));
}

}  // namespace tesela::cli
