// Every failure of the library is an exception derived from tesela::Error.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace tesela {

enum class ErrorCode {
    invalid_argument,    // an option, size or type that the caller can correct
    unreadable_input,    // missing, empty, truncated or damaged file
    unsupported_format,  // a readable file of a kind or type that Tesela does not take
    unwritable_output,   // no permission, no space, no such folder
    too_narrow,          // the output format cannot hold the values without loss
    device_unavailable,  // no such device, or it failed
    out_of_memory,       // host or device memory, or the limit set by the caller
    cancelled,           // stopped on request
};

class Error : public std::runtime_error {
  public:
    Error(ErrorCode code, const std::string& sentence)
        : std::runtime_error(sentence), code_(code) {}
    ErrorCode code() const noexcept { return code_; }

  private:
    ErrorCode code_;
};

namespace detail {
template <ErrorCode Code>
class ErrorOf : public Error {
  public:
    explicit ErrorOf(const std::string& sentence) : Error(Code, sentence) {}
};
}  // namespace detail

using InvalidArgument = detail::ErrorOf<ErrorCode::invalid_argument>;
using UnreadableInput = detail::ErrorOf<ErrorCode::unreadable_input>;
using UnsupportedFormat = detail::ErrorOf<ErrorCode::unsupported_format>;
using UnwritableOutput = detail::ErrorOf<ErrorCode::unwritable_output>;
using TooNarrow = detail::ErrorOf<ErrorCode::too_narrow>;
using DeviceUnavailable = detail::ErrorOf<ErrorCode::device_unavailable>;
using Cancelled = detail::ErrorOf<ErrorCode::cancelled>;

// Carries the figures that a caller needs to choose a smaller job. A figure of -1 is unknown.
class OutOfMemory : public Error {
  public:
    OutOfMemory(const std::string& sentence, std::int64_t bytes_needed, std::int64_t bytes_free)
        : Error(ErrorCode::out_of_memory, sentence), needed_(bytes_needed), free_(bytes_free) {}
    std::int64_t bytes_needed() const noexcept { return needed_; }
    std::int64_t bytes_free() const noexcept { return free_; }

  private:
    std::int64_t needed_;
    std::int64_t free_;
};

}  // namespace tesela
