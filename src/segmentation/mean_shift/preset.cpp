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
    return options;
}

}  // namespace tesela
