// The planes of OME-TIFF: which page of which file holds which channel, slice and time point
// (OME-TIFF specification, docs.openmicroscopy.org/ome-model).
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "io/ome_xml.h"
#include "io/text_file.h"
#include "io/tiff_pages.h"

namespace tesela::io {
namespace {

// The path of a file that OME-XML names, where it is there. Sets lie in one folder: a name with a
// path is none of theirs.
std::optional<fs::path> beside(const fs::path& path, const std::string& name) {
    if (name.find_first_of(std::string_view("/\\\0", 3)) != name.npos) return {};
    fs::path other = path.parent_path() / name;
    std::error_code error;
    return fs::is_regular_file(other, error) ? std::optional(std::move(other)) : std::nullopt;
}

bool is_tiff(const InputFile& file) {
    const std::vector<std::uint8_t> head = file.head(2);
    return head.size() == 2 && head[0] == head[1] && (head[0] == 'I' || head[0] == 'M');
}
std::string description_in(const InputFile& file) {
    const TiffHandle tiff(file.handle(), "rm");
    return tiff.get() ? description_of(tiff) : "";
}

// The OME-XML of a file, which may be a text or itself a TIFF.
std::string metadata_of(const fs::path& path) {
    constexpr std::int64_t longest = 1 << 28;
    const InputFile file(path);
    return is_tiff(file) ? description_in(file) : whole_text(file, longest);
}

// The XML that describes a file: its own, or that of the file that its own one names.
class OmeDocument {
  public:
    OmeDocument(const fs::path& path, const std::string& description) {
        load(description);
        own_uuid_ = root_.attribute("UUID").value();
        const pugi::xml_node pointer = ome_child(root_, "BinaryOnly");
        if (!pointer) return;
        const std::string name = pointer.attribute("MetadataFile").value();
        const auto found = beside(path, name);
        if (!found)
            throw unsupported(path, "its planes are described in the file '" + printable(name) +
                                        "', which is not beside it");
        metadata_ = *found;
        load(metadata_of(metadata_));
        if (!root_ || ome_child(root_, "BinaryOnly"))
            throw unsupported(path, "its planes are described in " + quoted(metadata_) +
                                        ", which does not describe them");
    }

    pugi::xml_node root() const { return root_; }
    const std::string& own_uuid() const { return own_uuid_; }
    // The file of the XML; empty where it is the file's own.
    const fs::path& metadata() const { return metadata_; }
    // Empty where it could be parsed.
    const std::string& damage() const { return damage_; }

  private:
    void load(const std::string& text) {
        const pugi::xml_parse_result result = document_.load_buffer(text.data(), text.size());
        damage_ = result ? "" : result.description();
        root_ = ome_child(document_, "OME");
    }

    fs::path metadata_;
    std::string own_uuid_, damage_;
    pugi::xml_document document_;
    pugi::xml_node root_;
};

// The number of an attribute; nothing where there is none. Throws UnreadableInput for what is not a
// whole number from 0 on.
std::optional<std::int64_t> count_of(const fs::path& path, const pugi::xml_node& node,
                                     const char* name) {
    const pugi::xml_attribute attribute = node.attribute(name);
    if (!attribute) return {};
    const std::string_view text = attribute.value();
    std::int64_t value = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || at != text.data() + text.size() || value < 0)
        throw unreadable(path, "its OME-XML is damaged: " + std::string(name) + " is '" +
                                   printable(std::string(text)).substr(0, 40) + "'");
    return value;
}

// A TiffData element: planes from one on, in the directories of a file from one on.
struct Entry {
    std::int64_t plane = 0;
    std::optional<std::int64_t> count = {};  // nothing: up to the next entry
    std::size_t file = 0;
    std::int64_t directory = 0;
};

constexpr double farthest_position = 1e9;  // of a stage, in micrometers

class OmePlanner {
  public:
    OmePlanner(const InputFile& file, const std::string& description,
               const std::vector<TiffDirectory>& directories, std::size_t first)
        : path_(file.path()),
          document_(path_, description),
          directories_(directories),
          first_(first) {}

    PagePlan plan();
    std::optional<std::array<double, 2>> stage_position();

