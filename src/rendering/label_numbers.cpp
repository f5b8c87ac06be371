#include "rendering/label_numbers.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "rendering/levels.h"
#include "tesela/error.h"

namespace tesela::rendering {

NumberedLabels numbered(const LabelView& labels, const std::vector<LabelColor>& colors, int level) {
    constexpr std::size_t most = 65534;
    if (colors.size() > most)
        throw InvalidArgument("render: there are " + std::to_string(colors.size()) +
                              " labels to show, of at most " + std::to_string(most));
    std::unordered_map<std::uint32_t, std::uint16_t> numbers;
    NumberedLabels made;
    std::vector<float>& table = made.colors;
    table.assign(4, 0.0f);
    for (const bool is_visible : {true, false})  // visible ones are numbered first
        for (const LabelColor& label : colors) {
            if ((label.opacity > 0) != is_visible) continue;
            numbers[label.label] = static_cast<std::uint16_t>(table.size() / 4);
            for (const double channel : label.color) table.push_back(static_cast<float>(channel));
            table.push_back(static_cast<float>(label.opacity));
            made.visible += is_visible;
        }
    numbers[0] = 0;
    table.insert(table.end(), 4, 0.0f);  // labels without a color
    const auto hidden = static_cast<std::uint16_t>(table.size() / 4 - 1);
    LabelImage smaller;
    for (int i = 0; i < level; ++i) smaller = half_of_labels(i == 0 ? labels : LabelView(smaller));
    const LabelView shown = level == 0 ? labels : LabelView(smaller);
    made.numbers = Image<std::uint16_t>(shown.shape());
    std::transform(shown.pixels().begin(), shown.pixels().end(), made.numbers.pixels().begin(),
                   [&](std::uint32_t label) {
                       const auto found = numbers.find(label);
                       return found == numbers.end() ? hidden : found->second;
                   });
    made.names.assign(static_cast<std::size_t>(hidden) + 1, 0);
    for (const auto& [label, number] : numbers) made.names[number] = label;
    return made;
}

}  // namespace tesela::rendering
