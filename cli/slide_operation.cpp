#include "slide_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "convert.h"
#include "interrupt.h"
#include "messages.h"
#include "operation_job.h"
#include "slide_job.h"
#include "tesela/tile_stream.h"
#include "warp_slide.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;

constexpr std::int64_t stored_tile = 256, box_side = 1024;

// Images like the slide, of this size.
AnyImage blank(const TileSource& slide, std::int64_t side) {
    const TileLevel& level = slide.facts().levels.front();
    AnyImage image = filled_image(slide.facts().type, {side, side, 1, 1, level.shape.channels});
    geometry_of(image) = level.geometry;
    std::visit([&](auto& pixels) { pixels.has_alpha = slide.facts().has_alpha; }, image);
    return image;
}

class SlideOperationJob {
  public:
    SlideOperationJob(const operations::Operation& operation, const OperationSettings& settings,
                      Json parameters, const CancelToken& token)
        : operation_(operation),
          settings_(settings),
          parameters_(std::move(parameters)),
          token_(token),
          outputs_(settings.job.force) {
        for (const OutputFile& file : settings.files.files) {
            if (file.path.empty()) continue;
            outputs_.add(file.name, file.path);
            names_.push_back(file.name);
            wanted_.insert(file.name);
        }
    }

    int run() {
        outputs_.check(settings_.inputs);
        slide_ = open_slide(settings_.input(), slide_options(), settings_.memory);
        const AnyImage sample = blank(*slide_, 1);
        const auto halo = operation_.halo(settings_.options, sample);
        if (!halo)
            throw InvalidArgument(fmt::format(
                "{} with these options needs the whole image at once, so it cannot go over a "
                "slide in tiles; take a 'tesela slide region' or another output than .ome.tif",
                operation_.name));
        grid_ = {box_side, box_side, *halo};
        const Device::Choice choice = device_for(operation_, settings_);
        queue_count_ = queues_for(choice.device);
        const MemoryPlan plan = memory_plan(choice.device);
        if (settings_.job.dry_run)
            return report_plan(plan, outputs_.outputs(), begin_json(choice),
                               settings_.messages.json);
        plan.require();
        open_queues(choice.device, plan.for_queue());
        stage(0);
        report(choice);
        return exit_done;
    }

  private:
    SlideOptions slide_options() const {
        SlideOptions options;
        const double spacing = settings_.spacing.spacing.millimeters[0];
        if (settings_.spacing.spacing.given()) options.mpp = 1000 * spacing;
        return options;
    }

    int threads() const {
        if (settings_.job.threads > 0) return settings_.job.threads;
        return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    }
    // On a CPU tiles are many enough for a thread each; on a GPU one transfers while one computes.
    int queues_for(const Device& device) const {
        return device.back_end() == BackEnd::cpu ? threads() : queues_on(device);
    }
    void open_queues(const Device& device, std::int64_t max_memory) {
        QueueOptions options = queue_options(settings_.job, max_memory / queue_count_);
        if (device.back_end() == BackEnd::cpu) options.threads = 1;
        for (int i = 0; i < queue_count_; ++i) queues_.emplace_back(device, options);
    }

    // Boxes under way in all stages, the cache, and tiles that wait for their neighbors.
    MemoryPlan memory_plan(const Device& device) const {
        const AnyImage box = blank(*slide_, grid_.width + 2 * grid_.halo);
        operations::Values inputs;
        inputs.refer(operation_.inputs.front().name, box);
        const operations::Memory memory =
            operation_.memory({inputs, settings_.options, wanted_}, device);
        const std::int64_t under_way = 2 * (threads() + queue_count_);
        std::int64_t results = 0;
        for (const std::string& name : names_) {
            const operations::PixelFormat format = format_of(name);
            results += grid_.width * grid_.height * format.channels * pixel_type_bytes(format.type);
        }
        return {device,
                {.held = TileCache::global().capacity() + under_way * (bytes_of(box) + results),
                 .computing = queue_count_ * memory.computing,
                 .device = queue_count_ * memory.device,
                 .writing = 2 * threads() * results},
                settings_.memory.max_memory.bytes};
    }

    const operations::Output& output_of(const std::string& name) const {
        return *std::find_if(operation_.outputs.begin(), operation_.outputs.end(),
                             [&](const auto& output) { return output.name == name; });
    }
    operations::PixelFormat format_of(const std::string& name) const {
        const operations::Output& output = output_of(name);
        if (output.pixels) return output.pixels(blank(*slide_, 1));
        return {slide_->facts().type, slide_->facts().levels.front().shape.channels};
    }

