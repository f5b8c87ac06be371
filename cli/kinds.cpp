#include "kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "convert.h"
#include "memory_plan.h"
#include "report.h"
#include "tesela/circles_io.h"
#include "tesela/flow_io.h"
#include "tesela/geojson_io.h"
#include "tesela/io.h"
#include "tesela/render_io.h"
#include "tesela/transform_io.h"
#include "tesela/tridiagonal_io.h"
#include "tesela/video_io.h"
#include "tesela/wavelet_io.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;
using operations::Output;
using operations::PixelFormat;
using operations::Values;

PixelFormat format_of(const Output& output, const AnyImage& image) {
    return output.pixels ? output.pixels(image)
                         : PixelFormat{pixel_type_of(image), shape_of(image).channels};
}

void probe_image(const Output& output, const AnyImage& sample, std::optional<PixelType> type,
                 const fs::path& path) {
    AnyImage image = sample;
    if (output.pixels) {
        const PixelFormat format = output.pixels(sample);
        Shape shape = shape_of(sample);
        shape.channels = format.channels;
        image = convert(Image<double>(shape, geometry_of(sample)), format.type).image;
    }
    io::write_image(convert(image, type.value_or(pixel_type_of(image))).image, path);
}
void write_image(const Values& values, std::string_view name, const fs::path& path) {
    io::write_image(values.get<AnyImage>(name), path);
}
std::int64_t image_bytes(const Output& output, const AnyImage& input,
                         std::optional<PixelType> type) {
    const PixelFormat format = format_of(output, input);
    return shape_of(input).points() * format.channels *
           (pixel_type_bytes(format.type) + (type ? pixel_type_bytes(*type) : 0));
}

// Formats that hold no float show a difference around gray.
void write_difference(const Image<float>& difference, const fs::path& path) {
    constexpr std::array eight_bits{".png", ".jpg", ".jpeg", ".bmp"};
    if (std::find(eight_bits.begin(), eight_bits.end(), path.extension()) == eight_bits.end()) {
        io::write_image(difference, path);
        return;
    }
    Image<std::uint8_t> shown(difference.shape(), difference.geometry);
    std::transform(difference.pixels().begin(), difference.pixels().end(), shown.pixels().begin(),
                   [](float value) {
                       constexpr float gray = 128;
                       return static_cast<std::uint8_t>(std::clamp(gray + value, 0.0f, 255.0f));
                   });
    io::write_image(shown, path);
}
void probe_difference(const Output&, const AnyImage& sample, std::optional<PixelType>,
                      const fs::path& path) {
    write_difference(Image<float>(shape_of(sample), geometry_of(sample)), path);
}
void write_difference_of(const Values& values, std::string_view name, const fs::path& path) {
    write_difference(std::get<Image<float>>(values.get<AnyImage>(name)), path);
}

void probe_labels(const Output&, const AnyImage& sample, std::optional<PixelType>,
                  const fs::path& path) {
    Shape shape = shape_of(sample);
    shape.channels = 1;
    io::write_labels(LabelImage(shape, geometry_of(sample)), path);
}
void write_labels(const Values& values, std::string_view name, const fs::path& path) {
    io::write_labels(values.get<LabelImage>(name), path);
}
std::int64_t label_bytes(const Output&, const AnyImage& input, std::optional<PixelType>) {
    return 4 * shape_of(input).points();
}

void probe_field(const Output&, const AnyImage&, std::optional<PixelType>, const fs::path& path) {
    io::write_flow(FlowField({1, 1, 1, 1, 2}), path);
}
void write_field(const Values& values, std::string_view name, const fs::path& path) {
    io::write_flow(values.get<FlowField>(name), path);
}
std::int64_t field_bytes(const Output&, const AnyImage& input, std::optional<PixelType>) {
    return 8 * shape_of(input).points();
}

void probe_coefficients(const Output&, const AnyImage& sample, std::optional<PixelType>,
                        const fs::path& path) {
    io::write_image(Image<float>(shape_of(sample), geometry_of(sample)), path);
}
void write_wavelet(const Values& values, std::string_view name, const fs::path& path) {
    io::write_coefficients(values.get<WaveletCoefficients>(name), path);
}
void open_coefficients(Values& inputs, std::string_view name, const AnyImage& image,
                       const fs::path& path) {
    inputs.set(name, io::coefficients_of(image, path));
}

void probe_transform(const Output&, const AnyImage&, std::optional<PixelType>,
                     const fs::path& path) {
    io::write_transform({}, path);
}
void write_transform(const Values& values, std::string_view name, const fs::path& path) {
    io::write_transform(values.get<Transform>(name), path);
}

