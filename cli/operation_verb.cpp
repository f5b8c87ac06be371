#include "operation_verb.h"

#include <algorithm>
#include <optional>

#include "batch.h"
#include "image_parts.h"
#include "interrupt.h"
#include "io/format.h"
#include "kinds.h"
#include "messages.h"
#include "operation_job.h"
#include "operations/halo.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/volume_file.h"
#include "operations/other_names.h"
#include "operations/volume_parts.h"
#include "sequence_job.h"
#include "tesela/align.h"
#include "tesela/slide_io.h"

namespace tesela::cli {
namespace {

using operations::Family;
using operations::Operation;
using operations::Registry;

// "otsu" of "threshold otsu"
std::string_view last_word(std::string_view name) { return name.substr(name.rfind(' ') + 1); }

// What `ask` wants to know of the parser of an operation's verb.
template <class Ask>
auto ask_parser(const Operation& operation, const Ask& ask) {
    OperationSettings settings(operation);
    VerbParser parser(operation.name, operation.sentence);
    add_options(parser, operation, settings);
    return ask(parser);
}

// Families and operations that are part of the family `outer`, or of none.
std::vector<Verb> verbs_within(const Registry& registry, std::string_view outer) {
    std::vector<Verb> verbs;
    for (const Operation& operation : registry.operations())
        if (operations::family_of(operation.name) == outer)
            verbs.push_back({.name = last_word(operation.name),
                             .summary = operation.purpose,
                             .run =
                                 [&](const Arguments& arguments) {
                                     return run_operation(operation, arguments);
                                 },
                             .task = operation.task,
                             .alias = operations::other_name(operation.name),
                             .page =
                                 [&] {
                                     return ask_parser(operation, [](const VerbParser& parser) {
                                         return parser.page();
                                     });
                                 }});
    for (const Family& family : registry.families())
        if (operations::family_of(family.name) == outer)
            verbs.push_back({last_word(family.name),
                             family.purpose,
                             {},
                             family.task,
                             verbs_within(registry, family.name),
                             family.sentence,
                             last_word(family.default_operation)});
    return verbs;
}

// Other grids are matched by reading all of them.
bool is_same(const ImageGrid& a, const ImageGrid& b) {
    try {
        return axis_order(a, b) == AxisOrder{};
    } catch (const InvalidArgument&) {
        return false;
    }
}

// Whether all that is asked for can be made part by part, of images that can be read so.
bool goes_in_parts(const Operation& parts, const OperationSettings& settings) {
    const WritingOptions& writing = settings.writing;
    if (!settings.raw.raw.empty() || settings.geometry.resample ||
        settings.geometry.ignore_geometry || !settings.names.names.empty() ||
        writing.compression != io::Compression::automatic || writing.zarr != ZarrVersion::v0_4 ||
        !settings.taken.empty())
        return false;
    std::vector<std::filesystem::path> read = settings.inputs;
    for (const std::filesystem::path& path : settings.named.files()) read.push_back(path);
    std::optional<ImageGrid> grid;
    for (const std::filesystem::path& path : read) {
        const auto own = grid_in_parts(path);
        if (!own) return false;
        if (!grid && own->shape.channels > 1) return false;
        if (!grid) grid = own;
        if (!is_same(*grid, *own)) return false;
    }
    return std::all_of(settings.files.files.begin(), settings.files.files.end(),
                       [&](const OutputFile& file) {
                           const operations::Output* output = parts.output(file.name);
                           return file.path.empty() ||
                                  (output && (output->kind != operations::kinds::label_parts ||
                                              takes_label_parts(file.path, grid->shape)));
                       });
}

// Whether a picture can be made of bricks that come and go.
bool goes_in_bricks(const OperationSettings& settings) {
    return settings.raw.raw.empty() && !settings.spacing.spacing.given() &&
           settings.named.given("labels").empty() && is_volume_in_bricks(settings.input());
}

// Whether an operation with a halo goes over a volume in bricks, into volumes in bricks.
bool goes_in_volume_parts(const Operation& operation, const OperationSettings& settings) {
    if (!operation.slides.halo || settings.inputs.empty() || !settings.raw.raw.empty() ||
        settings.planes.choice().given() || !settings.names.names.empty() ||
        !settings.named.files().empty() || !settings.taken.empty())
        return false;
    bool any = false, keep_labels = true;
    for (const OutputFile& file : settings.files.files) {
        if (file.path.empty()) continue;
        const operations::Output* output = operation.output(file.name);
        if (file.path.extension() != ".tvol" || !output || file.pixel_type) return false;
        any = true;
        keep_labels &= output->keeps_labels;
    }
    return any && is_gray_volume_in_bricks(settings.input(), keep_labels);
}

// The operation on images of any size, where all outputs are made part by part and the whole of the
// input is meant.
const Operation& form_for(const Operation& operation, const OperationSettings& settings) {
    if (!operation.slides.in_tiles || settings.planes.choice().given() ||
        operations::is_unbounded(operation, settings.options))
        return operation;
    if (operation.slides.in_tiles->inputs.front().kind == operations::kinds::parts)
        return goes_in_parts(*operation.slides.in_tiles, settings) ? *operation.slides.in_tiles
                                                                   : operation;
    if (operation.slides.in_tiles->inputs.front().kind == operations::kinds::compressed_volume)
        return goes_in_bricks(settings) ? *operation.slides.in_tiles : operation;
    bool any = false, any_zarr = false;
    for (const OutputFile& file : settings.files.files) {
        const operations::Output* output = operation.slides.in_tiles->output(file.name);
        if (file.path.empty() || (output && output->kind != operations::kinds::tiles)) continue;
        const bool is_zarr = io::is_ome_zarr_name(file.path);
        if (!is_zarr && !io::is_ome_tiff_name(file.path)) return operation;
        any = true;
        any_zarr |= is_zarr;
    }
    // What goes over an image in boxes needs them for slides alone; OME-Zarr holds volumes too.
    // Where its image may be left out, the operation takes slides so for its other outputs, too.
    const bool is_taken =
        !operation.slides.halo && !operation.slides.in_tiles->outputs.front().required;
    const bool for_slides_alone = operation.slides.halo || any_zarr || is_taken;
    const auto is_slide = [](const std::filesystem::path& path) {
        return !io::slide_format(path).empty();
    };
    const bool is_wanted = (any || is_taken) &&
                           (!for_slides_alone ||
                            std::any_of(settings.inputs.begin(), settings.inputs.end(), is_slide));
    const auto refuse = [&](const char* option, bool is_given) {
        if (is_wanted && is_given)
            throw InvalidArgument(std::string("--") + option +
                                  " is of images that are written as a whole, and this slide goes "
                                  "tile by tile; leave it out");
    };
    refuse("compression", settings.writing.compression != io::Compression::automatic);
    refuse("zarr", settings.writing.zarr != ZarrVersion::v0_4);
    refuse("names", !settings.names.names.empty());
    return is_wanted ? *operation.slides.in_tiles : operation;
}

// An option of one format is refused where no output has it.
void refuse_unused(const OperationSettings& settings) {
    const auto require = [&](const char* option, bool is_given, const char* format,
                             const auto& has_format) {
        const std::vector<OutputFile>& files = settings.files.files;
        if (is_given && std::none_of(files.begin(), files.end(), [&](const OutputFile& file) {
                return !file.path.empty() && has_format(file.path);
            }))
            throw InvalidArgument(std::string("--") + option + " is of " + format +
                                  ", which no output is; leave it out");
    };
    const WritingOptions& writing = settings.writing;
    require("dicom-source", !writing.dicom_source.empty(), "DICOM (a folder, as out/, or .dcm)",
            [](const std::filesystem::path& path) {
                return !path.has_filename() || io::is_dicom_name(path);
            });
    require("zarr", writing.zarr != ZarrVersion::v0_4, "OME-Zarr (.zarr, .zarr.zip)",
            io::is_ome_zarr_name);
}

}  // namespace

std::vector<Verb> verbs_of(const Registry& registry) { return verbs_within(registry, ""); }

Json description_of_verb(const Operation& operation) {
    return ask_parser(operation, [](const VerbParser& parser) { return parser.description(); });
}

int run_operation(const Operation& operation, const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    OperationSettings settings(operation);
    VerbParser parser(operation.name, operation.sentence);
    add_options(parser, operation, settings);
    if (!parser.parse(arguments)) return exit_done;
    if (operation.check) operation.check(settings.options);
    refuse_unused(settings);
    set_up_messages(settings.messages.quiet, settings.messages.verbose);
    find_sole_input(operation, settings);
    require_named_inputs(operation, settings);
    const Json values = parser.values();
    const auto run = [&](OperationSettings& job) {
        if (goes_in_volume_parts(operation, job))
            return OperationJob(operations::in_volume_parts(operation), job, values, token).run();
        return OperationJob(form_for(operation, job), job, values, token).run();
    };
    if (!takes_several(operation)) {
        fill_stems(operation, settings);
        return operation.sequence && settings.inputs.size() != 2
                   ? run_sequence(operation, settings, values, token)
                   : run(settings);
    }
    const std::vector<std::filesystem::path> inputs = inputs_in_turn(settings);
    if (inputs.size() > 1) return run_batch(operation, settings, inputs, run, token);
    settings.inputs = inputs;
    return run_one(operation, settings, run);
}

}  // namespace tesela::cli
