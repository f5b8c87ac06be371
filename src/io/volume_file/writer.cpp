// Writes a .tvol: bricks are coded slab by slab into one scratch file for each level, which are put
// one behind the other, coarse ones first and in the order of their bricks, when all are there.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/brick_slabs.h"
#include "core/threads.h"
#include "io/volume_file/volume_file.h"
#include "tesela/options.h"
#include "tesela/read_in_columns.h"

namespace tesela::io {
namespace {

constexpr int brick_levels = BrickSource::level_count, brick_side = BrickSource::side,
              block_side = BrickSource::block_side;
using detail::BrickSize;

struct CodedBrick {
    BrickCoding coding = BrickCoding::constant;
    detail::BrickChunks chunks;
};

// Levels of zstd: for a first look, where the wavelet is the other choice, and where there is none.
constexpr int quick_effort = 1, image_effort = 15, full_effort = 19;

template <class T>
bool is_constant(std::span<const T> voxels) {
    // By bits, for NaN and -0.
    return std::all_of(voxels.begin(), voxels.end(), [&](const T& voxel) {
        return std::memcmp(&voxel, voxels.data(), sizeof(T)) == 0;
    });
}

std::size_t length_of(const CodedBrick& coded) {
    std::size_t length = 0;
    for (const Bytes& chunk : coded.chunks) length += chunk.size();
    return length;
}

CodedBrick shorter(CodedBrick wavelet, BrickCoding coding, Bytes packed) {
    if (packed.size() > length_of(wavelet)) return wavelet;
    return {coding, {std::move(packed)}};
}

// Whether zstd made about as many bytes as the frequencies of bytes alone ask for (C. E. Shannon,
// 1948), as it does of noise, of which more effort finds no more than that.
bool repeats_nothing(std::size_t packed, std::span<const std::uint8_t> values,
                     std::size_t value_bytes) {
    constexpr double nearly = 0.97;
    double bits = 0;
    for (std::size_t place = 0; place < value_bytes; ++place) {
        std::array<std::uint32_t, 256> counts{};
        for (std::size_t i = place; i < values.size(); i += value_bytes) ++counts[values[i]];
        const double total = static_cast<double>(values.size() / value_bytes);
        for (const std::uint32_t count : counts)
            if (count > 0) bits += count * std::log2(total / count);
    }
    return static_cast<double>(packed) > nearly * bits / 8;
}

template <class T>
CodedBrick code_brick(std::span<const T> voxels, const BrickSize& size, bool is_labels) {
    const auto bytes = bytes_of(voxels.data(), voxels.size());
    if (is_constant(voxels))
        return {BrickCoding::constant, {Bytes(bytes.begin(), bytes.begin() + sizeof(T))}};
    std::optional<CodedBrick> wavelet;
    if constexpr (detail::has_wavelet<T>)
        if (!is_labels)
            wavelet = CodedBrick{BrickCoding::wavelet,
                                 detail::encode_brick(detail::as_unsigned(voxels), size)};
    if (wavelet) {
        // What more effort brings is seldom more than a thirteenth.
        const std::size_t promising = length_of(*wavelet) * 14 / 13;
        // Beside a frequent value, what the others are like does not matter to zstd.
        if (const auto sparse = split_sparse(bytes, sizeof(T))) {
            if (pack_sparse(*sparse, quick_effort).size() > promising) return std::move(*wavelet);
            return shorter(std::move(*wavelet), BrickCoding::sparse,
                           pack_sparse(*sparse, image_effort));
        }
        Bytes quick = pack(bytes, sizeof(T), quick_effort);
        if (quick.size() > promising) return std::move(*wavelet);
        return shorter(std::move(*wavelet), BrickCoding::packed,
                       repeats_nothing(quick.size(), bytes, sizeof(T))
                           ? std::move(quick)
                           : pack(bytes, sizeof(T), image_effort));
    }
    Bytes packed = pack(bytes, sizeof(T), full_effort);
    return {BrickCoding::packed, {std::move(packed)}};
}

// A part of the volume with one voxel around it, where there is one.
struct Slab {
    VoxelBox box;                       // without the voxels around
    std::array<std::int64_t, 3> begin;  // of the image
    std::int64_t t;
    AnyImage image;
};

class VolumeFileWriter {
  public:
    VolumeFileWriter(const VolumeInput& input, const fs::path& path,
                     const VolumeWriteOptions& options, const Progress& progress)
        : input_(input),
          facts_(input.facts()),
          options_(options),
          progress_(progress),
          staging_({path}, options.overwrite),
          grid_{(facts_.shape.x + brick_side - 1) / brick_side,
                (facts_.shape.y + brick_side - 1) / brick_side,
                (facts_.shape.z + brick_side - 1) / brick_side},
          blocks_{(facts_.shape.x + block_side - 1) / block_side,
                  (facts_.shape.y + block_side - 1) / block_side,
                  (facts_.shape.z + block_side - 1) / block_side} {
        bricks_ = grid_[0] * grid_[1] * grid_[2] * facts_.shape.t * facts_.shape.channels;
        for (int level = 0; level < brick_levels; ++level)
            scratch_.push_back(std::make_unique<OutputFile>(scratch_name(level), path));
        codings_.resize(static_cast<std::size_t>(bricks_));
        lengths_.resize(static_cast<std::size_t>(bricks_) * brick_levels);
        places_.resize(lengths_.size());
        checksums_.resize(lengths_.size());
        const Shape& s = facts_.shape;
        ranges_.resize(static_cast<std::size_t>(2 * blocks_[0] * blocks_[1] * blocks_[2] * s.t *
                                                s.channels * pixel_type_bytes(facts_.type)));
    }

