#include "operation_verb.h"

#include "interrupt.h"
#include "messages.h"
#include "operation_job.h"
#include "slide_operation.h"

namespace tesela::cli {
namespace {

using operations::Family;
using operations::Operation;
using operations::Registry;

int run_family(const Registry& registry, const Family& family, const Arguments& arguments) {
    std::vector<Verb> members;
    std::string_view default_verb;
    for (const Operation& operation : registry.operations()) {
        if (operations::family_of(operation.name) != family.name) continue;
        const std::string_view word =
            std::string_view(operation.name).substr(family.name.size() + 1);
        if (operation.name == family.default_operation) default_verb = word;
        members.push_back({word, operation.purpose, [&operation](const Arguments& more) {
                               return run_operation(operation, more);
                           }});
    }
    return dispatch("tesela " + family.name, family.sentence, members, arguments, default_verb);
}

}  // namespace

std::vector<Verb> verbs_of(const Registry& registry) {
    std::vector<Verb> verbs;
    for (const Family& family : registry.families())
        verbs.push_back(
            {family.name, family.purpose,
             [&](const Arguments& arguments) { return run_family(registry, family, arguments); },
             family.task});
    for (const Operation& operation : registry.operations())
        if (operations::family_of(operation.name).empty())
            verbs.push_back(
                {operation.name, operation.purpose,
                 [&](const Arguments& arguments) { return run_operation(operation, arguments); },
                 operation.task});
    return verbs;
}

int run_operation(const Operation& operation, const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    OperationSettings settings(operation);
    VerbParser parser(operation.name, operation.sentence);
    add_options(parser, operation, settings);
    if (!parser.parse(arguments)) return exit_done;
    if (operation.check) operation.check(settings.options);
    set_up_messages(settings.messages.quiet, settings.messages.verbose);
    if (is_slide_job(operation, settings))
        return run_on_slide(operation, settings, parser.values(), token);
    find_seed_file(operation, settings);
    return OperationJob(operation, settings, parser.values(), token).run();
}

}  // namespace tesela::cli
