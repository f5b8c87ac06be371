#include "measuring/key_ranks.h"

#include <algorithm>
#include <iterator>

namespace tesela::measuring {

namespace {

// Values below 2^16, counted, in ascending order.
std::vector<KeyCount> counted(std::vector<std::uint32_t>& values) {
    std::vector<KeyCount> counts;
    constexpr std::size_t many = 1 << 12, all = 1 << 16;
    if (values.size() > many) {
        std::vector<std::int64_t> bins(all);
        for (const std::uint32_t value : values) ++bins[value];
        for (std::size_t value = 0; value < all; ++value)
            if (bins[value] > 0) counts.push_back({static_cast<std::uint32_t>(value), bins[value]});
        return counts;
    }
    std::sort(values.begin(), values.end());
    for (const std::uint32_t value : values) {
        if (counts.empty() || counts.back().key != value) counts.push_back({value, 0});
        ++counts.back().count;
    }
    return counts;
}

void add_counts(std::vector<KeyCount>& to, const std::vector<KeyCount>& more) {
    std::vector<KeyCount> all;
    all.reserve(to.size() + more.size());
    std::merge(to.begin(), to.end(), more.begin(), more.end(), std::back_inserter(all),
               [](const KeyCount& a, const KeyCount& b) { return a.key < b.key; });
    std::size_t count = 0;
    for (const KeyCount& entry : all) {
        if (count > 0 && all[count - 1].key == entry.key)
            all[count - 1].count += entry.count;
        else
            all[count++] = entry;
    }
    all.resize(count);
    to = std::move(all);
}

// The entry in which a rank lies, and how many keys are below it.
struct Place {
    std::uint32_t key;
    std::int64_t below;
};
Place place_of(const std::vector<KeyCount>& counts, std::int64_t rank) {
    std::int64_t below = 0;
    for (const KeyCount& entry : counts) {
        if (rank < below + entry.count) return {entry.key, below};
        below += entry.count;
    }
    return {};
}

}  // namespace

std::array<std::int64_t, std::tuple_size_v<RankedKeys>> KeyRanks::ranks() const {
    std::array<std::int64_t, std::tuple_size_v<RankedKeys>> ranks{};
    const auto of_percentiles = percentile_ranks(points_);
    for (std::size_t p = 0; p < of_percentiles.size(); ++p) {
        ranks[2 * p] = of_percentiles[p];
        ranks[2 * p + 1] = std::min(of_percentiles[p] + 1, points_ - 1);
    }
    return ranks;
}

void KeyRanks::add(std::span<const std::uint32_t> keys) {
    std::vector<std::uint32_t> values(keys.begin(), keys.end());
    if (halves_.empty()) {
        if (is_split())
            for (std::uint32_t& value : values) value >>= 16;
        add_counts(counts_, counted(values));
        return;
    }
    for (Half& half : halves_) {
        values.clear();
        for (const std::uint32_t key : keys)
            if (key >> 16 == half.high) values.push_back(key & 0xffff);
        add_counts(half.lows, counted(values));
    }
}

bool KeyRanks::needs_another_round() {
    if (!is_split() || !halves_.empty()) return false;
    for (const std::int64_t rank : ranks()) {
        const Place place = place_of(counts_, rank);
        if (std::none_of(halves_.begin(), halves_.end(),
                         [&](const Half& half) { return half.high == place.key; }))
            halves_.push_back({place.key, place.below});
    }
    return true;
}

RankedKeys KeyRanks::keys() const {
    RankedKeys keys{};
    const auto wanted = ranks();
    for (std::size_t k = 0; k < keys.size(); ++k) {
        const Place place = place_of(counts_, wanted[k]);
        keys[k] = place.key;
        if (!is_split()) continue;
        const auto half = std::find_if(halves_.begin(), halves_.end(),
                                       [&](const Half& known) { return known.high == place.key; });
        keys[k] = place.key << 16 | place_of(half->lows, wanted[k] - half->below).key;
    }
    return keys;
}

std::int64_t KeyRanks::bytes() const {
    std::size_t entries = counts_.capacity();
    for (const Half& half : halves_) entries += half.lows.capacity();
    return static_cast<std::int64_t>(sizeof *this + entries * sizeof(KeyCount) +
                                     halves_.capacity() * sizeof(Half));
}

}  // namespace tesela::measuring