    VolumeWriteResult write(const Quantization& quantum, PixelType type) {
        std::array<std::int64_t, 2> column{grid_[0], grid_[1]};
        if (const auto* in_columns = dynamic_cast<const ReadInColumns*>(&input_))
            column = in_columns->column();
        for (std::int64_t t = 0; t < facts_.shape.t; ++t)
            for (std::int64_t y = 0; y < grid_[1]; y += column[1])
                for (std::int64_t x = 0; x < grid_[0]; x += column[0])
                    write_column(
                        t, {x, y},
                        {std::min(grid_[0], x + column[0]), std::min(grid_[1], y + column[1])});
        finish(quantum, type);
        VolumeWriteResult result;
        result.bytes = static_cast<std::int64_t>(file_bytes_);
        result.bricks = bricks_;
        for (const std::uint8_t coding : codings_)
            ++(coding == 0 ? result.constant : coding == 1 ? result.wavelet : result.packed);
        return result;
    }

  private:
    fs::path scratch_name(int level) const {
        return staging_.scratch("level" + std::to_string(level));
    }

    // Bricks along x and y, from the first to one behind the last.
    using Bricks = std::array<std::int64_t, 2>;

    void write_column(std::int64_t t, const Bricks& begin, const Bricks& end) {
        Shape shape = facts_.shape;
        shape.x = std::min(shape.x, (end[0] - begin[0]) * brick_side);
        const std::int64_t rows = detail::rows_of_slab(shape, facts_.type);
        for (std::int64_t z = 0; z < grid_[2]; ++z)
            for (std::int64_t y = begin[1]; y < end[1]; y += rows)
                write_slab(read_slab(t, z, {begin[0], y}, {end[0], std::min(end[1], y + rows)}));
    }

    Slab read_slab(std::int64_t t, std::int64_t z, const Bricks& begin, const Bricks& end) const {
        const Shape& s = facts_.shape;
        const std::array<std::int64_t, 3> size{s.x, s.y, s.z}, first{begin[0], begin[1], z},
            last{end[0], end[1], z + 1};
        Slab slab;
        slab.t = t;
        VoxelBox wide;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            slab.box.begin[axis] = first[axis] * brick_side;
            slab.box.end[axis] = std::min(size[axis], last[axis] * brick_side);
            wide.begin[axis] = std::max<std::int64_t>(0, slab.box.begin[axis] - 1);
            wide.end[axis] = std::min(size[axis], slab.box.end[axis] + 1);
        }
        slab.begin = wide.begin;
        slab.image = input_.read(wide, t);
        return slab;
    }

