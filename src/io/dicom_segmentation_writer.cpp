#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "io/dicom_segment_terms.h"
#include "io/dicom_segmentation.h"
#include "io/dicom_source.h"
#include "io/dicom_text.h"
#include "io/dicom_walker.h"
#include "io/label_runs.h"
#include "io/segmentation.h"

namespace tesela::io {
namespace {

constexpr std::int64_t most_segments = 65535, most_frames = 1 << 16;

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
    throw InvalidArgument("cannot write " + quoted(path) + ": " + reason);
}
[[noreturn]] void too_many(const fs::path& path, const std::string& reason) {
    throw UnsupportedFormat("cannot write " + quoted(path) + ": " + reason +
                            "; use .seg.nrrd, .nrrd or .nii.gz");
}

bool has_ascii_names(const LabelTable& table) {
    return std::all_of(table.begin(), table.end(), [](const auto& entry) {
        return is_ascii(entry.second.name) && is_ascii(entry.second.segment.tags);
    });
}

// At most 64 characters, none of which has a meaning in DICOM, in UTF-8 or in ASCII.
std::string long_string(const std::string& text, bool is_utf8) {
    constexpr int longest = 64;
    std::string line;
    int characters = 0;
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        const bool is_first_byte = (code & 0xc0) != 0x80;
        if (!is_utf8 && code >= 0x80) {
            if (is_first_byte && ++characters <= longest) line += '?';
            continue;
        }
        if (is_first_byte && ++characters > longest) break;
        line += c == '\\' ? '/' : code < 32 || code == 127 ? ' ' : c;
    }
    return line;
}

// A segment in a slice, and the rows that it lies in.
struct Frame {
    std::uint32_t label = 0;
    std::int64_t slice = 0, first_row = 0, end_row = 0;
};

// By label and slice. The first and the last slice are there whatever is in them, so that the
// whole grid is known.
std::vector<Frame> frames_of(const LabelImage& labels, const fs::path& path) {
    std::map<std::pair<std::uint32_t, std::int64_t>, Frame> found;
    const auto check_number = [&] {
        if (std::ssize(found) > most_frames)
            too_many(path, "its segments have more than " + std::to_string(most_frames) +
                               " slices together");
    };
    for_each_label_run(labels, [&](std::uint32_t label, std::int64_t, std::int64_t, std::int64_t y,
                                   std::int64_t z) {
        found.try_emplace({label, z}, Frame{label, z, y, y}).first->second.end_row = y + 1;
        check_number();
    });
    const std::uint32_t first = found.empty() ? 1 : found.begin()->first.first;
    for (const std::int64_t z : {std::int64_t{0}, labels.shape().z - 1})
        found.try_emplace({first, z}, Frame{first, z});
    check_number();
    std::vector<Frame> frames;
    for (const auto& [key, frame] : found) frames.push_back(frame);
    return frames;
}

std::vector<std::uint32_t> labels_in(const std::vector<Frame>& frames) {
    std::vector<std::uint32_t> labels;
    for (const Frame& frame : frames)
        if (labels.empty() || labels.back() != frame.label) labels.push_back(frame.label);
    return labels;
}

// Of one bit a pixel, one frame behind the other without a gap.
class BitWriter {
  public:
    explicit BitWriter(OutputFile& file) : file_(file) {}

    void write(const LabelImage& labels, const Frame& frame) {
        const Shape& shape = labels.shape();
        const std::int64_t pixels = shape.x * shape.y;
        bytes_.assign(static_cast<std::size_t>((used_ + pixels + 7) / 8), 0);
        bytes_[0] = rest_;
        const std::uint32_t* slice = labels.data() + frame.slice * pixels;
        for (std::int64_t i = frame.first_row * shape.x; i < frame.end_row * shape.x; ++i)
            if (slice[i] == frame.label)
                bytes_[static_cast<std::size_t>((used_ + i) / 8)] |=
                    static_cast<std::uint8_t>(1u << (used_ + i) % 8);
        const std::int64_t bits = used_ + pixels;
        used_ = bits % 8;
        rest_ = used_ > 0 ? bytes_.back() : 0;
        put(static_cast<std::size_t>(bits / 8));
    }
    void finish() {
        bytes_ = {rest_, 0};
        if (used_ > 0) put(1);
        bytes_[0] = 0;
        if (written_ % 2 > 0) put(1);
    }

