// tesela bench view
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common_options.h"
#include "interrupt.h"
#include "messages.h"
#include "progress.h"
#include "report.h"
#include "tesela/compute/device.h"
#include "tesela/error.h"
#include "verb_parser.h"
#include "verbs.h"
#ifdef TESELA_WITH_VIEWER
    #include "viewer/bench/bench.h"
    #include "viewer/bench/soak.h"
#endif

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct BenchViewOptions {
    int size = 512, repetitions = 20, viewers = 20, requests = 2000;
    double soak = 0;
    std::string device = "auto";
    int threads = 0;
};
template <class V>
void describe(V&& v, BenchViewOptions& o) {
    v("size", o.size, "length of the volume that slices are of, 16-bit; of a soak's 256 at most",
      OptionRange{.lowest = 32, .highest = 1024, .unit = "voxels"});
    v("repetitions", o.repetitions, "clicks and cancellations; ten times as many slices",
      OptionRange{.lowest = 1, .highest = 1000});
    v("viewers", o.viewers, "connections at once", OptionRange{.lowest = 1, .highest = 200});
    v("requests", o.requests, "requests of all viewers in a second",
      OptionRange{.lowest = 1, .highest = 100000});
    v("soak", o.soak, "mixed work for so long, whose memory must stay",
      OptionRange{.lowest = 0, .highest = 10000, .unit = "minutes", .automatic = "no soak"});
    v("device", o.device, "where the server computes, such as cpu or cuda");
    v("threads", o.threads, "CPU threads; 0 uses all", OptionRange{.lowest = 0, .highest = 4096});
}

#ifdef TESELA_WITH_VIEWER

using viewer::bench::Measured;

void require_soak_alone(const BenchViewOptions& options, bool has_volume) {
    const BenchViewOptions usual;
    const std::array<std::pair<const char*, bool>, 4> others{
        {{"VOLUME", has_volume},
         {"--repetitions", options.repetitions != usual.repetitions},
         {"--viewers", options.viewers != usual.viewers},
         {"--requests", options.requests != usual.requests}}};
    for (const auto& [name, is_given] : others)
        if (is_given)
            throw InvalidArgument(std::string(name) +
                                  " and --soak exclude each other: a soak repeats rounds of its "
                                  "own on a volume that it makes; leave one of them out");
}

std::string text_of(const std::vector<Measured>& table) {
    std::string text =
        fmt::format("{:<58} {:>10} {:<9} {:>8} {:>8}\n", "", "measured", "", "must", "stretch");
    for (const Measured& row : table)
        text += fmt::format("{:<58} {:>10.4g} {:<9} {:>8} {:>8}{}\n", row.what, row.value, row.unit,
                            row.target, row.stretch, row.is_met() ? "" : "  missed");
    return text;
}

Json json_of(const std::vector<Measured>& table) {
    Json rows = Json::array();
    for (const Measured& row : table)
        rows.push_back({{"what", row.what},
                        {"value", row.value},
                        {"unit", row.unit},
                        {"must", row.target},
                        {"stretch", row.stretch},
                        {"met", row.is_met()},
                        {"measurements", row.count}});
    return rows;
}

#endif

}  // namespace

int run_bench_view(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    std::vector<fs::path> inputs;
    BenchViewOptions options;
    MessageOptions messages;
    VerbParser parser("bench view",
                      "Measures how fast 'tesela view' answers, at a client of HTTP against a "
                      "server that it starts.");
    parser.add_inputs(inputs, {{"VOLUME", "that is opened and turned; made up without one", false}},
                      0, 1);
    parser.add(options, "Measuring");
    parser.add(messages, "Messages", message_aliases());
    parser.add_examples({"bench view", "bench view CT_AVM.nii.gz --json",
                         "bench view --device cuda", "bench view --soak 60"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);
#ifdef TESELA_WITH_VIEWER
    const bool soaks = options.soak > 0;
    if (soaks) require_soak_alone(options, !inputs.empty());
    if (std::error_code error; !inputs.empty() && !fs::exists(inputs.front(), error))
        throw UnreadableInput("'" + inputs.front().string() + "' does not exist");
    const Device device = Device::choose(options.device).device;
    const viewer::bench::BenchSettings settings{
        .program = fs::read_symlink("/proc/self/exe"),
        .file = inputs.empty() ? fs::path() : inputs.front(),
        .device = device.id(),
        .threads = options.threads,
        .size = options.size,
        .repetitions = options.repetitions,
        .viewers = options.viewers,
        .requests = options.requests};
    const Progress progress([](double, std::string_view stage) { explain("{}", stage); }, &token);
    const auto table = soaks ? viewer::bench::soak_view(settings, options.soak, progress)
                             : viewer::bench::bench_view(settings, progress);
    const bool has_grown = soaks && !std::all_of(table.begin(), table.end(),
                                                 [](const Measured& row) { return row.is_met(); });
    if (!messages.json) {
        print(text_of(table));
        if (has_grown) complain("the viewer holds more and more");
        return has_grown ? exit_failed : exit_done;
    }
    Json report = begin_report("bench view");
    report["parameters"] = parser.values();
    report["device"] = json_of(device.properties());
    report["measured"] = json_of(table);
    print(json_text(std::move(report)));
    return has_grown ? exit_failed : exit_done;
#else
    (void)token;
    throw InvalidArgument(
        "this tesela was built without the viewer: install libboost1.81-dev and build it again");
#endif
}

}  // namespace tesela::cli
