// What a verb of the command line is, and how the one that was typed is found.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "help.h"

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
    std::string_view alias = {};          // another name
    std::function<HelpPage()> page = {};  // its own help, for that of the verbs that it is one of
};

// The verbs of the program, or of a verb that others stand behind.
struct VerbList {
    std::string program;            // what is typed before the verb
    std::string_view introduction;  // the first line of the help
    std::span<const Verb> verbs;
    std::string_view default_verb = {};  // runs where no verb is named
    // Which verb does the job of a word that is no verb; empty where that is not known.
    std::string_view (*advice)(std::string_view word) = nullptr;
};

// Runs the verb that `arguments` begin with. Prints help where they begin with --help, --help-all,
// -h or help; `help VERB` prints that of a verb. Throws InvalidArgument for a verb that does not
// exist, with the one that is meant or most alike.
int dispatch(const VerbList& list, const Arguments& arguments);

}  // namespace tesela::cli