// Frames go to a video, or into a folder that is new, as PNG.
void write_frames(const AnyImage& frames, const fs::path& path) {
    const auto& all = std::get<Image<std::uint8_t>>(frames);
    Shape shape = all.shape();
    const std::int64_t count = std::exchange(shape.t, 1);
    const bool is_video = io::is_video_name(path);
    if (!is_video && path.has_extension())
        throw UnsupportedFormat(fmt::format(
            "'{}' is one picture, and there are {} frames: name a folder, or a video (.mp4, .mkv, "
            ".mov, .avi, .y4m)",
            path.string(), count));
    const auto video = is_video ? io::create_video(path, {{25, 1}}) : nullptr;
    if (!is_video) fs::create_directory(path);
    for (std::int64_t i = 0; i < count; ++i) {
        Image<std::uint8_t> frame(shape);
        frame.has_alpha = all.has_alpha;
        const auto first = all.pixels().begin() + i * shape.elements();
        std::copy(first, first + shape.elements(), frame.pixels().begin());
        if (video)
            video->write(frame);
        else
            io::write_image(frame, path / fmt::format("{:06}.png", i));
    }
    if (video) video->finish();
}
void write_view(const Values& values, std::string_view name, const fs::path& path) {
    const auto& view = values.get<AnyImage>(name);
    if (shape_of(view).t > 1 || io::is_video_name(path))
        write_frames(view, path);
    else
        io::write_image(view, path);
}
void probe_view(const Output& output, const AnyImage&, std::optional<PixelType>,
                const fs::path& path) {
    if (output.name == "depth")
        io::write_image(Image<float>(Shape{2, 2}), path);
    else if (io::is_video_name(path))
        write_frames(Image<std::uint8_t>({2, 2, 1, 1, 3}), path);
    else if (path.has_extension())
        io::write_image(Image<std::uint8_t>({2, 2, 1, 1, 3}), path);
}

void write_transfer(const Values& values, std::string_view name, const fs::path& path) {
    io::write_transfer_function(values.get<TransferFunction>(name), path);
}
void probe_transfer(const Output&, const AnyImage&, std::optional<PixelType>,
                    const fs::path& path) {
    io::write_transfer_function(
        {.name = "", .color = {{}}, .opacity = {{}}, .gradient_opacity = {}}, path);
}

// Their operations tell what they take.
std::int64_t told_by_the_operation(const Output&, const AnyImage&, std::optional<PixelType>) {
    return 0;
}

