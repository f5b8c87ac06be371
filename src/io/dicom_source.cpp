#include "io/dicom_source.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>

#include "io/dicom_fields.h"
#include "io/dicom_header.h"
#include "io/dicom_segmentation.h"
#include "io/dicom_series.h"
#include "io/dicom_streams.h"
#include "io/dicom_text.h"
#include "io/format.h"

namespace tesela::io {
namespace {

// need: without a value where the source has none.
struct Taken {
    std::uint32_t tag;
    const char* vr;
    bool need = false;
};

// Modules of the patient, study and clinical trial (PS3.3, C.7.1, C.7.2).
constexpr Taken of_subject[] = {
    {0x00080005, "CS"},       {0x00080020, "DA", true}, {0x00080030, "TM", true},
    {0x00080050, "SH", true}, {0x00080090, "PN", true}, {0x00081030, "LO"},
    {0x00081048, "PN"},       {0x00081060, "PN"},       {0x00081080, "LO"},
    {0x00100010, "PN", true}, {0x00100020, "LO", true}, {0x00100021, "LO"},
    {0x00100022, "CS"},       {0x00100030, "DA", true}, {0x00100032, "TM"},
    {0x00100040, "CS", true}, {0x00101000, "LO"},       {0x00101001, "PN"},
    {0x00101010, "AS"},       {0x00101020, "DS"},       {0x00101030, "DS"},
    {0x00102160, "SH"},       {0x00102180, "SH"},       {0x001021b0, "LT"},
    {0x00102201, "LO"},       {0x00102203, "CS"},       {0x00102292, "LO"},
    {0x00102297, "PN"},       {0x00104000, "LT"},       {0x00120010, "LO"},
    {0x00120020, "LO"},       {0x00120021, "LO"},       {0x00120030, "LO"},
    {0x00120031, "LO"},       {0x00120040, "LO"},       {0x00120042, "LO"},
    {0x00120050, "LO"},       {0x00120051, "ST"},       {0x00120060, "LO"},
    {0x00120062, "CS"},       {0x00120063, "LO"},       {0x00120071, "LO"},
    {0x00120072, "LO"},       {0x0020000d, "UI"},       {0x00200010, "SH", true},
    {0x00280303, "CS"},
};
constexpr std::uint32_t deidentification_codes = 0x00120064, procedure_codes = 0x00081032;

// Of every image.
constexpr Taken of_images[] = {
    {0x00080022, "DA"}, {0x00080032, "TM"}, {0x00180015, "CS"},       {0x00181030, "LO"},
    {0x00180010, "LO"}, {0x00200060, "CS"}, {0x00185100, "CS", true}, {0x00200012, "IS", true},
    {0x00280301, "CS"}, {0x00280302, "CS"},
};
// PS3.3, C.8.2.1.
constexpr Taken of_ct[] = {
    {0x00180022, "CS"}, {0x00180060, "DS", true}, {0x00180090, "DS"}, {0x00181100, "DS"},
    {0x00181110, "DS"}, {0x00181111, "DS"},       {0x00181140, "CS"}, {0x00181150, "IS"},
    {0x00181151, "IS"}, {0x00181152, "IS"},       {0x00181160, "SH"}, {0x00181170, "IS"},
    {0x00181190, "DS"}, {0x00181210, "SH"},
};
// PS3.3, C.8.3.1.
constexpr Taken of_mr[] = {
    {0x00180020, "CS"},       {0x00180021, "CS"},       {0x00180022, "CS", true},
    {0x00180023, "CS", true}, {0x00180024, "SH"},       {0x00180080, "DS", true},
    {0x00180081, "DS", true}, {0x00180082, "DS"},       {0x00180083, "DS"},
    {0x00180084, "DS"},       {0x00180085, "SH"},       {0x00180086, "IS"},
    {0x00180087, "DS"},       {0x00180091, "IS", true}, {0x00180095, "DS"},
    {0x00181250, "SH"},       {0x00181314, "DS"},
};
constexpr Taken of_lossy[] = {{0x00282110, "CS"}, {0x00282112, "DS"}, {0x00282114, "CS"}};
constexpr std::uint32_t character_set_tag = 0x00080005, lossy_tag = 0x00282110,
                        description_tag = 0x0008103e;

// Whether writing to a place that is there replaces the file.
bool is_in(const fs::path& file, const fs::path& place) {
    std::error_code error;
    if (fs::equivalent(file, place, error) || fs::equivalent(file.parent_path(), place, error))
        return true;
    if (!fs::is_directory(place, error)) return false;
    fs::path at = fs::canonical(file, error);
    while (at.has_relative_path() && !fs::equivalent(at, place, error)) at = at.parent_path();
    return at.has_relative_path();
}

class SourceReader {
  public:
    SourceReader(const DicomOrigin& origin, const fs::path& shown, bool as_utf8)
        : origin_(origin), shown_(shown), as_utf8_(as_utf8) {
        source_.path = origin.source;
    }

