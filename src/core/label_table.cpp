#include "tesela/label_table.h"

#include <algorithm>
#include <charconv>

#include "tesela/error.h"

namespace tesela {

bool has_names(const LabelTable& table) {
    return std::any_of(table.begin(), table.end(),
                       [](const auto& entry) { return !entry.second.name.empty(); });
}

std::string label_name(const LabelTable& table, std::uint32_t label) {
    const auto found = table.find(label);
    return found != table.end() ? found->second.name : std::string();
}

Rgb color_of(const LabelTable* table, std::uint32_t label) {
    if (table)
        if (const auto found = table->find(label); found != table->end() && found->second.color)
            return *found->second.color;
    return label_color(label);
}

void update(LabelTable& table, const LabelTable& more) {
    for (const auto& [label, description] : more) {
        LabelDescription& known = table[label];
        if (!description.name.empty()) {
            known.name = description.name;
            known.segment.name_is_automatic = description.segment.name_is_automatic;
        }
        if (description.color) {
            known.color = description.color;
            known.segment.color_is_automatic = description.segment.color_is_automatic;
        }
        if (!description.segment.id.empty()) known.segment.id = description.segment.id;
        if (!description.segment.tags.empty()) known.segment.tags = description.segment.tags;
    }
}

namespace {

// Takes names one by one from a list.
class NameList {
  public:
    explicit NameList(std::string_view text) : left_(text) {}

    bool is_at_end() const { return left_.empty(); }

    std::uint32_t label() {
        std::uint32_t label = 0;
        const auto [stop, error] =
            std::from_chars(left_.data(), left_.data() + left_.size(), label);
        const auto digits = static_cast<std::size_t>(stop - left_.data());
        if (error != std::errc{} || left_.substr(digits, 1) != "=")
            refuse("begins with no whole number from 0 to 4294967295 and '='");
        left_.remove_prefix(digits + 1);
        return label;
    }

    std::string name() {
        std::string name = left_.starts_with('"') ? quoted() : plain();
        if (name.empty()) refuse("begins with an empty name");
        if (left_.empty()) return name;
        left_.remove_prefix(1);  // the comma
        if (left_.empty()) throw InvalidArgument("names of labels: there is none behind the comma");
        return name;
    }

  private:
    std::string plain() {
        const std::size_t end = std::min(left_.find(','), left_.size());
        std::string name(left_.substr(0, end));
        left_.remove_prefix(end);
        return name;
    }
    std::string quoted() {
        std::string name;
        for (std::size_t at = 1; at < left_.size(); ++at) {
            if (left_[at] != '"') {
                name += left_[at];
                continue;
            }
            if (left_.substr(at + 1, 1) == "\"") {
                name += left_[at++];
                continue;
            }
            left_.remove_prefix(at + 1);
            if (!left_.empty() && left_[0] != ',') refuse("follows a closing quote");
            return name;
        }
        refuse("has a quote that is not closed");
    }
    [[noreturn]] void refuse(const char* reason) const {
        constexpr std::size_t longest = 40;
        throw InvalidArgument("names of labels: '" + std::string(left_.substr(0, longest)) + "' " +
                              reason + "; write 1=liver,2=\"kidney, left\"");
    }

    std::string_view left_;
};

}  // namespace

LabelTable parse_label_names(std::string_view text) {
    if (text.empty()) throw InvalidArgument("names of labels: the list is empty");
    LabelTable table;
    for (NameList list(text); !list.is_at_end();) {
        const std::uint32_t label = list.label();
        if (!table.emplace(label, LabelDescription{list.name()}).second)
            throw InvalidArgument("names of labels: label " + std::to_string(label) +
                                  " has two names");
    }
    return table;
}

}  // namespace tesela
