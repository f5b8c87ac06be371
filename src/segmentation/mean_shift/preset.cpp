#include "tesela/mean_shift.h"

namespace tesela {
namespace {

bool is_color_picture(const Shape& shape, bool has_alpha) {
    return shape.z == 1 && shape.t == 1 && shape.channels - (has_alpha ? 1 : 0) == 3;
}

bool is_untouched(const MeanShiftOptions& o) {
    return !o.spatial_bandwidth && !o.range_bandwidth && !o.gamma && !o.fusion_range &&
           !o.region_scale && !o.min_region;
}

// Whether differences are those of values, not of colors.
bool compares_values(const AnyImageView& image, ColorSpace asked) {
    if (asked != ColorSpace::automatic) return asked == ColorSpace::intensity;
    const Shape& shape = image.shape();
    const PixelType type = image.pixel_type();
    const bool may_be_picture = shape.z == 1 && type != PixelType::i16;
    const int channels = shape.channels - (image.has_alpha() ? 1 : 0);
    return !may_be_picture || (channels != 3 && type != PixelType::u8);
}

}  // namespace

MeanShiftOptions with_preset(MeanShiftOptions options, const Shape& shape, bool has_alpha) {
    if (options.preset == MeanShiftPreset::automatic) {
        const bool is_photograph = is_untouched(options) && is_color_picture(shape, has_alpha) &&
                                   options.variant == MeanShiftVariant::standard;
        options.preset = is_photograph ? MeanShiftPreset::photograph : MeanShiftPreset::plain;
    }
    const auto fill = [&](auto& member, auto plain, auto photograph) {
        if (!member) member = options.preset == MeanShiftPreset::photograph ? photograph : plain;
    };
    fill(options.spatial_bandwidth, Length(8), Length(7));
    fill(options.range_bandwidth, 8.0, 10.5);
    fill(options.gamma, Gamma::srgb, Gamma::none);
    fill(options.fusion_range, 0.25, 0.0);
    fill(options.region_scale, 0.0, 3000.0);
    fill(options.min_region, 20, 100);
    fill(options.label_epsilon, 1.0, 1.0);
    return options;
}

MeanShiftOptions with_preset(const MeanShiftOptions& options, const AnyImageView& image) {
    MeanShiftOptions used = with_preset(options, image.shape(), image.has_alpha());
    const bool counts_levels = !options.range_bandwidth || !options.label_epsilon;
    if (!counts_levels || !compares_values(image, options.color_space)) return used;
    const double level = gray_level(image);
    if (!options.range_bandwidth) *used.range_bandwidth *= level;
    if (!options.label_epsilon) *used.label_epsilon *= level;
    return used;
}

}  // namespace tesela
