// Verbs made from the descriptions of operations.
#pragma once

#include <vector>

#include "operations/registry.h"
#include "option_types.h"
#include "verb.h"

namespace tesela::cli {

// One for each family and each operation that is in none, in the registry's order. The registry
// must outlive them.
std::vector<Verb> verbs_of(const operations::Registry& registry);

// What the operation's verb prints for --describe.
Json description_of_verb(const operations::Operation& operation);

// Parses the arguments of an operation's verb and runs it. Gives the exit code.
int run_operation(const operations::Operation& operation, const Arguments& arguments);

}  // namespace tesela::cli
