#include <algorithm>
#include <cmath>
#include <set>

#include "io/dicom_geometry.h"
#include "io/dicom_header.h"
#include "io/dicom_segment_terms.h"
#include "io/dicom_segmentation.h"
#include "io/dicom_text.h"
#include "io/dicom_values.h"
#include "io/dicom_walker.h"
#include "io/plane_choice.h"
#include "io/segmentation.h"

namespace tesela::io {
namespace {

constexpr std::uint32_t segments_tag = 0x00620002, category_tag = 0x00620003, type_tag = 0x0062000f,
                        type_modifier_tag = 0x00620011, region_tag = 0x00082218,
                        region_modifier_tag = 0x00082220;

struct Segment {
    std::uint32_t number = 0;
    LabelDescription description;
};

// A frame, and where it lies.
struct Frame {
    std::size_t segment = 0;  // in the list of segments
    std::int64_t slice = 0;
    double along = 0;  // mm
};

using Item = DicomWalker::Item;

const Item* first_item(const Item& in, std::uint32_t sequence) {
    const auto found = in.sequences.find(sequence);
    return found == in.sequences.end() || found->second.empty() ? nullptr : &found->second.front();
}

class SegmentationReader {
  public:
    SegmentationReader(const InputFile& file, const DecodeOptions& options)
        : file_(file), options_(options), walker_(file), fields_(file, walker_.values) {
        walker_.wanted = {segments_tag,      category_tag, type_tag,
                          type_modifier_tag, region_tag,   region_modifier_tag};
        walker_.walk();
        check_kind();
        character_set_ = fields_.text(0x00080005);
        image_ = parse_dicom(file);
        take_segments();
        take_frames();
    }

    ReadResult read() {
        const ChosenPlanes chosen = chosen_segment();
        const bool is_wide = segments_.back().number > 0xff;
        const Shape shape{image_.frames.front().columns, image_.frames.front().rows, slices_};
        ReadResult result;
        result.format = "DICOM";
        result.warnings = image_.frames.front().warnings;
        if (is_sheared_) result.warnings.push_back(shear_warning);
        AnyImage image =
            allocate(file_.path(), is_wide ? PixelType::u16 : PixelType::u8, shape, options_);
        std::visit([&](auto& labels) { draw(labels, chosen.channel); }, image);
        geometry_of(image) = geometry_;
        result.image = std::move(image);
        LabelTable table;
        for (const Segment& segment : segments_) table[segment.number] = segment.description;
        result.label_table = std::make_shared<const LabelTable>(std::move(table));
        if (in_several_ > 0)
            result.warnings.push_back(
                "its segments overlap: " + std::to_string(in_several_) +
                (in_several_ == 1 ? " voxel is" : " voxels are") +
                " in several, the last of which counts; --channel N reads one segment");
        return result;
    }

  private:
    [[noreturn]] void refuse(const std::string& reason) const {
        throw unsupported(file_.path(), reason);
    }

    void check_kind() const {
        if (!walker_.pixels) refuse("this DICOM file holds no image");
        const std::string type = fields_.text(0x00620001);
        if (type != "BINARY")
            refuse("it is a DICOM segmentation of the type '" + printable(type) +
                   "', and BINARY alone is read");
        if (fields_.text(0x00209311).starts_with("TILED"))
            refuse("it is a DICOM segmentation of a slide, in tiles");
        if (fields_.u16(0x00280100, "BitsAllocated") != 1 || walker_.compressed())
            refuse("its segments are not stored as plain bits");
    }

    std::string text_in(const Item& item, std::uint32_t tag) const {
        const auto found = item.values.find(tag);
        return found == item.values.end() ? std::string()
                                          : dicom_utf8(found->second, character_set_);
    }
    DicomCode code_in(const Item* item) const {
        if (!item) return {};
        return {text_in(*item, 0x00080102), text_in(*item, 0x00080100), text_in(*item, 0x00080104)};
    }

