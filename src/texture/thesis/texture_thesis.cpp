#include "tesela/texture_thesis.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/threads.h"
#include "kernels/texture/texture_thesis.kernel.h"
#include "tesela/lbp.h"
#include "tesela/tile_features.h"
#include "texture/tile_planes.h"

namespace tesela {
namespace {

using std::int32_t;
using std::int64_t;
using Counts = Buffer<std::uint32_t>;

constexpr int64_t group_items = 256, most_groups = 1024, most_pixels = int64_t{1} << 29;

int64_t groups_of(int64_t items, int64_t of_group) { return (items + of_group - 1) / of_group; }

// `values` of each pixel as `write` makes them of its red, green and blue, by all threads.
template <class Value, class Write>
Image<Value> prepared(const PixelView<std::uint8_t>& image, int values, const Write& write) {
    const Shape& shape = image.shape();
    const int channels = shape.channels;
    const int green = channels < 3 ? 0 : 1, blue = channels < 3 ? 0 : 2;
    auto made = Image<Value>::unwritten({shape.x, shape.y, 1, 1, values});
    constexpr int64_t band = 65536;
    detail::for_each_index(groups_of(shape.points(), band), 0, [&](int64_t i) {
        const int64_t end = std::min(shape.points(), (i + 1) * band);
        for (int64_t p = i * band; p < end; ++p) {
            const std::uint8_t* pixel = image.data() + p * channels;
            write(made.data() + p * values, pixel[0], pixel[green], pixel[blue]);
        }
    });
    return made;
}

// A tile on its way through the stages.
class Tile {
  public:
    Tile(const PixelView<std::uint8_t>& image, const ThesisTextureOptions& options, Queue& queue)
        : options_(options),
          queue_(queue),
          nx_(static_cast<int32_t>(image.shape().x)),
          ny_(static_cast<int32_t>(image.shape().y)),
          points_(image.shape().points()) {}

    void prepare(const PixelView<std::uint8_t>& image) {
        if (stride() > 0)
            floats_ =
                prepared<float>(image, stride(),
                                [is_padded = stride() == 4](float* to, std::uint8_t red,
                                                            std::uint8_t green, std::uint8_t blue) {
                                    to[0] = red;
                                    to[1] = green;
                                    to[2] = blue;
                                    if (is_padded) to[3] = 0;
                                });
        else
            words_ = prepared<std::uint32_t>(
                image, 1,
                [](std::uint32_t* to, std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
                    *to = red | green << 8 | blue << 16;
                });
    }

    void upload() {
        const std::vector<std::uint32_t>& words = words_.pixels();
        if (stride() > 0)
            on_device_floats_ = queue_.upload(std::span<const float>(floats_.pixels()), "colors");
        else if (options_.color == ThesisColorWay::staged)
            on_device_words_ = queue_.upload(std::span<const std::uint32_t>(words), "colors");
        else
            on_device_bytes_ = queue_.upload(
                std::span<const std::uint8_t>(reinterpret_cast<const std::uint8_t*>(words.data()),
                                              4 * words.size()),
                "colors");
        queue_.finish();
    }

    void convert() {
        if (options_.color == ThesisColorWay::bytes) {
            planes_ = lab_planes(queue_, on_device_bytes_, nx_, ny_, 1, 4).bytes;
        } else {
            auto planes = queue_.allocate<std::uint8_t>(3 * points_, "L*a*b* of a tile");
            if (stride() > 0)
                queue_.launch(kernels::texture_thesis_floats, Range{points_}, on_device_floats_,
                              planes, points_, static_cast<int32_t>(stride()));
            else
                queue_.launch(kernels::texture_thesis_staged,
                              Groups{groups_of(points_, group_items)}, on_device_words_, planes,
                              points_);
            planes_ = std::move(planes);
        }
        queue_.finish();
    }