    void write_slab(const Slab& slab) {
        const std::int64_t first = slab.box.begin[0] / brick_side,
                           first_row = slab.box.begin[1] / brick_side;
        const std::int64_t along = (slab.box.length(0) + brick_side - 1) / brick_side,
                           rows = (slab.box.length(1) + brick_side - 1) / brick_side;
        const std::int64_t z = slab.box.begin[2] / brick_side;
        const std::int64_t channels = facts_.shape.channels;
        const std::int64_t count = along * rows * channels;
        std::vector<CodedBrick> coded(static_cast<std::size_t>(count));
        // The bricks of a channel are neighbors in the file, so that channels are the slowest.
        const auto place_of = [&](std::int64_t i) {
            return BrickPlace{first + i % along, first_row + i / along % rows, z, slab.t,
                              static_cast<int>(i / along / rows)};
        };
        detail::for_each_index(
            count, options_.threads,
            [&](std::int64_t i) { coded[static_cast<std::size_t>(i)] = code(slab, place_of(i)); },
            [&](std::int64_t) { progress_.throw_if_cancelled(); });
        for (std::int64_t i = 0; i < count; ++i)
            append(place_of(i), coded[static_cast<std::size_t>(i)]);
        done_ += count;
        progress_.report(static_cast<double>(done_) / static_cast<double>(bricks_), "compress");
    }

    std::int64_t number_of(const BrickPlace& p) const {
        return (((p.t * facts_.shape.channels + p.channel) * grid_[2] + p.z) * grid_[1] + p.y) *
                   grid_[0] +
               p.x;
    }

    CodedBrick code(const Slab& slab, const BrickPlace& place) {
        return std::visit(
            [&](const auto& image) {
                using T = typename std::decay_t<decltype(image)>::value_type;
                const std::array<std::int64_t, 3> grid{place.x, place.y, place.z};
                VoxelBox box;
                BrickSize size{};
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    box.begin[axis] = grid[axis] * brick_side;
                    box.end[axis] = std::min(box.begin[axis] + brick_side, slab.box.end[axis]);
                    size[axis] = static_cast<int>(box.length(axis));
                }
                std::vector<T> voxels(static_cast<std::size_t>(detail::voxels_of(size)));
                T* next = voxels.data();
                const std::int64_t step = image.shape().channels;
                for (std::int64_t z = box.begin[2]; z < box.end[2]; ++z)
                    for (std::int64_t y = box.begin[1]; y < box.end[1]; ++y) {
                        const T* row = &image(box.begin[0] - slab.begin[0], y - slab.begin[1],
                                              z - slab.begin[2], 0, place.channel);
                        for (std::int64_t x = 0; x < box.length(0); ++x) *next++ = row[x * step];
                    }
                find_ranges(image, slab, box, place);
                return code_brick<T>(voxels, size, options_.labels);
            },
            slab.image);
    }

    // Of the blocks of a brick: lows of all blocks come first, then highs.
    template <class T>
    void find_ranges(const Image<T>& image, const Slab& slab, const VoxelBox& box,
                     const BrickPlace& place) {
        constexpr std::int64_t side = block_side;
        const std::int64_t planes = std::int64_t{facts_.shape.t} * facts_.shape.channels;
        const std::int64_t all = blocks_[0] * blocks_[1] * blocks_[2] * planes;
        auto* ranges = reinterpret_cast<T*>(ranges_.data());
        for (std::int64_t z = box.begin[2]; z < box.end[2]; z += side)
            for (std::int64_t y = box.begin[1]; y < box.end[1]; y += side)
                for (std::int64_t x = box.begin[0]; x < box.end[0]; x += side) {
                    const auto [lowest, highest] = range_around(image, slab, {x, y, z}, place);
                    const std::int64_t plane = place.t * facts_.shape.channels + place.channel;
                    const std::int64_t block =
                        ((plane * blocks_[2] + z / side) * blocks_[1] + y / side) * blocks_[0] +
                        x / side;
                    ranges[block] = lowest;
                    ranges[all + block] = highest;
                }
    }