    SegmentTerms terms_in(const Item& item) const {
        SegmentTerms terms;
        const Item *category = first_item(item, category_tag), *type = first_item(item, type_tag),
                   *region = first_item(item, region_tag);
        if (!code_in(category).empty()) terms.category = code_in(category);
        if (!code_in(type).empty()) terms.type = code_in(type);
        if (type) terms.type_modifier = code_in(first_item(*type, type_modifier_tag));
        terms.region = code_in(region);
        if (region) terms.region_modifier = code_in(first_item(*region, region_modifier_tag));
        const std::string algorithm = text_in(item, 0x00620008);
        if (algorithm == "MANUAL" || algorithm == "SEMIAUTOMATIC") {
            terms.algorithm_type = algorithm;
            terms.algorithm_name = text_in(item, 0x00620009);
        }
        return terms;
    }

    // Three numbers of 16 bits.
    std::optional<Rgb> color_in(const Item& item) const {
        const auto found = item.values.find(0x0062000d);
        if (found == item.values.end() || found->second.size() != 6) return {};
        std::array<std::int64_t, 3> lab{};
        for (std::size_t i = 0; i < 3; ++i)
            lab[i] = static_cast<unsigned char>(found->second[2 * i]) |
                     static_cast<unsigned char>(found->second[2 * i + 1]) << 8;
        return color_of_cielab(lab);
    }

    void take_segments() {
        const auto found = walker_.kept.sequences.find(segments_tag);
        if (found == walker_.kept.sequences.end() || found->second.empty())
            throw unreadable(file_.path(), "its DICOM header names no segments");
        for (const Item& item : found->second) {
            const DicomFields fields(file_, item.values);
            Segment segment{static_cast<std::uint32_t>(fields.u16(0x00620004, "SegmentNumber")),
                            {}};
            if (segment.number == 0) fields.invalid("SegmentNumber");
            const std::string name = text_in(item, 0x00620005);
            if (name != made_name(segment.number)) segment.description.name = name;
            const auto color = color_in(item);
            if (color && *color != label_color(segment.number)) segment.description.color = color;
            segment.description.segment.tags = tags_of_terms(terms_in(item));
            segments_.push_back(std::move(segment));
        }
        std::stable_sort(segments_.begin(), segments_.end(),
                         [](const Segment& a, const Segment& b) { return a.number < b.number; });
        for (std::size_t i = 1; i < segments_.size(); ++i)
            if (segments_[i].number == segments_[i - 1].number)
                throw unreadable(file_.path(), "two of its segments have the number " +
                                                   std::to_string(segments_[i].number));
    }

    void take_frames() {
        for (std::size_t i = 0; i < image_.frames.size(); ++i) {
            const DicomFields of_frame(file_, walker_.values,
                                       walker_.frames.empty() ? nullptr : &walker_.frames[i]);
            const auto number = static_cast<std::uint32_t>(
                of_frame.u16(frame_segment_tag, "ReferencedSegmentNumber"));
            const auto segment = std::lower_bound(
                segments_.begin(), segments_.end(), number,
                [](const Segment& s, std::uint32_t wanted) { return s.number < wanted; });
            if (segment == segments_.end() || segment->number != number)
                throw unreadable(file_.path(), "a frame is of the segment " +
                                                   std::to_string(number) +
                                                   ", which its DICOM header does not name");
            frames_.push_back({static_cast<std::size_t>(segment - segments_.begin())});
        }
        const auto& all = image_.frames;
        const bool any_place = std::any_of(
            all.begin(), all.end(), [](const DicomHeader& h) { return h.position.has_value(); });
        if (any_place)
            place_frames();
        else if (all.size() > segments_.size())
            refuse("it does not say where its frames lie");
    }