  private:
    void put(std::size_t bytes) {
        file_.write_or_throw(bytes_.data(), bytes);
        written_ += bytes;
    }

    OutputFile& file_;
    std::vector<std::uint8_t> bytes_;
    std::int64_t used_ = 0;  // bits of `rest_`
    std::uint8_t rest_ = 0;  // which is not written yet
    std::size_t written_ = 0;
};

class SegmentationWriter {
  public:
    SegmentationWriter(const DicomSource& source, const LabelImage& labels, const LabelTable& table,
                       const DicomOrigin& origin, const fs::path& path)
        : source_(source),
          labels_(labels),
          table_(table),
          origin_(origin),
          frames_(frames_of(labels, path)),
          numbered_(labels_in(frames_)),
          is_utf8_(source.character_set == "ISO_IR 192") {
        if (std::ssize(numbered_) > most_segments)
            too_many(path, "DICOM holds 65,535 segments at most, and it has " +
                               std::to_string(numbered_.size()));
        if (pixel_bits() > 8 * std::int64_t{0xfffffffe})
            too_many(path, "its segments have more bits than a DICOM file holds");
    }

    void write(OutputFile& file) const {
        const std::string instance = new_uid();
        put(file, dicom_file_head(segmentation_class, instance, explicit_little_endian));
        put(file, elements(instance).bytes());
        put(file, element_head(frame_groups_tag, "SQ", undefined_length));
        std::int64_t segment = 0;
        std::uint32_t label = 0;
        for (const Frame& frame : frames_) {
            if (segment == 0 || frame.label != label) ++segment;
            label = frame.label;
            const std::string item = groups_of(frame, segment).bytes();
            put(file, item_head(static_cast<std::uint32_t>(item.size())) + item);
        }
        const std::int64_t bytes = (pixel_bits() + 7) / 8;
        put(file, sequence_end() + element_head(0x7fe00010, "OB",
                                                static_cast<std::uint32_t>(bytes + bytes % 2)));
        BitWriter bits(file);
        for (const Frame& frame : frames_) bits.write(labels_, frame);
        bits.finish();
    }

    std::vector<std::string> warnings() const {
        std::vector<std::string> all;
        const auto count = static_cast<std::uint32_t>(numbered_.size());
        if (numbered_.back() != count)
            all.push_back("labels are numbered from 1 to " + std::to_string(count) +
                          ", as DICOM counts segments; their names tell which are which");
        if (!is_utf8_ && !has_ascii_names(table_))
            all.push_back("names of labels lose characters that are not ASCII: the series " +
                          (source_.character_set.empty()
                               ? "names no character set for its own"
                               : "has the character set " + printable(source_.character_set)));
        return all;
    }

  private:
    static void put(OutputFile& file, const std::string& bytes) {
        file.write_or_throw(bytes.data(), bytes.size());
    }
    std::int64_t pixel_bits() const {
        return std::ssize(frames_) * labels_.shape().x * labels_.shape().y;
    }
    DicomElements code(const DicomCode& of) const {
        return coded(long_string(of.value, false), long_string(of.scheme, false),
                     long_string(of.meaning, is_utf8_));
    }

