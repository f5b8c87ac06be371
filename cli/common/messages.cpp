#include "messages.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "shown_text.h"
#include "tesela/error.h"

namespace tesela::cli {
namespace {

spdlog::logger& logger() {
    static spdlog::logger made = [] {
        spdlog::logger stderr_logger("tesela", std::make_shared<spdlog::sinks::stderr_sink_mt>());
        stderr_logger.set_pattern("tesela: %v");
        return stderr_logger;
    }();
    return made;
}

std::string* caught_text = nullptr;  // instead of standard output

// Drivers and format libraries end their texts with a line break.
std::string line_of(std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    return on_one_line(text);
}

thread_local HeldMessages* held = nullptr;

}  // namespace

void act(std::function<void()> action) {
    if (held)
        held->kept_.push_back(std::move(action));
    else
        action();
}

HeldMessages::HeldMessages() { held = this; }
HeldMessages::~HeldMessages() { held = nullptr; }

void set_up_messages(bool quiet, bool verbose) {
    logger().set_level(quiet     ? spdlog::level::warn
                       : verbose ? spdlog::level::debug
                                 : spdlog::level::info);
}

void say(const std::string& text) {
    act([line = line_of(text)] { logger().info(line); });
}
void explain(const std::string& text) {
    act([line = line_of(text)] { logger().debug(line); });
}
void warn(const std::string& text) {
    act([line = line_of(text)] { logger().warn("warning: {}", line); });
}
void complain(const std::string& text) {
    act([line = line_of(text)] { logger().error("error: {}", line); });
}

void tell(const std::string& text) {
    act([text] {
        std::fwrite(text.data(), 1, text.size(), stderr);
        std::fflush(stderr);
    });
}

std::string printed_by(const std::function<void()>& work) {
    std::string text;
    caught_text = &text;
    work();
    caught_text = nullptr;
    return text;
}

void print(const std::string& text) {
    act([text] {
        if (caught_text) {
            *caught_text += text;
            return;
        }
        const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
        if (written && std::fflush(stdout) == 0) return;
        if (errno == EPIPE) throw ReaderGone();
        throw UnwritableOutput("cannot write to standard output: " +
                               std::generic_category().message(errno));
    });
}

}  // namespace tesela::cli