    template <class T>
    std::pair<T, T> range_around(const Image<T>& image, const Slab& slab,
                                 const std::array<std::int64_t, 3>& at,
                                 const BrickPlace& place) const {
        const std::array<std::int64_t, 3> size{image.shape().x, image.shape().y, image.shape().z};
        std::array<std::int64_t, 3> begin{}, end{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::int64_t from = at[axis] - slab.begin[axis];
            begin[axis] = std::max<std::int64_t>(0, from - 1);
            end[axis] = std::min(size[axis], from + block_side + 1);
        }
        // Comparisons with NaN are false, so that it changes neither.
        using Limits = std::numeric_limits<T>;
        T lowest = Limits::has_infinity ? Limits::infinity() : Limits::max();
        T highest = Limits::has_infinity ? static_cast<T>(-lowest) : Limits::lowest();
        const std::int64_t step = image.shape().channels;
        for (std::int64_t z = begin[2]; z < end[2]; ++z)
            for (std::int64_t y = begin[1]; y < end[1]; ++y) {
                const T* row = &image(begin[0], y, z, 0, place.channel);
                for (std::int64_t x = 0; x < end[0] - begin[0]; ++x) {
                    lowest = std::min(lowest, row[x * step]);
                    highest = std::max(highest, row[x * step]);
                }
            }
        if (lowest > highest) lowest = highest = Limits::quiet_NaN();
        return {lowest, highest};
    }

    void append(const BrickPlace& place, const CodedBrick& coded) {
        const auto number = static_cast<std::size_t>(number_of(place));
        codings_[number] = static_cast<std::uint8_t>(coded.coding);
        for (std::size_t level = 0; level < brick_levels; ++level) {
            const Bytes& chunk = coded.chunks[level];
            const std::size_t entry = level * static_cast<std::size_t>(bricks_) + number;
            lengths_[entry] = static_cast<std::uint32_t>(chunk.size());
            places_[entry] = scratch_bytes_[level];
            scratch_bytes_[level] += chunk.size();
            checksums_[entry] = chunk.empty() ? 0 : checksum_of(chunk);
            scratch_[level]->write_or_throw(chunk.data(), chunk.size());
        }
    }

    // Codings, then for each level from coarse to fine its lengths; then checksums of the chunks
    // that there are.
    Bytes index() const {
        Bytes values(codings_);
        Bytes checksums;
        for (std::size_t level = brick_levels; level-- > 0;)
            for (std::size_t i = 0; i < static_cast<std::size_t>(bricks_); ++i) {
                const std::size_t entry = level * static_cast<std::size_t>(bricks_) + i;
                const auto length = bytes_of(&lengths_[entry], 1);
                values.insert(values.end(), length.begin(), length.end());
                if (lengths_[entry] == 0) continue;
                const auto sum = bytes_of(&checksums_[entry], 1);
                checksums.insert(checksums.end(), sum.begin(), sum.end());
            }
        values.insert(values.end(), checksums.begin(), checksums.end());
        return pack(values, 1, full_effort);
    }

    VolumeFileHeader header(const Quantization& quantum, PixelType type) const {
        VolumeFileHeader h;
        std::copy(volume_file_magic.begin(), volume_file_magic.end(), h.magic.begin());
        h.header_bytes = sizeof h;
        const Shape& s = facts_.shape;
        h.shape = {s.x, s.y, s.z, s.t};
        h.channels = static_cast<std::uint32_t>(s.channels);
        h.type = static_cast<std::uint8_t>(type);
        h.coded_type = static_cast<std::uint8_t>(facts_.type);
        h.flags = static_cast<std::uint8_t>((options_.labels ? 1 : 0) | (facts_.has_alpha ? 2 : 0));
        const Geometry g = options_.geometry.value_or(facts_.geometry);
        h.unit = static_cast<std::uint8_t>(g.unit);
        h.slope = facts_.scaling.slope;
        h.intercept = facts_.scaling.intercept;
        h.step = quantum.step;
        h.base = quantum.base;
        h.spacing = g.spacing;
        h.origin = g.origin;
        h.direction = g.direction;
        h.time_step = g.time_step;
        return h;
    }