    DicomElements elements(const std::string& instance) const {
        DicomElements out = new_series(source_, origin_, "SEG");
        out.text(0x00080008, "CS", "DERIVED\\PRIMARY");
        out.text(0x00080016, "UI", segmentation_class);
        out.text(0x00080018, "UI", instance);
        out.text(0x00200013, "IS", "1");
        out.text(0x00200052, "UI", source_.frame_of_reference);
        out.text(0x00201040, "LO", source_.position_reference);
        out.text(0x00700080, "CS", "SEGMENTATION");
        out.text(0x00700081, "LO", process_text(origin_));
        out.text(0x00700084, "PN", "");
        add_pixels(out);
        add_references(out);
        add_dimensions(out);
        add_shared_groups(out);
        std::vector<DicomElements> segments;
        for (const std::uint32_t label : numbered_)
            segments.push_back(segment(label, std::ssize(segments) + 1));
        out.text(0x00620001, "CS", "BINARY");
        out.sequence(0x00620002, segments);
        out.text(0x00620013, "CS", "NO");  // they do not overlap
        return out;
    }

    void add_pixels(DicomElements& out) const {
        out.number(0x00280002, 1);
        out.text(0x00280004, "CS", "MONOCHROME2");
        out.text(0x00280008, "IS", std::to_string(frames_.size()));
        out.number(0x00280010, labels_.shape().y);
        out.number(0x00280011, labels_.shape().x);
        out.number(0x00280100, 1);
        out.number(0x00280101, 1);
        out.number(0x00280102, 0);
        out.number(0x00280103, 0);
        out.text(0x00282110, "CS", "00");
        out.add(source_.lossy);
    }

    // Each instance of the source once.
    void add_references(DicomElements& out) const {
        std::vector<DicomElements> instances;
        std::set<std::string> seen;
        for (const DicomSource::Image& image : source_.images) {
            if (!seen.insert(image.instance).second) continue;
            DicomElements& item = instances.emplace_back();
            item.text(0x00081150, "UI", image.sop_class);
            item.text(0x00081155, "UI", image.instance);
        }
        DicomElements series;
        series.sequence(0x0008114a, instances);
        series.text(0x0020000e, "UI", source_.series_uid);
        out.sequence(0x00081115, series);
    }

    static void add_dimensions(DicomElements& out) {
        const std::string uid = new_uid();
        DicomElements organization;
        organization.text(0x00209164, "UI", uid);
        out.sequence(0x00209221, organization);
        const auto index = [&](std::uint32_t pointer, std::uint32_t group, const char* label) {
            DicomElements item = organization;
            item.tag(0x00209165, pointer);
            item.tag(0x00209167, group);
            item.text(0x00209421, "LO", label);
            return item;
        };
        const std::array indices{index(frame_segment_tag, 0x0062000a, "Segment"),
                                 index(position_tag, 0x00209113, "Position")};
        out.sequence(0x00209222, indices);
    }

    void add_shared_groups(DicomElements& out) const {
        const std::array<double, 3> spacing = labels_.geometry.spacing_mm();
        DicomElements measures, orientation, shared;
        const bool has_thickness = !source_.slice_thickness.empty();
        measures.text(0x00180050, "DS",
                      has_thickness ? source_.slice_thickness : decimal_text(spacing[2]));
        measures.decimals(slice_spacing_tag, {&spacing[2], 1});
        measures.decimals(spacing_tag, *source_.spacing);
        orientation.decimals(orientation_tag, *source_.orientation);
        shared.sequence(0x00289110, measures);
        shared.sequence(0x00209116, orientation);
        out.sequence(shared_groups_tag, shared);
    }

