// How fast the viewer's server answers, measured at a client of HTTP.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tesela/progress.h"

namespace tesela::viewer::bench {

struct BenchSettings {
    std::filesystem::path program;    // that is started with `view`
    std::filesystem::path file = {};  // volume of the first slice and the view; empty: a made one
    std::string device = "auto";
    int threads = 0;
    int size = 512;                     // of the volume that slices are of, along each axis
    int repetitions = 20;               // of what takes long
    int viewers = 20, requests = 2000;  // at once, and of all in a second
};

// A row of the table.
struct Measured {
    std::string what;
    double value = 0;
    std::string unit;  // "frames/s", of which there should be many; of others, as "ms", few
    double target = 0, stretch = 0;
    int count = 0;  // of measurements

    bool is_met() const { return unit == "frames/s" ? value >= target : value <= target; }
};

// Throws Error where the server does not start, and Cancelled.
std::vector<Measured> bench_view(const BenchSettings& settings, const Progress& progress);

}  // namespace tesela::viewer::bench