    std::array<CooccurrenceMatrix, 3> matrices(int64_t& passes) {
        const auto cells = static_cast<std::size_t>(options_.levels * options_.levels);
        Counts counts = queue_.allocate_filled<std::uint32_t>(3 * static_cast<int64_t>(cells), 0u,
                                                              "co-occurrence matrices");
        passes = count_pairs(counts);
        const std::vector<std::uint32_t> all = queue_.download(counts);
        std::array<CooccurrenceMatrix, 3> matrices;
        for (std::size_t c = 0; c < 3; ++c)
            matrices[c] = {options_.levels, {all.data() + c * cells, all.data() + (c + 1) * cells}};
        return matrices;
    }

    void compare() {
        auto codes = queue_.allocate<std::uint8_t>(int64_t{nx_ - 2} * (ny_ - 2), "patterns");
        const int64_t step = options_.patterns == ThesisPatternWay::halo ? 16 : options_.block - 2;
        const Groups groups{groups_of(nx_ - 2, step), groups_of(ny_ - 2, step)};
        const auto launch = [&](const auto& kernel) {
            queue_.launch(kernel, groups, planes_, codes, nx_, ny_);
        };
        if (options_.patterns == ThesisPatternWay::halo)
            launch(kernels::texture_thesis_halo);
        else
            launch(*block_kernels[static_cast<std::size_t>(options_.block / 2 - 4)]);
        codes_ = std::move(codes);
        queue_.finish();
    }

    std::vector<std::uint32_t> histogram() {
        if (options_.histogram == ThesisHistogramWay::local) {
            TilePlanes planes{std::move(codes_), nx_ - 2, ny_ - 2, 1, 1};
            auto counts =
                queue_.download(plane_histograms(queue_, planes, {}, 0, CountWay::groups));
            codes_ = std::move(planes.bytes);
            return counts;
        }
        Counts counts = queue_.allocate_filled<std::uint32_t>(256, 0u, "counts of patterns");
        const int64_t codes = codes_.size();
        if (options_.histogram == ThesisHistogramWay::global)
            queue_.launch(kernels::texture_thesis_histogram, Range{codes}, codes_, counts);
        else
            queue_.launch(kernels::texture_thesis_warps,
                          Groups{std::min(groups_of(codes, 16 * group_items), most_groups)}, codes_,
                          counts, codes);
        return queue_.download(counts);
    }

    Image<std::uint8_t> codes() {
        auto image = Image<std::uint8_t>::unwritten({nx_ - 2, ny_ - 2});
        queue_.read(codes_, std::span<std::uint8_t>(image.pixels()));
        return image;
    }

  private:
    using BlockKernel = std::remove_reference_t<decltype(kernels::texture_thesis_blocks_8)>;
    // Of 8, 10, ..., 20.
    static constexpr std::array<const BlockKernel*, 7> block_kernels{
        &kernels::texture_thesis_blocks_8,  &kernels::texture_thesis_blocks_10,
        &kernels::texture_thesis_blocks_12, &kernels::texture_thesis_blocks_14,
        &kernels::texture_thesis_blocks_16, &kernels::texture_thesis_blocks_18,
        &kernels::texture_thesis_blocks_20};

    int stride() const {
        return options_.color == ThesisColorWay::floats   ? 3
               : options_.color == ThesisColorWay::padded ? 4
                                                          : 0;
    }

    // Gives the passes over the tile.
    int64_t count_pairs(Counts& counts) {
        const int64_t pairs = int64_t{nx_ - 1} * ny_;
        const int32_t levels = options_.levels;
        if (options_.matrices == ThesisMatrixWay::predicate) {
            const Groups groups{std::min(groups_of(pairs, 16 * group_items), most_groups)};
            for (int32_t plane = 0; plane < 3; ++plane)
                for (int32_t cell = 0; cell < levels * levels; ++cell)
                    queue_.launch(kernels::texture_thesis_predicate, groups, planes_, counts, nx_,
                                  ny_, levels, plane, cell);
            return int64_t{3} * levels * levels;
        }
        if (options_.matrices == ThesisMatrixWay::global) {
            queue_.launch(kernels::texture_thesis_pairs, Range{nx_ - 1, ny_, 3}, planes_, counts,
                          nx_, ny_, levels);
            return 1;
        }
        const auto& kernel = levels == 4   ? kernels::texture_thesis_matrices_4
                             : levels == 8 ? kernels::texture_thesis_matrices_8
                                           : kernels::texture_thesis_matrices_16;
        const int64_t items = levels == 16 ? 64 : group_items;
        const int64_t of_item = std::clamp<int64_t>(groups_of(pairs, items * most_groups), 16,
                                                    kernels::texture_thesis_most_pairs);
        queue_.launch(kernel, Groups{groups_of(pairs, items * of_item), 3}, planes_, counts, nx_,
                      ny_, static_cast<int32_t>(of_item),
                      int32_t{options_.matrices == ThesisMatrixWay::spread});
        return 1;
    }

