// What primitives refuse, in words that name the primitive and the buffer.
#pragma once

#include <cstdint>
#include <string>

#include "compute/queue_core.h"

namespace tesela::detail {

class PrimitiveChecks {
  public:
    PrimitiveChecks(Queue& queue, const char* primitive, std::int64_t count)
        : queue_(queue), primitive_(primitive) {
        if (count < 0) fail("cannot work on " + std::to_string(count) + " elements");
    }

    // `role` names the parameter.
    template <class T>
    void has(const Buffer<T>& buffer, const char* role, std::int64_t elements) const {
        if (!buffer.block()) fail(std::string("was given no buffer for ") + role);
        queue_.core().check_owner(*buffer.block());
        if (buffer.size() < elements)
            fail("needs " + std::to_string(elements) + " elements in " + described(buffer, role) +
                 ", which has " + std::to_string(buffer.size()));
    }
    template <class A, class B>
    void apart(const Buffer<A>& a, const Buffer<B>& b, const char* roles) const {
        if (a.block() == b.block())
            fail(std::string("needs two buffers for ") + roles + "; '" + a.block()->name() +
                 "' was given for both");
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw InvalidArgument(std::string(primitive_) + ' ' + what);
    }

  private:
    template <class T>
    static std::string described(const Buffer<T>& buffer, const char* role) {
        return "buffer '" + buffer.block()->name() + "' (" + role + ")";
    }

    Queue& queue_;
    const char* primitive_;
};

}  // namespace tesela::detail
