#include "files/output_files.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "files/convert.h"
#include "files/picture_parts.h"
#include "files/section_files.h"
#include "io/file.h"
#include "io/format.h"
#include "io/labels.h"
#include "io/text_table.h"
#include "operations/kinds/annotations.h"
#include "operations/kinds/circles.h"
#include "operations/kinds/flow.h"
#include "operations/kinds/folder.h"
#include "operations/kinds/image.h"
#include "operations/kinds/mosaic.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/render.h"
#include "operations/kinds/sections.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/stain.h"
#include "operations/kinds/surface.h"
#include "operations/kinds/table.h"
#include "operations/kinds/tissue.h"
#include "operations/kinds/transform.h"
#include "operations/kinds/tridiagonal.h"
#include "operations/kinds/volume_file.h"
#include "operations/kinds/volume_quality.h"
#include "operations/kinds/wavelet.h"
#include "operations/slides.h"
#include "tesela/circles_io.h"
#include "tesela/flow_io.h"
#include "tesela/geojson_io.h"
#include "tesela/io.h"
#include "tesela/print_io.h"
#include "tesela/render_io.h"
#include "tesela/slide_io.h"
#include "tesela/stain_io.h"
#include "tesela/surface_io.h"
#include "tesela/tissue_io.h"
#include "tesela/transform_io.h"
#include "tesela/tridiagonal_io.h"
#include "tesela/video_io.h"
#include "tesela/volume_io.h"
#include "tesela/wavelet_io.h"

