// Operations with a halo, on slides of any size: from a slide to tiled images.
#include <algorithm>
#include <mutex>

#include "operations/coverage.h"
#include "operations/halo.h"
#include "operations/kinds/image.h"
#include "operations/kinds/slide.h"
#include "operations/slides.h"
#include "tesela/tile_stream.h"

namespace tesela::operations {
namespace {

// Images like the slide, of this size.
AnyImage blank(const TileSource& slide, std::int64_t width, std::int64_t height) {
    const TileLevel& level = slide.facts().levels.front();
    AnyImage image = filled_image(slide.facts().type, {width, height, 1, 1, level.shape.channels});
    geometry_of(image) = level.geometry;
    std::visit([&](auto& pixels) { pixels.has_alpha = slide.facts().has_alpha; }, image);
    return image;
}

// With one pixel only along the axes of which the slide has one: no reach is known along them.
AnyImage sample_of(const TileSource& slide) {
    const Shape& shape = slide.facts().levels.front().shape;
    return blank(slide, std::min<std::int64_t>(shape.x, 2), std::min<std::int64_t>(shape.y, 2));
}

// Others are made of the slide as a whole.
bool is_in_tiles(const Output& output) {
    return output.kind == kinds::image || output.kind == kinds::mask;
}

class TiledCall {
  public:
    TiledCall(const Operation& whole, const Call& call)
        : whole_(whole),
          call_(call),
          slide_(*call.inputs.get<Slide>(whole.inputs.front().name)),
          sample_(sample_of(slide_)) {
        const std::int64_t halo = halo_in_parts(
            whole, call.options, sample_,
            "image at once, so it cannot go over a slide in tiles; take a 'tesela slide "
            "region' or another output than .ome.tif or .ome.zarr");
        if (slide_.facts().planes > 1)
            throw InvalidArgument(
                "the slide holds " + std::to_string(slide_.facts().planes) +
                " channels, slices or times, and tiles have the first alone; choose one with "
                "--channel, --slice or --time, which takes the whole image at once");
        grid_ = {box_side, box_side, halo};
        for (const Output& output : whole.outputs)
            if (is_in_tiles(output) && call.wants(output.name)) outputs_.push_back(&output);
    }

    // Boxes under way in all stages, and tiles that wait for their neighbors.
    Memory memory(const Device& device) const {
        const int threads = host_threads(call_.threads);
        const int queues = queues_for(Queues::for_tiles, device, call_.threads);
        const std::int64_t side = box_side + 2 * grid_.halo;
        const AnyImage box = blank(slide_, side, side);
        Values inputs;
        inputs.refer(whole_.inputs.front().name, box);
        const Memory of_box = whole_.memory({inputs, call_.options, call_.wanted}, device);
        const Shape& shape = shape_of(box);
        std::int64_t results = 0;
        for (const Output* output : outputs_) {
            const PixelFormat format = format_of(*output);
            results += grid_.width * grid_.height * format.channels * pixel_type_bytes(format.type);
        }
        const std::int64_t box_bytes =
            shape.elements() * pixel_type_bytes(slide_.facts().type) + results;
        return {.device = queues * of_box.device,
                .held = 2 * (threads + queues) * box_bytes,
                .computing = queues * of_box.computing,
                .finishing = 2 * threads * results};
    }

    Results run(const Progress& progress) {
        if (whole_.slides.look) shared_ = whole_.slides.look(call_, slide_, results_);
        for (const Output* output : outputs_) writers_.push_back(open(*output));
        std::vector<CoverageOfParts> covered(outputs_.size());
        std::vector<TileMethod> methods;
        for (Queue* queue : call_.queues)
            methods.push_back([this, queue](const TileArea& area) { return made(area, *queue); });
        results_.loads = stream_tiles(
            slide_, 0, grid_, methods,
            [&](std::int64_t column, std::int64_t row, const TileResults& images) {
                for (std::size_t i = 0; i < images.size(); ++i) {
                    write_box(*writers_[i], column, row, images[i]);
                    if (outputs_[i]->kind == kinds::mask) covered[i].add(images[i]);
                }
            },
            host_threads(call_.threads), progress);
        object_.require(call_.options);
        for (const auto& writer : writers_) writer->finish();
        for (std::size_t i = 0; i < outputs_.size(); ++i)
            if (outputs_[i]->kind == kinds::mask) covered[i].warn("the mask", results_);
        const Shape& shape = slide_.facts().levels.front().shape;
        results_.details = {{"size", std::vector<std::int64_t>{shape.x, shape.y}}};
        return std::move(results_);
    }

