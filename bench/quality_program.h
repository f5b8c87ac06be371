// Programs that print how well methods do, for the tables of the documentation.
#pragma once

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace tesela::bench {

// What main does: gives `run` the arguments. Exceptions become a sentence on stderr and exit
// code 1.
template <class Run>
int run_quality_program(int argc, char** argv, const char* program, const Run& run) try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 1;
}

}  // namespace tesela::bench
