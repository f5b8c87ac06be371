// What compressed volumes are made from: images in memory, and raw files.
#include <algorithm>
#include <charconv>

#include "io/volume_file/volume_file.h"
#include "tesela/tile_source.h"

namespace tesela::io {
namespace {

class ImageInput : public VolumeInput {
  public:
    ImageInput(const AnyImage& image, const ValueScaling& scaling)
        : image_(image),
          facts_{shape_of(image), pixel_type_of(image), geometry_of(image), scaling,
                 has_alpha(image)} {}

    const VolumeInputFacts& facts() const override { return facts_; }
    AnyImage read(const VoxelBox& box, std::int64_t t) const override {
        const int channels = facts_.shape.channels;
        return std::visit(
            [&](const auto& from) -> AnyImage {
                std::decay_t<decltype(from)> to(
                    {box.length(0), box.length(1), box.length(2), 1, channels});
                auto* at = to.data();
                for (std::int64_t z = box.begin[2]; z < box.end[2]; ++z)
                    for (std::int64_t y = box.begin[1]; y < box.end[1]; ++y)
                        at =
                            std::copy_n(&from(box.begin[0], y, z, t), box.length(0) * channels, at);
                return to;
            },
            image_);
    }

  private:
    const AnyImage& image_;
    VolumeInputFacts facts_;
};

template <class T>
void swap_bytes(std::vector<T>& values) {
    for (T& value : values) {
        auto* bytes = reinterpret_cast<std::uint8_t*>(&value);
        std::reverse(bytes, bytes + sizeof(T));
    }
}

class RawInput : public VolumeInput {
  public:
    RawInput(const fs::path& path, const RawLayout& layout) : file_(path), layout_(layout) {
        validate(layout.shape);
        facts_.shape = layout.shape;
        facts_.type = layout.type;
        std::int64_t needed = 0;
        if (__builtin_mul_overflow(layout.shape.elements(), pixel_type_bytes(layout.type), &needed))
            throw unreadable(path, "--raw claims more pixels than can be addressed");
        const std::int64_t held = file_.size() - layout.offset;
        if (held != needed)
            throw unreadable(path, "its size does not fit --raw: " + std::to_string(needed) +
                                       " bytes of voxels are described and there are " +
                                       std::to_string(std::max<std::int64_t>(0, held)) +
                                       " behind the offset of " + std::to_string(layout.offset));
    }

    const VolumeInputFacts& facts() const override { return facts_; }
    AnyImage read(const VoxelBox& box, std::int64_t t) const override {
        const Shape& s = layout_.shape;
        AnyImage image = filled_image(layout_.type,
                                      {box.length(0), box.length(1), box.length(2), 1, s.channels});
        const std::int64_t value = pixel_type_bytes(layout_.type) * std::int64_t{s.channels};
        const bool whole_rows = box.length(0) == s.x;
        // Of whole rows those of a slice lie together.
        const std::int64_t rows = whole_rows ? box.length(1) : 1;
        auto* at = static_cast<std::uint8_t*>(pixel_data(image));
        const auto bytes = static_cast<std::size_t>(rows * box.length(0) * value);
        for (std::int64_t z = box.begin[2]; z < box.end[2]; ++z)
            for (std::int64_t y = box.begin[1]; y < box.end[1]; y += rows, at += bytes)
                file_.read(
                    layout_.offset + (((t * s.z + z) * s.y + y) * s.x + box.begin[0]) * value,
                    {at, bytes});
        if (layout_.big_endian)
            std::visit([](auto& pixels) { swap_bytes(pixels.pixels()); }, image);
        return image;
    }

  private:
    InputFile file_;
    RawLayout layout_;
    VolumeInputFacts facts_;
};

InvalidArgument bad_raw(std::string_view text) {
    return InvalidArgument(
        "--raw is '" + std::string(text) +
        "'; give width x height x depth, or of a picture width x height, type and, where there is "
        "a header, its bytes, such as 512x512x348:u16le or 150x150:u8:32");
}

// Takes a number and what follows it off the front of `text`.
std::int64_t take_number(std::string_view& text, std::string_view whole) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number < 0) throw bad_raw(whole);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

PixelType raw_type(std::string_view name, std::string_view whole) {
    constexpr std::pair<std::string_view, PixelType> names[] = {
        {"u8", PixelType::u8},   {"i8", PixelType::i8},   {"u16", PixelType::u16},
        {"i16", PixelType::i16}, {"u32", PixelType::u32}, {"i32", PixelType::i32},
        {"f32", PixelType::f32}, {"f64", PixelType::f64}};
    for (const auto& [known, type] : names)
        if (name == known) return type;
    throw bad_raw(whole);
}

}  // namespace

RawLayout RawLayout::parse(std::string_view text) {
    RawLayout layout;
    std::string_view rest = text;
    std::array<std::int64_t, 3> lengths{1, 1, 1};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        lengths[axis] = take_number(rest, text);
        const bool is_last = axis > 0 && rest.starts_with(':');
        if (!is_last && (axis == 2 || !rest.starts_with('x'))) throw bad_raw(text);
        rest.remove_prefix(1);
        if (is_last) break;
    }
    layout.shape = {lengths[0], lengths[1], lengths[2]};
    validate(layout.shape);
    const std::size_t colon = rest.find(':');
    std::string_view type = rest.substr(0, colon);
    layout.big_endian = type.ends_with("be");
    if (layout.big_endian || type.ends_with("le")) type.remove_suffix(2);
    layout.type = raw_type(type, text);
    if (colon == std::string_view::npos) return layout;
    rest.remove_prefix(colon + 1);
    layout.offset = take_number(rest, text);
    if (!rest.empty()) throw bad_raw(text);
    return layout;
}

std::unique_ptr<VolumeInput> volume_input(const AnyImage& image, const ValueScaling& scaling) {
    return std::make_unique<ImageInput>(image, scaling);
}

std::unique_ptr<VolumeInput> open_raw(const fs::path& path, const RawLayout& layout) {
    return std::make_unique<RawInput>(path, layout);
}

ReadResult read_raw(const fs::path& path, const RawLayout& layout, const DecodeOptions& options) {
    const RawInput input(path, layout);
    const Shape& shape = layout.shape;
    require_memory(path, shape.elements() * pixel_type_bytes(layout.type), options.max_bytes);
    ReadResult result;
    with_memory_guard(path, [&] {
        result.image = input.read({{0, 0, 0}, {shape.x, shape.y, shape.z}}, 0);
    });
    result.format = "raw";
    return result;
}

}  // namespace tesela::io
