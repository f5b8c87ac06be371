// tesela compress, tesela decompress
#include <fmt/format.h>

#include <charconv>

#include "interrupt.h"
#include "messages.h"
#include "outputs.h"
#include "progress.h"
#include "report.h"
#include "tesela/volume_io.h"
#include "verb_parser.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct CompressOptions {
    fs::path output;
    bool lossless = false;
    std::optional<double> max_error, ratio;
    bool labels = false;
    int threads = 0;
    bool force = false;
    ProgressStyle progress = ProgressStyle::automatic;
};
template <class V>
void describe(V&& v, CompressOptions& o) {
    v("output", o.output, "compressed volume (.tvol)");
    v("lossless", o.lossless, "keep every bit (default)");
    v("max-error", o.max_error, "largest error of a voxel", OptionRange{.lowest = 0});
    v("ratio", o.ratio, "minimum compression ratio", OptionRange{.lowest = 1});
    v("labels", o.labels, "keep the most frequent label on coarser levels");
    v("threads", o.threads, "CPU threads; 0 uses all", OptionRange{.lowest = 0, .highest = 4096});
    v("force", o.force, "overwrite an existing output");
    v("progress", o.progress, "how to show progress on stderr");
}

struct DecompressOptions {
    fs::path output;
    int level = 0;
    std::string box;
    bool force = false;
};
template <class V>
void describe(V&& v, DecompressOptions& o) {
    v("output", o.output, "volume, in any format");
    v("level", o.level, "resolution: 0 is the finest, each next has half of the voxels per axis",
      OptionRange{.lowest = 0, .highest = 4});
    v("box", o.box, "part of that level in voxels: x0,y0,z0,x1,y1,z1, the last ones not included");
    v("force", o.force, "overwrite an existing output");
}

void require_output(const fs::path& output) {
    if (output.empty()) throw InvalidArgument("--output (-o) is missing: name the volume");
}

io::VolumeWriteOptions write_options(const CompressOptions& options) {
    if (options.lossless && (options.max_error || options.ratio))
        throw InvalidArgument("--lossless goes neither with --max-error nor with --ratio");
    return {.labels = options.labels,
            .max_error = options.max_error.value_or(0),
            .ratio = options.ratio.value_or(0),
            .threads = options.threads};
}

VoxelBox box_of(const std::string& text, const Shape& level) {
    if (text.empty()) return {{0, 0, 0}, {level.x, level.y, level.z}};
    std::array<std::int64_t, 6> numbers{};
    const char* at = text.data();
    const char* end = at + text.size();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto [next, error] = std::from_chars(at, end, numbers[i]);
        const bool last = i + 1 == numbers.size();
        if (error != std::errc{} || (last ? next != end : next == end || *next != ','))
            throw InvalidArgument("--box is '" + text + "'; give six numbers x0,y0,z0,x1,y1,z1");
        at = next + 1;
    }
    return {{numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]}};
}

}  // namespace

int run_compress(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    CompressOptions options;
    RawOptions raw;
    SpacingOptions spacing;
    MemoryOptions memory;
    MessageOptions messages;
    std::vector<fs::path> inputs;
    VerbParser parser("compress", "Compresses a volume into a .tvol file.");
    parser.add_inputs(inputs, "INPUT", 1, 1, "volume, folder of one DICOM series, or raw file");
    parser.add(options, "Compression", {{"output", "-o"}});
    parser.add(raw, "Input");
    parser.add(spacing, "Input");
    parser.add(memory, "Computing");
    parser.add(messages, "Messages", message_aliases());
    parser.add_examples({"compress head.nii.gz -o head.tvol",
                         "compress scan.raw --raw 512x512x348:u16le -o scan.tvol --max-error 2"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);
    require_output(options.output);
    io::VolumeWriteOptions how = write_options(options);
    OutputSet outputs(options.force);
    outputs.add("output", options.output);
    outputs.check(inputs);

    // Raw files and series of slices are read part by part, everything else as a whole.
    io::ReadResult read;
    std::unique_ptr<io::VolumeInput> input;
    io::ReadOptions reading_options = read_options(memory, raw);
    if (reading_options.raw)
        input = io::open_raw(inputs.front(), *reading_options.raw);
    else if (fs::is_directory(inputs.front()))
        input = io::open_series(inputs.front(), read.warnings);
    if (!input) {
        const DisposableWork reading;
        reading_options.stored = true;
        read = io::read_image(inputs.front(), reading_options);
        input = io::volume_input(read.image, read.scaling);
    }
    for (const std::string& warning : read.warnings) warn(warning);
    how.geometry = input->facts().geometry;
    apply_spacing(spacing.spacing, input->facts().shape, *how.geometry);
    io::VolumeWriteResult result;
    outputs.stage("output", [&](const fs::path& path) {
        ProgressReporter progress(options.progress, messages.quiet, token);
        result = io::write_volume_file(*input, path, how, progress.part(0, 1));
    });
    const std::vector<WrittenFile> written = outputs.commit();
    const io::VolumeInputFacts& facts = input->facts();
    const double stored =
        static_cast<double>(facts.shape.elements() * pixel_type_bytes(facts.type));
    const double ratio = stored / static_cast<double>(result.bytes);
    say("{}: {} bytes, {:.4g} times smaller, error at most {:g}", options.output.string(),
        result.bytes, ratio, result.max_error);
    if (!messages.json) return exit_done;
    Json report = begin_report("compress");
    report["parameters"] = parser.values();
    report["outputs"] = json_of(written);
    report["ratio"] = ratio;
    report["max_error"] = result.max_error;
    report["bricks"] = {
        {"constant", result.constant}, {"wavelet", result.wavelet}, {"packed", result.packed}};
    print(json_text(std::move(report)));
    return exit_done;
}

int run_decompress(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    DecompressOptions options;
    MessageOptions messages;
    std::vector<fs::path> inputs;
    VerbParser parser("decompress", "Decompresses a volume, or a part of one.");
    parser.add_inputs(inputs, "INPUT", 1, 1, "compressed volume (.tvol)");
    parser.add(options, "Volume", {{"output", "-o"}});
    parser.add(messages, "Messages", message_aliases());
    parser.add_examples({"decompress head.tvol -o head.nii.gz",
                         "decompress head.tvol -o part.nii.gz --level 1 --box 0,0,0,64,64,32"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);
    require_output(options.output);
    OutputSet outputs(options.force);
    outputs.add("output", options.output);
    outputs.check(inputs);

    const auto source = io::open_volume_file(inputs.front());
    const BrickSourceFacts& facts = source->facts();
    const Shape& level = facts.levels[static_cast<std::size_t>(options.level)];
    {
        const DisposableWork work;
        const AnyImage image =
            scaled(source->read(options.level, box_of(options.box, level)), facts.scaling);
        Progress({}, &token).throw_if_cancelled();
        outputs.stage("output", [&](const fs::path& path) { io::write_image(image, path); });
    }
    const std::vector<WrittenFile> written = outputs.commit();
    for (const WrittenFile& file : written) say("wrote {}", file.path.string());
    if (!messages.json) return exit_done;
    Json report = begin_report("decompress");
    report["parameters"] = parser.values();
    report["outputs"] = json_of(written);
    print(json_text(std::move(report)));
    return exit_done;
}

}  // namespace tesela::cli
