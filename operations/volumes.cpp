// compress, decompress
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/kinds/volume_file.h"
#include "operations/kinds/volume_quality.h"
#include "operations/registry.h"

namespace tesela::operations {
namespace {

struct CompressOptions {
    bool lossless = false;
    std::optional<double> max_error = {}, ratio = {}, psnr = {};
    bool labels = false;
};
template <class V>
void describe(V&& v, CompressOptions& o) {
    v("lossless", o.lossless, "keep every bit (default)");
    v("max-error", o.max_error, "largest error of a voxel", OptionRange{.lowest = 0});
    v("ratio", o.ratio, "minimum compression ratio", OptionRange{.lowest = 1});
    v("psnr", o.psnr, "minimum peak signal-to-noise ratio, against the range of the values",
      OptionRange{.lowest = 0, .excludes_lowest = true, .unit = "dB"});
    v("labels", o.labels, "keep the most frequent label on coarser levels");
}

// How well voxels are to be kept; looks at the volume for a PSNR.
VolumeQuality quality_of(const Call& call, const CompressOptions& options,
                         const VolumeInput& volume, const Progress& progress) {
    if (!options.psnr) return {.max_error = options.max_error.value_or(0)};
    return call.parts.get<FindError>(error_part("output"))(volume, *options.psnr, call.threads,
                                                           progress);
}

Results run_compress(const Call& call, Queue&, const Progress& progress) {
    const auto& options = call.options.as<CompressOptions>();
    const auto& [input, geometry] = call.inputs.get<StoredVolume>("input");
    const double looked = options.psnr ? 0.2 : 0;
    const VolumeQuality quality = quality_of(call, options, *input, progress.part(0, looked));
    const VolumeWriteResult written =
        call.parts.get<WriteVolume>("output")(*input,
                                              {.labels = options.labels,
                                               .max_error = quality.max_error,
                                               .ratio = options.ratio.value_or(0),
                                               .geometry = geometry,
                                               .threads = call.threads},
                                              progress.part(looked, 1));
    const VolumeInputFacts& facts = input->facts();
    const auto stored = static_cast<double>(facts.shape.elements() * pixel_type_bytes(facts.type));
    const double ratio = stored / static_cast<double>(written.bytes);
    Results results;
    // What is quantized may come back as it was.
    const double lost = options.psnr && std::isinf(quality.psnr) ? 0 : written.max_error;
    std::string error = lost > 0 ? fmt::format("largest error {:g}", lost) : "lossless";
    if (options.psnr && lost > 0) error += fmt::format(", PSNR {:.2f} dB", quality.psnr);
    results.summary = fmt::format("compressed to {} bytes, {:.3g} times smaller, {}", written.bytes,
                                  ratio, error);
    results.details = {{"ratio", ratio}, {"max_error", lost}};
    if (options.psnr)
        results.details.emplace_back("psnr",
                                     lost > 0 ? Figure::Value(quality.psnr) : Figure::Value());
    results.details.emplace_back("bricks", Figure::Record{{"constant", written.constant},
                                                          {"wavelet", written.wavelet},
                                                          {"packed", written.packed}});
    return results;
}

Operation compress() {
    return {.name = "compress",
            .purpose = "compress a volume into a .tvol file",
            .sentence = "Compresses a volume into a .tvol file.",
            .task = tasks::files,
            .examples = {"compress head.nii.gz -o head.tvol",
                         "compress scan.raw --raw 512x512x348:u16le -o scan.tvol --max-error 2",
                         "compress head.nii.gz -o small.tvol --psnr 45"},
            .inputs = {{.name = "input",
                        .kind = kinds::stored_volume,
                        .help = "volume, folder of DICOM files, or raw file"}},
            .outputs = {{.name = "output",
                         .kind = kinds::volume_file,
                         .help = "compressed volume (.tvol)",
                         .required = true}},
            .options = Options::of(CompressOptions{}),
            .run = run_compress,
            .memory =
                [](const Call& call, const Device&) {
                    const auto& volume = *call.inputs.get<StoredVolume>("input").input;
                    const std::int64_t writing = volume_write_bytes(volume.facts(), call.threads);
                    const std::int64_t looking =
                        call.options.as<CompressOptions>().psnr
                            ? error_for_psnr_bytes(volume.facts(), call.threads)
                            : 0;
                    return Memory{.computing = std::max(writing, looking)};
                },
            .check =
                [](const Options& given) {
                    const auto& options = given.as<CompressOptions>();
                    if (options.lossless && (options.max_error || options.ratio || options.psnr))
                        throw InvalidArgument(
                            "--lossless goes neither with --max-error, --ratio nor --psnr");
                    if (options.psnr && (options.max_error || options.ratio || options.labels))
                        throw InvalidArgument(
                            "--psnr goes neither with --max-error, --ratio nor --labels");
                },
            .device = {.on_host = true, .threaded = true}};
}

struct DecompressOptions {
    int level = 0;
    std::string box = {};
};
template <class V>
void describe(V&& v, DecompressOptions& o) {
    v("level", o.level, "resolution: 0 is the finest, each next has half of the voxels per axis",
      OptionRange{.lowest = 0, .highest = 4});
    v("box", o.box, "part of that level in voxels: x0,y0,z0,x1,y1,z1, the last ones not included");
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

VoxelBox box_of(const DecompressOptions& options, const BrickSource& source) {
    return box_of(options.box, source.facts().levels[static_cast<std::size_t>(options.level)]);
}

Results run_decompress(const Call& call, Queue&, const Progress&) {
    const auto& options = call.options.as<DecompressOptions>();
    const BrickSource& source = *call.inputs.get<CompressedVolume>("input");
    Results results;
    results.outputs.set("output", scaled(source.read(options.level, box_of(options, source)),
                                         source.facts().scaling));
    return results;
}

Memory decompress_memory(const Call& call, const Device&) {
    const auto& options = call.options.as<DecompressOptions>();
    const BrickSource& source = *call.inputs.get<CompressedVolume>("input");
    return {.computing = volume_read_bytes(source, options.level, box_of(options, source),
                                           source.facts().scaling.needed())};
}

Operation decompress() {
    return {.name = "decompress",
            .purpose = "decompress a volume or a part of one",
            .sentence = "Decompresses a volume, or a part of one.",
            .task = tasks::files,
            .examples = {"decompress head.tvol -o head.nii.gz",
                         "decompress head.tvol -o part.nii.gz --level 1 --box 0,0,0,64,64,32"},
            .inputs = {{.name = "input",
                        .kind = kinds::compressed_volume,
                        .help = "compressed volume (.tvol) or OME-Zarr"}},
            .outputs = {{.name = "output",
                         .kind = kinds::image,
                         .help = "volume, in any format",
                         .required = true,
                         .keeps_values = true}},
            .options = Options::of(DecompressOptions{}),
            .run = run_decompress,
            .memory = decompress_memory,
            .device = {.on_host = true}};
}

}  // namespace

void add_volumes(Registry& registry) {
    registry.add(compress());
    registry.add(decompress());
}

}  // namespace tesela::operations