    void finish(const Quantization& quantum, PixelType type) {
        VolumeFileHeader h = header(quantum, type);
        const Bytes index_bytes = index();
        const auto value = static_cast<std::size_t>(pixel_type_bytes(facts_.type));
        const Bytes range_bytes = pack(ranges_, value, full_effort);
        std::array<VolumeFileSection, 3> sections;
        std::uint64_t brick_bytes = 0;
        for (const std::uint32_t length : lengths_) brick_bytes += length;
        h.sections_at = sizeof h;
        h.sections = sections.size();
        const std::uint64_t first = sizeof h + sizeof sections;
        sections[0] = {index_section, first, index_bytes.size(), checksum_of(index_bytes)};
        sections[1] = {range_section, first + index_bytes.size(), range_bytes.size(),
                       checksum_of(range_bytes)};
        sections[2] = {brick_section, sections[1].offset + range_bytes.size(), brick_bytes, 0};
        h.file_bytes = file_bytes_ = sections[2].offset + brick_bytes;
        h.checksum = checksum_of(bytes_of(reinterpret_cast<const std::uint8_t*>(&h),
                                          offsetof(VolumeFileHeader, checksum)));
        for (const auto& scratch : scratch_) scratch->close();

        OutputFile out(staging_.staged(), staging_.target());
        require_room(staging_.scratch("room"), staging_.target(),
                     static_cast<std::int64_t>(file_bytes_));
        out.write_or_throw(&h, sizeof h);
        out.write_or_throw(sections.data(), sizeof sections);
        out.write_or_throw(index_bytes.data(), index_bytes.size());
        out.write_or_throw(range_bytes.data(), range_bytes.size());
        for (int level = brick_levels - 1; level >= 0; --level) append_scratch(level, out);
        out.close();
        staging_.commit();
    }

    void append_scratch(int level, OutputFile& out) const {
        const fs::path name = scratch_name(level);
        if (scratch_bytes_[static_cast<std::size_t>(level)] > 0) {
            const InputFile in(name);
            const std::size_t first = static_cast<std::size_t>(level) * codings_.size();
            std::uint64_t begin = 0, end = 0;  // of chunks that lie behind one another
            for (std::size_t entry = first; entry < first + codings_.size(); ++entry) {
                if (places_[entry] != end) {
                    copy(in, begin, end, out);
                    begin = places_[entry];
                }
                end = places_[entry] + lengths_[entry];
            }
            copy(in, begin, end, out);
        }
        fs::remove(name);
    }
    static void copy(const InputFile& in, std::uint64_t begin, std::uint64_t end, OutputFile& out) {
        Bytes piece;
        for (std::uint64_t at = begin; at < end; at += piece.size()) {
            piece.resize(std::min<std::uint64_t>(end - at, 1 << 20));
            in.read(static_cast<std::int64_t>(at), piece);
            out.write_or_throw(piece.data(), piece.size());
        }
    }

    const VolumeInput& input_;
    const VolumeInputFacts& facts_;
    const VolumeWriteOptions& options_;
    const Progress& progress_;
    Staging staging_;
    std::array<std::int64_t, 3> grid_, blocks_;
    std::int64_t bricks_ = 0, done_ = 0;
    std::vector<std::unique_ptr<OutputFile>> scratch_;  // by level
    Bytes codings_;
    std::array<std::uint64_t, brick_levels> scratch_bytes_{};
    std::vector<std::uint32_t> lengths_;  // by level, then brick
    std::vector<std::uint64_t> places_;   // likewise, in the scratch file of the level
    std::vector<std::uint64_t> checksums_;
    Bytes ranges_;
    std::uint64_t file_bytes_ = 0;
};

