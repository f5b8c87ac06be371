#include "completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

namespace tesela::cli {
namespace {

// Words that may follow others: "" is followed by "threshold", "threshold" by "otsu".
std::map<std::string, std::set<std::string>> next_words(const std::vector<DescribedVerb>& verbs) {
    std::map<std::string, std::set<std::string>> next;
    for (const DescribedVerb& verb : verbs)
        for (std::size_t begin = 0; begin <= verb.name.size();) {
            const std::size_t end = std::min(verb.name.find(' ', begin), verb.name.size());
            next[verb.name.substr(0, begin > 0 ? begin - 1 : 0)].insert(
                verb.name.substr(begin, end - begin));
            begin = end + 1;
        }
    return next;
}

std::vector<std::string> flags_of(const DescribedVerb& verb) {
    std::vector<std::string> flags{"--help", "--help-all"};
    for (const Json& option : verb.description["options"])
        for (const Json& flag : option["flags"]) flags.push_back(flag.get<std::string>());
    return flags;
}

std::string quoted_for_fish(std::string text) {
    for (std::size_t i = text.find_first_of("\\'"); i != text.npos;
         i = text.find_first_of("\\'", i + 2))
        text.insert(i, "\\");
    return "'" + text + "'";
}

}  // namespace

// The verb is what the words before the first option or file are. An option without values of its
// own, and any other place, completes names of files.
std::string bash_completion(const std::vector<DescribedVerb>& verbs) {
    std::string words, flags, values;
    for (const auto& [verb, next] : next_words(verbs))
        words += fmt::format("        '{}') words='{}' ;;\n", verb, fmt::join(next, " "));
    for (const DescribedVerb& verb : verbs) {
        flags +=
            fmt::format("        '{}') flags='{}' ;;\n", verb.name, fmt::join(flags_of(verb), " "));
        for (const Json& option : verb.description["options"])
            if (option.contains("choices"))
                values +=
                    fmt::format("        '{} --{}') values='{}' ;;\n", verb.name,
                                option["name"].get<std::string>(),
                                fmt::join(option["choices"].get<std::vector<std::string>>(), " "));
    }
    return fmt::format(R"(# Completion of tesela for bash; made by 'tesela completion bash'.
_tesela() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} verb='' words flags values i
    _tesela_words ''
    for ((i = 1; i < COMP_CWORD; ++i)); do
        [[ " $words " == *" ${{COMP_WORDS[i]}} "* ]] || break
        verb+="${{verb:+ }}${{COMP_WORDS[i]}}"
        _tesela_words "$verb"
    done
    _tesela_flags "$verb"
    _tesela_values "$verb $before"
    COMPREPLY=()
    if [[ -n $values ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${{flags:---help}}" -- "$word")
    elif [[ $i -eq $COMP_CWORD && -n $words ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    fi
    [[ ${{#COMPREPLY[@]}} -gt 0 ]] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
}}
_tesela_words() {{
    words=''
    case $1 in
{}    esac
}}
_tesela_flags() {{
    flags=''
    case $1 in
{}    esac
}}
_tesela_values() {{
    values=''
    case $1 in
{}    esac
}}
complete -o filenames -F _tesela tesela
)",
                       words, flags, values);
}

// zsh runs the script of bash.
std::string zsh_completion(const std::vector<DescribedVerb>& verbs) {
    return "#compdef tesela\nautoload -U +X bashcompinit && bashcompinit\n" +
           bash_completion(verbs);
}

std::string fish_completion(const std::vector<DescribedVerb>& verbs) {
    std::string text = "# Completion of tesela for fish; made by 'tesela completion fish'.\n";
    for (const auto& [verb, next] : next_words(verbs))
        text +=
            verb.empty()
                ? fmt::format("complete -c tesela -n __fish_use_subcommand -a '{}'\n",
                              fmt::join(next, " "))
                : fmt::format("complete -c tesela -n '__fish_seen_subcommand_from {}' -a '{}'\n",
                              verb.substr(verb.rfind(' ') + 1), fmt::join(next, " "));
    for (const DescribedVerb& verb : verbs) {
        std::string seen;
        for (const char c : verb.name)
            seen += c == ' ' ? "; and __fish_seen_subcommand_from " : std::string(1, c);
        for (const Json& option : verb.description["options"]) {
            text +=
                fmt::format("complete -c tesela -n '__fish_seen_subcommand_from {}' -l {} -d {}",
                            seen, option["name"].get<std::string>(),
                            quoted_for_fish(option["help"].get<std::string>()));
            if (option.contains("choices"))
                text +=
                    fmt::format(" -x -a '{}'",
                                fmt::join(option["choices"].get<std::vector<std::string>>(), " "));
            else if (option["type"] != "flag")
                text += " -r";
            text += "\n";
        }
    }
    return text;
}

}  // namespace tesela::cli