    DicomSource read() {
        const std::vector<fs::path> files = files_of_series();
        for (const fs::path& path : files) add(path);
        if (source_.has_places()) sort();
        return std::move(source_);
    }

  private:
    [[noreturn]] void refuse(const std::string& reason) const {
        throw InvalidArgument("cannot write " + quoted(shown_) + ": " + reason);
    }

    std::vector<fs::path> files_of_series() const {
        const fs::path& path = origin_.source;
        if (path.empty())
            refuse(
                "DICOM takes patient, study and frame of reference from the series that it is "
                "derived from, and none is named: --dicom-source names one");
        std::error_code error;
        if (fs::is_directory(path, error) && !is_image_folder(path)) {
            std::vector<std::string> ignored;
            return chosen_series(path, {.series = origin_.series}, 0, ignored).files;
        }
        if (is_image_folder(path) || !is_dicom(InputFile(path)))
            refuse(
                "DICOM takes patient, study and frame of reference from the series that it is "
                "derived from, and " +
                quoted(path) + " is no DICOM: --dicom-source names one");
        return {path};
    }

    void add(const fs::path& path) {
        if (is_in(path, shown_))
            refuse("it is, or holds, the series that it is derived from; choose another name");
        const InputFile file = open_dicom(path, 0);
        DicomWalker walker(file);
        walker.wanted = {deidentification_codes, procedure_codes};
        walker.walk();
        const DicomFields fields(file, walker.values);
        const DicomImage image = parse_dicom(file);
        const DicomHeader& first = image.frames.front();
        constexpr std::uint32_t sop_class = 0x00080016, instance = 0x00080018;
        if (fields.text(sop_class) == segmentation_class)
            refuse(quoted(path) +
                   " is a segmentation; name the series that it is of, as by --dicom-source");
        if (source_.images.empty()) take_first(fields, walker, first);
        for (const DicomHeader& frame : image.frames)
            if (source_.scaling &&
                !(*source_.scaling == ValueScaling{frame.slope, frame.intercept}))
                source_.scaling.reset();
        const bool has_several = image.frames.size() > 1;
        for (std::size_t i = 0; i < image.frames.size(); ++i)
            source_.images.push_back({.sop_class = fields.text(sop_class),
                                      .instance = fields.text(instance),
                                      .frame = has_several ? static_cast<int>(i + 1) : 0,
                                      .position = image.frames[i].position});
    }

    void take_first(const DicomFields& fields, const DicomWalker& walker,
                    const DicomHeader& header) {
        constexpr std::pair<std::uint32_t, const char*> needed[] = {
            {0x0020000d, "StudyInstanceUID"},
            {0x0020000e, "SeriesInstanceUID"},
            {0x00080016, "SOPClassUID"},
            {0x00080018, "SOPInstanceUID"}};
        for (const auto& [tag, name] : needed)
            if (fields.text(tag).empty())
                refuse("the series of " + quoted(source_.path) + " has no " + name);
        converts_ = as_utf8_ && become_utf8(fields);
        take_texts(fields);
        take(fields, of_subject, source_.subject);
        for (const std::uint32_t sequence : {deidentification_codes, procedure_codes})
            take_codes(walker, sequence);
        take_image(fields, header);
        if (converts_) {
            source_.character_set = "ISO_IR 192";
            source_.subject.text(character_set_tag, "CS", source_.character_set);
        }
    }

