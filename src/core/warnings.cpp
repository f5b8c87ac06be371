#include "tesela/warnings.h"

#include <mutex>
#include <set>
#include <utility>

namespace tesela {
namespace {

struct State {
    std::mutex mutex;  // guards the others
    WarningHandler handler;
    std::set<std::string> said;
};
State& state() {
    static State made;
    return made;
}

}  // namespace

void set_warning_handler(WarningHandler handler) {
    const std::lock_guard lock(state().mutex);
    state().handler = std::move(handler);
}

void detail::warn_once(const std::string& sentence) {
    const std::lock_guard lock(state().mutex);
    if (state().handler && state().said.insert(sentence).second) state().handler(sentence);
}

}  // namespace tesela
