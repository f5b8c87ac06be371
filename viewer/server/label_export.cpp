#include "viewer/server/label_export.h"

#include <set>

#include "files/output_files.h"
#include "tesela/compute/queue.h"
#include "tesela/error.h"
#include "viewer/server/message.h"

namespace tesela::viewer {
namespace {

using operations::Operation;
using operations::Values;

// Runs an operation on the CPU and writes its first output.
std::vector<std::string> write_first(const Operation& operation, const Values& inputs,
                                     const operations::Options& options,
                                     const std::filesystem::path& path) {
    const operations::Output& output = operation.outputs.front();
    Queue queue(Device::parse("cpu"));
    try {
        const operations::Results results = operations::run(
            operation, {.inputs = inputs, .options = options, .wanted = {std::string(output.name)}},
            queue);
        std::vector<std::string> warnings = results.warnings;
        for (std::string& sentence :
             files::output_kind(output.kind).write(results.outputs, output.name, path, {}))
            warnings.push_back(std::move(sentence));
        return warnings;
    } catch (const UnsupportedFormat& error) {
        throw Refused(422, error.what(), "name");
    }
}

}  // namespace

std::vector<std::string> write_table(const Image& labels, const Image* image,
                                     const std::filesystem::path& path,
                                     const operations::Registry& registry) {
    if (path.extension() != ".csv" && path.extension() != ".json")
        throw Refused(422, "a table is a .csv or a .json", "name");
    const Operation& measure = registry.find("measure");
    Values inputs;
    inputs.set("input", labels.pixels);
    if (image) inputs.set("on", std::vector<operations::ImageValue>{image->pixels});
    return write_first(measure, inputs, measure.options, path);
}

std::vector<std::string> write_overlay(const Image& labels, const Image* image,
                                       const std::filesystem::path& path,
                                       const operations::Registry& registry) {
    if (!image) throw Refused(400, "'image' is missing", "image");
    const Operation& overlay = registry.find("overlay");
    operations::Options options = overlay.options;
    options.set("fill", 0.4);
    Values inputs;
    inputs.set("input", image->pixels);
    inputs.set("labels", labels.pixels);
    return write_first(overlay, inputs, options, path);
}

}  // namespace tesela::viewer
