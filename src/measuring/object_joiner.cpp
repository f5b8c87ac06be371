#include "measuring/object_joiner.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace tesela::measuring {

namespace {

std::int64_t bytes_of(const HullRows& rows) {
    return std::ssize(rows.rows()) * static_cast<std::int64_t>(sizeof(RowEnd));
}

}  // namespace

void MemoryUse::change(std::int64_t bytes) {
    used_ += bytes;
    if (most_ > 0 && used_ > most_)
        throw OutOfMemory("what is known of the objects needs more than " + std::to_string(most_) +
                              " bytes, for which there is no memory; ask for fewer properties, or "
                              "raise --max-memory",
                          used_, most_);
}

void ObjectJoiner::add(std::span<const Part> parts) {
    // Its entry in the table, what vectors have for more, and what is made of it in the end.
    constexpr std::int64_t object_bytes = 2 * sizeof(ObjectCounts) + sizeof(MeasuredObject) + 64;
    const std::lock_guard lock(mutex_);
    for (const Part& part : parts) {
        const auto [entry, is_new] =
            places_.try_emplace(part.label, static_cast<std::uint32_t>(objects_.size()));
        if (is_new) {
            memory_.change(object_bytes);
            labels_.push_back(part.label);
            objects_.emplace_back();
        }
        ObjectCounts& object = objects_[entry->second];
        object.sums.add(part.sums);
        for (std::size_t k = 0; k < part.boundary.size(); ++k)
            object.boundary[k] += part.boundary[k];
        if (part.left.empty()) continue;
        const std::int64_t before = bytes_of(object.left) + bytes_of(object.right);
        object.left.add(part.left);
        object.right.add(part.right);
        memory_.change(bytes_of(object.left) + bytes_of(object.right) - before);
    }
}

void ObjectJoiner::sort() {
    std::vector<std::uint32_t> order(labels_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return labels_[a] < labels_[b]; });
    std::vector<ObjectCounts> objects;
    std::vector<std::uint32_t> labels;
    objects.reserve(order.size());
    labels.reserve(order.size());
    for (const std::uint32_t place : order) {
        places_[labels_[place]] = static_cast<std::uint32_t>(labels.size());
        labels.push_back(labels_[place]);
        objects.push_back(std::move(objects_[place]));
    }
    labels_ = std::move(labels);
    objects_ = std::move(objects);
}

}  // namespace tesela::measuring
