// Pictures, volumes and label maps, which most operations take and make.
#pragma once

#include "operations/operation.h"
#include "tesela/align.h"
#include "tesela/image.h"

namespace tesela::operations {

namespace kinds {
// A picture, or a volume, or either in time.
inline constexpr Kind image = kind_of<AnyImage>("image");
inline constexpr Kind difference = kind_of<AnyImage>("difference");  // of float, around 0
inline constexpr Kind mask = kind_of<AnyImage>("mask");              // of uint8: 0 and 255
inline constexpr Kind view = kind_of<AnyImage>("view");              // a picture, or frames along t
inline constexpr Kind labels = kind_of<LabelImage>("labels");
inline constexpr Kind grid = kind_of<ImageGrid>("grid");  // of an image
}  // namespace kinds

// Parts of many descriptions.
inline constexpr std::string_view image_help = "picture, volume, or folder of one DICOM series";
inline constexpr Input image_input{"input", kinds::image, image_help};
// The same of an operation that takes no time series.
inline constexpr Input volume_input{
    .name = "input", .kind = kinds::image, .help = image_help, .axes = 3};
// The same of an operation that takes each channel by itself.
inline constexpr Input channels_input{
    .name = "input", .kind = kinds::image, .help = image_help, .any_channels = true};
inline PixelFormat mask_pixels(const AnyImage&) { return {PixelType::u8}; }

}  // namespace tesela::operations
