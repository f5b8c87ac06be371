// tesela info FILE...
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include "errors.h"
#include "image_values.h"
#include "interrupt.h"
#include "io/format.h"
#include "messages.h"
#include "report.h"
#include "shown_text.h"
#include "tesela/flow_io.h"
#include "tesela/io.h"
#include "tesela/kept_images.h"
#include "tesela/slide_io.h"
#include "tesela/video_io.h"
#include "tesela/volume_io.h"
#include "verb_parser.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

Json json_of(const ValueStatistics& s) {
    return {{"lowest", s.finite ? Json(s.lowest) : Json()},
            {"highest", s.finite ? Json(s.highest) : Json()},
            {"nan", s.nan},
            {"infinite", s.infinite}};
}

std::string range_text(const ValueStatistics& s) {
    std::string text =
        s.finite ? fmt::format("{:.9g} to {:.9g}", s.lowest, s.highest) : "no finite value";
    if (s.nan) text += fmt::format(", {} NaN", s.nan);
    if (s.infinite) text += fmt::format(", {} infinite", s.infinite);
    return text;
}

// One file, as the report and as the text show it.
struct Facts {
    Facts(const std::filesystem::path& path, const std::string& format)
        : json{{"path", path.string()}, {"format", format}},
          text(on_one_line(path.string()) + "\n") {
        row("format", format);
    }
    void row(std::string_view name, const std::string& value) {
        text += fmt::format("  {:<13}{}\n", name, value);
    }
    void add_warnings(const std::vector<std::string>& warnings) {
        json["warnings"] = warnings;
        for (const std::string& warning : warnings) row("warning", on_one_line(warning));
    }

    Json json;
    std::string text;
};

void add_geometry(const io::ReadResult& read, Facts& facts) {
    const Geometry& g = geometry_of(read.image);
    const Shape& shape = shape_of(read.image);
    facts.row("spacing", spacing_text(g, shape.dimensions(), read.spacing_source));
    if (shape.t > 1)
        facts.row("time step",
                  g.time_step == 1 ? "1 s or unknown" : fmt::format("{:g} s", g.time_step));
    if (!g.known()) return;
    facts.row("extent", extent_text(g, shape));
    const auto o = without_negative_zeros(g.origin);
    const auto d = without_negative_zeros(g.direction);
    facts.row("origin",
              fmt::format("{:g}, {:g}, {:g} {} (LPS)", o[0], o[1], o[2], unit_symbol(g.unit)));
    facts.row("direction", fmt::format("{:g} {:g} {:g}; {:g} {:g} {:g}; {:g} {:g} {:g}", d[0], d[1],
                                       d[2], d[3], d[4], d[5], d[6], d[7], d[8]));
    facts.row("orientation", g.orientation());
}

// "0 DAPI, 1 GFP": the number of each channel, and its name.
std::string channels_text(const io::ReadResult& read) {
    std::string text;
    for (std::size_t i = 0; i < read.channel_names.size(); ++i)
        text += fmt::format("{}{} {}", i ? ", " : "", i, on_one_line(read.channel_names[i]));
    const int count = shape_of(read.image).channels;
    if (text.empty() && read.separate_channels) text = fmt::format("0 to {}, no color", count - 1);
    return text;
}

// "1 liver, 2 kidney": at most a dozen.
std::string names_text(const LabelTable& table) {
    constexpr std::size_t most = 12;
    std::string text;
    std::size_t count = 0;
    for (const auto& [label, description] : table) {
        if (description.name.empty()) continue;
        if (++count <= most)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", label,
                                on_one_line(description.name));
    }
    return count > most ? fmt::format("{}, ... ({} in all)", text, count) : text;
}

// By label, those without a name left out.
Json json_of(const LabelTable& table) {
    Json names = Json::object();
    for (const auto& [label, description] : table)
        if (!description.name.empty()) names[std::to_string(label)] = description.name;
    return names;
}

struct InfoOptions {
    bool verify = false;
    std::string at;
};
template <class V>
void describe(V&& v, InfoOptions& o) {
    v("verify", o.verify, "check every brick of compressed volumes");
    v("at", o.at, "values at points 'x,y[,z];...', in pixels, or 'x,y,zmm' or 'RAS:x,y,zmm'");
}

// null where nothing was said.
Json json_of_text(const std::string& text) { return text.empty() ? Json() : Json(text); }

