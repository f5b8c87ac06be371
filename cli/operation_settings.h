// What the verb of an operation is called with: its files, the operation's options, and those of
// all verbs.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common_options.h"
#include "operations/operation.h"
#include "tesela/overlay.h"
#include "tesela/tile_cache.h"
#include "verb_parser.h"

namespace tesela::cli {

// Pictures that any label map can be shown by, and its shapes for other programs.
inline constexpr std::string_view overlay = "overlay", colored = "colored", outlines = "outlines";
// The folder that some operations write label maps to on the way.
inline constexpr std::string_view snapshots = "snapshots";

// Inputs that are named without a flag, and the one that is named by --seeds, or nullptr.
std::vector<const operations::Input*> file_inputs(const operations::Operation& operation);
const operations::Input* seeds_input(const operations::Operation& operation);
// Whether the operation computes on a device from an image, and so has all flags of images.
bool is_image_job(const operations::Operation& operation);

// A file that was asked for by the name of its output.
struct OutputFile {
    std::string name, help;
    std::filesystem::path path;
    std::string type_name = {};  // "filtered-type" of outputs with a choice of type
    std::optional<PixelType> pixel_type = {};
};

struct OutputFiles {
    std::vector<OutputFile> files;

    const OutputFile* find(std::string_view name) const;
};

template <class V>
void describe(V&& v, OutputFiles& o) {
    for (OutputFile& file : o.files) {
        v(file.name, file.path, file.help);
        if (!file.type_name.empty())
            v(file.type_name, file.pixel_type,
              "pixel type of that file; values are rounded and saturated",
              OptionRange{.unit = "uint8, int8, uint16, int16, uint32, int32, float32 or float64"});
    }
}

// Of operations that take or make labels.
struct NamesOption {
    std::string names;

    bool is_file() const;
    // Of a list or of a file. Throws InvalidArgument that names the option, and as
    // io::read_label_names.
    LabelTable table() const;
};

template <class V>
void describe(V&& v, NamesOption& o) {
    v("names", o.names, "names of labels: 1=liver,2=kidney, or a file");
}

// How label maps are shown.
struct PictureOptions {
    double overlay_fill = 0;
    int overlay_line = 0;
    std::string slices = "middle";
    std::string window;
};

template <class V>
void describe(V&& v, PictureOptions& o) {
    v("overlay-fill", o.overlay_fill, "opacity of the regions in their colors",
      OptionRange{.lowest = 0, .highest = 1});
    v("overlay-line", o.overlay_line, "width of boundaries; 0: automatic",
      OptionRange{.lowest = 0, .highest = 100, .unit = "pixels"});
    v("slices", o.slices, "slices to show: middle, all or a distance (12mm)");
    v("window", o.window, "values shown as black and white: LOW,HIGH");
}

// Throws InvalidArgument that names the option.
OverlayOptions overlay_options(const PictureOptions& options);

// An input with a flag of its own: the name of a file, or a text that stands for a value.
struct NamedInput {
    const operations::Input* input;
    std::string text;
    std::vector<std::string> texts = {};  // instead, of one that may be repeated

    std::vector<std::string> given() const;
    bool is_file(const std::string& given) const;
};

struct NamedInputs {
    NamedInputs() = default;
    explicit NamedInputs(const std::vector<operations::Input>& inputs);

    std::vector<NamedInput> all;

    // Empty where it was not given.
    std::vector<std::string> given(std::string_view name) const;
    // Throws UnreadableInput for one that is not there, InvalidArgument for malformed text.
    std::vector<std::filesystem::path> files() const;
};

template <class V>
void describe(V&& v, NamedInputs& o) {
    for (NamedInput& named : o.all)
        if (named.input->several)
            v(named.input->name, named.texts, named.input->help);
        else
            v(named.input->name, named.text, named.input->help);
}

// Of operations on slides.
struct SlideOptions {
    std::optional<double> mpp;
    ByteSize cache{TileCache::default_capacity};
};

template <class V>
void describe(V&& v, SlideOptions& o) {
    v("mpp", o.mpp, "pixel size in um, instead of the file's",
      OptionRange{.lowest = 0.001, .highest = 1000, .unit = "um"});
    v("cache", o.cache, "memory for decoded tiles");
}

// Of verbs that read a second image.
struct GeometryOptions {
    bool ignore_geometry = false;
    bool resample = false;
};

template <class V>
void describe(V&& v, GeometryOptions& o) {
    v("ignore-geometry", o.ignore_geometry,
      "match files pixel by pixel, wherever they lie in space");
    v("resample", o.resample, "resample files on another grid onto the first");
}

// Of operations that go through sequences.
struct SequenceOptions {
    int batch = 2;
    double frame_rate = 0;
};

template <class V>
void describe(V&& v, SequenceOptions& o) {
    v("batch", o.batch, "frames computed together; neighboring batches share one",
      OptionRange{.lowest = 2, .highest = 1000});
    v("frame-rate", o.frame_rate, "frame rate of videos; 0: the input's, or 25",
      OptionRange{.lowest = 0, .highest = 1000, .unit = "frames per second"});
}

// Of operations that give label maps on the way.
struct SnapshotOptions {
    std::filesystem::path snapshots;
    int every = 50;
};

template <class V>
void describe(V&& v, SnapshotOptions& o) {
    v(snapshots, o.snapshots, "folder for intermediate label maps and overlays");
    v("every", o.every, "iterations between snapshots", OptionRange{.lowest = 1});
}

// Of operations that take one file, and so several in turn.
struct BatchOptions {
    bool each = false;
};

template <class V>
void describe(V&& v, BatchOptions& o) {
    v("each", o.each, "process each image of a folder by itself");
}

struct OperationSettings {
    explicit OperationSettings(const operations::Operation& operation);

    OutputFiles files;
    operations::Options options;
    NamesOption names;
    PictureOptions pictures;
    bool has_pictures = false;  // the operation makes labels
    WritingOptions writing;
    NamedInputs seeds;  // the one that says where regions begin, or none
    NamedInputs named;
    GeometryOptions geometry;
    SequenceOptions sequence;
    SnapshotOptions snapshots;
    SpacingOptions spacing;
    RawOptions raw;
    PlaneOptions planes;
    SlideOptions slide;
    BatchOptions batch;
    JobOptions job;
    MemoryOptions memory;
    MessageOptions messages;
    std::vector<std::filesystem::path> inputs;
    std::string streamed;              // the output that goes to standard output
    bool one_of_several = false;       // inputs of a batch
    std::set<std::string> taken = {};  // outputs that are not written by the job, but given away
    std::function<void(const operations::Values& outputs)> take = {};

    const std::filesystem::path& input() const { return inputs.front(); }
    // All that is read.
    std::vector<std::filesystem::path> files_read() const;
};

// Adds all flags of the operation's verb.
void add_options(VerbParser& parser, const operations::Operation& operation,
                 OperationSettings& settings);

// A named input that stands alone becomes the input. Throws InvalidArgument where there are both,
// or none.
void find_sole_input(const operations::Operation& operation, OperationSettings& settings);

// Throws InvalidArgument where a named input is missing that is needed, UnreadableInput where its
// file is not there.
void require_named_inputs(const operations::Operation& operation,
                          const OperationSettings& settings);

}  // namespace tesela::cli
