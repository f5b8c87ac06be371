// The form in which OME-Zarr is written: version 0.4, in format 2 of Zarr, which all readers take,
// or 0.5, in format 3.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/blosc_codec.h"
#include "io/json_file.h"
#include "io/zarr/array.h"
#include "io/zarr/pyramid.h"
#include "io/zarr/sink.h"

namespace tesela::io::zarr {

struct Form {
    PixelType type = PixelType::u8;
    Geometry geometry;  // of level 0
    bool has_alpha = false, is_labels = false;
    std::string axes;  // that are written, the slowest first
    std::vector<Level> levels;
    std::int64_t side = 0;             // of a chunk along x, y and z; it has one channel and time
    std::optional<BloscForm> packing;  // none: numbers as they are
    bool is_format_3 = false;
};

// Those with a length or a place.
std::string axes_with_length(const Shape& shape, const Geometry& geometry);

// The attributes of a group whose image this is.
Json with_version(bool is_format_3, Json multiscale);
// What OME-Zarr says of the image. `name` is shown by some viewers.
Json attributes(const Form& form, const std::string& name);
// Writes what describes a group, whose attributes are those of OME-Zarr, and each level in it.
void put_group(bool is_format_3, const Json& attributes, Sink& sink);
void put_levels(const Form& form, Sink& sink);

// Along the axes of `axis_letters`.
Lengths lengths_of(const Shape& shape);
Lengths chunk_of(const Form& form, const Shape& shape);
// "2/0/1/0": a chunk of level 2, or "2/c/0/1/0".
std::string chunk_key(const Form& form, std::size_t level, const Lengths& place);

// The numbers of a chunk, packed: those of one channel and time that `image` has from `first` on,
// with zeros beyond it. Nothing where all of them are 0: such chunks are left out. Throws
// UnsupportedFormat that names `path` where the module of Blosc is missing.
std::vector<std::uint8_t> packed_chunk(const Form& form, const AnyImage& image,
                                       const Lengths& first, const Lengths& chunk,
                                       const fs::path& path);

}  // namespace tesela::io::zarr
