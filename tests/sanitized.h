// Whether the tests run under AddressSanitizer or ThreadSanitizer, where all takes many times as
// long and peaks of memory mean nothing.
#pragma once

namespace tesela::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
inline constexpr bool sanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif

// How many times as long answers may take.
inline constexpr double patience = sanitized ? 10 : 1;

}  // namespace tesela::testing