    // Whether no text loses a character.
    static bool become_utf8(const DicomFields& fields) {
        const std::string set = fields.text(character_set_tag);
        if (set == "ISO_IR 100" || set == "ISO_IR 192") return true;
        return is_utf8_or_latin1(set) && is_ascii(fields.text(description_tag)) &&
               std::all_of(std::begin(of_subject), std::end(of_subject),
                           [&](const Taken& taken) { return is_ascii(fields.text(taken.tag)); });
    }

    void take_texts(const DicomFields& fields) {
        source_.character_set = fields.text(character_set_tag);
        source_.modality = fields.text(0x00080060);
        source_.description = converted(fields.text(description_tag));
        source_.series_uid = fields.text(0x0020000e);
        source_.sop_class = fields.text(0x00080016);
        source_.frame_of_reference = fields.text(0x00200052);
        source_.position_reference = fields.text(0x00201040);
        source_.slice_thickness = fields.text(0x00180050);
        const std::string number = fields.text(0x00200011);
        std::int64_t value = 0;
        if (std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc{})
            source_.number = value;
    }

    void take_image(const DicomFields& fields, const DicomHeader& header) {
        take(fields, of_images, source_.exposure);
        if (source_.sop_class == ct_image_class) take(fields, of_ct, source_.exposure);
        if (source_.sop_class == mr_image_class) take(fields, of_mr, source_.exposure);
        take(fields, of_lossy, source_.lossy);
        if (is_lossy(header)) source_.lossy.text(lossy_tag, "CS", "01");
        source_.scaling = ValueScaling{header.slope, header.intercept};
        source_.rows = header.rows;
        source_.columns = header.columns;
        source_.orientation = header.orientation;
        source_.spacing = header.spacing;
    }

    // Texts that are no UTF-8 and cannot become it stay in the character set of the source.
    std::string converted(const std::string& text) const {
        return converts_ ? dicom_utf8(text, source_.character_set) : text;
    }

    void take(const DicomFields& fields, std::span<const Taken> elements,
              DicomElements& into) const {
        for (const auto& [tag, vr, need] : elements)
            if (need || fields.raw(tag)) into.text(tag, vr, converted(fields.text(tag)));
    }
    void take_codes(const DicomWalker& walker, std::uint32_t sequence) {
        const auto found = walker.kept.sequences.find(sequence);
        if (found == walker.kept.sequences.end() || found->second.empty()) return;
        std::vector<DicomElements> items;
        for (const DicomWalker::Item& item : found->second) {
            const auto text = [&](std::uint32_t tag) {
                const auto value = item.values.find(tag);
                return value == item.values.end() ? std::string() : converted(value->second);
            };
            items.push_back(coded(text(0x00080100), text(0x00080102), text(0x00080104)));
        }
        source_.subject.sequence(sequence, items);
    }

    void sort() {
        const DicomPosition normal = normal_of(*source_.orientation);
        for (DicomSource::Image& image : source_.images) image.along = dot(normal, *image.position);
        std::stable_sort(source_.images.begin(), source_.images.end(),
                         [](const auto& a, const auto& b) { return a.along < b.along; });
    }