    void check_places() const {
        const DicomHeader& first = image_.frames.front();
        for (const DicomHeader& h : image_.frames) {
            if (!h.position || !h.orientation || !h.spacing)
                refuse("it does not say where all of its frames lie");
            bool alike = true;
            for (std::size_t i = 0; i < 6; ++i)
                alike = alike && std::abs((*h.orientation)[i] - (*first.orientation)[i]) < 1e-3;
            for (std::size_t i = 0; i < 2; ++i)
                alike = alike && std::abs((*h.spacing)[i] - (*first.spacing)[i]) <
                                     1e-3 * (*first.spacing)[i];
            if (!alike) refuse("its frames differ in spacing or orientation");
        }
    }

    void place_frames() {
        check_places();
        const DicomOrientation& o = *image_.frames.front().orientation;
        const DicomPosition normal = normal_of(o);
        std::size_t lowest = 0, highest = 0;
        std::set<double> places;
        for (std::size_t i = 0; i < frames_.size(); ++i) {
            frames_[i].along = dot(normal, *image_.frames[i].position);
            places.insert(frames_[i].along);
            if (frames_[i].along < frames_[lowest].along) lowest = i;
            if (frames_[i].along > frames_[highest].along) highest = i;
        }
        const std::array<double, 2> spacing = *image_.frames.front().spacing;
        geometry_.unit = Unit::millimeter;
        geometry_.spacing = {spacing[1], spacing[0], step_of(places)};
        geometry_.origin = *image_.frames[lowest].position;
        for (std::size_t i = 0; i < 3; ++i) {
            geometry_.direction[3 * i] = o[i];
            geometry_.direction[3 * i + 1] = o[i + 3];
            geometry_.direction[3 * i + 2] = normal[i];
        }
        for (std::size_t i = 0; i < frames_.size(); ++i) {
            frames_[i].slice = slice_of(frames_[i].along - *places.begin(), geometry_.spacing[2]);
            slices_ = std::max(slices_, frames_[i].slice + 1);
        }
        const DicomPosition& last = *image_.frames[highest].position;
        is_sheared_ = slices_ > 1 && are_shifted_sideways(geometry_.origin, last, normal);
        for (std::size_t i = 0; i < frames_.size(); ++i) check_straight(i, last);
    }

    static std::int64_t slice_of(double distance, double step) {
        return std::llround(distance / step);
    }

    // Whether all places are, nearly, whole steps from the first. The last one tells the step.
    static bool fits(const std::set<double>& places, double& step) {
        const double length = *places.rbegin() - *places.begin();
        constexpr double most = 1 << 16, tolerance = 0.05;
        if (!(step > 0) || !(length / step < most)) return false;
        const std::int64_t steps = slice_of(length, step);
        const double found = steps > 0 ? length / static_cast<double>(steps) : step;
        if (std::abs(found - step) > tolerance * step) return false;
        step = found;
        return std::all_of(places.begin(), places.end(), [&](double place) {
            const double at = (place - *places.begin()) / step;
            return std::abs(at - std::round(at)) < tolerance;
        });
    }

    // Between two slices: as the header says, where that fits, else the smallest that is found.
    double step_of(const std::set<double>& places) const {
        const auto said = fields_.decimals<1>(slice_spacing_tag, "SpacingBetweenSlices");
        double step = said ? std::abs((*said)[0]) : 0;
        if (step > 0 && fits(places, step)) return step;
        constexpr double same = 1e-3;  // mm; frames of one slice may differ in their digits
        double smallest = 0, last = *places.begin();
        for (const double place : places) {
            const double gap = place - last;
            if (gap > same && (smallest == 0 || gap < smallest)) smallest = gap;
            last = place;
        }
        if (smallest == 0) return step > 0 ? step : 1;
        if (!fits(places, smallest)) refuse("its frames are not evenly spaced");
        return smallest;
    }