namespace tesela::files {
namespace {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;
using operations::ImageValue;
using operations::Output;
using operations::PixelFormat;
using operations::Values;
using Json = nlohmann::ordered_json;

// Sentences for the user about what a file does not hold.
using Warnings = std::vector<std::string>;
using How = io::WriteOptions;

template <class T, auto write>
Warnings write_as(const Values& values, std::string_view name, const fs::path& path,
                  const How& how) {
    const auto write_value = [&] {
        if constexpr (requires(const T& value) { write(value, path, how); })
            return write(values.get<T>(name), path, how);
        else
            return write(values.get<T>(name), path);
    };
    if constexpr (std::is_void_v<decltype(write_value())>) {
        write_value();
        return {};
    } else {
        return write_value();
    }
}

PixelFormat format_of(const Output& output, const AnyImage& image) {
    return output.pixels ? output.pixels(image)
                         : PixelFormat{pixel_type_of(image), shape_of(image).channels};
}

void probe_image(const Output& output, const AnyImage& sample, std::optional<PixelType> type,
                 const fs::path& path, const How& how) {
    if (io::check_label_group(path, sample)) return;
    AnyImage image = sample;
    if (output.pixels) {
        const PixelFormat format = output.pixels(sample);
        Shape shape = shape_of(sample);
        shape.channels = format.channels;
        image = convert(Image<double>(shape, geometry_of(sample)), format.type).image;
    }
    io::write_image(convert(image, type.value_or(pixel_type_of(image))).image, path, how);
}
std::int64_t image_bytes(const Output& output, const AnyImage& input,
                         std::optional<PixelType> type) {
    const PixelFormat format = format_of(output, input);
    return shape_of(input).points() * format.channels *
           (pixel_type_bytes(format.type) + (type ? pixel_type_bytes(*type) : 0));
}

// Of what is known to be a label map with names and colors.
Warnings write_image(const ImageValue& value, const fs::path& path, const How& how) {
    return value.label_table()
               ? io::write_labels_as_stored(value.image(), path, how, *value.label_table())
               : io::write_image(value.image(), path, how);
}
Warnings write_image_of(const Values& values, std::string_view name, const fs::path& path,
                        const How& how) {
    return write_image(values.image(name), path, how);
}

Warnings write_labels(const ImageValue& value, const fs::path& path, const How& how) {
    const LabelTable nothing;
    return io::write_labels(value.image_of<std::uint32_t>(), path, how,
                            value.label_table() ? *value.label_table() : nothing);
}

// Formats that hold no float show a difference around gray.
Warnings write_coefficients(const Values& values, std::string_view name, const fs::path& path,
                            const How& how) {
    const auto& found = values.get<operations::Coefficients>(name);
    return io::write_coefficients(std::get<WaveletCoefficients>(found), path, how);
}

Warnings write_difference(const Image<float>& difference, const fs::path& path, const How& how) {
    constexpr std::array eight_bits{".png", ".jpg", ".jpeg", ".bmp"};
    if (std::find(eight_bits.begin(), eight_bits.end(), path.extension()) == eight_bits.end())
        return io::write_image(difference, path, how);
    Image<std::uint8_t> shown(difference.shape(), difference.geometry);
    std::transform(difference.pixels().begin(), difference.pixels().end(), shown.pixels().begin(),
                   [](float value) {
                       constexpr float gray = 128;
                       return static_cast<std::uint8_t>(std::clamp(gray + value, 0.0f, 255.0f));
                   });
    return io::write_image(shown, path, how);
}
void probe_difference(const Output&, const AnyImage& sample, std::optional<PixelType>,
                      const fs::path& path, const How& how) {
    write_difference(Image<float>(shape_of(sample), geometry_of(sample)), path, how);
}
Warnings write_difference_of(const Values& values, std::string_view name, const fs::path& path,
                             const How& how) {
    return write_difference(values.image(name).image_of<float>(), path, how);
}

void probe_labels(const Output&, const AnyImage& sample, std::optional<PixelType>,
                  const fs::path& path, const How& how) {
    Shape shape = shape_of(sample);
    shape.channels = 1;
    const LabelImage labels(shape, geometry_of(sample));
    if (!io::check_label_group(path, labels)) io::write_labels(labels, path, how);
}
Warnings write_labels_of(const Values& values, std::string_view name, const fs::path& path,
                         const How& how) {
    return write_labels(values.image(name), path, how);
}
std::int64_t label_bytes(const Output&, const AnyImage& input, std::optional<PixelType>) {
    return 4 * shape_of(input).points();
}

void probe_field(const Output&, const AnyImage&, std::optional<PixelType>, const fs::path& path,
                 const How&) {
    io::write_flow(FlowField({1, 1, 1, 1, 2}), path);
}
Warnings write_field(const Values& values, std::string_view name, const fs::path& path,
                     const How&) {
    io::write_flow(values.image(name).image_of<float>(), path);
    return {};
}
std::int64_t field_bytes(const Output&, const AnyImage& input, std::optional<PixelType>) {
    return 8 * shape_of(input).points();
}

void probe_coefficients(const Output&, const AnyImage& sample, std::optional<PixelType>,
                        const fs::path& path, const How& how) {
    io::write_image(Image<float>(shape_of(sample), geometry_of(sample)), path, how);
}
void probe_transform(const Output&, const AnyImage&, std::optional<PixelType>, const fs::path& path,
                     const How&) {
    io::write_transform({}, path);
}

// Frames go to a video, or into a folder that is new, as PNG.
void write_frames(const AnyImage& frames, const fs::path& path, const How& how) {
    const auto& all = std::get<Image<std::uint8_t>>(frames);
    Shape shape = all.shape();
    const std::int64_t count = std::exchange(shape.t, 1);
    const bool is_video = io::is_video_name(path);
    if (!is_video && path.has_extension())
        throw UnsupportedFormat(fmt::format(
            "'{}' is one picture, and there are {} frames: name a folder, or a video (.mp4, .mkv, "
            ".mov, .avi, .gif, .y4m)",
            path.string(), count));
    constexpr std::int64_t parts = 1000;
    const std::int64_t rate = std::llround(parts / geometry_of(frames).time_step);
    const std::int64_t common = std::gcd(rate, parts);
    const auto video =
        is_video ? io::create_video(path, {{rate / common, parts / common}}) : nullptr;
    std::optional<io::Staging> folder;
    if (!is_video) {
        folder.emplace(std::vector{path}, true);
        fs::create_directory(folder->staged());
    }
    for (std::int64_t i = 0; i < count; ++i) {
        Image<std::uint8_t> frame(shape);
        frame.has_alpha = all.has_alpha;
        const auto first = all.pixels().begin() + i * shape.elements();
        std::copy(first, first + shape.elements(), frame.pixels().begin());
        if (video)
            video->write(frame);
        else
            io::write_image(frame, folder->staged() / fmt::format("{:06}.png", i), how);
    }
    if (video)
        video->finish();
    else
        folder->commit();
}
Warnings write_view(const Values& values, std::string_view name, const fs::path& path,
                    const How& how) {
    const AnyImage& view = values.image(name).image();
    if (shape_of(view).t <= 1 && !io::is_video_name(path))
        return pixel_type_of(view) == PixelType::u8 ? io::write_for_print(view, path, how)
                                                    : io::write_image(view, path, how);
    write_frames(view, path, how);
    return {};
}
void probe_view(const Output& output, const AnyImage&, std::optional<PixelType>,
                const fs::path& path, const How& how) {
    if (output.name == "depth")
        io::write_image(Image<float>(Shape{2, 2}), path, how);
    else if (io::is_video_name(path))
        write_frames(Image<std::uint8_t>({2, 2, 1, 1, 3}), path, how);
    else if (path.has_extension())
        io::write_image(Image<std::uint8_t>({2, 2, 1, 1, 3}), path, how);
}

void probe_transfer(const Output&, const AnyImage&, std::optional<PixelType>, const fs::path& path,
                    const How&) {
    io::write_transfer_function(
        {.name = "", .color = {{}}, .opacity = {{}}, .gradient_opacity = {}}, path);
}

// Seven digits, those of single precision, without an exponent, which not every reader takes.
std::string number_text(double value) {
    constexpr double tiny = 1e-15, huge = 1e15;
    const double size = std::abs(value);
    if (value == 0) return "0";
    if (!(size >= tiny && size < huge)) return fmt::format("{:.7g}", value);
    if (value == std::trunc(value)) return fmt::format("{:.0f}", value);
    const int decimals = std::max(6 - static_cast<int>(std::floor(std::log10(size))), 0);
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (decimals == 0) return text;
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

std::string csv_text(const operations::Table::Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) return io::csv_field(*text);
    if (const auto* number = std::get_if<double>(&cell)) return number_text(*number);
    return std::to_string(std::get<std::int64_t>(cell));
}
// Numbers of JSON with as many digits as those of CSV.
Json json_of(const operations::Table::Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    const auto* number = std::get_if<double>(&cell);
    if (!number) return std::get<std::int64_t>(cell);
    return std::isfinite(*number) ? Json::parse(number_text(*number)) : Json();
}
std::string csv_row(const operations::Table& table, std::int64_t row) {
    std::string text;
    for (std::size_t column = 0; column < table.columns.size(); ++column)
        text += (column > 0 ? "," : "") + csv_text(table.cell(row, column));
    return text;
}
std::string csv_header(const operations::Table& table) {
    std::string text;
    for (const std::string& column : table.columns)
        text += (text.empty() ? "" : ",") + csv_text(column);
    return text;
}
// A record, by the names of the columns.
std::string json_row(const operations::Table& table, std::int64_t row) {
    Json record = Json::object();
    for (std::size_t column = 0; column < table.columns.size(); ++column)
        record[table.columns[column]] = json_of(table.cell(row, column));
    return record.dump(-1, ' ', false, Json::error_handler_t::replace) +
           (row + 1 < table.rows ? "," : "");
}
void write_rows(const operations::Table& table, const fs::path& path) {
    const bool is_json = path.extension() == ".json";
    io::Staging staging({path}, true);
    io::OutputFile out(staging.staged(), path);
    const auto put = [&out](const std::string& line) {
        out.write_or_throw(line.data(), line.size());
        out.write_or_throw("\n", 1);
    };
    put(is_json ? "[" : csv_header(table));
    for (std::int64_t row = 0; row < table.rows; ++row)
        put(is_json ? json_row(table, row) : csv_row(table, row));
    if (is_json) put("]");
    out.close();
    staging.commit();
}
Warnings write_table(const Values& values, std::string_view name, const fs::path& path,
                     const How&) {
    write_rows(values.get<operations::Table>(name), path);
    return {};
}

// The format by the name's end.
void write_outlines_as(const operations::Outlines& outlines, const fs::path& path) {
    const std::string name = path.filename().string();
    if (name.ends_with(".geojson") || name.ends_with(".geojson.gz"))
        io::write_geojson(outlines.shapes, path);
    else if (name.ends_with(".json") || name.ends_with(".csv"))
        write_rows(outlines.table, path);
    else
        throw UnsupportedFormat("'" + path.string() +
                                "': lists are written as .csv, .json or .geojson");
}
void probe_outlines(const Output&, const AnyImage&, std::optional<PixelType>, const fs::path& path,
                    const How&) {
    write_outlines_as({}, path);
}
Warnings write_outlines(const Values& values, std::string_view name, const fs::path& path,
                        const How&) {
    write_outlines_as(values.get<operations::Outlines>(name), path);
    return {};
}

void probe_surfaces(const Output&, const AnyImage&, std::optional<PixelType>, const fs::path& path,
                    const How& how) {
    io::write_surfaces({}, path, how);
}

Warnings write_circle_list(const Values& values, std::string_view name, const fs::path& path,
                           const How&) {
    io::write_circles(values.get<CircleLists>(name).pixels.value(), path);
    return {};
}

Warnings write_classes(const Values& values, std::string_view name, const fs::path& path,
                       const How& how) {
    const auto& map = values.get<operations::ClassMap>(name);
    LabelTable table;
    for (std::size_t c = 0; c < map.names.size(); ++c)
        table[static_cast<std::uint32_t>(c + 1)] = {map.names[c], map.colors[c]};
    return io::write_labels(map.labels, path, how, table);
}
Warnings write_repeated(const Values& values, std::string_view name, const fs::path& path,
                        const How&) {
    const auto& slide = values.get<operations::RepeatedSlide>(name);
    io::write_repeated_slide(slide.picture, slide.width, slide.height, path, slide.how);
    return {};
}
struct WriteWarped {
    const fs::path& path;
    const How& how;
    Warnings operator()(const ImageValue& value) const { return write_image(value, path, how); }
    Warnings operator()(const operations::WarpableLabels& carried) const {
        return write_labels(carried.labels, path, how);
    }
    Warnings operator()(const Landmarks& landmarks) const {
        io::write_landmarks(landmarks, path);
        return {};
    }
    Warnings operator()(const Annotations& outlines) const {
        io::write_geojson(outlines, path);
        return {};
    }
};
Warnings write_warped(const Values& values, std::string_view name, const fs::path& path,
                      const How& how) {
    return std::visit(WriteWarped{path, how}, values.get<operations::Warpable>(name));
}

void open_tiles(Values& parts, std::string_view name, const fs::path& path) {
    const std::string file = path.filename().string();
    const bool is_zarr = io::is_ome_zarr_name(path);
    if (!is_zarr && !file.ends_with(".tif") && !file.ends_with(".tiff"))
        throw InvalidArgument(
            fmt::format("--{} is {}; slides are written as .ome.tif or .ome.zarr", name, file));
    parts.set(name, operations::OpenTiles(
                        [path, is_zarr](const SlideForm& form, const SlideWriteOptions& how) {
                            return is_zarr ? io::create_ome_zarr(path, form, how)
                                           : io::create_ome_tiff(path, form, how);
                        }));
}
void open_volume_file(Values& parts, std::string_view name, const fs::path& path) {
    parts.set(name, operations::WriteVolume([path](const VolumeInput& volume,
                                                   const VolumeWriteOptions& how,
                                                   const Progress& progress) {
                  return io::write_volume_file(volume, path, how, progress);
              }));
    parts.set(operations::error_part(name),
              operations::FindError([](const VolumeInput& volume, double psnr, int threads,
                                       const Progress& progress) {
                  return io::error_for_psnr(volume, psnr, threads, progress);
              }));
}
// A volume of one voxel, in two slices.
void probe_any_volume(const Output&, const AnyImage&, std::optional<PixelType>,
                      const fs::path& path, const How& how) {
    if (path.extension() != ".tvol")
        io::write_image(Image<std::uint8_t>({1, 1, 2, 1, 3}), path, how);
}
void require_volume_room(const VolumeInputFacts& facts, std::int64_t room,
                         std::string_view volume) {
    const std::int64_t bytes = facts.shape.elements() * pixel_type_bytes(facts.type);
    if (room > 0 && bytes > room)
        throw OutOfMemory(
            fmt::format("{} {} x {} x {} takes {} bytes of memory, and {} are left; "
                        "name a .tvol, which is written part by part",
                        volume, facts.shape.x, facts.shape.y, facts.shape.z, bytes, room),
            bytes, room);
}
// Of .tvol part by part, of other formats as a whole.
void open_any_volume(Values& parts, std::string_view name, const fs::path& path) {
    if (path.extension() == ".tvol") {
        parts.set(name, operations::WriteVolumeAs{
                            [path](const VolumeInput& volume, const Progress& progress) {
                                io::write_volume_file(volume, path, {}, progress);
                            },
                            [](const VolumeInputFacts&) {}});
        return;
    }
    const std::int64_t room = operations::room_of(parts);
    const auto write = [path, room](const VolumeInput& volume, const Progress&) {
        const VolumeInputFacts& facts = volume.facts();
        require_volume_room(facts, room, "the volume of");
        AnyImage image = volume.read({{0, 0, 0}, {facts.shape.x, facts.shape.y, facts.shape.z}}, 0);
        geometry_of(image) = facts.geometry;
        io::write_image(image, path);
    };
    parts.set(name, operations::WriteVolumeAs{write, [room](const VolumeInputFacts& least) {
                                                  require_volume_room(least, room,
                                                                      "a volume of at least");
                                              }});
}
// A picture of one pixel.
void probe_any_picture(const Output&, const AnyImage&, std::optional<PixelType>,
                       const fs::path& path, const How& how) {
    if (!io::is_ome_tiff_name(path) && !io::is_ome_zarr_name(path))
        io::write_image(Image<std::uint8_t>({1}), path, how);
}
void open_any_picture(Values& parts, std::string_view name, const fs::path& path) {
    parts.set(name, picture_writer(path, operations::room_of(parts)));
}
// As volumes go from their source, or as tiles in the order in which they are made.
void write_label_tiles(const operations::LabelParts& made, const fs::path& path,
                       const Progress& progress) {
    const VolumeInputFacts& facts = made.labels.facts();
    const SlideForm form{facts.type, facts.shape, made.geometry};
    const SlideWriteOptions how{.tile = operations::stored_tile,
                                .labels = true,
                                .strip = picture_part / operations::stored_tile};
    const auto writer = io::is_ome_zarr_name(path) ? io::create_ome_zarr(path, form, how)
                                                   : io::create_ome_tiff(path, form, how);
    made.labels.for_each(progress, [&](const VoxelBox& box, const AnyImage& labels) {
        constexpr std::int64_t side = operations::box_side;
        for (std::int64_t y = 0; y < box.length(1); y += side)
            for (std::int64_t x = 0; x < box.length(0); x += side)
                operations::write_box(*writer, (box.begin[0] + x) / side, (box.begin[1] + y) / side,
                                      part_of(labels, {x, y, std::min(side, box.length(0) - x),
                                                       std::min(side, box.length(1) - y)}));
    });
    writer->finish();
}
void open_label_parts(Values& parts, std::string_view name, const fs::path& path) {
    parts.set(name, operations::WriteLabelParts([path](const operations::LabelParts& made,
                                                       const Progress& progress) {
                  const VolumeInputFacts& facts = made.labels.facts();
                  if (path.extension() == ".tvol")
                      io::write_volume_file(made.labels, path,
                                            {.labels = true, .geometry = made.geometry}, progress);
                  else
                      write_label_tiles(made, path, progress);
                  io::write_label_counts(made.points, made.geometry, facts.shape.dimensions(), path,
                                         made.table ? *made.table : LabelTable{});
              }));
}
std::vector<fs::path> label_side_files(const fs::path& path) {
    if (io::holds_names(path)) return {};
    return {io::labels_side_file(path)};
}
std::vector<fs::path> wavelet_side_files(const fs::path& path) {
    return {io::wavelet_side_file(path)};
}

const std::array all{
    OutputKind{kinds::image, probe_image, write_image_of, image_bytes},
    OutputKind{kinds::mask, probe_image, write_image_of, image_bytes},
    OutputKind{kinds::difference, probe_difference, write_difference_of, image_bytes},
    OutputKind{kinds::labels, probe_labels, write_labels_of, label_bytes, label_side_files},
    OutputKind{kinds::classes, probe_labels, write_classes, nullptr, label_side_files},
    OutputKind{kinds::field, probe_field, write_field, field_bytes},
    OutputKind{kinds::coefficients, probe_coefficients, write_coefficients, nullptr,
               wavelet_side_files},
    OutputKind{kinds::outlines, probe_outlines, write_outlines},
    OutputKind{kinds::surfaces, probe_surfaces, write_as<LabelSurfaces, io::write_surfaces>},
    OutputKind{kinds::transform, probe_transform, write_as<Transform, io::write_transform>},
    OutputKind{kinds::view, probe_view, write_view},
    OutputKind{kinds::transfer, probe_transfer,
               write_as<TransferFunction, io::write_transfer_function>},
    OutputKind{kinds::table, nullptr, write_table},
    OutputKind{kinds::landmarks, nullptr, write_as<Landmarks, io::write_landmarks>},
    OutputKind{kinds::circles, nullptr, write_circle_list},
    OutputKind{kinds::solutions, nullptr, write_as<TridiagonalSolutions, io::write_solutions>},
    OutputKind{kinds::warpable, nullptr, write_warped},
    OutputKind{kinds::annotations, nullptr, write_as<Annotations, io::write_geojson>},
    OutputKind{kinds::stains, nullptr, write_as<StainMatrix, io::write_stains>},
    OutputKind{kinds::samples, nullptr, write_as<TissueSamples, write_tissue_samples>},
    OutputKind{kinds::tissue_model, nullptr, write_as<TissueModel, write_tissue_model>},
    OutputKind{kinds::repeated_slide, nullptr, write_repeated},
    OutputKind{kinds::tiles, nullptr, nullptr, nullptr, nullptr, open_tiles},
    OutputKind{kinds::volume_file, nullptr, nullptr, nullptr, nullptr, open_volume_file},
    OutputKind{kinds::any_volume_file, probe_any_volume, nullptr, nullptr, nullptr,
               open_any_volume},
    OutputKind{kinds::any_picture_file, probe_any_picture, nullptr, nullptr, nullptr,
               open_any_picture},
    OutputKind{kinds::section_pair, nullptr, write_as<RegisteredPair, write_section_pair>},
    OutputKind{kinds::label_parts, nullptr, nullptr, nullptr, label_side_files, open_label_parts},
    OutputKind{kinds::folder, nullptr, nullptr},
};

}  // namespace

bool has_compression(operations::Kind kind) {
    const std::array with{kinds::image,   kinds::mask,         kinds::difference, kinds::labels,
                          kinds::classes, kinds::coefficients, kinds::view,       kinds::warpable};
    return std::find(with.begin(), with.end(), kind) != with.end();
}

bool may_be_series(operations::Kind kind) {
    const std::array with{kinds::image,  kinds::mask,    kinds::difference,
                          kinds::labels, kinds::classes, kinds::warpable};
    return std::find(with.begin(), with.end(), kind) != with.end();
}

void write_part(const fs::path& path, operations::Kind kind, std::any value) {
    if (!value.has_value()) {
        fs::remove(path);
        return;
    }
    const std::string name = path.filename().string();
    Values values;
    values.set(name, std::move(value));
    output_kind(kind).write(values, name, path, {});
}

std::vector<fs::path> side_files(const Output& output, const fs::path& path) {
    const auto of_kind = output_kind(output.kind).side_files;
    if (of_kind) return of_kind(path);
    return output.keeps_labels ? label_side_files(path) : std::vector<fs::path>{};
}

const OutputKind& output_kind(operations::Kind kind) {
    for (const OutputKind& found : all)
        if (found.kind == kind) return found;
    throw std::logic_error("outputs of the kind '" + std::string(kind.name) + "' have no files");
}

}  // namespace tesela::files
