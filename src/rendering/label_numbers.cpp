#include "rendering/label_numbers.h"

#include <algorithm>
#include <array>
#include <string>

#include "rendering/levels.h"
#include "tesela/error.h"

namespace tesela::rendering {
namespace {

// For labels that come later; more than a user paints before all labels are numbered anew.
constexpr std::size_t most_spare = 64;

// The part of a label map, without geometry.
LabelImage part_of(const LabelView& labels, const VoxelBox& box) {
    LabelImage part({box.length(0), box.length(1), box.length(2)});
    std::uint32_t* to = part.data();
    for (std::int64_t z = box.begin[2]; z < box.end[2]; ++z)
        for (std::int64_t y = box.begin[1]; y < box.end[1]; ++y, to += box.length(0))
            std::copy_n(&labels(box.begin[0], y, z), box.length(0), to);
    return part;
}

}  // namespace

LabelNumbers::LabelNumbers(const std::vector<LabelColor>& colors) {
    constexpr std::size_t most = 65534;
    if (colors.size() > most)
        throw InvalidArgument("render: there are " + std::to_string(colors.size()) +
                              " labels to show, of at most " + std::to_string(most));
    const auto shown = [](const LabelColor& label) { return label.opacity > 0; };
    const auto spare = std::min(most_spare, most - colors.size());
    visible_ = static_cast<std::uint32_t>(
        static_cast<std::size_t>(std::count_if(colors.begin(), colors.end(), shown)) + spare);
    unnamed_ = static_cast<std::uint16_t>(colors.size() + spare + 1);
    colors_.assign(4 * (std::size_t{unnamed_} + 1), 0.0f);
    names_.assign(std::size_t{unnamed_} + 1, 0);
    auto hidden = static_cast<std::uint16_t>(visible_ + 1);
    for (const LabelColor& label : colors) {
        if (label.label == 0) continue;
        const std::uint16_t number = shown(label) ? next_++ : hidden++;
        numbers_[label.label] = number;
        set(number, label);
    }
    numbers_[0] = 0;
}

void LabelNumbers::set(std::uint16_t number, const LabelColor& label) {
    const auto at = colors_.begin() + 4 * std::ptrdiff_t{number};
    std::transform(label.color.begin(), label.color.end(), at,
                   [](double channel) { return static_cast<float>(channel); });
    at[3] = static_cast<float>(label.opacity);
    names_[number] = label.label;
}

bool LabelNumbers::replace_colors(const std::vector<LabelColor>& colors) {
    std::size_t known = 0, added = 0;
    for (const LabelColor& label : colors) {
        if (label.label == 0) continue;
        const auto found = numbers_.find(label.label);
        if (found == numbers_.end() ? !(label.opacity > 0)
                                    : is_visible(found->second) != (label.opacity > 0))
            return false;
        ++(found == numbers_.end() ? added : known);
    }
    // A label that has lost its color may be anywhere.
    if (known + 1 < numbers_.size() || next_ + added > visible_ + std::size_t{1}) return false;
    for (const LabelColor& label : colors) {
        if (label.label == 0) continue;
        const auto [found, is_new] = numbers_.try_emplace(label.label, next_);
        next_ = static_cast<std::uint16_t>(next_ + is_new);
        set(found->second, label);
    }
    return true;
}

Image<std::uint16_t> LabelNumbers::numbered(const LabelView& labels) const {
    auto made = Image<std::uint16_t>::unwritten(labels.shape());
    // Neighbors mostly have the same label.
    std::uint32_t last = 0;
    std::uint16_t number = 0;
    std::transform(labels.pixels().begin(), labels.pixels().end(), made.pixels().begin(),
                   [&](std::uint32_t label) {
                       if (label == last) return number;
                       const auto found = numbers_.find(label);
                       last = label;
                       return number = found == numbers_.end() ? unnamed_ : found->second;
                   });
    return made;
}

Image<std::uint16_t> LabelNumbers::of(const LabelView& labels, int level) const {
    LabelImage smaller;
    for (int i = 0; i < level; ++i) smaller = half_of_labels(i == 0 ? labels : LabelView(smaller));
    return numbered(level == 0 ? labels : LabelView(smaller));
}

Image<std::uint16_t> LabelNumbers::of(const LabelView& labels, int level,
                                      const VoxelBox& box) const {
    const Shape& shape = labels.shape();
    const std::array lengths{shape.x, shape.y, shape.z};
    VoxelBox covered = at_level(box, level);
    for (std::size_t a = 0; a < 3; ++a) {
        covered.begin[a] <<= level;
        covered.end[a] = std::min(covered.end[a] << level, lengths[a]);
    }
    return of(part_of(labels, covered), level);
}

VoxelBox at_level(const VoxelBox& box, int level) {
    VoxelBox coarser;
    for (std::size_t a = 0; a < 3; ++a) {
        coarser.begin[a] = box.begin[a] >> level;
        coarser.end[a] = ((box.end[a] - 1) >> level) + 1;
    }
    return coarser;
}

}  // namespace tesela::rendering
