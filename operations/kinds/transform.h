// Transforms, and what they are applied to.
#pragma once

#include <variant>

#include "operations/kinds/slide.h"
#include "operations/operation.h"
#include "tesela/align.h"
#include "tesela/annotation.h"
#include "tesela/landmarks.h"
#include "tesela/transform.h"

namespace tesela::operations {

// What a transform can be applied to. Labels are carried to the nearest pixel.
struct WarpableLabels {
    ImageValue labels;
};
using Warpable = std::variant<ImageValue, WarpableLabels, Landmarks, Annotations>;

struct WarpableSlide {
    Slide slide;
    bool is_labels = false;
};

namespace kinds {
inline constexpr Kind transform = kind_of<Transform>("transform");
inline constexpr Kind landmarks = kind_of<Landmarks>("landmarks");
inline constexpr Kind warpable = kind_of<Warpable>("warpable");
inline constexpr Kind warpable_slide = kind_of<WarpableSlide>("warpable slide");
inline constexpr Kind slide_grid = kind_of<ImageGrid>("grid of a slide");
}  // namespace kinds

// Of points: ITK's files name no unit, and have that of the image beside them, or millimeters.
inline const char* unit_of(const Transform& transform, const ImageGrid* image = nullptr) {
    const Unit unit = transform.has_unit ? transform.unit
                      : image            ? point_unit(*image)
                                         : Unit::millimeter;
    return unit == Unit::millimeter ? "mm" : "px";
}

// Inputs of what compares or fits landmarks.
inline constexpr Input fixed_landmarks{
    .name = "fixed", .kind = kinds::landmarks, .help = "landmarks of the fixed image (.csv)"};
inline constexpr Input moving_landmarks{
    .name = "moving", .kind = kinds::landmarks, .help = "landmarks of the moving image (.csv)"};

}  // namespace tesela::operations
