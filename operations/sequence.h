// Operations on two frames that go through a sequence of any length, pair by pair.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "operations/operation.h"
#include "tesela/flow_sequence.h"

namespace tesela::operations {

struct SequenceMethod {
    // What it sees of a frame; `range` is used_range of the first one.
    Image<float> (*prepare)(const AnyImageView& frame, const ValueRange& range) = nullptr;
    // N frames give N - 1 fields.
    std::function<FlowResult(std::span<const Image<float>>, const Options&, Queue&,
                             const Progress&)>
        compute = {};
    // At most, for frames along t.
    std::function<std::int64_t(const Shape& frames, const Options&, const Device&)> device_bytes =
        {};
    // The scale of all pictures, and the picture of an output that is not the field.
    std::function<double(const FlowField& first, const Options&)> scale = {};
    std::function<AnyImage(std::string_view output, const FlowStep&, double scale)> picture = {};
};

}  // namespace tesela::operations
