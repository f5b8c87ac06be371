// Reads a .tvol brick by brick. Every count, length and offset of a file is checked before it is
// used; docs/volume-files.md says which.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/threads.h"
#include "io/volume_file/volume_file.h"
#include "tesela/tile_source.h"
#include "volumes/brick_levels.h"

namespace tesela::io {
namespace {

constexpr int brick_levels = BrickSource::level_count;
using detail::BrickSize;

template <class T>
std::span<std::uint8_t> writable_bytes(std::vector<T>& values) {
    return {reinterpret_cast<std::uint8_t*>(values.data()), values.size() * sizeof(T)};
}

class VolumeFile : public BrickSource {
  public:
    explicit VolumeFile(const fs::path& path) : file_(path) {
        read_header();
        read_sections();
    }

    const BrickSourceFacts& facts() const override { return facts_; }

    BrickCoding coding(const BrickPlace& place) const override {
        return static_cast<BrickCoding>(codings_[static_cast<std::size_t>(number_of(place))]);
    }

    Bytes chunk(int level, const BrickPlace& place) const override {
        check_level(level);
        const auto number = static_cast<std::size_t>(number_of(place));
        const std::size_t entry =
            static_cast<std::size_t>(brick_levels - 1 - level) * codings_.size() + number;
        Bytes bytes(offsets_[entry + 1] - offsets_[entry]);
        read_at(bricks_at_ + offsets_[entry], bytes);
        if (!bytes.empty() && checksum_of(bytes) != checksums_[entry])
            throw damaged(place, level, "its checksum is wrong");
        return bytes;
    }

    template <class T>
    void decode_wavelet(int level, const BrickPlace& place, const BrickSize& size,
                        std::vector<T>& to) const {
        using U = std::make_unsigned_t<T>;
        std::vector<U> voxels;
        const auto bad_level = detail::decode_brick(
            size, level, [&](int at) { return chunk(at, place); }, voxels);
        if (bad_level) throw damaged(place, *bad_level, "its data cannot be decoded");
        std::transform(voxels.begin(), voxels.end(), to.begin(),
                       [](U voxel) { return static_cast<T>(detail::flipped<T>(voxel)); });
    }

    // Into as many voxels as the brick has at this level.
    template <class T>
    void decode(int level, const BrickPlace& place, const BrickSize& size,
                std::vector<T>& to) const {
        const BrickCoding how = coding(place);
        if (how == BrickCoding::wavelet) {
            if constexpr (detail::has_wavelet<T>)
                return decode_wavelet<T>(level, place, size, to);
            else
                throw damaged(place, level, "its type has no wavelet");
        }
        const Bytes bytes = chunk(0, place);
        if (how == BrickCoding::constant) {
            T value;
            if (bytes.size() != sizeof value) throw damaged(place, 0, "it has the wrong length");
            std::memcpy(&value, bytes.data(), sizeof value);
            std::fill(to.begin(), to.end(), value);
            return;
        }
        const auto unpack_to = [&](std::vector<T>& fine) {
            const bool unpacked = how == BrickCoding::sparse
                                      ? unpack_sparse(bytes, sizeof(T), writable_bytes(fine))
                                      : unpack(bytes, sizeof(T), writable_bytes(fine));
            if (!unpacked) throw damaged(place, 0, "it cannot be unpacked");
        };
        if (level == 0) return unpack_to(to);
        std::vector<T> fine(static_cast<std::size_t>(detail::voxels_of(size)));
        unpack_to(fine);
        to = detail::coarser_brick<T>(std::move(fine), size, 0, level, facts_.is_labels);
    }

    AnyImage brick(int level, const BrickPlace& place) const override {
        check_level(level);
        const auto coded_type = static_cast<PixelType>(header_.coded_type);
        AnyImage coded = with_type(coded_type, [&](auto type) -> AnyImage {
            using T = decltype(type);
            const BrickSize size = brick_size(place), cut = detail::size_at(size, level);
            auto image = Image<T>::unwritten({cut[0], cut[1], cut[2]});
            decode<T>(level, place, size, image.pixels());
            return image;
        });
        if (coded_type != facts_.type || facts_.quantization.needed())
            return dequantized(coded, facts_.type, facts_.quantization);
        return coded;
    }

    BlockRange block_range(const BrickPlace& place) const override {
        const auto block = static_cast<std::size_t>(number_of_block(place));
        return with_type(static_cast<PixelType>(header_.coded_type), [&](auto type) {
            using T = decltype(type);
            const auto value = [&](std::size_t i) {
                T number;
                std::memcpy(&number, &ranges_[i * sizeof(T)], sizeof(T));
                return facts_.quantization.needed() ? stored_value(static_cast<double>(number))
                                                    : static_cast<double>(number);
            };
            return BlockRange{value(block), value(ranges_.size() / sizeof(T) / 2 + block)};
        });
    }

