// Pictures, volumes and label maps, which most operations take and make.
#pragma once

#include <string>
#include <utility>

#include "operations/operation.h"
#include "tesela/align.h"
#include "tesela/image.h"

namespace tesela::operations {

namespace kinds {
// A picture, or a volume, or either in time.
inline constexpr Kind image = image_kind("image");
inline constexpr Kind difference = image_kind("difference", PixelType::f32);  // around 0
inline constexpr Kind mask = image_kind("mask", PixelType::u8);               // 0 and 255
inline constexpr Kind view = image_kind("view");  // a picture, or frames along t
inline constexpr Kind labels = image_kind("labels", PixelType::u32);
inline constexpr Kind grid = kind_of<ImageGrid>("grid");  // of an image
}  // namespace kinds

// Parts of many descriptions.
inline constexpr std::string_view image_help = "picture, volume, or folder of DICOM files";
inline constexpr Input image_input{"input", kinds::image, image_help};
// The same of an operation that takes no time series.
inline constexpr Input volume_input{
    .name = "input", .kind = kinds::image, .help = image_help, .axes = 3};
// The same of an operation that takes each channel by itself.
inline constexpr Input channels_input{
    .name = "input", .kind = kinds::image, .help = image_help, .any_channels = true};
// The same where labels stay what they are, and so keep their names.
inline constexpr Input named_channels_input{.name = "input",
                                            .kind = kinds::image,
                                            .help = image_help,
                                            .any_channels = true,
                                            .names_labels = true};
// Results of an operation whose only output is an image named "image".
inline Results image_results(std::string summary, ImageValue image) {
    Results results;
    results.summary = std::move(summary);
    results.figures = {{"points", image.shape().points()}};
    results.outputs.set("image", std::move(image));
    return results;
}
inline PixelFormat mask_pixels(const AnyImageView&) { return {PixelType::u8}; }

}  // namespace tesela::operations
