#include "tesela/glcm.h"

#include <charconv>
#include <cmath>
#include <numbers>

#include "segmentation/thresholds/gray_levels.h"
#include "texture/tile_planes.h"

namespace tesela {
namespace {

// "1,3" as numbers.
std::vector<double> numbers_of(const std::string& option, const std::string& text) {
    std::vector<double> numbers;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (;;) {
        double number = 0;
        const auto [stop, error] = std::from_chars(at, end, number);
        if (error != std::errc() || !std::isfinite(number) || (stop != end && *stop != ','))
            throw InvalidArgument("--" + option + ": '" + text +
                                  "' is not a list of numbers such as 1,3");
        numbers.push_back(number);
        if (stop == end) return numbers;
        at = stop + 1;
    }
}

std::vector<GlcmResult::Pairs> pairs_of(const GlcmOptions& options) {
    validate_options(options);
    std::vector<GlcmResult::Pairs> pairs;
    const std::vector<double> angles = numbers_of("angles", options.angles);
    for (const double distance : numbers_of("distances", options.distances))
        for (const double angle : angles)
            pairs.push_back({distance, angle, offset_at(distance, angle)});
    return pairs;
}

}  // namespace

PixelOffset offset_at(double distance, double degrees) {
    if (!(distance >= 1 && distance <= 32767))
        throw InvalidArgument("a distance of pairs is " + detail::shown(distance) +
                              "; it must be 1 to 32767 pixels");
    const double angle = degrees * std::numbers::pi / 180;
    return {static_cast<int>(std::lround(distance * std::cos(angle))),
            static_cast<int>(std::lround(distance * std::sin(angle)))};
}

GlcmResult glcm(const AnyImageView& image, const std::optional<AnyImageView>& mask,
                const GlcmOptions& options, Queue& queue, const Progress& progress) {
    GlcmResult result;
    result.pairs = pairs_of(options);
    std::vector<PixelOffset> offsets;
    for (const GlcmResult::Pairs& pair : result.pairs) offsets.push_back(pair.offset);
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    const TileMasks inside = mask_of(queue, mask, image.shape());
    const TilePlanes planes = planes_of(queue, image, result.warnings);
    clock.start("count");
    progress.report(0.3, "count");
    const TilePlanes levels = quantized(queue, planes, options.levels, options.color_range);
    const std::vector<std::uint32_t> counts =
        queue.download(cooccurrence(queue, levels, inside, options.levels, offsets));
    result.channels = planes.channels == 1 ? std::vector<std::string>{"gray"}
                                           : std::vector<std::string>{"L", "a", "b"};
    const auto cells = static_cast<std::size_t>(options.levels) * options.levels;
    for (std::size_t at = 0; at < counts.size(); at += cells) {
        CooccurrenceMatrix matrix{options.levels, {counts.data() + at, counts.data() + at + cells}};
        result.matrices.push_back(options.symmetric ? symmetric(matrix) : std::move(matrix));
    }
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

std::int64_t glcm_device_bytes(const AnyImageView& image, const GlcmOptions& options) {
    const std::int64_t points = image.shape().points();
    const std::int64_t planes = image.shape().channels >= 3 ? 3 : 1;
    const std::int64_t input =
        planes == 3 ? image.shape().elements() : gray_levels_bytes(image, LevelsOf::channels);
    const std::int64_t cells = planes * static_cast<std::int64_t>(pairs_of(options).size()) *
                               options.levels * options.levels;
    // Pieces of rows have matrices of their own, on the CPU (texture/plane_counts.cpp).
    constexpr std::int64_t most_cells = 1 << 24;
    return input + points + 2 * planes * points + 4 * (cells + std::max(2 * cells, most_cells));
}

}  // namespace tesela
