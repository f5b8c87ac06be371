// What becomes of numbers that are quantized.
#pragma once

#include "tesela/brick_source.h"

namespace tesela::io {

// A stored number after it was quantized and multiplied again. T is any type of pixels.
template <class T>
double requantized(T value, const Quantization& quantum);

}  // namespace tesela::io