  private:
    UnreadableInput bad(const std::string& reason) const {
        return unreadable(file_.path(), reason);
    }
    UnreadableInput damaged(const BrickPlace& p, int level, const std::string& reason) const {
        return bad(
            "brick " + std::to_string(p.x) + ", " + std::to_string(p.y) + ", " +
            std::to_string(p.z) +
            (facts_.levels.front().t > 1 ? " at time " + std::to_string(p.t) : "") +
            (facts_.levels.front().channels > 1 ? " of channel " + std::to_string(p.channel) : "") +
            " is damaged at level " + std::to_string(level) + ": " + reason);
    }

    // InputFile's position is shared by all threads; this reads at a place.
    void read_at(std::uint64_t offset, std::span<std::uint8_t> bytes) const {
        std::size_t done = 0;
        while (done < bytes.size()) {
            const ssize_t got = pread(fileno(file_.handle()), bytes.data() + done,
                                      bytes.size() - done, static_cast<off_t>(offset + done));
            if (got < 0) throw bad(system_reason(errno));
            if (got == 0) throw bad("it is truncated");
            done += static_cast<std::size_t>(got);
        }
    }

    void read_header() {
        const auto whole = static_cast<std::uint64_t>(file_.size());
        if (whole < sizeof header_) throw bad("it is truncated inside its header");
        read_at(0, {reinterpret_cast<std::uint8_t*>(&header_), sizeof header_});
        const VolumeFileHeader& h = header_;
        if (!std::equal(h.magic.begin(), h.magic.end(), volume_file_magic.begin()))
            throw unsupported(file_.path(), "it is no .tvol");
        if (h.major != volume_file_major)
            throw unsupported(file_.path(), "it has version " + std::to_string(h.major) +
                                                " of the format, and this Tesela reads version " +
                                                std::to_string(volume_file_major) +
                                                "; use a newer Tesela");
        if (checksum_of(bytes_of(reinterpret_cast<const std::uint8_t*>(&h),
                                 offsetof(VolumeFileHeader, checksum))) != h.checksum)
            throw bad("the checksum of its header is wrong");
        if (h.file_bytes != whole)
            throw bad("it is truncated or was never finished: it has " + std::to_string(whole) +
                      " bytes of " + std::to_string(h.file_bytes));
        const auto is_floating = [](std::uint8_t type) {
            return type >= static_cast<std::uint8_t>(PixelType::f32);
        };
        constexpr std::uint8_t last_type = static_cast<std::uint8_t>(PixelType::f64);
        constexpr std::uint32_t most_channels = 4;
        if (h.type > last_type || h.coded_type > last_type || h.channels < 1 ||
            h.channels > most_channels || h.unit > 2 || !std::isfinite(h.slope) ||
            !std::isfinite(h.intercept) || !std::isfinite(h.base) || !(h.step > 0) ||
            !std::isfinite(h.step) || (is_floating(h.coded_type) && h.coded_type != h.type))
            throw bad("its header has values that cannot be");
        set_facts();
    }

    void set_facts() {
        const VolumeFileHeader& h = header_;
        const Shape shape{h.shape[0], h.shape[1], h.shape[2], h.shape[3],
                          static_cast<int>(h.channels)};
        try {
            validate(shape);
        } catch (const InvalidArgument& error) {
            throw bad(error.what());
        }
        facts_.format = "TVOL";
        facts_.type = static_cast<PixelType>(h.type);
        facts_.scaling = {h.slope, h.intercept};
        facts_.is_labels = (h.flags & 1) != 0;
        facts_.has_alpha = (h.flags & 2) != 0;
        facts_.stored_bytes = file_.size();
        facts_.coded_type = static_cast<PixelType>(h.coded_type);
        facts_.quantization = {h.step, h.base};
        Geometry geometry;
        geometry.spacing = h.spacing;
        geometry.origin = h.origin;
        geometry.direction = h.direction;
        geometry.time_step = h.time_step;
        geometry.unit = static_cast<Unit>(h.unit);
        for (const double spacing : h.spacing)
            if (!(spacing > 0) || !std::isfinite(spacing)) throw bad("its spacing cannot be");
        facts_.set_levels(shape, geometry);
    }

    VolumeFileSection section(const std::vector<VolumeFileSection>& sections,
                              const std::array<char, 8>& name) const {
        for (const VolumeFileSection& s : sections)
            if (s.name == name) return s;
        throw bad("its section " + std::string(name.data()) + " is missing");
    }
    Bytes section_bytes(const VolumeFileSection& s) const {
        Bytes bytes(s.bytes);
        read_at(s.offset, bytes);
        if (checksum_of(bytes) != s.checksum)
            throw bad("the checksum of its section " + std::string(s.name.data()) + " is wrong");
        return bytes;
    }

