// The verbs that run the experiments of a thesis.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/laboratory.h"
#include "interrupt.h"
#include "messages.h"
#include "verb.h"
#include "verb_parser.h"

namespace tesela::experiments {

// An experiment that takes place in a laboratory of its own kind.
template <class Place>
struct Experiment {
    std::string_view name, title;
    void (*run)(Place& laboratory);
};

// Those that --experiment names, in their order. Throws InvalidArgument.
template <class Place>
std::vector<Experiment<Place>> chosen_experiments(std::span<const Experiment<Place>> all,
                                                  const std::string& text) {
    std::string names;
    for (const Experiment<Place>& experiment : all)
        names += (names.empty() ? "" : ", ") + std::string(experiment.name);
    std::vector<Experiment<Place>> list;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        const std::size_t before = list.size();
        for (const Experiment<Place>& experiment : all)
            if (word == "all" || word == experiment.name) list.push_back(experiment);
        if (list.size() == before)
            throw InvalidArgument(
                fmt::format("--experiment: '{}' is not one of {} or all", word, names));
    }
    if (list.empty()) throw InvalidArgument("--experiment names none of " + names);
    return list;
}

// Runs them and prints what was found; the rest of the verb.
template <class Place>
void run_experiments(Place& laboratory, const std::vector<Experiment<Place>>& list,
                     const std::string& verb, const Json& parameters, bool as_json) {
    for (const Experiment<Place>& experiment : list) {
        say("{}: {}", experiment.name, experiment.title);
        experiment.run(laboratory);
    }
    const Table findings = laboratory.findings_table();
    laboratory.write("findings.csv", findings);
    cli::print(as_json ? cli::json_text(laboratory.report(verb, parameters)) : findings.text());
}

struct BenchVerb {
    std::string name, summary;
    std::function<void(cli::VerbParser&)> add_inputs = {};
};

// `options` are the usual ones, `More` those that a verb has besides; `open` makes the laboratory
// of both and a token.
template <class Place, class More, class Open>
int run_bench(const BenchVerb& verb, LaboratoryOptions options,
              std::span<const Experiment<Place>> experiments, const cli::Arguments& arguments,
              const Open& open) {
    const CancelToken& token = cli::handle_interrupts();
    More more;
    cli::MessageOptions messages;
    cli::VerbParser parser(verb.name, verb.summary);
    if (verb.add_inputs) verb.add_inputs(parser);
    parser.add(options, "Experiments");
    parser.add(more, "Experiments");
    parser.add(messages, "Messages", cli::message_aliases());
    if (!parser.parse(arguments)) return cli::exit_done;
    cli::set_up_messages(messages.quiet, messages.verbose);

    const auto list = chosen_experiments(experiments, options.experiment);
    Place laboratory = open(options, more, token);
    run_experiments(laboratory, list, verb.name, parser.values(), messages.json);
    return cli::exit_done;
}

}  // namespace tesela::experiments
