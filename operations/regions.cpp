#include "operations/regions.h"
#include "operations/kinds/image.h"
#include "operations/kinds/seeds.h"

#include <algorithm>

#include "tesela/overlay.h"

namespace tesela::operations {

Output labels_output() {
    return {.name = "labels",
            .kind = kinds::labels,
            .help = "label map, with a side file that lists the regions",
            .always = true};
}

Output segmented_output() {
    return {.name = "segmented",
            .kind = kinds::image,
            .help = "each region in its mean color",
            .keeps_values = true};
}

Input seeds_input(std::string_view help, std::string_view alias) {
    return {.name = "seeds",
            .kind = kinds::seeds,
            .help = help,
            .required = false,
            .alias = alias,
            .automatic = "auto"};
}

Input required_seeds_input(std::string_view help) {
    return {.name = "seeds", .kind = kinds::seeds, .help = help};
}

const Seeds& seeds_of(const Call& call) {
    static const Seeds automatic = AutomaticSeeds{};
    return call.inputs.has("seeds") ? call.inputs.get<Seeds>("seeds") : automatic;
}

std::int64_t seed_bytes(const Call& call) {
    if (!call.inputs.has("seeds")) return 0;
    const auto* labels = std::get_if<SeedLabels>(&call.inputs.get<Seeds>("seeds"));
    if (!labels) return 0;
    constexpr std::int64_t label = 4, copies = 4;
    const auto pixels = labels->view().pixels();
    return copies * label * (std::ssize(pixels) - std::count(pixels.begin(), pixels.end(), 0u));
}

void add_segmented(const Call& call, Results& results) {
    if (call.wants("segmented"))
        results.outputs.set("segmented",
                            region_means(call.image(), results.outputs.labels("labels")));
}

// The place of each label in a list, and the sums of most lists.
std::int64_t segmented_bytes(const Call& call) {
    constexpr std::int64_t place = 4, sums = 8;
    return call.wants("segmented") ? (place + sums) * call.image().shape().points() : 0;
}

}  // namespace tesela::operations
