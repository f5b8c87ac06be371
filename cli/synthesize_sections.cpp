// tesela synthesize sections
#include <fmt/format.h>

#include "interrupt.h"
#include "memory_plan.h"
#include "messages.h"
#include "outputs.h"
#include "report.h"
#include "tesela/io.h"
#include "tesela/synthetic_sections.h"
#include "tesela/transform_io.h"
#include "verb_parser.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct SynthesizeSectionsOptions {
    fs::path output;
    SyntheticSectionsOptions series;
    bool force = false;
};
template <class V>
void describe(V&& v, SynthesizeSectionsOptions& o) {
    v("output", o.output, "folder for section00.png, landmarks00.csv, transform01.json, ...");
    describe(v, o.series);
    v("force", o.force, "write into a folder that is not empty");
}

class SectionFiles {
  public:
    explicit SectionFiles(fs::path folder) : folder_(std::move(folder)) {}

    // The transform of the first section is none, and all of it remains.
    void write(const StackedSection& section, int index) {
        io::write_image(section.picture, path_of("section", index, ".png"));
        io::write_landmarks(section.landmarks, path_of("landmarks", index, ".csv"));
        if (index == 0) return;
        io::write_transform(section.transform, path_of("transform", index, ".json"));
        io::write_image(section.remaining, path_of("remaining", index, ".png"));
    }
    const Json& outputs() const { return outputs_; }

  private:
    fs::path path_of(const char* kind, int index, const char* suffix) {
        const fs::path path = folder_ / fmt::format("{}{:02}{}", kind, index, suffix);
        outputs_.push_back(path.string());
        return path;
    }

    fs::path folder_;
    Json outputs_ = Json::array();
};

}  // namespace

int run_synthesize_sections(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    SynthesizeSectionsOptions options;
    MemoryOptions memory;
    MessageOptions messages;
    VerbParser parser("synthesize sections",
                      "Makes stained sections of one tissue, turned, bent and damaged in known "
                      "ways.");
    parser.add(options, "Sections", {{"output", "-o"}});
    parser.add(memory, "Computing");
    parser.add(messages, "Messages", message_aliases());
    parser.add_examples({"synthesize sections -o series --count 5",
                         "synthesize sections -o pair --tear 0.01 --fold 0.01 --missing 0.1"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);
    if (options.output.empty())
        throw InvalidArgument("--output (-o) is missing: name the folder of the sections");
    validate_options(options.series);
    // The picture, what remains, and what is written of both.
    require_host_memory("synthesize sections", 8 * options.series.width * options.series.height,
                        memory.max_memory.bytes);
    return_freed_memory(memory.max_memory.bytes);
    make_result_folder({"output", options.output}, options.force, {});
    SectionFiles files(options.output);
    for (int index = 0; index < options.series.count; ++index) {
        Progress({}, &token).throw_if_cancelled();
        files.write(synthetic_stack_section(options.series, index), index);
    }
    say("wrote {} files into {}", files.outputs().size(), options.output.string());
    if (!messages.json) return exit_done;
    Json report = begin_report("synthesize sections");
    report["parameters"] = parser.values();
    report["outputs"] = files.outputs();
    print(json_text(std::move(report)));
    return exit_done;
}

}  // namespace tesela::cli
