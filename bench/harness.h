// What the benchmark programs share: devices and options from the command line, timing through
// Google Benchmark, one table and one CSV file.
//
// A case is enqueued many times and waited for once, and the wall time is divided by the number:
// that is the rate at which the device works when it is kept busy, launch costs included, and it
// means the same on every back end. A case that spoils its input names what restores it; the time
// of that alone, measured in the same way, is taken off.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tesela/compute/device.h"
#include "tesela/compute/queue.h"

namespace tesela::bench {

struct Options {
    std::vector<Device> devices;  // all that are there, or the list of --device
    std::string csv;              // file to append to; empty: none
    std::string filter;           // only cases whose name contains this
    bool smoke = false;           // smallest sizes, one short repetition: does it still work?
    double seconds = 0.15;        // least time of one repetition
    int repetitions = 5;
};

// Reads --device LIST, --csv FILE, --filter TEXT, --seconds S, --repetitions N and --smoke; the
// environment variable TESELA_BENCH_SMOKE=1 does as --smoke. Throws InvalidArgument and
// DeviceUnavailable. --benchmark_* go to Google Benchmark.
Options read_options(int argc, char** argv);

struct Case {
    std::string name;
    std::string size;
    // Bytes that have to move between the processor and its memory at least: every input once,
    // every output once. 0: not counted.
    double bytes = 0;
    std::function<void()> enqueue;
    // Before each turn. What it takes by itself is subtracted, as suits short turns; where it
    // `restores_apart`, turns are measured one by one without it.
    std::function<void()> restore = nullptr;
    bool is_copy = false;  // gives the rate that others of the same size are compared with
    bool restores_apart = false;
};

class Table {
  public:
    Table(std::string program, const Options& options);

    // Runs the cases on `queue` and prints a line for each. Shares are of the fastest copy among
    // `cases`.
    void measure(Queue& queue, const std::vector<Case>& cases);

    // For every case that was measured on several devices: the time on the first of them divided by
    // the time on the others.
    void print_ratios() const;

  private:
    struct Row {
        double lowest, median, highest;  // milliseconds
    };
    Row time(Queue& queue, const Case& one);
    void print(const Device& device, const Case& one, const Row& row, double copy_rate);

    std::string program_;
    Options options_;
    std::string commit_, date_;
    struct Measured {
        std::string device, name, size;
        double median;
    };
    std::vector<Measured> measured_;
};

// Prints a line: `title`, then the kernels that `queue` has profiled, each with its launches and
// their mean time; at most so many, of those that took longest.
void print_kernels(const std::string& title, Queue& queue, std::size_t most = 100);

// Measures the inputs of each device whose name has the filter in it. `inputs_of` gives them for a
// device, `measure` takes the table, the device and one of them.
template <class InputsOf, class Measure>
void measure_inputs(Table& table, const Options& options, const InputsOf& inputs_of,
                    const Measure& measure) {
    for (const Device& device : options.devices)
        for (const auto& input : inputs_of(device))
            if (input.name.find(options.filter) != std::string::npos) measure(table, device, input);
    table.print_ratios();
}

// What main does: reads the options, makes the table of `program` and runs `body`. Exceptions
// become a sentence on stderr and exit code 1.
int run_program(int argc, char** argv, const std::string& program,
                const std::function<void(Table& table, const Options& options)>& body);

}  // namespace tesela::bench