    // Opens the files one in the other, and computes when all are open.
    void stage(std::size_t index) {
        if (index == names_.size()) return compute();
        const std::string& name = names_[index];
        outputs_.stage(name, [&](const fs::path& path) {
            const operations::Output& output = output_of(name);
            const operations::PixelFormat format = format_of(name);
            const TileLevel& level = slide_->facts().levels.front();
            Shape shape = level.shape;
            shape.channels = format.channels;
            const bool keeps_alpha = !output.pixels && slide_->facts().has_alpha;
            writers_.push_back(
                io::create_ome_tiff(path, {format.type, shape, level.geometry, keeps_alpha},
                                    {.tile = stored_tile, .labels = output.kind == kinds::mask}));
            const std::size_t mine = writers_.size() - 1;
            stage(index + 1);
            writers_[mine]->finish();
            writers_[mine].reset();  // with its folder beside the file
        });
    }

    void compute() {
        std::vector<TileMethod> methods;
        for (Queue& queue : queues_)
            methods.push_back(
                [this, &queue](const TileArea& area) { return results(area, queue); });
        ProgressReporter progress(settings_.job.progress, settings_.messages.quiet, token_);
        loads_ = stream_tiles(
            *slide_, 0, grid_, methods,
            [this](std::int64_t column, std::int64_t row, const TileResults& images) {
                for (std::size_t i = 0; i < images.size(); ++i)
                    write(*writers_[i], column, row, images[i]);
            },
            threads(), progress.part(0, 1));
    }

    TileResults results(const TileArea& area, Queue& queue) {
        operations::Values inputs;
        inputs.refer(operation_.inputs.front().name, area.pixels);
        const operations::Results made =
            operations::run(operation_, {inputs, settings_.options, wanted_}, queue);
        {
            const std::lock_guard lock(warnings_mutex_);
            for (const std::string& warning : made.warnings)
                if (std::find(warnings_.begin(), warnings_.end(), warning) == warnings_.end())
                    warnings_.push_back(warning);
        }
        TileResults images;
        for (const std::string& name : names_)
            images.push_back(area.without_halo(made.outputs.get<AnyImage>(name)));
        return images;
    }

    static void write(TileWriter& writer, std::int64_t column, std::int64_t row,
                      const AnyImage& box) {
        constexpr std::int64_t tiles = box_side / stored_tile;
        const Shape& shape = shape_of(box);
        for (std::int64_t y = 0; y < shape.y; y += stored_tile)
            for (std::int64_t x = 0; x < shape.x; x += stored_tile)
                writer.write(column * tiles + x / stored_tile, row * tiles + y / stored_tile,
                             part_of(box, {x, y, std::min(stored_tile, shape.x - x),
                                           std::min(stored_tile, shape.y - y)}));
    }

    Json begin_json(const Device::Choice& choice) const {
        const Shape& shape = slide_->facts().levels.front().shape;
        Json json = begin_report(operation_.name);
        json["device"] = json_of(choice);
        json["parameters"] = parameters_;
        json["size"] = {shape.x, shape.y};
        return json;
    }

    void report(const Device::Choice& choice) {
        for (const std::string& warning : warnings_) warn(warning);
        const auto written = outputs_.commit();
        for (const StageLoad& load : loads_)
            explain("{}: {} threads, {:.2f} s at work, {:.2f} s waiting", load.name, load.threads,
                    load.busy_seconds, load.waited_seconds);
        for (const WrittenFile& file : written)
            say("wrote {} ({})", file.path.string(), readable_bytes(file.bytes));
        if (!settings_.messages.json) return;
        Json json = begin_json(choice);
        json["stages"] = Json::array();
        for (const StageLoad& load : loads_)
            json["stages"].push_back({{"name", load.name},
                                      {"threads", load.threads},
                                      {"busy_seconds", load.busy_seconds},
                                      {"waited_seconds", load.waited_seconds}});
        json["outputs"] = json_of(written);
        json["peak_host_bytes"] = peak_host_bytes();
        json["warnings"] = warnings_;
        print_report(std::move(json));
    }

    const operations::Operation& operation_;
    const OperationSettings& settings_;
    Json parameters_;
    const CancelToken& token_;
    OutputSet outputs_;
    std::vector<std::string> names_;  // of the outputs, as their writers and results
    std::set<std::string, std::less<>> wanted_;
    std::unique_ptr<TileSource> slide_;
    TileGrid grid_;
    int queue_count_ = 1;
    std::vector<Queue> queues_;
    std::vector<std::unique_ptr<TileWriter>> writers_;
    std::vector<StageLoad> loads_;
    std::mutex warnings_mutex_;
    std::vector<std::string> warnings_;
};

}  // namespace

bool is_slide_job(const operations::Operation& operation, const OperationSettings& settings) {
    if (!operation.halo) return false;
    std::size_t named = 0;
    for (const OutputFile& file : settings.files.files) {
        if (file.path.empty()) continue;
        if (!is_ome_tiff(file.path)) return false;
        ++named;
    }
    return named > 0;
}

int run_on_slide(const operations::Operation& operation, const OperationSettings& settings,
                 Json parameters, const CancelToken& token) {
    return SlideOperationJob(operation, settings, std::move(parameters), token).run();
}

}  // namespace tesela::cli