    // Whether a frame lies between the first and the last one, in a line.
    void check_straight(std::size_t frame, const DicomPosition& last) const {
        const DicomPosition& at = *image_.frames[frame].position;
        const double part = static_cast<double>(frames_[frame].slice) /
                            static_cast<double>(std::max<std::int64_t>(slices_ - 1, 1));
        double apart = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const double expected = geometry_.origin[i] + part * (last[i] - geometry_.origin[i]);
            apart = std::max(apart, std::abs(at[i] - expected));
        }
        const double most =
            std::max({geometry_.spacing[0], geometry_.spacing[1], 0.1 * geometry_.spacing[2]});
        if (!(apart < most)) refuse("its frames are shifted sideways");
    }

    // -1: all. A plane is chosen afterwards.
    ChosenPlanes chosen_segment() const {
        Shape shape;
        shape.channels = static_cast<int>(segments_.size());
        std::vector<std::string> names;
        for (const Segment& segment : segments_)
            names.push_back(segment.description.name.empty() ? made_name(segment.number)
                                                             : segment.description.name);
        PlaneChoice choice;
        choice.channel = options_.choice.channel;
        choice.where_several = options_.choice.where_several;
        return chosen_planes(file_.path(), shape, names, choice);
    }

    template <class T>
    void draw(Image<T>& labels, std::int64_t chosen) {
        // By segment, so that the last one counts.
        std::vector<std::size_t> order(frames_.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return frames_[a].segment < frames_[b].segment;
        });
        for (const std::size_t i : order)
            if (chosen < 0 || static_cast<std::size_t>(chosen) == frames_[i].segment)
                draw_frame(image_.frames[i], frames_[i], labels);
    }

    template <class T>
    void draw_frame(const DicomHeader& header, const Frame& frame, Image<T>& labels) {
        std::vector<std::uint8_t> bits(
            static_cast<std::size_t>(header.pixels_end - header.pixels_begin));
        file_.read(header.pixels_begin, bits);
        const std::vector<std::uint8_t> inside = plain_values(std::move(bits), header);
        const auto label = static_cast<T>(segments_[frame.segment].number);
        const std::int64_t first = frame.slice * std::ssize(inside);
        for (std::int64_t i = 0; i < std::ssize(inside); ++i) {
            if (!inside[static_cast<std::size_t>(i)]) continue;
            T& voxel = labels.data()[first + i];
            if (voxel != 0 && voxel != label) note_overlap(first + i, labels);
            voxel = label;
        }
    }

    // Each voxel counts once, in however many segments it is.
    template <class T>
    void note_overlap(std::int64_t voxel, const Image<T>& labels) {
        overlapped_.resize(static_cast<std::size_t>(labels.shape().points()));
        auto is_known = overlapped_[static_cast<std::size_t>(voxel)];
        in_several_ += !is_known;
        is_known = true;
    }

    const InputFile& file_;
    const DecodeOptions& options_;
    DicomWalker walker_;
    DicomFields fields_;
    std::string character_set_;
    DicomImage image_;
    std::vector<Segment> segments_;  // by number
    std::vector<Frame> frames_;
    std::int64_t slices_ = 1;
    bool is_sheared_ = false;
    Geometry geometry_;
    std::vector<bool> overlapped_;
    std::int64_t in_several_ = 0;
};

}  // namespace

bool is_dicom_segmentation(const InputFile& file) {
    DicomWalker walker(file);
    walker.walk_meta();
    constexpr std::uint32_t media_class_tag = 0x00020002;
    return DicomFields(file, walker.values).text(media_class_tag) == segmentation_class;
}

bool is_dicom_segmentation(const fs::path& path) {
    try {
        std::error_code error;
        if (!fs::is_regular_file(path, error)) return false;
        const InputFile file(path);
        return is_dicom(file) && is_dicom_segmentation(file);
    } catch (const Error&) {
        return false;
    }
}

ReadResult read_dicom_segmentation(const InputFile& file, const DecodeOptions& options) {
    ReadResult result = SegmentationReader(file, options).read();
    DecodeOptions planes = options;
    planes.choice.channel.clear();
    choose_planes(file.path(), planes, result);
    return result;
}

}  // namespace tesela::io
