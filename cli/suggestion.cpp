#include "suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tesela::cli {
namespace {

// Levenshtein's distance of two words.
std::size_t edits_between(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] != b[j]);
            diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
        }
    }
    return row.back();
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
