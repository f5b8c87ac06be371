// What a child process begins with.
#pragma once

#include <signal.h>
#include <spawn.h>

namespace tesela::cli {

// A process group of its own, so that Ctrl-C is for this program alone, and no blocked signals.
class ChildAttributes {
  public:
    ChildAttributes() {
        posix_spawnattr_init(&attributes_);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
        sigset_t none;
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&attributes_, &none);
    }
    ~ChildAttributes() { posix_spawnattr_destroy(&attributes_); }
    ChildAttributes(const ChildAttributes&) = delete;
    ChildAttributes& operator=(const ChildAttributes&) = delete;

    const posix_spawnattr_t* get() const { return &attributes_; }

  private:
    posix_spawnattr_t attributes_;
};

}  // namespace tesela::cli
