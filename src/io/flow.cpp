// The formats of Middlebury and KITTI, and which format a file has.
//
// S. Baker et al., "A Database and Evaluation Methodology for Optical Flow", IJCV 92, 2011;
// A. Geiger et al., "Vision meets Robotics: The KITTI Dataset", IJRR 32, 2013, and the description
// of files in its development kit.
#include "io/flow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>

namespace tesela::io {
namespace {

// Read as a little-endian float the mark is 202021.25.
constexpr std::string_view middlebury_mark = "PIEH";
constexpr std::string_view png_mark = "\x89PNG\r\n\x1a\n";
constexpr std::int64_t middlebury_header_bytes = 12;

bool starts_with(const InputFile& file, std::string_view mark) {
    const std::vector<std::uint8_t> head = file.head(mark.size());
    return head.size() == mark.size() && std::memcmp(head.data(), mark.data(), mark.size()) == 0;
}

FlowField read_middlebury(const InputFile& file, const ReadOptions& options) {
    std::array<std::int32_t, 3> header{};  // the mark, width, height
    file.read(0, {reinterpret_cast<std::uint8_t*>(header.data()), sizeof header});
    convert_words(header.data(), header.size(), std::endian::little);
    FlowField flow =
        make_claimed_flow(file, middlebury_header_bytes, header[1], header[2], options);
    file.read(middlebury_header_bytes,
              {reinterpret_cast<std::uint8_t*>(flow.data()), flow.pixels().size() * sizeof(float)});
    convert_words(flow.data(), flow.pixels().size(), std::endian::little);
    return flow;
}

void write_middlebury(const FlowField& flow, OutputFile& file) {
    std::array<std::int32_t, 2> size{static_cast<std::int32_t>(flow.shape().x),
                                     static_cast<std::int32_t>(flow.shape().y)};
    convert_words(size.data(), size.size(), std::endian::little);
    file.write_or_throw(middlebury_mark.data(), middlebury_mark.size());
    file.write_or_throw(size.data(), sizeof size);
    const std::int64_t row_words = 2 * flow.shape().x;
    std::vector<float> words;
    for (std::int64_t y = 0; y < flow.shape().y; ++y) {
        words.assign(flow.data() + y * row_words, flow.data() + (y + 1) * row_words);
        convert_words(words.data(), words.size(), std::endian::little);
        file.write_or_throw(words.data(), words.size() * sizeof(float));
    }
    file.close();
}

constexpr float kitti_zero = 32768, kitti_steps = 64;  // a pixel

FlowField read_kitti(const InputFile& file, const ReadOptions& options) {
    const ReadResult png = read_png(file, {options.max_bytes, false});
    const auto* stored = std::get_if<Image<std::uint16_t>>(&png.image);
    if (!stored || stored->shape().channels != 3)
        throw unsupported(file.path(),
                          "a PNG with flow has three channels of uint16, this one has " +
                              std::to_string(shape_of(png.image).channels) + " of " +
                              std::string(pixel_type_name(pixel_type_of(png.image))));
    const Shape& shape = stored->shape();
    require_memory(file.path(), 2 * 4 * shape.points(), options.max_bytes,
                   static_cast<std::int64_t>(pixel_bytes(png.image)));
    FlowField flow = make_flow(file.path(), shape.x, shape.y, options);
    const std::uint16_t* in = stored->data();
    float* out = flow.data();
    for (std::int64_t i = 0; i < shape.points(); ++i, in += 3, out += 2) {
        const bool known = in[2] != 0;
        for (int c = 0; c < 2; ++c)
            out[c] = known ? (static_cast<float>(in[c]) - kitti_zero) / kitti_steps : unknown_flow;
    }
    return flow;
}

std::uint16_t kitti_value(float component, const OutputFile& file) {
    const float value = std::round(component * kitti_steps + kitti_zero);
    if (!(value >= 0 && value <= 65535))
        throw TooNarrow("cannot write " + quoted(file.shown()) +
                        ": a PNG holds motions from -512 to 511.98 pixels, not " +
                        std::to_string(component) + "; use .flo");
    return static_cast<std::uint16_t>(value);
}

void write_kitti(const FlowField& flow, OutputFile& file) {
    const Shape& shape = flow.shape();
    Image<std::uint16_t> stored({shape.x, shape.y, 1, 1, 3});
    const float* in = flow.data();
    std::uint16_t* out = stored.data();
    for (std::int64_t i = 0; i < shape.points(); ++i, in += 2, out += 3) {
        if (!is_known(in[0], in[1])) continue;
        out[0] = kitti_value(in[0], file);
        out[1] = kitti_value(in[1], file);
        out[2] = 1;
    }
    write_png(stored, file, Compression::automatic);
}

using Writer = void (*)(const FlowField& flow, OutputFile& file);

Writer writer_for(const fs::path& path) {
    struct Suffix {
        std::string_view text;
        Writer writer;
    };
    static constexpr Suffix suffixes[] = {
        {".flo", write_middlebury}, {".png", write_kitti}, {".f", write_barron}};
    std::string suffix = path.extension().string();
    for (char& c : suffix)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    for (const Suffix& known : suffixes)
        if (known.text == suffix) return known.writer;
    throw UnsupportedFormat("cannot write " + quoted(path) +
                            ": its suffix names no format of flow; use one of .flo .png .F");
}

}  // namespace

void convert_words(void* words, std::size_t count, std::endian order) {
    if (order == std::endian::native) return;
    auto* byte = static_cast<unsigned char*>(words);
    for (std::size_t i = 0; i < count; ++i, byte += 4) std::reverse(byte, byte + 4);
}

FlowField make_flow(const fs::path& path, std::int64_t width, std::int64_t height,
                    const ReadOptions& options) {
    AnyImage any =
        allocate(path, PixelType::f32, {width, height, 1, 1, 2}, {options.max_bytes, false});
    return std::get<FlowField>(std::move(any));
}

FlowField make_claimed_flow(const InputFile& file, std::int64_t offset, std::int64_t width,
                            std::int64_t height, const ReadOptions& options) {
    const std::string claim =
        "the header claims " + std::to_string(width) + " x " + std::to_string(height) + " vectors";
    if (width < 1 || height < 1) throw unreadable(file.path(), claim);
    constexpr std::int64_t vector_bytes = 2 * sizeof(float);
    const std::int64_t held = file.size() - offset;
    if (height > held / vector_bytes / width)
        throw unreadable(file.path(), claim + ", but the file ends early, after " +
                                          std::to_string(file.size()) + " bytes");
    const std::int64_t behind = held - width * height * vector_bytes;
    if (behind > 0)
        throw unreadable(file.path(),
                         claim + ", but " + std::to_string(behind) + " bytes follow them");
    return make_flow(file.path(), width, height, options);
}

FlowField read_flow(const fs::path& path, const ReadOptions& options) {
    FlowField flow;
    with_memory_guard(path, [&] {
        const InputFile file(path);
        if (starts_with(file, middlebury_mark))
            flow = read_middlebury(file, options);
        else if (starts_with(file, png_mark))
            flow = read_kitti(file, options);
        else if (const auto header = barron_header(file))
            flow = read_barron(file, *header, options);
        else
            throw unsupported(path,
                              "it is not a flow field of a known format (Middlebury .flo, KITTI "
                              "PNG, Barron)");
    });
    return flow;
}

std::string flow_format(const fs::path& path) {
    const InputFile file(path);
    if (starts_with(file, middlebury_mark)) return "Middlebury flow";
    return barron_header(file) ? "Barron flow" : "";
}

void write_flow(const FlowField& flow, const fs::path& path, const WriteOptions& options) {
    with_memory_guard(path, [&] {
        check_flow(flow, "the flow");
        const Writer write = writer_for(path);
        Staging staging({path}, options.overwrite);
        OutputFile file(staging.staged(), staging.target());
        write(flow, file);
        staging.commit();
    });
}

}  // namespace tesela::io
