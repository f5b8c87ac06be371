#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "messages.h"

namespace tesela::cli {
namespace {

using Seconds = std::chrono::duration<double>;

ProgressStyle resolve(ProgressStyle style, bool quiet) {
    if (style == ProgressStyle::json) return style;
    if (quiet) return ProgressStyle::none;
    if (style != ProgressStyle::automatic) return style;
    return isatty(STDERR_FILENO) ? ProgressStyle::bar : ProgressStyle::lines;
}

}  // namespace

ProgressReporter::ProgressReporter(ProgressStyle style, bool quiet, const CancelToken& token,
                                   std::chrono::steady_clock::time_point started)
    : style_(resolve(style, quiet)),
      token_(token),
      started_(started),
      drawn_(started_),
      first_line_(started_ + std::chrono::seconds(style == ProgressStyle::automatic ? 2 : 0)) {}

Progress ProgressReporter::part(double begin, double end) {
    return Progress(
        [this, begin, end](double fraction, std::string_view stage) {
            show(begin + (end - begin) * std::clamp(fraction, 0.0, 1.0), stage);
        },
        &token_);
}

void ProgressReporter::show(double fraction, std::string_view stage) {
    const int percent = static_cast<int>(100 * fraction);
    if (style_ == ProgressStyle::bar) {
        draw_bar(fraction, stage);
    } else if (style_ == ProgressStyle::json) {
        if (percent == last_percent_ && stage == last_stage_) return;
        tell(Json{{"progress", percent / 100.0}, {"stage", stage}}.dump() + "\n");
    } else if (style_ == ProgressStyle::lines) {
        if (percent / 10 <= last_percent_ / 10) return;
        if (std::chrono::steady_clock::now() < first_line_) return;
        say("{} % ({})", percent / 10 * 10, stage);
    }
    last_percent_ = percent;
    last_stage_ = stage;
}

void ProgressReporter::draw_bar(double fraction, std::string_view stage) {
    const auto now = std::chrono::steady_clock::now();
    const bool same_stage = stage == last_stage_;
    if (bar_is_drawn_ && same_stage && now - drawn_ < std::chrono::milliseconds(100)) return;
    drawn_ = now;
    constexpr int width = 30;
    const int full = static_cast<int>(width * fraction);
    const double passed = Seconds(now - started_).count();
    const std::string left =
        passed > 2 && fraction > 0.02
            ? fmt::format(", {:.0f} s left", passed * (1 - fraction) / fraction)
            : "";
    tell(fmt::format("\r[{:#>{}}{:>{}}] {:3.0f} % {}{}\x1b[K", "", full, "", width - full,
                     100 * fraction, stage, left));
    bar_is_drawn_ = true;
}

void ProgressReporter::finish() {
    if (!bar_is_drawn_) return;
    tell("\r\x1b[K");
    bar_is_drawn_ = false;
}

}  // namespace tesela::cli
