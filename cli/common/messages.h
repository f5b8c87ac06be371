// What the program says on stderr. Standard output carries data only. A message is one line, with
// names of files fit to show.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace tesela::cli {

// Quiet: warnings and errors only.
void set_up_messages(bool quiet, bool verbose);

void say(const std::string& text);      // what was done
void explain(const std::string& text);  // with --verbose
void warn(const std::string& text);
void complain(const std::string& text);  // why it failed

template <class... A>
void say(fmt::format_string<A...> format, A&&... arguments) {
    say(fmt::format(format, std::forward<A>(arguments)...));
}
template <class... A>
void explain(fmt::format_string<A...> format, A&&... arguments) {
    explain(fmt::format(format, std::forward<A>(arguments)...));
}

// Text for stderr as it is. Nobody may be reading: that it cannot be written is no failure.
void tell(const std::string& text);

// Nobody reads standard output any more, as behind `| head`: the program ends without a word.
class ReaderGone : public std::exception {};

// Writes data to standard output. Throws ReaderGone, and UnwritableOutput where that fails
// otherwise.
void print(const std::string& text);
// What `work` prints, instead of that it appears.
std::string printed_by(const std::function<void()>& work);

// While it lives, what this thread says, tells and prints is kept for later: jobs that run at the
// same time are heard one after the other.
class HeldMessages {
  public:
    HeldMessages();
    ~HeldMessages();
    HeldMessages(const HeldMessages&) = delete;
    HeldMessages& operator=(const HeldMessages&) = delete;

    using Kept = std::vector<std::function<void()>>;
    Kept take() { return std::move(kept_); }

  private:
    friend void act(std::function<void()> action);
    Kept kept_;
};

}  // namespace tesela::cli
