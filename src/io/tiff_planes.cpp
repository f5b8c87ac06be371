#include "io/tiff_planes.h"

#include <cmath>

#include "io/slide.h"
#include "io/tiff_scale.h"

namespace tesela::io {
namespace {

// The number behind a mark; `otherwise` where there is none.
double number_behind(const std::string& text, const std::string& mark, double otherwise) {
    const std::size_t at = text.find(mark);
    if (at == std::string::npos) return otherwise;
    const double number = number_of(std::string_view(text).substr(at + mark.size()));
    return number > 0 && number <= 1e9 ? number : otherwise;
}

}  // namespace

PlaneCounts plane_counts(const std::string& description, std::int64_t pages, int samples) {
    const bool is_imagej = description.starts_with("ImageJ=");
    const PlaneCounts slices{.slices = pages};
    if (pages < 2 || !(is_imagej || is_ome(description))) return slices;
    const bool is_ours = is_imagej || description.find("\"XYCZT\"") != std::string::npos;
    const auto number = [&](const char* imagej, const char* ome) {
        return is_imagej ? number_behind(description, "\n" + std::string(imagej) + "=", 1)
                         : number_behind(description, " " + std::string(ome) + "=\"", 1);
    };
    const double channels = number("channels", "SizeC") / (is_imagej ? 1 : samples);
    const double z = number("slices", "SizeZ"), t = number("frames", "SizeT");
    if (!is_ours || samples > 1 || channels * z * t != static_cast<double>(pages)) return slices;
    return {static_cast<int>(channels), static_cast<std::int64_t>(z), static_cast<std::int64_t>(t),
            number("finterval", "TimeIncrement")};
}

AnyImage with_planes(AnyImage pages, const PlaneCounts& counts) {
    if (counts.channels == 1 && counts.frames == 1) return pages;
    return std::visit(
        [&](auto& from) -> AnyImage {
            const Shape& s = from.shape();
            std::decay_t<decltype(from)> to(
                Shape{s.x, s.y, counts.slices, counts.frames, counts.channels}, from.geometry);
            to.geometry.time_step = counts.time_step;
            const std::int64_t plane = s.x * s.y;
            for (std::int64_t page = 0; page < s.z; ++page)
                for (std::int64_t i = 0; i < plane; ++i)
                    to.data()[(page / counts.channels * plane + i) * counts.channels +
                              page % counts.channels] = from.data()[page * plane + i];
            return to;
        },
        pages);
}

}  // namespace tesela::io
