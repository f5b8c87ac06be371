#include "operations/halo.h"

#include "tesela/tile_source.h"

namespace tesela::operations {
namespace {

// Whether the same image in gray levels would have a halo.
bool is_of_pixel_type(const Operation& whole, const Options& options, const AnyImageView& sample) {
    if (keeps_gray_levels(sample)) return false;
    AnyImage gray = filled_image(PixelType::u8, sample.shape());
    geometry_of(gray) = sample.geometry();
    return whole.slides.halo(options, gray).has_value();
}

}  // namespace

std::int64_t halo_in_parts(const Operation& whole, const Options& options,
                           const AnyImageView& sample, const std::string& advice) {
    if (const auto halo = whole.slides.halo(options, sample)) return *halo;
    const std::string type(pixel_type_name(sample.pixel_type()));
    throw InvalidArgument(
        whole.name +
        (is_of_pixel_type(whole, options, sample)
             ? ", which looks at " + type + " pixels between the limits of the whole image,"
             : std::string(" with these options")) +
        " needs the whole " + advice);
}

}  // namespace tesela::operations
