// What a verb of the command line is, and how the one that was typed is found.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tesela::cli {

enum ExitCode {
    exit_done = 0,
    exit_failed = 1,
    exit_usage = 2,
    exit_input = 3,
    exit_device = 4,
    exit_memory = 5,
    exit_some_failed = 6,
    exit_cancelled = 130,
    exit_reader_gone = 141,  // as of a program that SIGPIPE ends
};

using Arguments = std::vector<std::string>;

struct Verb {
    std::string_view name;
    std::string_view summary;
    // Gets the arguments behind the verb; gives the exit code.
    std::function<int(const Arguments&)> run;
    std::string_view task = {};  // its heading in the list of verbs
    // Of a verb that others stand behind: those, what its help begins with, and which of them runs
    // where none is named.
    std::vector<Verb> members = {};
    std::string_view sentence = {}, default_member = {};
};

// Runs the verb that `arguments` begin with; prints help where they begin with --help or -h.
// Throws InvalidArgument for a verb that does not exist, with the one most like it. `program` is
// what stands before the verb, `introduction` the first line of the help. `default_verb`, where
// there is one, runs where no verb is named.
int dispatch(std::string_view program, std::string_view introduction, std::span<const Verb> verbs,
             const Arguments& arguments, std::string_view default_verb = {});

}  // namespace tesela::cli
