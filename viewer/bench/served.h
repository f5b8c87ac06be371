// `tesela view` in a process of its own.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "viewer/bench/client.h"

namespace tesela::viewer::bench {

class Served {
  public:
    // Returns when it listens. Throws Error.
    Served(const std::filesystem::path& program, const std::vector<std::string>& arguments);
    // Ends it.
    ~Served();
    Served(const Served&) = delete;
    Served& operator=(const Served&) = delete;

    const Place& place() const { return place_; }
    pid_t process() const { return process_; }

  private:
    pid_t process_ = 0;
    int output_ = -1;
    Place place_;
};

}  // namespace tesela::viewer::bench
