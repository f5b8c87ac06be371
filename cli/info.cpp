// tesela info FILE...
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include "errors.h"
#include "interrupt.h"
#include "messages.h"
#include "probe.h"
#include "report.h"
#include "shown_text.h"
#include "statistics.h"
#include "tesela/flow_io.h"
#include "tesela/io.h"
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

std::string geometry_text(const AnyImage& image, const std::string& source) {
    const Geometry& g = geometry_of(image);
    const auto row = [](std::string_view name, const std::string& value) {
        return fmt::format("  {:<13}{}\n", name, value);
    };
    std::string text = row("spacing", spacing_text(g, shape_of(image).dimensions(), source));
    if (!g.known()) return text;
    text += row("extent", extent_text(g, shape_of(image)));
    const auto o = without_negative_zeros(g.origin);
    const auto d = without_negative_zeros(g.direction);
    return text +
           row("origin",
               fmt::format("{:g}, {:g}, {:g} {} (LPS)", o[0], o[1], o[2], unit_symbol(g.unit))) +
           row("direction", fmt::format("{:g} {:g} {:g}; {:g} {:g} {:g}; {:g} {:g} {:g}", d[0],
                                        d[1], d[2], d[3], d[4], d[5], d[6], d[7], d[8])) +
           row("orientation", g.orientation());
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

std::string text_of(const std::filesystem::path& path, const io::ReadResult& read,
                    const ValueStatistics& statistics) {
    std::string text = fmt::format("{}\n  {:<13}{}\n  {:<13}{}\n  {:<13}{}\n",
                                   on_one_line(path.string()), "format", read.format, "size",
                                   image_text(read.image), "values", range_text(statistics));
    text += geometry_text(read.image, read.spacing_source);
    for (const std::string& warning : read.warnings)
        text += fmt::format("  {:<13}{}\n", "warning", on_one_line(warning));
    return text;
}

Json json_of(const std::filesystem::path& path, const io::ReadResult& read,
             const ValueStatistics& statistics) {
    Json json{{"path", path.string()}, {"format", read.format}};
    json.update(cli::json_of(read.image));
    json["spacing_source"] = read.spacing_source.empty() ? Json() : Json(read.spacing_source);
    json["values"] = json_of(statistics);
    json["warnings"] = read.warnings;
    return json;
}

// One file, as the report and as the text show it.
struct Facts {
    Json json;
    std::string text;
};

Facts image_facts(const std::filesystem::path& path, const io::ReadOptions& options,
                  const std::string& at) {
    const io::ReadResult read = io::read_image(path, options);
    const ValueStatistics statistics = value_statistics(read.image);
    Facts facts{json_of(path, read, statistics), text_of(path, read, statistics)};
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
    const auto row = [](std::string_view name, const std::string& value) {
        return fmt::format("  {:<13}{}\n", name, value);
    };
    std::string text = on_one_line(path.string()) + "\n" + row("format", format) +
                       row("size", fmt::format("{} x {} vectors", shape.x, shape.y)) +
                       row("unknown", std::to_string(shape.points() - s.known));
    if (s.known)
        text += row("motion", fmt::format("u {:.6g} to {:.6g}, v {:.6g} to {:.6g} pixels",
                                          s.lowest[0], s.highest[0], s.lowest[1], s.highest[1])) +
                row("longest", fmt::format("{:.6g} pixels", s.longest));
    return {{{"path", path.string()},
             {"format", format},
             {"size", {shape.x, shape.y}},
             {"unknown", shape.points() - s.known},
             {"u", range(0)},
             {"v", range(1)},
             {"longest", s.known ? Json(s.longest) : Json()}},
            text};
}

Facts video_facts(const std::filesystem::path& path, const std::string& format,
                  const io::ReadOptions& options) {
    const auto reader = io::open_frames(path, {.max_bytes = options.max_bytes});
    const FrameStreamFacts& facts = reader->facts();
    const auto row = [](std::string_view name, const std::string& value) {
        return fmt::format("  {:<13}{}\n", name, value);
    };
    std::string text = on_one_line(path.string()) + "\n" + row("format", format);
    if (!facts.codec.empty()) text += row("codec", facts.codec);
    text +=
        row("size", fmt::format("{} x {}, {}", facts.frame.x, facts.frame.y,
                                facts.frame.channels == 1 ? "gray" : "colors")) +
        row("frame rate",
            facts.rate ? fmt::format("{:.6g} per second", facts.rate->per_second()) : "not said") +
        row("frames", facts.frames ? std::to_string(*facts.frames) : "not known before the end");
    return {{{"path", path.string()},
             {"format", format},
             {"codec", facts.codec.empty() ? Json() : Json(facts.codec)},
             {"size", {facts.frame.x, facts.frame.y}},
             {"channels", facts.frame.channels},
             {"frame_rate", facts.rate ? Json(facts.rate->per_second()) : Json()},
             {"frames", facts.frames ? Json(*facts.frames) : Json()}},
            text};
}

std::string level_text(const TileLevel& level, std::size_t index) {
    const std::string size = fmt::format("{} x {}", level.shape.x, level.shape.y);
    std::string text = fmt::format("  {:<13}{}, downsample {:.6g}, tiles of {} x {}",
                                   fmt::format("level {}", index), size, level.downsample[0],
                                   level.tile_width, level.tile_height);
    if (level.geometry.known())
        text += fmt::format(", {:.6g} um per pixel", level.geometry.spacing_mm()[0] * 1000);
    return text + "\n";
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
    const TileSourceFacts& facts = slide->facts();
    const int channels = facts.levels.front().shape.channels;
    const auto row = [](std::string_view name, const std::string& value) {
        return fmt::format("  {:<13}{}\n", name, value);
    };
    std::string text = on_one_line(path.string()) + "\n" + row("format", facts.format) +
                       row("pixels", fmt::format("{} of {}", counted(channels, "channel"),
                                                 pixel_type_name(facts.type)));
    Json levels = Json::array();
    for (std::size_t i = 0; i < facts.levels.size(); ++i) {
        text += level_text(facts.levels[i], i);
        levels.push_back(json_of(facts.levels[i]));
    }
    text += row("pixel size",
                facts.spacing_source.empty() ? "unknown" : "from " + facts.spacing_source);
    if (facts.magnification) text += row("objective", fmt::format("{:g}x", *facts.magnification));
    for (const std::string& warning : facts.warnings) text += row("warning", on_one_line(warning));
    return {{{"path", path.string()},
             {"format", facts.format},
             {"channels", channels},
             {"type", pixel_type_name(facts.type)},
             {"levels", std::move(levels)},
             {"spacing_source", facts.spacing_source.empty() ? Json() : Json(facts.spacing_source)},
             {"magnification", facts.magnification ? Json(*facts.magnification) : Json()},
             {"warnings", facts.warnings}},
            text};
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
    const BrickSourceFacts& facts = source->facts();
    const Shape& shape = facts.levels.front();
    const auto [lowest, highest] = range_of(*source);
    if (verify)
        visit_places(shape, source->bricks(), [&](const BrickPlace& place) {
            Progress({}, &token).throw_if_cancelled();
            source->brick(0, place);
        });
    const auto grid = source->bricks();
    const std::int64_t bricks = grid[0] * grid[1] * grid[2] * shape.t * shape.channels;
    const double ratio =
        static_cast<double>(facts.voxel_bytes()) / static_cast<double>(facts.stored_bytes);
    const auto row = [](std::string_view name, const std::string& value) {
        return fmt::format("  {:<13}{}\n", name, value);
    };
    std::string text =
        on_one_line(path.string()) + "\n" + row("format", facts.format) +
        row("size", fmt::format("{} x {} x {}, {} of {}", shape.x, shape.y, shape.z,
                                counted(shape.channels, "channel"), pixel_type_name(facts.type)));
    if (shape.t > 1) text += row("times", std::to_string(shape.t));
    if (facts.scaling.needed())
        text += row("scaling", fmt::format("{:g} * stored + {:g}", facts.scaling.slope,
                                           facts.scaling.intercept));
    text += row("values", fmt::format("{:.9g} to {:.9g}", lowest, highest)) +
            row("spacing", spacing_text(facts.geometries.front(), 3)) +
            row("bricks", fmt::format("{}, {} levels{}", bricks, facts.levels.size(),
                                      verify ? ", all are sound" : "")) +
            row("file", fmt::format("{} bytes, {:.4g} times smaller", facts.stored_bytes, ratio));
    Json json{{"path", path.string()},
              {"format", facts.format},
              {"size", {shape.x, shape.y, shape.z, shape.t}},
              {"channels", shape.channels},
              {"type", pixel_type_name(facts.type)},
              {"values", {{"lowest", lowest}, {"highest", highest}}},
              {"scaling", {{"slope", facts.scaling.slope}, {"intercept", facts.scaling.intercept}}},
              {"geometry", cli::json_of(facts.geometries.front())},
              {"labels", facts.is_labels},
              {"levels", facts.levels.size()},
              {"bricks", bricks},
              {"bytes", facts.stored_bytes},
              {"ratio", ratio}};
    if (verify) json["sound"] = true;
    return {std::move(json), std::move(text)};
}

Facts facts_of_file(const std::filesystem::path& path, const io::ReadOptions& options,
                    const InfoOptions& info, const CancelToken& token) {
    std::error_code ignored;
    const bool folder = std::filesystem::is_directory(path, ignored);
    if (info.verify && !info.at.empty())
        throw InvalidArgument("--verify and --at exclude each other: give one");
    if (options.raw || !info.at.empty()) return image_facts(path, options, info.at);
    if (!folder && io::is_volume_file(path)) return volume_facts(path, info.verify, token);
    const std::string video = folder ? "" : io::video_format(path);
    if (!video.empty()) return video_facts(path, video, options);
    if (!folder && !io::slide_format(path).empty()) return slide_facts(path, options);
    const std::string format = folder ? "" : io::flow_format(path);
    return format.empty() ? image_facts(path, options, {}) : flow_facts(path, format, options);
}

}  // namespace

int run_info(const Arguments& arguments) {
    std::vector<std::filesystem::path> paths;
    MessageOptions messages;
    MemoryOptions memory;
    RawOptions raw;
    InfoOptions options;
    VerbParser parser(
        "info",
        "Prints size, type, channels, geometry and values of images, flow fields, videos, slides "
        "and compressed volumes.");
    parser.add_inputs(
        paths, "FILE", 1, 1 << 20,
        "images, flow fields (.flo, Barron), videos, or folders of one DICOM series each");
    parser.add(raw, "Input");
    parser.add(options, "Input");
    parser.add(messages, "Messages", message_aliases());
    parser.add(memory, "Computing");
    parser.add_examples({"info photo.jpg", "info head.nii.gz slide.svs --json"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);
    const CancelToken& token = handle_interrupts();

    Json files = Json::array();
    std::string text;
    int failed = 0, first_code = exit_done;
    for (const auto& path : paths) {
        Progress({}, &token).throw_if_cancelled();
        try {
            const DisposableWork reading;
            const Facts facts = facts_of_file(path, read_options(memory, raw), options, token);
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