  private:
    void choose_image();
    bool is_own(const pugi::xml_node& data) const;
    void find_form();
    void read_axes();
    void read_entries();
    std::size_t file_of(const pugi::xml_node& data);
    void take_renamed();
    void read_channels();
    void set_runs();
    void set_time();
    void compare_pages();
    void warn(const std::string& sentence) { plan_.warnings.push_back(sentence); }

    const fs::path& path_;
    OmeDocument document_;
    const std::vector<TiffDirectory>& directories_;
    std::size_t first_;
    pugi::xml_node pixels_;
    std::int64_t images_ = 0;
    std::int64_t samples_ = 1;  // of all channels
    std::map<std::string, std::size_t> files_;
    std::vector<Entry> entries_;
    PagePlan plan_;
};

PagePlan OmePlanner::plan() {
    choose_image();
    if (!pixels_ || !document_.damage().empty()) {
        plan_ = plain_plan(directories_, first_);
        warn((document_.damage().empty()
                  ? "the file's OME-XML describes no image"
                  : "the file's OME-XML is damaged (" + document_.damage() + ")") +
             std::string("; its pages are read as slices"));
        return std::move(plan_);
    }
    find_form();
    plan_.is_told = true;
    plan_.first = first_;
    read_axes();
    read_channels();
    read_entries();
    set_runs();
    set_time();
    compare_pages();
    const OmePixels facts = ome_pixels(pixels_);
    if (!facts.unknown_unit.empty())
        warn("OME-XML gives lengths in '" + printable(facts.unknown_unit) +
             "', which is no unit of length; they are not used");
    // Without a size, the resolution counts.
    if (!facts.scale.source.empty())
        plan_.scale = StackScale{facts.scale, facts.depth};
    else if (facts.depth > 0)
        warn("OME-XML gives the distance of slices without a size of pixels; it is not used");
    return std::move(plan_);
}

std::optional<std::array<double, 2>> OmePlanner::stage_position() {
    choose_image();
    std::array<double, 2> position{};
    for (const pugi::xml_node& plane : pixels_.children()) {
        if (ome_name(plane) != "Plane") continue;
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const std::string name = axis == 0 ? "PositionX" : "PositionY";
            const std::string_view unit = plane.attribute((name + "Unit").c_str()).value();
            const bool is_none = unit.empty() || unit == "reference frame";
            const double length = is_none ? 1 : micrometers_in(unit);
            position[axis] = length * number_of(plane.attribute(name.c_str()).value());
            if (!(length > 0) || !(std::abs(position[axis]) <= farthest_position)) return {};
        }
        return position;
    }
    return {};
}

// The first image of which this file holds a part.
void OmePlanner::choose_image() {
    bool lies_here = false;
    std::int64_t number = 0;
    std::string name;
    for (const pugi::xml_node& image : document_.root().children()) {
        const pugi::xml_node pixels = ome_child(image, "Pixels");
        if (ome_name(image) != "Image" || !pixels) continue;
        ++images_;
        if (lies_here) continue;
        const auto is_here = [&](const pugi::xml_node& data) {
            return ome_name(data) == "TiffData" && is_own(data);
        };
        lies_here = !ome_child(pixels, "TiffData") || pixels.find_child(is_here);
        if (pixels_ && !lies_here) continue;
        pixels_ = pixels;
        number = images_;
        name = image.attribute("Name").value();
    }
    if (images_ > 1)
        warn("the file describes " + std::to_string(images_) + " images; number " +
             std::to_string(number) + (name.empty() ? "" : ", '" + printable(name) + "',") +
             " is read");
}

// By its name or its number.
bool OmePlanner::is_own(const pugi::xml_node& data) const {
    const pugi::xml_node uuid = ome_child(data, "UUID");
    const std::string_view name = uuid.attribute("FileName").value(), number = uuid.text().get();
    return name.empty() || name == path_.filename().string() ||
           (!number.empty() && number == document_.own_uuid());
}

// All planes have the form of the first of this file.
void OmePlanner::find_form() {
    for (const pugi::xml_node& data : pixels_.children()) {
        if (ome_name(data) != "TiffData" || !is_own(data)) continue;
        const auto directory = static_cast<std::uint64_t>(count_of(path_, data, "IFD").value_or(0));
        if (directory < directories_.size() && directories_[directory].is_page())
            first_ = directory;
        return;
    }
}

