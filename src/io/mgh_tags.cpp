// What lies behind the voxels of a MGH file: five numbers, then tags, one of which may be a table
// of names and colors (FreeSurfer, utils/tags.cpp and colortab.cpp). All numbers have their highest
// byte first.
#include <algorithm>
#include <memory>
#include <string>

#include "io/mgh.h"

namespace tesela::io {
namespace {

// The tail of a file, read from front to back.
class Tail {
  public:
    explicit Tail(std::span<const std::uint8_t> bytes) : left_(bytes) {}

    std::int64_t size() const { return std::ssize(left_); }

    // Throw Truncated.
    std::int64_t whole(std::size_t bytes) {
        std::uint64_t value = 0;
        for (const std::uint8_t byte : take(static_cast<std::int64_t>(bytes)))
            value = value << 8 | byte;
        const auto unused = static_cast<int>(64 - 8 * bytes);
        return static_cast<std::int64_t>(value << unused) >> unused;  // with its sign
    }
    std::string text(std::int64_t length) {
        const auto bytes = take(length);
        std::string text(bytes.begin(), bytes.end());
        return text.substr(0, text.find('\0'));
    }
    void skip(std::int64_t length) { take(length); }

    struct Truncated {};

  private:
    std::span<const std::uint8_t> take(std::int64_t count) {
        if (count < 0 || count > size()) throw Truncated{};
        const auto taken = left_.first(static_cast<std::size_t>(count));
        left_ = left_.subspan(taken.size());
        return taken;
    }

    std::span<const std::uint8_t> left_;
};

constexpr std::size_t word = 4, long_word = 8;

struct Damaged {
    std::string reason;
};

std::uint8_t color_part(Tail& tail) {
    const std::int64_t value = tail.whole(word);
    if (value < 0 || value > 255) throw Damaged{"a color has the part " + std::to_string(value)};
    return static_cast<std::uint8_t>(value);
}

LabelDescription entry_of(Tail& tail) {
    LabelDescription entry{tail.text(tail.whole(word))};
    entry.color = Rgb{};
    for (std::uint8_t& part : *entry.color) part = color_part(tail);
    tail.skip(word);  // opacity
    return entry;
}

// Version 1 lists all labels from 0 on, version 2 some with their numbers.
LabelTable color_table(Tail& tail) {
    LabelTable table;
    const std::int64_t version = tail.whole(word);
    const bool is_numbered = version < 0;
    if (is_numbered && version != -2)
        throw Damaged{"its version " + std::to_string(-version) + " is not known"};
    if (is_numbered) tail.skip(word);  // the highest label and 1
    tail.skip(tail.whole(word));       // the name of a file
    const std::int64_t count = is_numbered ? tail.whole(word) : version;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t label = is_numbered ? tail.whole(word) : i;
        if (label < 0) throw Damaged{"a label is " + std::to_string(label)};
        LabelDescription entry = entry_of(tail);
        if (entry.name.empty()) continue;
        if (!table.emplace(static_cast<std::uint32_t>(label), std::move(entry)).second)
            throw Damaged{"label " + std::to_string(label) + " is listed twice"};
    }
    return table;
}

// Passes over a tag that is none of a color table.
void skip_tag(std::int64_t tag, Tail& tail) {
    constexpr std::int64_t old_real_ras = 2, old_surface = 20, old_transform = 30;
    if (tag == old_real_ras || tag == old_surface) return;  // they tell no length
    if (tag == old_transform)
        tail.skip(tail.whole(word) - 1);
    else
        tail.skip(tail.whole(long_word));
}

}  // namespace

void take_mgh_tags(std::span<const std::uint8_t> bytes, ReadResult& read) {
    constexpr std::int64_t numbers = 5 * word, color_table_tag = 1;
    Tail tail(bytes);
    bool is_in_table = false;
    try {
        tail.skip(std::min(numbers, tail.size()));
        while (tail.size() >= std::int64_t{word}) {
            const std::int64_t tag = tail.whole(word);
            if (tag == 0) return;
            is_in_table = tag == color_table_tag;
            if (is_in_table)
                read.label_table = std::make_shared<const LabelTable>(color_table(tail));
            else
                skip_tag(tag, tail);
        }
    } catch (const Tail::Truncated&) {
        if (is_in_table)
            read.warnings.push_back("labels have no names: its color table ends early");
    } catch (const Damaged& damaged) {
        read.warnings.push_back("labels have no names: in its color table " + damaged.reason);
    }
}

}  // namespace tesela::io