    const DicomOrigin& origin_;
    const fs::path& shown_;
    const bool as_utf8_;
    bool converts_ = false;  // texts to UTF-8
    DicomSource source_;
};

struct Now {
    std::string date, time;
};
Now now() {
    const std::time_t seconds = std::time(nullptr);
    std::tm local{};
    localtime_r(&seconds, &local);
    char date[16], time[16];
    std::strftime(date, sizeof date, "%Y%m%d", &local);
    std::strftime(time, sizeof time, "%H%M%S", &local);
    return {date, time};
}

}  // namespace

bool DicomSource::has_places() const {
    return orientation && spacing && std::all_of(images.begin(), images.end(), [](const Image& i) {
               return i.position.has_value();
           });
}

double DicomSource::step() const {
    if (images.size() < 2) return 0;
    return (images.back().along - images.front().along) / static_cast<double>(images.size() - 1);
}

ImageGrid DicomSource::grid() const {
    const DicomOrientation& o = *orientation;
    const DicomPosition normal = normal_of(o);
    ImageGrid grid;
    grid.shape = {columns, rows, std::ssize(images)};
    Geometry& g = grid.geometry;
    g.unit = Unit::millimeter;
    g.spacing = {(*spacing)[1], (*spacing)[0], images.size() > 1 ? step() : 1};
    g.origin = *images.front().position;
    for (std::size_t i = 0; i < 3; ++i) {
        g.direction[3 * i] = o[i];
        g.direction[3 * i + 1] = o[i + 3];
        g.direction[3 * i + 2] = normal[i];
    }
    return grid;
}

bool DicomSource::is_sheared() const {
    return are_shifted_sideways(*images.front().position, *images.back().position,
                                normal_of(*orientation));
}

std::vector<std::size_t> DicomSource::images_between(double first, double last) const {
    const double half = images.size() > 1 ? 0.51 * step() : std::abs(last - first) + 1;
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < images.size(); ++i)
        if (images[i].along > first - half && images[i].along < last + half) found.push_back(i);
    return found;
}

DicomSource read_dicom_source(const DicomOrigin& origin, const fs::path& shown, bool as_utf8) {
    return SourceReader(origin, shown, as_utf8).read();
}

DicomElements coded(const std::string& value, const std::string& scheme,
                    const std::string& meaning) {
    DicomElements code;
    code.text(0x00080100, "SH", value);
    code.text(0x00080102, "SH", scheme);
    code.text(0x00080104, "LO", meaning);
    return code;
}

DicomElements reference_to(const DicomSource::Image& image) {
    DicomElements item;
    item.text(0x00081150, "UI", image.sop_class);
    item.text(0x00081155, "UI", image.instance);
    if (image.frame > 0) item.text(0x00081160, "IS", std::to_string(image.frame));
    item.sequence(0x0040a170,
                  coded("121322", "DCM", "Source image for image processing operation"));
    return item;
}

std::string process_text(const DicomOrigin& origin) {
    constexpr std::size_t longest = 64;
    const std::string text = origin.process.empty() ? "Tesela" : "Tesela: " + origin.process;
    return printable(text).substr(0, longest);
}

DicomElements new_series(const DicomSource& source, const DicomOrigin& origin,
                         const std::string& modality) {
    DicomElements out = source.subject;
    const Now at = now();
    for (const std::uint32_t tag : {0x00080012u, 0x00080021u, 0x00080023u})
        out.text(tag, "DA", at.date);
    for (const std::uint32_t tag : {0x00080013u, 0x00080031u, 0x00080033u})
        out.text(tag, "TM", at.time);
    out.text(0x00080060, "CS", modality);
    out.text(0x00080070, "LO", "Tesela");  // manufacturer, and model
    out.text(0x00081090, "LO", "Tesela");
    out.text(0x00181000, "LO", "0");  // serial number
    out.text(0x00181020, "LO", TESELA_VERSION);
    const std::string process = process_text(origin);
    const std::string both = source.description + ", " + process;
    out.text(0x0008103e, "LO", source.description.empty() || both.size() > 64 ? process : both);
    out.text(0x0020000e, "UI", new_uid());
    constexpr std::int64_t derived = 1000;
    out.text(0x00200011, "IS", std::to_string(derived + source.number.value_or(0) % 1000000));
    return out;
}

}  // namespace tesela::io
