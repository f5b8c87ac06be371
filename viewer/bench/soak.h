// The viewer at work for a long time, whose memory has to stay the same.
#pragma once

#include "viewer/bench/bench.h"

namespace tesela::viewer::bench {

// Slices, strokes, undo, jobs that end and jobs that are canceled, pictures, labels that come and
// go, and connections, for so many minutes. Rows are what the server held: the highest of the last
// third against the highest of the third before. Throws as bench_view.
std::vector<Measured> soak_view(const BenchSettings& settings, double minutes,
                                const Progress& progress);

}  // namespace tesela::viewer::bench
