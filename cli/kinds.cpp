#include "kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>

#include "convert.h"
#include "tesela/flow_io.h"
#include "tesela/io.h"
#include "wavelet_file.h"

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
    write_coefficients(values.get<WaveletCoefficients>(name), path);
}
void open_coefficients(Values& inputs, std::string_view name, const AnyImage& image,
                       const fs::path& path) {
    inputs.set(name, coefficients_of(image, path));
}

// Their operations tell what they take.
std::int64_t told_by_the_operation(const Output&, const AnyImage&, std::optional<PixelType>) {
    return 0;
}

// Gives rows in large pieces of text.
template <class Take>
void write_rows(const operations::Table& table, const std::string& first, const Take& take) {
    fmt::memory_buffer text;
    const auto flush = [&] {
        take(std::string_view(text.data(), text.size()));
        text.clear();
    };
    for (std::int64_t row = 0; row < table.rows; ++row) {
        fmt::format_to(std::back_inserter(text), "{}", first);
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            std::visit(
                [&](auto value) {
                    fmt::format_to(std::back_inserter(text), "{}{}", column > 0 ? "," : "", value);
                },
                table.cell(row, column));
        text.push_back('\n');
        if (text.size() >= (1 << 20)) flush();
    }
    flush();
}

void probe_table(const Output&, const AnyImage&, std::optional<PixelType>, const fs::path&) {}
void write_table(const Values& values, std::string_view name, const fs::path& path) {
    const auto& table = values.get<operations::Table>(name);
    std::ofstream out(path, std::ios::binary);
    out << csv_columns(table) << '\n';
    write_rows(table, "", [&](std::string_view rows) { out << rows; });
    out.close();
    if (!out) throw UnwritableOutput("cannot write '" + path.string() + "': is the disk full?");
}

std::vector<fs::path> label_side_files(const fs::path& path) {
    return {io::labels_side_file(path)};
}
std::vector<fs::path> wavelet_side_files(const fs::path& path) { return {wavelet_side_file(path)}; }

const std::array all{
    KindFiles{kinds::image, probe_image, write_image, image_bytes},
    KindFiles{kinds::mask, probe_image, write_image, image_bytes},
    KindFiles{kinds::difference, probe_difference, write_difference_of, image_bytes},
    KindFiles{kinds::labels, probe_labels, write_labels, label_bytes, label_side_files},
    KindFiles{kinds::field, probe_field, write_field, field_bytes},
    KindFiles{kinds::coefficients, probe_coefficients, write_wavelet, told_by_the_operation,
              wavelet_side_files, open_coefficients},
    KindFiles{kinds::table, probe_table, write_table, told_by_the_operation},
};

}  // namespace

std::string csv_columns(const operations::Table& table) {
    return fmt::format("{}", fmt::join(table.columns, ","));
}

std::string csv_rows(const operations::Table& table, const std::string& first) {
    std::string text;
    write_rows(table, first, [&](std::string_view rows) { text += rows; });
    return text;
}

std::string csv_text(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

const KindFiles& files_of(operations::Kind kind) {
    for (const KindFiles& files : all)
        if (files.kind == kind) return files;
    throw std::logic_error("the kind '" + std::string(kind) + "' has no files");
}

}  // namespace tesela::cli