    void read_sections() {
        const auto whole = static_cast<std::uint64_t>(file_.size());
        constexpr std::uint64_t most_sections = 1000;
        if (header_.sections > most_sections || header_.sections_at > whole ||
            header_.sections * sizeof(VolumeFileSection) > whole - header_.sections_at)
            throw bad("its table of sections lies outside of the file");
        std::vector<VolumeFileSection> sections(header_.sections);
        read_at(header_.sections_at, writable_bytes(sections));
        for (const VolumeFileSection& s : sections)
            if (s.offset > whole || s.bytes > whole - s.offset)
                throw bad("one of its sections lies outside of the file");
        const VolumeFileSection bricks = section(sections, brick_section);
        bricks_at_ = bricks.offset;
        // Each brick has a byte at least, so that counts are bounded by the file.
        const auto grid = BrickSource::bricks();
        const std::uint64_t planes =
            static_cast<std::uint64_t>(facts_.levels.front().t) * header_.channels;
        const auto count = static_cast<std::uint64_t>(grid[0] * grid[1] * grid[2]) * planes;
        if (static_cast<double>(grid[0]) * static_cast<double>(grid[1]) *
                    static_cast<double>(grid[2]) * static_cast<double>(planes) >
                static_cast<double>(bricks.bytes) ||
            count > bricks.bytes)
            throw bad("its header claims more bricks than the file has bytes");
        read_index(section_bytes(section(sections, index_section)), count, bricks.bytes);
        const auto blocks = BrickSource::blocks();
        const auto value =
            static_cast<std::size_t>(pixel_type_bytes(static_cast<PixelType>(header_.coded_type)));
        const std::size_t needed =
            static_cast<std::size_t>(blocks[0] * blocks[1] * blocks[2]) * planes * 2 * value;
        const Bytes packed = section_bytes(section(sections, range_section));
        if (unpacked_bytes(packed) != needed) throw bad("its section RANGES has the wrong length");
        ranges_.resize(needed);
        if (!unpack(packed, value, ranges_)) throw bad("its section RANGES is damaged");
    }

    // Codings, lengths by level from coarse to fine, checksums of those that are not empty.
    void read_index(const Bytes& packed, std::uint64_t count, std::uint64_t brick_bytes) {
        const std::size_t entries = count * brick_levels;
        const std::size_t fixed = count + entries * sizeof(std::uint32_t);
        const std::size_t present = unpacked_bytes(packed) - fixed;
        constexpr std::size_t sum_bytes = sizeof(std::uint64_t);
        if (unpacked_bytes(packed) < fixed || present > entries * sum_bytes)
            throw bad("its section INDEX is damaged");
        Bytes values(fixed + present);
        if (!unpack(packed, 1, values)) throw bad("its section INDEX is damaged");
        codings_.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
        offsets_.assign(1, 0);
        checksums_.resize(entries);
        std::size_t at = fixed;
        for (std::size_t entry = 0; entry < entries; ++entry) {
            std::uint32_t length = 0;
            std::memcpy(&length, &values[count + entry * sizeof length], sizeof length);
            offsets_.push_back(offsets_.back() + length);
            if (length == 0) continue;
            if (values.size() - at < sum_bytes) throw bad("its section INDEX is damaged");
            std::memcpy(&checksums_[entry], &values[at], sum_bytes);
            at += sum_bytes;
        }
        const bool codings_known = std::all_of(codings_.begin(), codings_.end(),
                                               [](std::uint8_t coding) { return coding <= 3; });
        if (!codings_known || at != values.size() || offsets_.back() != brick_bytes)
            throw bad("its section INDEX does not fit its bricks");
    }

    void check_level(int level) const {
        if (level < 0 || level >= brick_levels)
            throw InvalidArgument("level " + std::to_string(level) +
                                  " does not exist; levels are 0 to 4");
    }
    double stored_value(double number) const {
        return with_type(facts_.type, [&](auto type) {
            return static_cast<double>(facts_.quantization.stored<decltype(type)>(number));
        });
    }

    InputFile file_;
    VolumeFileHeader header_;
    BrickSourceFacts facts_;
    std::uint64_t bricks_at_ = 0;
    Bytes codings_;
    std::vector<std::uint64_t> offsets_;  // by level from coarse to fine, then brick; and the end
    std::vector<std::uint64_t> checksums_;
    Bytes ranges_;
};

}  // namespace

std::unique_ptr<BrickSource> open_volume_file(const fs::path& path) {
    std::unique_ptr<BrickSource> opened;
    with_memory_guard(path, [&] { opened = std::make_unique<VolumeFile>(path); });
    return opened;
}

bool is_volume_file(const fs::path& path) {
    const Bytes head = InputFile(path).head(volume_file_magic.size());
    return std::equal(head.begin(), head.end(), volume_file_magic.begin(), volume_file_magic.end(),
                      [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); });
}

ReadResult read_volume_file(const InputFile& file, const DecodeOptions& options) {
    const auto source = open_volume_file(file.path());
    const BrickSourceFacts& facts = source->facts();
    const bool scale = facts.scaling.needed() && !options.stored;
    const Shape& shape = facts.levels.front();
    const std::int64_t peak =
        volume_read_bytes(*source, 0, {{0, 0, 0}, {shape.x, shape.y, shape.z}}, scale);
    require_memory(file.path(), facts.voxel_bytes(), options.max_bytes, peak - facts.voxel_bytes());
    ReadResult result;
    result.image = source->read(0);
    if (scale)
        result.image = scaled(std::move(result.image), facts.scaling);
    else
        result.scaling = facts.scaling;
    result.work_bytes = peak - shape.elements() * pixel_type_bytes(pixel_type_of(result.image));
    result.format = facts.format;
    return result;
}

}  // namespace tesela::io
