// What classifiers of tissue learn from, and what they make of slides.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "operations/kind.h"
#include "tesela/annotation.h"
#include "tesela/image.h"
#include "tesela/overlay.h"
#include "tesela/tissue_classifier.h"
#include "tesela/tissue_model.h"
#include "tesela/tissue_tiles.h"

namespace tesela::operations {

// One for each of several slides, by the slide's name: a folder of them, or a single one.
template <class T>
struct OfSlides {
    bool is_folder = false;
    std::function<T(const std::string& slide)> of;
};

// Labels with what they stand for: name i is that of label i + 1.
struct ClassMap {
    LabelImage labels;
    std::vector<std::string> names;
    std::vector<Rgb> colors;
};

// What of a slide is background: found by its brightness, nothing, or what is 0 in a mask.
enum class BackgroundChoice { automatic, none };
using Background = std::variant<BackgroundChoice, ImageValue>;

namespace kinds {
inline constexpr Kind samples = kind_of<TissueSamples>("samples");
inline constexpr Kind tissue_model = kind_of<TissueModel>("tissue model");
inline constexpr Kind tile_pictures = kind_of<TilePictures>("folder of tiles");
inline constexpr Kind slide_annotations = kind_of<OfSlides<Annotations>>("annotations of slides");
inline constexpr Kind slide_labels = kind_of<OfSlides<ImageValue>>("labels of slides");
inline constexpr Kind classes = kind_of<ClassMap>("classes");
inline constexpr Kind background = kind_of<Background>("background");
}  // namespace kinds

}  // namespace tesela::operations
