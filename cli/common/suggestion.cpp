#include "suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tesela::cli {
namespace {

// Letters that are missing, too many, wrong, or swapped with the next (optimal string alignment).
std::size_t edits_between(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            row[j + 1] = std::min({last[j] + (a[i] != b[j]), last[j + 1] + 1, row[j] + 1});
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                row[j + 1] = std::min(row[j + 1], before_last[j - 1] + 1);
        }
        before_last = std::exchange(last, row);
    }
    return last.back();
}

}  // namespace

std::string suggestion(std::string_view word, const std::vector<std::string>& words) {
    const auto nearest =
        std::min_element(words.begin(), words.end(), [&](const auto& a, const auto& b) {
            return edits_between(word, a) < edits_between(word, b);
        });
    const bool alike = edits_between(word, *nearest) <= 1 + nearest->size() / 4;
    return alike ? fmt::format("did you mean '{}'?", *nearest) : "";
}

}  // namespace tesela::cli
