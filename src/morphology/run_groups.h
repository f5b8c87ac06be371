// The runs of a structuring element on a device, those of one length together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "morphology/structuring_element.h"
#include "tesela/compute/queue.h"

namespace tesela {

struct RunGroup {
    std::int32_t half, first, count;
};

inline Buffer<std::int32_t> on_device(Queue& queue, const std::vector<MorphologyRun>& runs) {
    std::vector<std::int32_t> words;
    for (const MorphologyRun& run : runs) words.insert(words.end(), {run.y, run.z, run.half});
    return queue.upload(std::span<const std::int32_t>(words), "structuring element");
}

// By their length.
struct RunGroups {
    RunGroups(Queue& queue, const StructuringElement& element) {
        std::vector<MorphologyRun> sorted = element.runs;
        std::stable_sort(
            sorted.begin(), sorted.end(),
            [](const MorphologyRun& a, const MorphologyRun& b) { return a.half < b.half; });
        for (std::size_t k = 0; k < sorted.size(); ++k) {
            if (list.empty() || list.back().half != sorted[k].half)
                list.push_back({sorted[k].half, static_cast<std::int32_t>(k), 0});
            ++list.back().count;
        }
        runs = on_device(queue, sorted);
    }

    std::vector<RunGroup> list;
    Buffer<std::int32_t> runs;
};

}  // namespace tesela