    const ThesisTextureOptions& options_;
    Queue& queue_;
    int32_t nx_, ny_;
    int64_t points_;
    Image<std::uint32_t> words_;  // red, green, blue and 0, from the lowest byte
    Image<float> floats_;         // red, green, blue, and 0 where padded
    Buffer<float> on_device_floats_;
    Buffer<std::uint32_t> on_device_words_;
    Buffer<const std::uint8_t> on_device_bytes_, planes_, codes_;
};

const PixelView<std::uint8_t>& checked(const AnyImageView& image,
                                       const ThesisTextureOptions& options) {
    validate_options(options);
    if (options.levels != 4 && options.levels != 8 && options.levels != 16)
        throw InvalidArgument("--levels is " + std::to_string(options.levels) +
                              "; it must be 4, 8 or 16");
    if (options.block % 2 != 0)
        throw InvalidArgument("--block is " + std::to_string(options.block) +
                              "; it must be 8, 10, 12, 14, 16, 18 or 20");
    const auto* bytes = image.get_if<std::uint8_t>();
    const Shape& shape = image.shape();
    if (!bytes || shape.channels == 2 || shape.channels > 4 || shape.z > 1 || shape.t > 1)
        throw UnsupportedFormat(
            "the thesis's texture is that of an 8-bit picture, gray or in colors: convert it, or "
            "choose a slice");
    if (shape.x < 3 || shape.y < 3 || shape.points() > most_pixels)
        throw InvalidArgument("the picture has " + std::to_string(shape.x) + " x " +
                              std::to_string(shape.y) +
                              " pixels; at least 3 x 3 and at most 536870912 are taken");
    return *bytes;
}

}  // namespace

ThesisTextureResult texture_thesis(const AnyImageView& image, const ThesisTextureOptions& options,
                                   Queue& queue, const Progress& progress) {
    const PixelView<std::uint8_t>& bytes = checked(image, options);
    ThesisTextureResult result;
    StageClock clock;
    const auto start = [&](const char* stage, double fraction) {
        clock.start(stage);
        progress.report(fraction, stage);
    };
    start("prepare", 0);
    Tile tile(bytes, options, queue);
    tile.prepare(bytes);
    start("upload", 0.05);
    tile.upload();
    start("color", 0.1);
    tile.convert();
    start("matrices", 0.3);
    result.matrices = tile.matrices(result.passes);
    start("patterns", 0.6);
    tile.compare();
    start("histogram", 0.8);
    const std::vector<std::uint32_t> histogram = tile.histogram();
    start("features", 0.9);
    const FeatureSet set("thesis-" + std::to_string(options.levels));
    TileCounts counts{.tiles = 1, .colors = {}, .matrices = {}, .patterns = {histogram}};
    for (const CooccurrenceMatrix& matrix : result.matrices)
        for (const std::int64_t count : matrix.counts)
            counts.matrices.push_back(static_cast<std::uint32_t>(count));
    result.features.resize(set.size());
    set.describe(counts, 0, result.features);
    clock.finish();
    result.stages = clock.take();
    result.histogram.assign(histogram.begin(), histogram.end());
    result.codes = tile.codes();
    progress.report(1, "done");
    return result;
}

std::int64_t texture_thesis_bytes(const Shape& image, const ThesisTextureOptions& options) {
    const std::int64_t pixel = options.color == ThesisColorWay::floats   ? 12
                               : options.color == ThesisColorWay::padded ? 16
                                                                         : 4;
    constexpr std::int64_t counts = 1 << 20;
    return (pixel + 3 + 1) * image.points() + counts;
}

}  // namespace tesela
