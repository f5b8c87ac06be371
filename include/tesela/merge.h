// Several images as one: their channels, slices or time points one behind the other.
#pragma once

#include <array>
#include <span>

#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"

namespace tesela {

enum class MergedAxis { channel, z, t };
constexpr auto enum_names(MergedAxis) {
    return std::array{EnumNames<MergedAxis>{MergedAxis::channel, "channel"},
                      EnumNames<MergedAxis>{MergedAxis::z, "z"},
                      EnumNames<MergedAxis>{MergedAxis::t, "t"}};
}

// The channels (slices, time points) of the first image, then those of the second, and so on. Of
// all other axes, images have the sizes of the first one; they have its pixel type, and the result
// has its geometry. Only images without opacity become channels.
//
// Throws InvalidArgument that names the image, counted from 1; for no image, and slices of images
// in time; OutOfMemory, Cancelled.
AnyImage merge(std::span<const AnyImageView> images, MergedAxis along,
               const Progress& progress = {});

}  // namespace tesela
