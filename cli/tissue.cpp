// What the verbs of tissue share.
#include <fmt/format.h>

#include "tissue_job.h"

namespace tesela::cli {

Queue TissueVerb::queue() const {
    return Queue(first_device(job.device).device,
                 {.threads = job.threads, .max_memory = memory.max_memory.bytes});
}

std::vector<Queue> TissueVerb::queues() const {
    return open_queues(devices_of(job.device),
                       {.threads = job.threads, .max_memory = memory.max_memory.bytes});
}

void add_tissue_options(VerbParser& parser, TissueVerb& verb) {
    parser.add(verb.job, "Computing");
    parser.add(verb.memory, "Computing");
    parser.add(verb.messages, "Messages", message_aliases());
}

std::string samples_text(const TissueSamples& samples) {
    std::vector<int> counts(samples.classes.size());
    for (const int label : samples.labels) ++counts[static_cast<std::size_t>(label)];
    std::string text = counted(static_cast<std::int64_t>(samples.rows()), "tile") + ": ";
    for (std::size_t c = 0; c < counts.size(); ++c)
        text += fmt::format("{}{} {}", c > 0 ? ", " : "", counts[c], samples.classes[c]);
    return text;
}

}  // namespace tesela::cli