Facts image_facts(const std::filesystem::path& path, const io::ReadOptions& options,
                  const std::string& at) {
    const io::ReadResult read = io::read_image(path, options);
    const ValueStatistics statistics = value_statistics(read.image);
    Facts facts(path, read.format);
    facts.row("size", image_text(read.image));
    if (const std::string channels = channels_text(read); !channels.empty())
        facts.row("channels", channels);
    facts.row("values", range_text(statistics));
    if (read.label_table && has_names(*read.label_table))
        facts.row("labels", names_text(*read.label_table));
    add_geometry(read, facts);
    facts.json.update(cli::json_of(read.image));
    facts.json["channel_names"] = read.channel_names;
    facts.json["separate_channels"] = read.separate_channels;
    if (read.label_table) facts.json["label_names"] = json_of(*read.label_table);
    facts.json["spacing_source"] = json_of_text(read.spacing_source);
    facts.json["values"] = json_of(statistics);
    facts.add_warnings(read.warnings);
    if (at.empty()) return facts;
    const std::vector<ProbedPoint> points = probe(read.image, at);
    facts.json["points"] = json_of(points);
    facts.text += text_of(points);
    return facts;
}

// The known vectors of a field: how many, their range along both axes, and the longest.
struct MotionStatistics {
    std::int64_t known = 0;
    std::array<float, 2> lowest{}, highest{};
    double longest = 0;
};

MotionStatistics motion_statistics(const FlowField& flow) {
    MotionStatistics s;
    for (std::int64_t i = 0; i < flow.shape().points(); ++i) {
        const float* vector = flow.data() + 2 * i;
        if (!is_known(vector[0], vector[1])) continue;
        for (std::size_t c = 0; c < 2; ++c) {
            s.lowest[c] = s.known ? std::min(s.lowest[c], vector[c]) : vector[c];
            s.highest[c] = s.known ? std::max(s.highest[c], vector[c]) : vector[c];
        }
        s.longest = std::max(s.longest, std::hypot(double{vector[0]}, double{vector[1]}));
        ++s.known;
    }
    return s;
}

Facts flow_facts(const std::filesystem::path& path, const std::string& format,
                 const io::ReadOptions& options) {
    const FlowField flow = io::read_flow(path, options);
    const Shape& shape = flow.shape();
    const MotionStatistics s = motion_statistics(flow);
    const auto range = [&](std::size_t c) {
        return s.known ? Json{{"lowest", s.lowest[c]}, {"highest", s.highest[c]}} : Json();
    };
    Facts facts(path, format);
    facts.row("size", fmt::format("{} x {} vectors", shape.x, shape.y));
    facts.row("unknown", std::to_string(shape.points() - s.known));
    if (s.known) {
        facts.row("motion", fmt::format("u {:.6g} to {:.6g}, v {:.6g} to {:.6g} pixels",
                                        s.lowest[0], s.highest[0], s.lowest[1], s.highest[1]));
        facts.row("longest", fmt::format("{:.6g} pixels", s.longest));
    }
    facts.json.update({{"size", {shape.x, shape.y}},
                       {"unknown", shape.points() - s.known},
                       {"u", range(0)},
                       {"v", range(1)},
                       {"longest", s.known ? Json(s.longest) : Json()}});
    return facts;
}

Facts video_facts(const std::filesystem::path& path, const std::string& format,
                  const io::ReadOptions& options) {
    const auto reader = io::open_frames(path, {.max_bytes = options.max_bytes});
    reader->next();  // throws where the header promises frames, and there are none
    const FrameStreamFacts& stream = reader->facts();
    Facts facts(path, format);
    if (!stream.codec.empty()) facts.row("codec", stream.codec);
    facts.row("size", fmt::format("{} x {}, {}", stream.frame.x, stream.frame.y,
                                  stream.frame.channels == 1 ? "gray" : "colors"));
    facts.row("frame rate", stream.rate
                                ? fmt::format("{:.6g} per second", stream.rate->per_second())
                                : "not said");
    facts.row("frames",
              stream.frames ? std::to_string(*stream.frames) : "not known before the end");
    facts.json.update({{"codec", json_of_text(stream.codec)},
                       {"size", {stream.frame.x, stream.frame.y}},
                       {"channels", stream.frame.channels},
                       {"frame_rate", stream.rate ? Json(stream.rate->per_second()) : Json()},
                       {"frames", stream.frames ? Json(*stream.frames) : Json()}});
    return facts;
}

std::string level_text(const TileLevel& level) {
    std::string text =
        fmt::format("{} x {}, downsample {:.6g}, tiles of {} x {}", level.shape.x, level.shape.y,
                    level.downsample[0], level.tile_width, level.tile_height);
    if (level.geometry.known())
        text += fmt::format(", {:.6g} um per pixel", level.geometry.spacing_mm()[0] * 1000);
    return text;
}

