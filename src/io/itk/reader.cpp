#include "io/itk_reader.h"

#include <array>
#include <cmath>
#include <exception>

#include "io/itk/table.h"

namespace tesela::io {
namespace {

using itk_module::Facts;

// Throws UnsupportedFormat for another type of C than pixels have.
PixelType pixel_type(const Facts& facts, const fs::path& path) {
    struct Type {
        char kind;
        int bytes;
        PixelType type;
    };
    constexpr Type types[] = {{'u', 1, PixelType::u8},  {'i', 1, PixelType::i8},
                              {'u', 2, PixelType::u16}, {'i', 2, PixelType::i16},
                              {'u', 4, PixelType::u32}, {'i', 4, PixelType::i32},
                              {'f', 4, PixelType::f32}, {'f', 8, PixelType::f64}};
    for (const Type& type : types)
        if (type.kind == facts.component_kind && type.bytes == facts.component_bytes)
            return type.type;
    throw unsupported(path,
                      "its pixel type '" + printable(facts.component_name) + "' is not supported");
}

// Throws UnsupportedFormat where the pixels are no numbers or vectors of them, or the axes more
// than four.
Shape shape_of(const Facts& facts, const fs::path& path) {
    if (facts.is_no_vector)
        throw unsupported(path, "its pixels are neither numbers nor vectors of them");
    for (std::uint32_t axis = 4; axis < facts.axes; ++axis)
        if (facts.lengths[axis] > 1) throw unsupported(path, "it has more than four axes");
    const auto& lengths = facts.lengths;
    const Shape shape{lengths[0], lengths[1], lengths[2], lengths[3], facts.channels};
    validate(shape);
    return shape;
}

// The first three axes. Throws UnreadableInput where a spacing or direction is no valid one.
Geometry geometry_of(const Facts& facts, const fs::path& path) {
    Geometry g;
    g.unit = Unit::millimeter;
    const std::uint32_t axes = std::min(facts.axes, 3u);
    for (std::uint32_t axis = 0; axis < axes; ++axis) {
        g.spacing[axis] = facts.spacing[axis];
        g.origin[axis] = facts.origin[axis];
        for (std::uint32_t row = 0; row < axes; ++row)
            g.direction[3 * row + axis] = facts.direction[axis][row];
        // An axis of one point often has no spacing.
        if (g.spacing[axis] == 0 && facts.lengths[axis] == 1) g.spacing[axis] = 1;
    }
    if (facts.axes > 3 && facts.spacing[3] > 0 && std::isfinite(facts.spacing[3]))
        g.time_step = facts.spacing[3];
    bool valid = true;
    for (const double spacing : g.spacing) valid = valid && spacing > 0 && std::isfinite(spacing);
    for (const double origin : g.origin) valid = valid && std::isfinite(origin);
    const auto& d = g.direction;
    const double determinant = d[0] * (d[4] * d[8] - d[5] * d[7]) -
                               d[1] * (d[3] * d[8] - d[5] * d[6]) +
                               d[2] * (d[3] * d[7] - d[4] * d[6]);
    valid = valid && std::abs(std::abs(determinant) - 1) < 1e-2;
    if (!valid) throw unreadable(path, "its header gives no valid spacing, origin or direction");
    return g;
}

// What the module's caller knows while it reads. An exception waits until the module has returned.
struct Reading {
    const fs::path& shown;
    const DecodeOptions& options;
    AnyImage image = {};
    std::exception_ptr failure = {};

    void* receive(const Facts& facts) {
        const Geometry geometry = io::geometry_of(facts, shown);
        const Shape shape = io::shape_of(facts, shown);
        image = allocate(shown, pixel_type(facts, shown), shape, options);
        if (static_cast<std::size_t>(facts.bytes) != pixel_bytes(image))
            throw unsupported(shown, "its pixels are not laid out as its header says");
        std::visit(
            [&](auto& i) {
                i.geometry = geometry;
                i.has_alpha = facts.has_alpha;
            },
            image);
        return pixel_data(image);
    }
};

void* receive(void* caller, const Facts* facts) {
    Reading& reading = *static_cast<Reading*>(caller);
    try {
        return reading.receive(*facts);
    } catch (...) {
        reading.failure = std::current_exception();
        return nullptr;
    }
}

}  // namespace

AnyImage read_by_itk(const fs::path& file, const fs::path& shown, const DecodeOptions& options) {
    const auto& itk = require_module<itk_module::Table>(shown);
    Reading reading{shown, options};
    std::array<char, 512> reason{};
    const auto outcome = itk.read(file.c_str(), receive, &reading, reason.data(), reason.size());
    if (reading.failure) std::rethrow_exception(reading.failure);
    if (outcome == itk_module::no_memory) throw std::bad_alloc();
    if (outcome != itk_module::done) throw unreadable(shown, printable(reason.data()));
    return std::move(reading.image);
}

}  // namespace tesela::io