  private:
    PixelFormat format_of(const Output& output) const {
        return output.pixels ? output.pixels(sample_)
                             : PixelFormat{slide_.facts().type, shape_of(sample_).channels};
    }
    std::unique_ptr<TileWriter> open(const Output& output) const {
        const TileLevel& level = slide_.facts().levels.front();
        const PixelFormat format = format_of(output);
        Shape shape = level.shape;
        shape.channels = format.channels;
        const bool keeps_alpha = !output.pixels && slide_.facts().has_alpha;
        return call_.parts.get<OpenTiles>(output.name)(
            {format.type, shape, level.geometry, keeps_alpha},
            {.tile = stored_tile,
             .labels = output.kind == kinds::mask,
             .strip = strip_columns * box_side / stored_tile});
    }

    TileResults made(const TileArea& area, Queue& queue) {
        Values inputs = shared_;
        inputs.refer(whole_.inputs.front().name, area.pixels);
        const Call part{
            .inputs = inputs, .options = call_.options, .wanted = call_.wanted, .is_part = true};
        const Results results = operations::run(whole_, part, queue);
        object_.add(results.figures);
        {
            const std::lock_guard lock(warnings_mutex_);
            std::vector<std::string>& all = results_.warnings;
            for (const std::string& warning : results.warnings)
                if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(warning);
        }
        TileResults images;
        for (const Output* output : outputs_)
            images.push_back(area.without_halo(results.outputs.image(output->name).image()));
        return images;
    }

    const Operation& whole_;
    const Call& call_;
    const TileSource& slide_;
    AnyImage sample_;
    TileGrid grid_;
    std::vector<const Output*> outputs_;
    Values shared_;                                     // by all boxes
    std::vector<std::unique_ptr<TileWriter>> writers_;  // of each of them
    ObjectOfParts object_;
    std::mutex warnings_mutex_;
    Results results_;
};

}  // namespace

void write_box(TileWriter& writer, std::int64_t column, std::int64_t row, const AnyImage& box) {
    constexpr std::int64_t tiles = box_side / stored_tile;
    const Shape& shape = shape_of(box);
    for (std::int64_t y = 0; y < shape.y; y += stored_tile)
        for (std::int64_t x = 0; x < shape.x; x += stored_tile)
            writer.write(column * tiles + x / stored_tile, row * tiles + y / stored_tile,
                         part_of(box, {x, y, std::min(stored_tile, shape.x - x),
                                       std::min(stored_tile, shape.y - y)}));
}

// Each box takes the pixels that it needs from the level that is fine enough.
void write_warped_slide(const Call& call, std::string_view output, const TileSource& slide,
                        const Transform& transform, const ImageGrid& target,
                        const WarpOptions& options, bool labels, Queue& queue,
                        const Progress& progress) {
    Shape shape{target.shape.x, target.shape.y};
    shape.channels = slide.facts().levels.front().shape.channels;
    const auto writer = call.parts.get<OpenTiles>(output)(
        {slide.facts().type, shape, target.geometry, slide.facts().has_alpha},
        {.tile = stored_tile, .labels = labels});
    for (std::int64_t y = 0; y < shape.y; y += box_side)
        for (std::int64_t x = 0; x < shape.x; x += box_side) {
            progress.report(static_cast<double>(y) / static_cast<double>(shape.y), "warp");
            const TileBox box{x, y, std::min(box_side, shape.x - x),
                              std::min(box_side, shape.y - y)};
            write_box(*writer, x / box_side, y / box_side,
                      warp_box(slide, transform, target, box, options, labels, queue));
        }
    writer->finish();
}

Operation in_tiles(const Operation& whole) {
    Operation tiled = whole;
    tiled.inputs.front().kind = kinds::slide;
    for (Output& output : tiled.outputs)
        if (is_in_tiles(output)) output.kind = kinds::tiles;
    tiled.device.queues = Queues::for_tiles;
    tiled.finish = nullptr;
    tiled.memory = [whole](const Call& call, const Device& device) {
        return TiledCall(whole, call).memory(device);
    };
    tiled.run = [whole](const Call& call, Queue&, const Progress& progress) {
        return TiledCall(whole, call).run(progress);
    };
    return tiled;
}

}  // namespace tesela::operations