Json json_of(const TileLevel& level) {
    return {{"size", {level.shape.x, level.shape.y}},
            {"downsample", level.downsample},
            {"tile", {level.tile_width, level.tile_height}},
            {"tiles", level.tiles()},
            {"geometry", cli::json_of(level.geometry)}};
}

// Without its pixels, which may be more than fit into memory.
Facts slide_facts(const std::filesystem::path& path, const io::ReadOptions& options) {
    const auto slide = io::open_slide(path, {.max_bytes = options.max_bytes});
    const TileSourceFacts& source = slide->facts();
    const int channels = source.levels.front().shape.channels;
    Facts facts(path, source.format);
    facts.row("pixels", fmt::format("{} of {}", operations::counted(channels, "channel"),
                                    pixel_type_name(source.type)));
    Json levels = Json::array();
    for (std::size_t i = 0; i < source.levels.size(); ++i) {
        facts.row(fmt::format("level {}", i), level_text(source.levels[i]));
        levels.push_back(json_of(source.levels[i]));
    }
    facts.row("pixel size",
              source.spacing_source.empty() ? "unknown" : "from " + source.spacing_source);
    if (source.magnification) facts.row("objective", fmt::format("{:g}x", *source.magnification));
    facts.json.update(
        {{"channels", channels},
         {"type", pixel_type_name(source.type)},
         {"levels", std::move(levels)},
         {"spacing_source", json_of_text(source.spacing_source)},
         {"magnification", source.magnification ? Json(*source.magnification) : Json()}});
    facts.add_warnings(source.warnings);
    return facts;
}

// Calls `visit` with the place of every block or brick of this grid.
template <class Visit>
void visit_places(const Shape& shape, const std::array<std::int64_t, 3>& grid, const Visit& visit) {
    for (std::int64_t t = 0; t < shape.t; ++t)
        for (int channel = 0; channel < shape.channels; ++channel)
            for (std::int64_t z = 0; z < grid[2]; ++z)
                for (std::int64_t y = 0; y < grid[1]; ++y)
                    for (std::int64_t x = 0; x < grid[0]; ++x)
                        visit(BrickPlace{x, y, z, t, channel});
}

// Of all stored numbers, scaled.
std::array<double, 2> range_of(const BrickSource& source) {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    visit_places(source.facts().levels.front(), source.blocks(), [&](const BrickPlace& place) {
        const BlockRange range = source.block_range(place);
        lowest = std::min(lowest, range.lowest);
        highest = std::max(highest, range.highest);
    });
    const ValueScaling& scaling = source.facts().scaling;
    const double ends[] = {scaling.slope * lowest + scaling.intercept,
                           scaling.slope * highest + scaling.intercept};
    return {std::min(ends[0], ends[1]), std::max(ends[0], ends[1])};
}

// Without its voxels; with `verify` every brick is decoded, and a damaged one is an error.
Facts volume_facts(const std::filesystem::path& path, bool verify, const CancelToken& token) {
    const auto source = io::open_volume_file(path);
    const BrickSourceFacts& volume = source->facts();
    const Shape& shape = volume.levels.front();
    const auto [lowest, highest] = range_of(*source);
    if (verify) {
        keep_images(4 << 20);  // the memory of a brick serves the next one
        visit_places(shape, source->bricks(), [&](const BrickPlace& place) {
            Progress({}, &token).throw_if_cancelled();
            source->brick(0, place);
        });
    }
    const double ratio =
        static_cast<double>(volume.voxel_bytes()) / static_cast<double>(volume.stored_bytes);
    Facts facts(path, volume.format);
    facts.row("size", fmt::format("{} x {} x {}, {} of {}", shape.x, shape.y, shape.z,
                                  operations::counted(shape.channels, "channel"),
                                  pixel_type_name(volume.type)));
    if (shape.t > 1) facts.row("times", std::to_string(shape.t));
    if (volume.scaling.needed())
        facts.row("scaling", fmt::format("{:g} * stored + {:g}", volume.scaling.slope,
                                         volume.scaling.intercept));
    facts.row("values", fmt::format("{:.9g} to {:.9g}", lowest, highest));
    facts.row("spacing", spacing_text(volume.geometries.front(), 3));
    facts.row("bricks", fmt::format("{}, {} levels{}", source->brick_count(), volume.levels.size(),
                                    verify ? ", all are sound" : ""));
    facts.row("file", fmt::format("{} bytes, {:.4g} times smaller", volume.stored_bytes, ratio));
    facts.json.update(
        {{"size", {shape.x, shape.y, shape.z, shape.t}},
         {"channels", shape.channels},
         {"type", pixel_type_name(volume.type)},
         {"values", {{"lowest", lowest}, {"highest", highest}}},
         {"scaling", {{"slope", volume.scaling.slope}, {"intercept", volume.scaling.intercept}}},
         {"geometry", cli::json_of(volume.geometries.front())},
         {"labels", volume.is_labels},
         {"levels", volume.levels.size()},
         {"bricks", source->brick_count()},
         {"bytes", volume.stored_bytes},
         {"ratio", ratio}});
    if (verify) facts.json["sound"] = true;
    return facts;
}

