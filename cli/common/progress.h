// Shows how far a job is, on stderr.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "common_options.h"
#include "tesela/progress.h"

namespace tesela::cli {

class ProgressReporter {
  public:
    // `automatic` is a bar on a terminal, and elsewhere lines of what takes longer than 2 s;
    // `quiet` silences both.
    ProgressReporter(
        ProgressStyle style, bool quiet, const CancelToken& token,
        std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now());
    ~ProgressReporter() { finish(); }
    ProgressReporter(const ProgressReporter&) = delete;
    ProgressReporter& operator=(const ProgressReporter&) = delete;

    // A step of the job that takes the part from `begin` to `end` of the whole. The reporter must
    // outlive it.
    Progress part(double begin, double end);
    // Clears the bar, so that messages can follow.
    void finish();

  private:
    void show(double fraction, std::string_view stage);
    void draw_bar(double fraction, std::string_view stage);

    ProgressStyle style_;
    const CancelToken& token_;
    std::chrono::steady_clock::time_point started_, drawn_, first_line_;
    int last_percent_ = -1;
    std::string last_stage_;
    bool bar_is_drawn_ = false;
};

}  // namespace tesela::cli