void OmePlanner::read_axes() {
    const auto length = [&](const char* name) {
        return count_of(path_, pixels_, name).value_or(1);
    };
    samples_ = length("SizeC");
    plan_.axes = {samples_, length("SizeZ"), length("SizeT")};
    check_axes(path_, "its OME-XML", plan_.axes);
    const std::string order = pixels_.attribute("DimensionOrder").value();
    constexpr std::string_view axes = "XYCZT";
    if (std::is_permutation(order.begin(), order.end(), axes.begin(), axes.end()) &&
        order.starts_with("XY")) {
        plan_.axes.order = order.substr(2);
        return;
    }
    const auto longer = [](std::int64_t size) { return size > 1 ? 1 : 0; };
    if (longer(plan_.axes.channels) + longer(plan_.axes.z) + longer(plan_.axes.t) > 1)
        throw unreadable(path_,
                         "its OME-XML is damaged: DimensionOrder is '" + printable(order) + "'");
}

// Channels of which a page holds several samples, as of RGB, count as one.
void OmePlanner::read_channels() {
    const TiffPage& page = directories_[first_].form;
    std::optional<std::int64_t> told;
    for (const pugi::xml_node& channel : pixels_.children()) {
        if (ome_name(channel) != "Channel") continue;
        plan_.channel_names.emplace_back(channel.attribute("Name").value());
        const std::int64_t samples = count_of(path_, channel, "SamplesPerPixel").value_or(1);
        if (told && *told != samples)
            throw unsupported(path_, "its channels have different numbers of samples");
        told = samples;
    }
    plan_.axes.channels = std::max<std::int64_t>(1, samples_ / page.samples);
    const std::int64_t stored = plan_.axes.channels * page.samples;
    if (samples_ != stored && !(page.alpha && samples_ == stored - 1))
        warn("OME-XML tells of " + std::to_string(samples_) + " channels, but each page has " +
             std::to_string(page.samples) + " samples a pixel");
    auto& names = plan_.channel_names;
    if (names.size() > static_cast<std::size_t>(plan_.axes.channels)) names.clear();
    if (page.samples > 1 ||
        std::all_of(names.begin(), names.end(), [](const auto& name) { return name.empty(); }))
        names.clear();
}

// 0 where it is this file.
std::size_t OmePlanner::file_of(const pugi::xml_node& data) {
    if (is_own(data)) return 0;
    const std::string name = ome_child(data, "UUID").attribute("FileName").value();
    const auto [place, is_new] = files_.try_emplace(name, plan_.files.size() + 1);
    if (is_new) plan_.files.push_back({name, beside(path_, name).value_or(fs::path())});
    return place->second;
}

void OmePlanner::read_entries() {
    const PlaneAxes& axes = plan_.axes;
    for (const pugi::xml_node& data : pixels_.children()) {
        if (ome_name(data) != "TiffData") continue;
        const auto number = [&](const char* name) {
            return count_of(path_, data, name).value_or(0);
        };
        const Plane from{number("FirstC"), number("FirstZ"), number("FirstT")};
        if (from.channel >= axes.channels || from.z >= axes.z || from.t >= axes.t)
            throw unreadable(path_,
                             "its OME-XML is damaged: TiffData names a plane beyond SizeC, "
                             "SizeZ or SizeT");
        // One plane where a directory is named, all that follow where none is.
        std::optional<std::int64_t> count = count_of(path_, data, "PlaneCount");
        if (!count && data.attribute("IFD")) count = 1;
        if (count && *count == 0) continue;
        entries_.push_back({axes.index(from), count, file_of(data), number("IFD")});
    }
    if (entries_.empty()) entries_.push_back({});
    take_renamed();
}

// A file whose only name leads nowhere was renamed.
void OmePlanner::take_renamed() {
    const bool elsewhere = std::all_of(entries_.begin(), entries_.end(),
                                       [](const Entry& entry) { return entry.file == 1; });
    if (!elsewhere || plan_.files.size() != 1 || !plan_.files.front().path.empty()) return;
    plan_.files.clear();
    for (Entry& entry : entries_) entry.file = 0;
}