std::string text_of(const io::DicomSeries& series) {
    return fmt::format("{}, {}, {} x {}, {}\n  {:<13}{}",
                       series.description.empty() ? "no description" : series.description,
                       series.modality.empty() ? "no modality" : series.modality, series.columns,
                       series.rows, operations::counted(series.images, "image"), "", series.uid);
}

// Of a folder of several, without pixels.
Facts series_facts(const std::filesystem::path& path, const std::vector<io::DicomSeries>& list) {
    Facts facts(path, fmt::format("DICOM, {} series", list.size()));
    facts.json["format"] = "DICOM";
    Json all = Json::array();
    for (const io::DicomSeries& series : list) {
        facts.row(series.number ? fmt::format("series {}", *series.number) : "series",
                  text_of(series));
        all.push_back({{"number", series.number ? Json(*series.number) : Json()},
                       {"uid", series.uid},
                       {"description", series.description},
                       {"modality", series.modality},
                       {"size", {series.columns, series.rows}},
                       {"images", series.images},
                       {"files", series.files}});
    }
    facts.json["series"] = std::move(all);
    facts.json["warnings"] = Json::array();
    return facts;
}

Facts facts_of_file(const std::filesystem::path& path, const io::ReadOptions& options,
                    const InfoOptions& info, const CancelToken& token) {
    std::error_code ignored;
    const bool folder = std::filesystem::is_directory(path, ignored);
    if (folder && !io::is_image_folder(path) && options.choice.series.empty())
        if (const auto series = io::dicom_series(path, options.max_bytes); series.size() > 1)
            return series_facts(path, series);
    if (info.verify && !info.at.empty())
        throw InvalidArgument("--verify and --at exclude each other: give one");
    if (options.raw || !info.at.empty() || options.choice.given())
        return image_facts(path, options, info.at);
    if (!folder && io::is_volume_file(path)) return volume_facts(path, info.verify, token);
    const std::string video = folder ? "" : io::video_format(path);
    if (!video.empty()) return video_facts(path, video, options);
    if (!io::slide_format(path).empty()) return slide_facts(path, options);
    const std::string format = folder ? "" : io::flow_format(path);
    return format.empty() ? image_facts(path, options, {}) : flow_facts(path, format, options);
}

}  // namespace

int run_info(const Arguments& arguments) {
    std::vector<std::filesystem::path> paths;
    MessageOptions messages;
    MemoryOptions memory;
    RawOptions raw;
    PlaneOptions planes;
    InfoOptions options;
    VerbParser parser(
        "info",
        "Prints size, type, channels, geometry and values of images, flow fields, videos, slides "
        "and compressed volumes.");
    parser.add_inputs(
        paths,
        {{"FILE", "images, flow fields (.flo, Barron), videos, or folders of DICOM files", true}},
        1, 1 << 20);
    parser.add(raw, "Input");
    parser.add(planes, "Input");
    parser.add(options, "Input");
    parser.add(messages, "Messages", message_aliases());
    parser.add(memory, "Computing");
    parser.add_examples({"info photo.jpg", "info head.nii.gz slide.svs --json"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);
    const CancelToken& token = handle_interrupts();

    io::ReadOptions reading = read_options(memory, raw);
    reading.choice = planes.choice();
    Json files = Json::array();
    std::string text;
    int failed = 0, first_code = exit_done;
    for (const auto& path : paths) {
        Progress({}, &token).throw_if_cancelled();
        try {
            const DisposableWork work;
            const Facts facts = facts_of_file(path, reading, options, token);
            files.push_back(facts.json);
            text += facts.text;
        } catch (const Error& error) {
            complain(error.what());
            if (++failed == 1) first_code = exit_code(error.code());
        }
    }
    Progress({}, &token).throw_if_cancelled();
    if (!files.empty()) {
        Json report = begin_report("info");
        report["files"] = std::move(files);
        print(messages.json ? json_text(std::move(report)) : text);
        return failed ? exit_some_failed : exit_done;
    }
    return first_code;
}

}  // namespace tesela::cli