// Text with a comma, quote or line break stands in quotes.
std::string csv_text(const operations::Table::Cell& cell) {
    const auto* text = std::get_if<std::string>(&cell);
    if (!text || text->find_first_of(",\"\r\n") == text->npos)
        return std::visit([](const auto& value) { return fmt::format("{}", value); }, cell);
    std::string quoted = "\"";
    for (const char c : *text) quoted.append(c == '"' ? 2 : 1, c);
    return quoted + "\"";
}
std::string csv_row(const operations::Table& table, std::int64_t row) {
    std::string text;
    for (std::size_t column = 0; column < table.columns.size(); ++column)
        text += (column > 0 ? "," : "") + csv_text(table.cell(row, column));
    return text;
}
// A record, by the names of the columns.
std::string json_row(const operations::Table& table, std::int64_t row) {
    Json record = Json::object();
    for (std::size_t column = 0; column < table.columns.size(); ++column)
        std::visit([&](const auto& value) { record[table.columns[column]] = value; },
                   table.cell(row, column));
    return json_text(std::move(record), -1) + (row + 1 < table.rows ? "," : "");
}
void write_rows(const operations::Table& table, const fs::path& path) {
    const bool is_json = path.extension() == ".json";
    std::ofstream out(path, std::ios::binary);
    if (is_json)
        out << "[\n";
    else
        out << fmt::format("{}\n", fmt::join(table.columns, ","));
    for (std::int64_t row = 0; row < table.rows; ++row)
        out << (is_json ? json_row(table, row) : csv_row(table, row)) << '\n';
    if (is_json) out << "]\n";
    out.close();
    if (!out) throw UnwritableOutput("cannot write '" + path.string() + "': is the disk full?");
}
void write_table(const Values& values, std::string_view name, const fs::path& path) {
    write_rows(values.get<operations::Table>(name), path);
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
void probe_outlines(const Output&, const AnyImage&, std::optional<PixelType>,
                    const fs::path& path) {
    write_outlines_as({}, path);
}
void write_outlines(const Values& values, std::string_view name, const fs::path& path) {
    write_outlines_as(values.get<operations::Outlines>(name), path);
}

template <class T>
std::int64_t listed(Values& inputs, std::string_view name, T value, std::int64_t bytes) {
    inputs.set(name, std::move(value));
    return bytes;
}
std::int64_t read_field(Values& inputs, std::string_view name, const fs::path& path,
                        const io::ReadOptions& reading, const operations::Options&) {
    FlowField field = io::read_flow(path, reading);
    const std::int64_t bytes = bytes_of(field);
    return listed(inputs, name, std::move(field), bytes);
}
std::int64_t read_landmarks(Values& inputs, std::string_view name, const fs::path& path,
                            const io::ReadOptions& reading, const operations::Options&) {
    return listed(inputs, name, io::read_landmarks(path, reading), 0);
}

void write_circles(const Values& values, std::string_view name, const fs::path& path) {
    io::write_circles(values.get<std::vector<Circle>>(name), path);
}
std::int64_t read_circles(Values& inputs, std::string_view name, const fs::path& path,
                          const io::ReadOptions&, const operations::Options&) {
    return listed(inputs, name, io::read_circles(path), 0);
}

void write_solutions(const Values& values, std::string_view name, const fs::path& path) {
    io::write_solutions(values.get<TridiagonalSolutions>(name), path);
}
std::int64_t read_equations(Values& inputs, std::string_view name, const fs::path& path,
                            const io::ReadOptions&, const operations::Options&) {
    TridiagonalSystems systems = io::read_tridiagonal(path);
    const auto bytes = static_cast<std::int64_t>(4 * sizeof(double) * systems.b.size());
    return listed(inputs, name, std::move(systems), bytes);
}

// Labels where the options or a file beside them say so.
std::int64_t read_warpable(Values& inputs, std::string_view name, const fs::path& path,
                           const io::ReadOptions& reading, const operations::Options& options) {
    const std::string file = path.filename().string();
    if (file.ends_with(".csv"))
        return listed(inputs, name, operations::Warpable(io::read_landmarks(path, reading)), 0);
    if (file.ends_with(".geojson") || file.ends_with(".geojson.gz"))
        return listed(inputs, name, operations::Warpable(io::read_geojson(path, reading)), 0);
    if (std::get<bool>(options.get("labels")) || fs::exists(io::labels_side_file(path))) {
        LabelImage labels = io::read_labels(path, reading);
        const std::int64_t bytes = bytes_of(labels);
        return listed(inputs, name, operations::Warpable(std::move(labels)), bytes);
    }
    AnyImage image = io::read_image(path, reading).image;
    const std::int64_t bytes = bytes_of(image);
    return listed(inputs, name, operations::Warpable(std::move(image)), bytes);
}
struct WriteWarped {
    const fs::path& path;
    void operator()(const AnyImage& image) const { io::write_image(image, path); }
    void operator()(const LabelImage& labels) const { io::write_labels(labels, path); }
    void operator()(const Landmarks& landmarks) const { io::write_landmarks(landmarks, path); }
    void operator()(const Annotations& outlines) const { io::write_geojson(outlines, path); }
};
void write_warped(const Values& values, std::string_view name, const fs::path& path) {
    std::visit(WriteWarped{path}, values.get<operations::Warpable>(name));
}

void probe_nothing(const Output&, const AnyImage&, std::optional<PixelType>, const fs::path&) {}

std::vector<fs::path> label_side_files(const fs::path& path) {
    return {io::labels_side_file(path)};
}
std::vector<fs::path> wavelet_side_files(const fs::path& path) {
    return {io::wavelet_side_file(path)};
}

const std::array all{
    KindFiles{kinds::image, probe_image, write_image, image_bytes},
    KindFiles{kinds::mask, probe_image, write_image, image_bytes},
    KindFiles{kinds::difference, probe_difference, write_difference_of, image_bytes},
    KindFiles{kinds::labels, probe_labels, write_labels, label_bytes, label_side_files},
    KindFiles{kinds::field, probe_field, write_field, field_bytes, nullptr, nullptr, read_field},
    KindFiles{kinds::coefficients, probe_coefficients, write_wavelet, told_by_the_operation,
              wavelet_side_files, open_coefficients},
    KindFiles{kinds::outlines, probe_outlines, write_outlines, told_by_the_operation},
    KindFiles{kinds::transform, probe_transform, write_transform, told_by_the_operation},
    KindFiles{kinds::view, probe_view, write_view, told_by_the_operation},
    KindFiles{kinds::transfer, probe_transfer, write_transfer, told_by_the_operation},
    KindFiles{kinds::table, probe_nothing, write_table, told_by_the_operation},
    KindFiles{kinds::landmarks, nullptr, nullptr, nullptr, nullptr, nullptr, read_landmarks},
    KindFiles{kinds::circles, probe_nothing, write_circles, told_by_the_operation, nullptr, nullptr,
              read_circles},
    KindFiles{kinds::equations, nullptr, nullptr, nullptr, nullptr, nullptr, read_equations},
    KindFiles{kinds::solutions, probe_nothing, write_solutions, told_by_the_operation},
    KindFiles{kinds::warpable, probe_nothing, write_warped, told_by_the_operation, nullptr, nullptr,
              read_warpable},
};

}  // namespace

const KindFiles& files_of(operations::Kind kind) {
    for (const KindFiles& files : all)
        if (files.kind == kind) return files;
    throw std::logic_error("the kind '" + std::string(kind) + "' has no files");
}

}  // namespace tesela::cli