void OmePlanner::set_runs() {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.plane < b.plane; });
    const auto own = static_cast<std::int64_t>(directories_.size());
    std::vector<bool> used(directories_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const Entry& entry = entries_[i];
        const std::int64_t end =
            i + 1 < entries_.size() ? entries_[i + 1].plane : plan_.axes.planes();
        std::int64_t count = std::min(entry.count.value_or(end), end - entry.plane);
        if (entry.file == 0) count = std::min(count, own - entry.directory);
        if (count <= 0) continue;
        plan_.runs.push_back({entry.plane, count, entry.file, entry.directory});
        if (entry.file > 0) continue;
        for (std::int64_t k = 0; k < count; ++k)
            used[static_cast<std::size_t>(entry.directory + k)] = true;
    }
    std::int64_t left = 0;
    for (std::size_t i = 0; i < used.size(); ++i) left += directories_[i].is_page() && !used[i];
    if (left > 0 && images_ == 1)
        warn(std::to_string(left) + (left == 1 ? " page that" : " pages that") +
             " OME-XML does not name " + (left == 1 ? "was" : "were") + " left out");
}

void OmePlanner::set_time() {
    const auto seconds = [](const pugi::xml_node& node, const std::string& name) {
        const std::string unit = node.attribute((name + "Unit").c_str()).value();
        return number_of(node.attribute(name.c_str()).value()) *
               (unit.empty() ? 1 : seconds_in(unit));
    };
    if (const double step = seconds(pixels_, "TimeIncrement"); step > 0 && std::isfinite(step)) {
        plan_.time_step = step;
        return;
    }
    const std::string unit = pixels_.attribute("TimeIncrementUnit").value();
    if (!unit.empty() && !(seconds_in(unit) > 0))
        warn("the time step is not known: OME-XML gives it in '" + printable(unit) + "'");
    // Without it, from the first to the last time point.
    std::optional<double> begin, end;
    for (const pugi::xml_node& plane : pixels_.children()) {
        if (ome_name(plane) != "Plane" || plane.attribute("TheC").as_int() != 0 ||
            plane.attribute("TheZ").as_int() != 0 || !plane.attribute("DeltaT"))
            continue;
        const std::int64_t t = plane.attribute("TheT").as_llong(-1);
        if (t == 0) begin = seconds(plane, "DeltaT");
        if (t == plan_.axes.t - 1) end = seconds(plane, "DeltaT");
    }
    if (!begin || !end || plan_.axes.t < 2) return;
    const double step = (*end - *begin) / static_cast<double>(plan_.axes.t - 1);
    if (step > 0 && std::isfinite(step)) plan_.time_step = step;
}

// What the pages hold counts.
void OmePlanner::compare_pages() {
    const TiffPage& page = directories_[first_].form;
    const std::string told = pixels_.attribute("Type").value();
    std::string held = page.bits == 1 ? "bit" : std::string(pixel_type_name(stored_type(page)));
    if (held == "float32") held = "float";
    if (held == "float64") held = "double";
    if (!told.empty() && told != held)
        warn("OME-XML says that pixels are of type " + printable(told) + ", but the pages hold " +
             held);
    const auto x = count_of(path_, pixels_, "SizeX"), y = count_of(path_, pixels_, "SizeY");
    if ((x && *x != page.width) || (y && *y != page.height))
        warn("OME-XML says that planes have " + std::to_string(x.value_or(0)) + " x " +
             std::to_string(y.value_or(0)) + " pixels, but the pages have " +
             std::to_string(page.width) + " x " + std::to_string(page.height));
}

}  // namespace

PagePlan ome_plan(const InputFile& file, const std::string& description,
                  const std::vector<TiffDirectory>& directories, std::size_t first) {
    return OmePlanner(file, description, directories, first).plan();
}

std::optional<std::array<double, 2>> ome_stage_position(const fs::path& path) {
    const InputFile file(path);
    const std::string description = is_tiff(file) ? description_in(file) : "";
    if (!is_ome(description)) return {};
    return OmePlanner(file, description, {}, 0).stage_position();
}

std::vector<fs::path> ome_files(const fs::path& path, const std::string& description) {
    const OmeDocument document(path, description);
    std::set<fs::path> files;
    if (!document.metadata().empty()) files.insert(document.metadata());
    for (const pugi::xml_node& image : document.root().children())
        for (const pugi::xml_node& data : ome_child(image, "Pixels").children())
            if (const char* name = ome_child(data, "UUID").attribute("FileName").value(); *name)
                if (auto other = beside(path, name)) files.insert(std::move(*other));
    return {files.begin(), files.end()};
}

}  // namespace tesela::io
