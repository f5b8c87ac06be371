#include "documentation.h"

#include <array>
#include <fstream>
#include <map>

#include "common_options.h"
#include "man_pages.h"
#include "messages.h"
#include "operations/operation.h"
#include "tesela/error.h"
#include "verb_parser.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

void describe_verbs(const std::vector<Verb>& verbs, const std::string& before,
                    std::string_view task, std::vector<DescribedVerb>& all) {
    for (const Verb& verb : verbs) {
        const std::string name = before + std::string(verb.name);
        const std::string_view own_task = verb.task.empty() ? task : verb.task;
        if (!verb.members.empty()) {
            describe_verbs(verb.members, name + " ", own_task, all);
            continue;
        }
        const std::string text = printed_by([&] { verb.run({"--describe"}); });
        all.push_back({name, std::string(verb.summary), std::string(own_task), Json::parse(text)});
    }
}

std::vector<DescribedVerb> described(const std::vector<Verb>& verbs) {
    std::vector<DescribedVerb> all;
    describe_verbs(verbs, "", "", all);
    return all;
}

int run_completion(const std::vector<Verb>& verbs, const Arguments& arguments) {
    std::vector<fs::path> words;
    VerbParser parser("completion", "Prints a script that completes tesela's words in a shell.");
    parser.add_inputs(words, {{"SHELL", "bash, zsh or fish"}}, 1, 1);
    parser.add_examples({"completion bash > tesela.bash", "completion fish > tesela.fish"});
    if (!parser.parse(arguments)) return exit_done;
    const std::string shell = words.front().string();
    if (shell == "bash")
        print(bash_completion(described(verbs)));
    else if (shell == "zsh")
        print(zsh_completion(described(verbs)));
    else if (shell == "fish")
        print(fish_completion(described(verbs)));
    else
        throw InvalidArgument("there is no completion for '" + shell +
                              "'; write one of bash, zsh, fish");
    return exit_done;
}

struct ManPagesOptions {
    bool force = false;
};
template <class V>
void describe(V&& v, ManPagesOptions& o) {
    v("force", o.force, "replace files that are not pages of Tesela");
}

// Pages of an earlier version may be replaced, files of others may not.
void require_own(const fs::path& path, bool replace) {
    std::error_code error;
    if (replace || !fs::exists(path, error)) return;
    std::array<char, 256> start{};
    std::ifstream(path, std::ios::binary).getline(start.data(), start.size());
    const std::string_view line(start.data());
    if (line.starts_with(".TH tesela") && line.ends_with("\"Tesela\"")) return;
    throw InvalidArgument("'" + path.string() +
                          "' exists already and is not a page of Tesela; choose another folder, or "
                          "--force to replace it");
}

void write_page(const fs::path& path, const std::string& text) {
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw UnwritableOutput("cannot write '" + path.string() + "'");
}

int run_man_pages(const std::vector<Verb>& verbs, const Arguments& arguments) {
    std::vector<fs::path> folder;
    VerbParser parser("man-pages", "Writes a manual page for each verb into a folder.");
    parser.add_inputs(folder, {{"FOLDER", "folder for tesela.1, tesela-segment.1, ..."}}, 1, 1);
    ManPagesOptions options;
    parser.add(options, "Output");
    parser.add_examples({"man-pages man1"});
    if (!parser.parse(arguments)) return exit_done;
    std::error_code error;
    fs::create_directories(folder.front(), error);
    if (error)
        throw UnwritableOutput("cannot make the folder '" + folder.front().string() +
                               "': " + error.message());
    const std::vector<DescribedVerb> all = described(verbs);
    std::map<fs::path, std::string> pages{{folder.front() / "tesela.1", man_page_of_all(all)}};
    for (const DescribedVerb& verb : all)
        pages[folder.front() / man_page_name(verb)] = man_page(verb);
    for (const auto& [path, text] : pages) require_own(path, options.force);
    for (const auto& [path, text] : pages) write_page(path, text);
    return exit_done;
}

}  // namespace

void add_documentation_verbs(std::vector<Verb>& verbs) {
    constexpr std::string_view task = operations::tasks::files;
    verbs.push_back({"completion", "print completion for bash, zsh or fish",
                     [&](const Arguments& arguments) { return run_completion(verbs, arguments); },
                     task});
    verbs.push_back({"man-pages", "write a manual page for each verb",
                     [&](const Arguments& arguments) { return run_man_pages(verbs, arguments); },
                     task});
}

}  // namespace tesela::cli
