// What looks at a neighborhood gives the same bits in tiles as on the whole image.
#include <functional>
#include <mutex>
#include <span>

#include "core/tiled_image.h"
#include "devices.h"
#include "filters/binomial.h"
#include "filters/gaussian.h"
#include "filters/median.h"
#include "segmentation/pictures.h"
#include "tesela/edges.h"
#include "tesela/stain.h"
#include "tesela/threshold.h"
#include "tesela/tile_stream.h"

namespace tesela {
namespace {

using testing::TiledImage;

struct Case {
    const char* name;
    std::int64_t halo;
    bool colors;
    bool words;  // of 16 bits
    std::function<AnyImage(const AnyImage&, Queue&)> run;
};

template <class T>
std::vector<T> values_of(const AnyImage& image) {
    const auto& pixels = std::get<Image<std::uint8_t>>(image).pixels();
    return {pixels.begin(), pixels.end()};
}

// An image of the values that a filter leaves on a device.
template <class To, class From>
AnyImage image_of(const AnyImage& like, const std::vector<From>& values) {
    Image<To> image(shape_of(like));
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = static_cast<To>(values[i]);
    return image;
}

AnyImage gaussian(const AnyImage& image, Queue& queue) {
    const auto weights = gaussian_integers(2, 65536, WeightRounding::nearest);
    const std::vector<std::uint16_t> host = values_of<std::uint16_t>(image);
    const auto values = queue.upload(std::span<const std::uint16_t>(host), "values");
    auto along_x = queue.allocate<std::uint16_t>(values.size(), "values");
    auto along_y = queue.allocate<std::uint16_t>(values.size(), "values");
    const std::span<const std::uint32_t> span(weights);
    smooth_along(queue, shape_of(image), 0, span, values, along_x);
    smooth_along(queue, shape_of(image), 1, span, along_x, along_y);
    return image_of<std::uint16_t>(image, queue.download(along_y));
}

AnyImage binomial(const AnyImage& image, Queue& queue) {
    const std::vector<std::int32_t> host = values_of<std::int32_t>(image);
    auto values = queue.upload(std::span<const std::int32_t>(host), "values");
    smooth_binomially(queue, shape_of(image), 3, values);
    return image_of<std::int32_t>(image, queue.download(values));
}

AnyImage median(const AnyImage& image, Queue& queue) {
    constexpr int margin = 2;
    const std::vector<float> pixels = values_of<float>(image);
    std::vector<float> host(pixels.size() + 2 * margin);
    std::copy(pixels.begin(), pixels.end(), host.begin() + margin);
    auto values = queue.upload(std::span<const float>(host), "values");
    auto filtered = queue.allocate_filled<float>(values.size(), 0.0f, "values");
    const Shape& shape = shape_of(image);
    take_medians(queue, static_cast<int>(shape.x), static_cast<int>(shape.y), 1, margin, 2, values,
                 filtered);
    const std::vector<float> found = queue.download(values);
    return image_of<float>(image, std::vector<float>(found.begin() + margin, found.end()));
}

template <EdgeOperator mask>
AnyImage gradient(const AnyImage& image, Queue& queue) {
    return edges(image, mask, {}, queue).edges;
}

AnyImage adaptive(const AnyImage& image, Queue& queue) {
    return adaptive_threshold(image, {.method = AdaptiveMethod::mean, .radius = 9, .offset = 2.0},
                              queue)
        .mask;
}

AnyImage thresholds(const AnyImage& image, Queue& queue) {
    return adaptive_threshold(image, {.method = AdaptiveMethod::mean, .radius = 9}, queue).surface;
}

AnyImage stains(const AnyImage& image, Queue& queue) {
    return normalize_stains(image, stain_matrix(StainSet::hdab), stain_matrix(StainSet::he), queue);
}

// Tiles of 16 bits go the same way, by kernels of their own.
AnyImage as_words(const AnyImage& image) {
    const auto& bytes = std::get<Image<std::uint8_t>>(image);
    Image<std::uint16_t> words(bytes.shape());
    for (std::size_t i = 0; i < words.pixels().size(); ++i)
        words.pixels()[i] = static_cast<std::uint16_t>(bytes.pixels()[i] * 257 + i % 97);
    return words;
}

const Case cases[] = {{"Sobel", 1, false, false, gradient<EdgeOperator::sobel>},
                      {"Sobel of colors", 1, true, false, gradient<EdgeOperator::sobel>},
                      {"Sobel of 16 bits", 1, true, true, gradient<EdgeOperator::sobel>},
                      {"Prewitt", 1, false, false, gradient<EdgeOperator::prewitt>},
                      {"Roberts", 1, true, false, gradient<EdgeOperator::roberts>},
                      {"Roberts of 16 bits", 1, false, true, gradient<EdgeOperator::roberts>},
                      {"adaptive threshold", 9, true, false, adaptive},
                      {"adaptive threshold of 16 bits", 9, false, true, adaptive},
                      {"its thresholds", 9, false, false, thresholds},
                      {"Gaussian", 6, false, false, gaussian},
                      {"binomial", 3, false, false, binomial},
                      {"medians", 4, false, false, median},
                      {"stains", 0, true, false, stains},
                      {"stains of 16 bits", 0, true, true, stains}};

class Tiled : public testing::OnDevice {};
TESELA_ON_EVERY_DEVICE(Tiled);

TEST_P(Tiled, IsEqualToTheWhole) {
    Queue queue(GetParam()), other(GetParam());
    testing::Cases chosen(GetParam());
    for (const Shape& shape : {Shape{389, 300}, Shape{64, 65}, Shape{2049, 70}})
        for (const Case& c : cases) {
            Shape with_channels = shape;
            with_channels.channels = c.colors ? 3 : 1;
            const AnyImage bytes =
                testing::quantized<std::uint8_t>(testing::patches(with_channels, 0.2, 5), 255);
            const AnyImage image = c.words ? as_words(bytes) : bytes;
            const TiledImage source({image}, 48, 80);
            const AnyImage whole = c.run(image, queue);
            for (const std::int64_t tile : {64, 100, 257, 2048}) {
                if (!chosen.take()) continue;
                std::vector<TileMethod> methods;
                for (Queue* mine : {&queue, &other})
                    methods.push_back([&c, mine](const TileArea& area) -> TileResults {
                        return {area.without_halo(c.run(area.pixels, *mine))};
                    });
                AnyImage found = filled_image(pixel_type_of(whole), shape_of(whole));
                std::mutex mutex;
                stream_tiles(
                    source, 0, {tile, tile, c.halo}, methods,
                    [&](std::int64_t column, std::int64_t row, const TileResults& part) {
                        const std::lock_guard lock(mutex);
                        const Shape& s = shape_of(part.front());
                        copy_box(part.front(), {0, 0, s.x, s.y}, found, column * tile, row * tile);
                    });
                std::visit(
                    [&](const auto& pixels) {
                        EXPECT_TRUE(pixels.pixels() ==
                                    std::get<std::decay_t<decltype(pixels)>>(whole).pixels())
                            << c.name << " in tiles of " << tile << " of " << shape.x << " x "
                            << shape.y;
                    },
                    found);
            }
        }
}

}  // namespace
}  // namespace tesela
