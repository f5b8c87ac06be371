// tesela tissue VERB
#include <fmt/format.h>

#include <array>

#include "tissue_job.h"
#include "verbs.h"

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

int run_tissue(const Arguments& arguments) {
    const std::array kinds{
        Verb{"features", "write feature vectors of tiles", run_tissue_features},
        Verb{"train", "train a classifier of tissue", run_tissue_train},
        Verb{"classify", "map the tissue of slides", run_tissue_classify},
        Verb{"evaluate", "measure how well a classifier does", run_tissue_evaluate},
    };
    return dispatch("tesela tissue", "Classifies tissue on slides by texture and color.", kinds,
                    arguments);
}

}  // namespace tesela::cli
