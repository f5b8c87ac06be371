// How long the stages of a job took.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace tesela {

struct StageTime {
    std::string name;
    double milliseconds = 0;
};

// Closes a stage and opens the next: start("upload"), start("modes"), ..., finish().
class StageClock {
  public:
    void start(std::string name) {
        finish();
        open_ = std::move(name);
        begin_ = std::chrono::steady_clock::now();
    }
    void finish() {
        if (open_.empty()) return;
        const std::chrono::duration<double, std::milli> taken =
            std::chrono::steady_clock::now() - begin_;
        times_.push_back({std::exchange(open_, {}), taken.count()});
    }
    std::vector<StageTime> take() {
        finish();
        return std::exchange(times_, {});
    }

  private:
    std::vector<StageTime> times_;
    std::string open_;
    std::chrono::steady_clock::time_point begin_;
};

}  // namespace tesela
