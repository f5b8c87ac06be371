// What the library has to say about the machine rather than about one result. It never prints.
#pragma once

#include <functional>
#include <string>

namespace tesela {

// Receives one sentence. May be called from any thread, by one at a time.
using WarningHandler = std::function<void(const std::string& sentence)>;

// From now on `handler` gets the warnings; without one they are dropped. Each sentence comes once
// in the life of the process.
void set_warning_handler(WarningHandler handler);

namespace detail {
void warn_once(const std::string& sentence);
}

}  // namespace tesela
