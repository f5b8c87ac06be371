#include "operations/halo.h"

#include <optional>
#include <variant>

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

// 0: the object is no label.
std::int64_t label_of(const Options& options) {
    for (const Option& option : options.described())
        if (option.name == "label") return std::get<std::int64_t>(options.get("label"));
    return 0;
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

bool is_unbounded(const Operation& operation, const Options& options) {
    for (const Option& option : options.described())
        if (option.name == "within")
            return operation.slides.halo &&
                   std::holds_alternative<std::monostate>(options.get("within"));
    return false;
}

void ObjectOfParts::add(const Figures& figures) {
    std::optional<std::int64_t> inside, points;
    for (const Figure& figure : figures) {
        const auto* number = std::get_if<std::int64_t>(&figure.value);
        if (number && figure.name == "inside_points") inside = *number;
        if (number && figure.name == "points") points = *number;
    }
    if (!inside || !points) return;
    const std::lock_guard lock(mutex_);
    is_known_ = true;
    has_inside_ |= *inside > 0;
    has_outside_ |= *inside < *points;
}

void ObjectOfParts::require(const Options& options) const {
    if (is_known_ && !has_inside_) {
        const std::int64_t label = label_of(options);
        throw InvalidArgument(label == 0
                                  ? "the object is empty: no pixel is above 0"
                                  : "--label: no pixel has the label " + std::to_string(label));
    }
    if (is_known_ && !has_outside_)
        throw InvalidArgument("the object is the whole image: nothing is outside of it");
}

}  // namespace tesela::operations
