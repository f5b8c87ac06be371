// The sentence with which a call refuses what it was given.
#pragma once

#include <string>

#include "tesela/error.h"

namespace tesela::testing {

// What `call` says in its InvalidArgument; empty where it takes what it is given.
template <class Call>
std::string refusal(const Call& call) {
    try {
        call();
    } catch (const InvalidArgument& error) {
        return error.what();
    }
    return "";
}

}  // namespace tesela::testing
