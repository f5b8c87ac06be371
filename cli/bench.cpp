// tesela bench mean-shift [IMAGE...]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "interrupt.h"
#include "laboratory.h"
#include "messages.h"
#include "report.h"
#include "verb.h"
#include "verb_parser.h"

namespace tesela::cli {
namespace {

constexpr std::array experiments{
    Experiment{"E1", "filtered pictures at eight settings", run_filtering_pictures},
    Experiment{"E2", "whole times by device", run_devices_compared},
    Experiment{"E3", "times of the phases", run_phases},
    Experiment{"E4", "times and queue lengths of the rounds", run_rounds},
    Experiment{"E5", "bitonic sort on device and host", run_sorts},
    Experiment{"E6", "against EDISON", run_against_edison},
    Experiment{"E7", "a volume", run_volume},
    Experiment{"E8", "regions by tolerance", run_label_counts},
    Experiment{"E9", "regions of EDISON", run_edison_regions},
    Experiment{"E10", "times of the labels", run_label_times},
    Experiment{"E11", "a volume in time", run_volume_in_time},
};

std::vector<const Experiment*> chosen(const std::string& text) {
    std::vector<const Experiment*> list;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        const std::size_t before = list.size();
        for (const Experiment& experiment : experiments)
            if (word == "all" || word == experiment.name) list.push_back(&experiment);
        if (list.size() == before)
            throw InvalidArgument(
                fmt::format("--experiment: '{}' is not one of E1 to E11, or all", word));
    }
    if (list.empty()) throw InvalidArgument("--experiment names none of E1 to E11");
    return list;
}

std::string verdict(const Finding& finding) {
    return finding.holds ? *finding.holds ? "yes" : "no" : "-";
}

Table table_of(const std::vector<Finding>& findings) {
    Table table({"row", "claim", "thesis", "here", "holds"});
    for (const Finding& finding : findings)
        table.add({finding.row, finding.claim, finding.thesis, finding.here, verdict(finding)});
    return table;
}

Json report_of(const Laboratory& laboratory, const Json& parameters) {
    Json report = begin_report("bench mean-shift");
    report["parameters"] = parameters;
    report["devices"] = Json::array();
    for (std::size_t d = 0; d < laboratory.device_count(); ++d)
        report["devices"].push_back(
            {{"id", laboratory.device(d).id()}, {"name", laboratory.device(d).properties().name}});
    report["findings"] = Json::array();
    for (const Finding& finding : laboratory.findings())
        report["findings"].push_back({{"row", finding.row},
                                      {"claim", finding.claim},
                                      {"thesis", finding.thesis},
                                      {"here", finding.here},
                                      {"holds", finding.holds ? Json(*finding.holds) : Json()}});
    report["outputs"] = Json::array();
    for (const auto& path : laboratory.written()) report["outputs"].push_back(path.string());
    return report;
}

int run_bench_mean_shift(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    BenchOptions options;
    MessageOptions messages;
    std::vector<std::filesystem::path> own;
    VerbParser parser("bench mean-shift",
                      "Runs the experiments of the thesis behind mean shift and writes tables and "
                      "charts beside its figures.");
    parser.add_inputs(own, "IMAGE", 0, 1 << 20,
                      "pictures and volumes in place of those that stand in for the thesis's");
    parser.add(options, "Experiments");
    parser.add(messages, "Messages", message_aliases());
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);

    const std::vector<const Experiment*> list = chosen(options.experiment);
    Laboratory laboratory(options, own, token);
    for (const Experiment* experiment : list) {
        say("{}: {}", experiment->name, experiment->title);
        experiment->run(laboratory);
    }
    const Table findings = table_of(laboratory.findings());
    laboratory.write("findings.csv", findings);
    print(messages.json ? report_of(laboratory, parser.values()).dump(2) + "\n" : findings.text());
    return exit_done;
}

constexpr std::array kinds{
    Verb{"mean-shift", "the experiments of the thesis behind mean shift", run_bench_mean_shift},
};

}  // namespace

int run_bench(const Arguments& arguments) {
    return dispatch("tesela bench", "Runs experiments and writes tables and charts.", kinds,
                    arguments);
}

}  // namespace tesela::cli
