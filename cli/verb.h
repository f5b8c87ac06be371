// The verbs of the command line and how they are found.
#pragma once

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
};

using Arguments = std::vector<std::string>;

struct Verb {
    std::string_view name;
    std::string_view summary;
    int (*run)(const Arguments& arguments);  // those behind the verb; gives the exit code
};

int run_devices(const Arguments& arguments);
int run_info(const Arguments& arguments);
int run_mean_shift(const Arguments& arguments);
int run_region_grow(const Arguments& arguments);
int run_watershed(const Arguments& arguments);
int run_components(const Arguments& arguments);
int run_split_merge(const Arguments& arguments);
int run_threshold(const Arguments& arguments);
int run_edges(const Arguments& arguments);
int run_flow(const Arguments& arguments);
int run_evaluate(const Arguments& arguments);
int run_evaluate_flow(const Arguments& arguments);
int run_synthesize(const Arguments& arguments);
int run_bench(const Arguments& arguments);
int run_bench_mean_shift(const Arguments& arguments);
int run_bench_flow(const Arguments& arguments);
int run_bench_region_grow(const Arguments& arguments);

// Runs the verb that `arguments` begin with; prints help where they begin with --help or -h.
// Throws InvalidArgument for a verb that does not exist, with the one most like it. `program` is
// what stands before the verb, `introduction` the first line of the help.
int dispatch(std::string_view program, std::string_view introduction, std::span<const Verb> verbs,
             const Arguments& arguments);

}  // namespace tesela::cli
