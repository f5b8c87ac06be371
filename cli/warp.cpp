// tesela warp INPUT --transform T
#include "tesela/warp.h"

#include <fmt/format.h>

#include "interrupt.h"
#include "memory_plan.h"
#include "messages.h"
#include "outputs.h"
#include "report.h"
#include "slide_job.h"
#include "tesela/geojson_io.h"
#include "tesela/io.h"
#include "tesela/transform_io.h"
#include "verb_parser.h"
#include "verbs.h"
#include "warp_slide.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct WarpVerbOptions {
    fs::path output, transform, like;
    bool inverse = false, labels = false;
    std::optional<double> outside;
};
template <class V>
void describe(V&& v, WarpVerbOptions& o) {
    v("output", o.output, "warped image, label map, landmarks or outlines; slides as .ome.tif");
    v("transform", o.transform, "transform from fixed to moving (.json, .tfm)");
    v("inverse", o.inverse, "carry from the fixed to the moving image");
    v("like", o.like, "image whose grid the output gets");
    v("labels", o.labels, "take the nearest pixel, for label maps");
    v("outside", o.outside, "value where the input ends");
}

enum class Content { image, labels, landmarks, outlines };

Content content_of(const fs::path& path, bool labels) {
    const std::string name = path.filename().string();
    const auto ends_in = [&](std::string_view suffix) {
        return name.size() >= suffix.size() &&
               name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
    };
    if (ends_in(".csv")) return Content::landmarks;
    if (ends_in(".geojson") || ends_in(".geojson.gz")) return Content::outlines;
    return labels || fs::exists(io::labels_side_file(path)) ? Content::labels : Content::image;
}

// The grid of the output: that of --like, or of the image that the transform was found for.
ImageGrid target_grid(const WarpVerbOptions& options, const Transform& transform,
                      const MemoryOptions& memory) {
    if (!options.like.empty())
        return grid_of(io::read_image(options.like, read_options(memory)).image);
    const std::optional<ImageGrid>& known = options.inverse ? transform.moving : transform.fixed;
    if (!known)
        throw InvalidArgument(
            "--like is missing: the transform does not tell the size of the output");
    return *known;
}

class WarpJob {
  public:
    WarpJob(fs::path input, const WarpVerbOptions& options, const JobOptions& job,
            const MemoryOptions& memory, const CancelToken& token)
        : input_(std::move(input)),
          options_(options),
          job_(job),
          memory_(memory),
          progress_({}, &token),
          transform_(io::read_transform(options.transform, read_options(memory))) {}

    OutputSet::Writer writer() {
        switch (content_of(input_, options_.labels)) {
            case Content::landmarks:
                return [warped = warp_landmarks(io::read_landmarks(input_, read_options(memory_)),
                                                transform_, options_.inverse)](
                           const fs::path& path) { io::write_landmarks(warped, path); };
            case Content::outlines:
                return [warped = warp_annotations(io::read_geojson(input_, read_options(memory_)),
                                                  transform_, options_.inverse)](
                           const fs::path& path) { io::write_geojson(warped, path); };
            case Content::labels:
                return is_ome_tiff(options_.output) ? slide_writer(true) : labels_writer();
            case Content::image:
                break;
        }
        return is_ome_tiff(options_.output) ? slide_writer(false) : image_writer();
    }

  private:
    // Tile by tile, while the file is written.
    OutputSet::Writer slide_writer(bool labels) {
        return [this, labels](const fs::path& path) {
            const auto slide = open_slide(input_, {}, memory_);
            ImageGrid grid;
            if (options_.like.empty()) {
                grid = target_grid(options_, transform_, memory_);
            } else {
                const auto like = open_slide(options_.like, {}, memory_);
                const TileLevel& level = like->facts().levels.front();
                grid = {level.shape, level.geometry};
            }
            constexpr std::int64_t box = std::int64_t{1024} * 1024;
            Queue queue = queue_for(32 * box);
            warp_slide(*slide, transform_, grid, {options_.inverse, options_.outside}, labels,
                       queue, progress_, path);
        };
    }
    OutputSet::Writer labels_writer() {
        const LabelImage labels = io::read_labels(input_, read_options(memory_));
        const ImageGrid grid = target_grid(options_, transform_, memory_);
        Queue queue = queue_for(4 * labels.shape().points());
        return [warped = warp_labels(labels, transform_, grid, options_.inverse, queue, progress_)](
                   const fs::path& path) { io::write_labels(warped, path); };
    }
    OutputSet::Writer image_writer() {
        const AnyImage image = io::read_image(input_, read_options(memory_)).image;
        const ImageGrid grid = target_grid(options_, transform_, memory_);
        Queue queue = queue_for(warp_device_bytes(image, grid));
        return [warped = warp(image, transform_, grid, {options_.inverse, options_.outside}, queue,
                              progress_)](const fs::path& path) { io::write_image(warped, path); };
    }
    Queue queue_for(std::int64_t bytes) {
        if (memory_.max_memory.bytes > 0)
            require_host_memory("warp", bytes, memory_.max_memory.bytes);
        return Queue(first_device(job_.device).device,
                     queue_options(job_, memory_.max_memory.bytes));
    }

    fs::path input_;
    const WarpVerbOptions& options_;
    const JobOptions& job_;
    const MemoryOptions& memory_;
    Progress progress_;
    Transform transform_;
};

}  // namespace

int run_warp(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    std::vector<fs::path> input;
    WarpVerbOptions options;
    JobOptions job;
    MemoryOptions memory;
    MessageOptions messages;
    VerbParser parser("warp", "Carries an image, labels, landmarks or outlines along a transform.");
    parser.add_inputs(input, "INPUT", 1, 1, "image, label map, landmarks (.csv) or .geojson");
    parser.add(options, "Warp", {{"output", "-o"}});
    parser.add(job, "Computing");
    parser.add(memory, "Computing");
    parser.add(messages, "Messages", message_aliases());
    parser.add_examples({"warp ihc.jpg --transform t.json -o aligned.png",
                         "warp he.geojson --transform t.json --inverse -o ihc.geojson",
                         "warp ihc.svs --transform t.json --like he.svs -o aligned.ome.tif"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);
    if (options.output.empty()) throw InvalidArgument("--output (-o) is missing: name the result");
    if (options.transform.empty()) throw InvalidArgument("--transform is missing: name its file");

    OutputSet outputs(job.force);
    const bool is_map = !is_ome_tiff(options.output) &&
                        content_of(input.front(), options.labels) == Content::labels;
    outputs.add("output", options.output,
                is_map ? std::vector<fs::path>{io::labels_side_file(options.output)}
                       : std::vector<fs::path>{});
    outputs.check(std::vector<fs::path>{input.front(), options.transform});
    WarpJob work(input.front(), options, job, memory, token);
    outputs.stage("output", work.writer());
    Progress({}, &token).throw_if_cancelled();
    const std::vector<WrittenFile> written = outputs.commit();
    for (const WrittenFile& file : written) say("wrote {}", file.path.string());
    if (!messages.json) return exit_done;
    Json report = begin_report("warp");
    report["parameters"] = parser.values();
    report["outputs"] = json_of(written);
    print(json_text(std::move(report)));
    return exit_done;
}

}  // namespace tesela::cli
