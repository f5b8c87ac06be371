// Values that are made while the ones before them are used.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "core/threads.h"
#include "tesela/error.h"

namespace tesela::detail {

// Calls use(make(0)), use(make(1)), ... up to `count` from the caller's thread, while the next
// value is made by a thread of its own, or, where the system refuses that, by the caller
// afterwards. The first error of either ends the work and is thrown. T: what `make` gives. `wait`
// is called with a function that returns when a value is there, for its time.
template <class T, class Make, class Use, class Wait>
void made_ahead(std::int64_t count, const Make& make, const Use& use, const Wait& wait) {
    std::optional<T> next;
    std::exception_ptr failure;
    const auto make_next = [&](std::int64_t i) {
        try {
            next = make(i);
        } catch (...) {
            failure = std::current_exception();
        }
    };
    std::thread ahead;
    const auto taken = [&](std::int64_t i) {
        wait([&] {
            if (ahead.joinable())
                ahead.join();
            else
                make_next(i);
        });
        if (failure) std::rethrow_exception(failure);
        return std::move(*std::exchange(next, {}));
    };
    for (std::int64_t i = 0; i < count; ++i) {
        T value = taken(i);
        if (i + 1 < count) try {
                ahead = start_thread([&make_next, i] { make_next(i + 1); });
            } catch (const OutOfMemory&) {
                // It is made when it is its turn.
            }
        try {
            use(std::move(value));
        } catch (...) {
            if (ahead.joinable()) ahead.join();
            throw;
        }
    }
}

}  // namespace tesela::detail