    DicomElements segment(std::uint32_t label, std::int64_t number) const {
        const auto found = table_.find(label);
        const LabelDescription of = found == table_.end() ? LabelDescription{} : found->second;
        const SegmentTerms terms = terms_of_tags(of.segment.tags);
        DicomElements out;
        out.number(0x00620004, number);
        const std::string name = long_string(of.name, is_utf8_);
        out.text(0x00620005, "LO", name.empty() ? made_name(label) : name);
        out.text(0x00620008, "CS", terms.algorithm_type);
        const std::string algorithm =
            terms.algorithm_name.empty() ? process_text(origin_) : terms.algorithm_name;
        if (terms.algorithm_type != "MANUAL")
            out.text(0x00620009, "LO", long_string(algorithm, is_utf8_));
        out.numbers(0x0062000d, cielab_of(color_of(&table_, label)));
        out.sequence(0x00620003, code(terms.category));
        DicomElements type = code(terms.type);
        if (!terms.type_modifier.empty()) type.sequence(0x00620011, code(terms.type_modifier));
        out.sequence(0x0062000f, type);
        if (terms.region.empty()) return out;
        DicomElements region = code(terms.region);
        if (!terms.region_modifier.empty())
            region.sequence(0x00082220, code(terms.region_modifier));
        out.sequence(0x00082218, region);
        return out;
    }

    // What is of one frame alone.
    DicomElements groups_of(const Frame& frame, std::int64_t segment) const {
        const DicomSource::Image& image = source_.images[static_cast<std::size_t>(frame.slice)];
        DicomElements content, position, identification, derivation, out;
        const std::array<std::int64_t, 2> indices{segment, frame.slice + 1};
        content.longs(0x00209157, indices);
        position.decimals(position_tag, *image.position);
        identification.number(frame_segment_tag, segment);
        DicomElements of_source = reference_to(image);
        of_source.text(0x0028135a, "CS", "YES");  // places are the same
        derivation.sequence(0x00082112, of_source);
        derivation.sequence(0x00089215, coded("113076", "DCM", "Segmentation"));
        out.sequence(0x00089124, derivation);
        out.sequence(0x00209111, content);
        out.sequence(0x00209113, position);
        out.sequence(0x0062000a, identification);
        return out;
    }

    const DicomSource& source_;
    const LabelImage& labels_;
    const LabelTable& table_;
    const DicomOrigin& origin_;
    const std::vector<Frame> frames_;
    const std::vector<std::uint32_t> numbered_;  // labels, from segment 1 on
    const bool is_utf8_;
};

void check_source(const DicomSource& source, const fs::path& path) {
    const std::string of = "the series of " + quoted(source.path);
    if (source.frame_of_reference.empty())
        refuse(path, of + " has no frame of reference (FrameOfReferenceUID), by which a "
                          "segmentation is tied to it; use .seg.nrrd, .nrrd or .nii.gz");
    if (!source.has_places())
        refuse(path, of + " does not say where its images lie; use .png, .tif or .nii.gz");
}

// In the order of the images of the source.
LabelImage on_grid_of(const DicomSource& source, const LabelImage& labels, const fs::path& path) {
    if (!labels.geometry.known())
        refuse(path, "the label map does not say where it lies, as the series of " +
                         quoted(source.path) + " does");
    try {
        return align_to(source.grid(), labels);
    } catch (const InvalidArgument& error) {
        refuse(path, "the label map does not lie on the grid of the series of " +
                         quoted(source.path) + ": " + error.what());
    }
}

}  // namespace

std::vector<std::string> write_dicom_segmentation(const LabelImage& labels, const LabelTable& table,
                                                  const fs::path& path,
                                                  const WriteOptions& options) {
    if (labels.shape().t > 1)
        throw UnsupportedFormat("cannot write " + quoted(path) +
                                ": a DICOM segmentation has no time axis; choose a time point by "
                                "--time N");
    const DicomSource source = read_dicom_source(options.origin, path, !has_ascii_names(table));
    check_source(source, path);
    if (options.is_sample) return {};
    const LabelImage placed = on_grid_of(source, labels, path);
    const SegmentationWriter writer(source, placed, table, options.origin, path);
    Staging staging({path}, options.overwrite);
    OutputFile file(staging.staged(), path);
    writer.write(file);
    file.close();
    staging.commit();
    return writer.warnings();
}

}  // namespace tesela::io