VolumeWriteResult write_once(const VolumeInput& input, const fs::path& path,
                             const VolumeWriteOptions& options, const Progress& progress,
                             const std::optional<VoxelRange>& range = {}) {
    const PixelType type = input.facts().type;
    if (options.max_error == 0)
        return VolumeFileWriter(input, path, options, progress).write(Quantization{}, type);
    const QuantizedInput quantized(input, options.max_error, range);
    VolumeWriteResult result =
        VolumeFileWriter(quantized, path, options, progress).write(quantized.quantum(), type);
    result.max_error = options.max_error;
    return result;
}

// The error of a step of the search: shares of the range, where there is one, or whole numbers.
double error_of_step(double slope, const std::optional<VoxelRange>& range, int step) {
    const double factor = std::pow(2.0, step / 2.0);
    return std::abs(slope) * (range ? range->span() * factor * 0x1p-20 : std::floor(factor));
}

// Halves the range of steps until the smallest is found that makes the file small enough.
VolumeWriteResult write_to_ratio(const VolumeInput& input, const fs::path& path,
                                 const VolumeWriteOptions& options, const Progress& progress) {
    const VolumeInputFacts& facts = input.facts();
    const auto most = static_cast<std::int64_t>(
        static_cast<double>(facts.shape.elements() * pixel_type_bytes(facts.type)) / options.ratio);
    VolumeWriteOptions tried = options;
    VolumeWriteResult result = write_once(input, path, tried, progress);
    if (result.bytes <= most) return result;
    tried.overwrite = true;
    std::optional<VoxelRange> range;
    if (is_floating_point(facts.type)) range = voxel_range(input, progress);
    constexpr int steps = 40;
    int too_fine = -1, enough = steps, written = -1;
    while (enough - too_fine > 1) {
        written = too_fine + (enough - too_fine) / 2;
        tried.max_error = error_of_step(facts.scaling.slope, range, written);
        result = write_once(input, path, tried, progress, range);
        (result.bytes <= most ? enough : too_fine) = written;
    }
    if (enough == steps) {
        fs::remove(path);
        throw InvalidArgument("--ratio " + detail::shown(options.ratio) +
                              " is more than this volume can be compressed");
    }
    if (written == enough) return result;
    tried.max_error = error_of_step(facts.scaling.slope, range, enough);
    return write_once(input, path, tried, progress, range);
}

}  // namespace

VolumeWriteResult write_volume_file(const VolumeInput& input, const fs::path& path,
                                    const VolumeWriteOptions& options, const Progress& progress) {
    const VolumeInputFacts& facts = input.facts();
    validate(facts.shape);
    constexpr int most_channels = 4;
    if (facts.shape.channels > most_channels)
        throw UnsupportedFormat("cannot write " + quoted(path) +
                                ": a .tvol holds 1 to 4 channels, not " +
                                std::to_string(facts.shape.channels));
    const bool is_float = is_floating_point(facts.type);
    if (options.labels && is_float)
        throw InvalidArgument("--labels: the volume has " +
                              std::string(pixel_type_name(facts.type)) +
                              " values; labels are integers");
    if (options.labels && options.max_error > 0)
        throw InvalidArgument("--labels are compressed without loss; leave --max-error out");
    if (!(options.max_error >= 0) || !std::isfinite(options.max_error))
        throw InvalidArgument("--max-error must be a finite number of at least 0");
    if (options.ratio != 0 && !(options.ratio > 1 && std::isfinite(options.ratio)))
        throw InvalidArgument("--ratio must be above 1");
    if (options.ratio != 0 && (options.labels || options.max_error > 0))
        throw InvalidArgument("--ratio goes neither with --labels nor with --max-error");
    VolumeWriteResult result;
    with_memory_guard(path, [&] {
        result = options.ratio > 0 ? write_to_ratio(input, path, options, progress)
                                   : write_once(input, path, options, progress);
    });
    return result;
}

}  // namespace tesela::io
