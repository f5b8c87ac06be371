#include "io/dicom_series.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>

#include "io/dicom_fields.h"
#include "io/dicom_header.h"
#include "io/volume.h"

namespace tesela::io {
namespace {

struct Found {
    std::vector<SeriesFiles> series;  // by number and UID
    std::int64_t without_image = 0;
};

std::optional<std::int64_t> whole_number(const std::string& text) {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || stop != text.data() + text.size()) return {};
    return value;
}

// What the first file of a series says of all.
DicomSeries facts_of(const DicomFields& fields) {
    constexpr std::uint32_t uid = 0x0020000e, number = 0x00200011, description = 0x0008103e,
                            modality = 0x00080060, rows = 0x00280010, columns = 0x00280011;
    return {.uid = printable(fields.text(uid)),
            .number = whole_number(fields.text(number)),
            .description = printable(fields.text(description)),
            .modality = printable(fields.text(modality)),
            .columns = fields.u16(columns, "Columns", 0),
            .rows = fields.u16(rows, "Rows", 0)};
}

Found find_series(const fs::path& folder, std::int64_t most_bytes) {
    Found found;
    std::map<std::string, SeriesFiles> by_uid;
    for (const fs::path& path : dicom_files(folder)) {
        const InputFile file = open_dicom(path, most_bytes);
        DicomWalker walker(file);
        walker.walk();
        if (!walker.pixels) {
            ++found.without_image;
            continue;
        }
        const DicomFields fields(file, walker.values);
        const DicomSeries facts = facts_of(fields);
        SeriesFiles& series = by_uid.try_emplace(facts.uid, SeriesFiles{facts, {}}).first->second;
        series.files.push_back(path);
        ++series.facts.files;
        constexpr std::uint32_t frames = 0x00280008;
        series.facts.images += whole_number(fields.text(frames)).value_or(1);
    }
    if (by_uid.empty())
        throw unreadable(folder, found.without_image > 0
                                     ? "no DICOM file of the folder holds an image"
                                     : "the folder holds no DICOM files");
    for (auto& [uid, series] : by_uid) found.series.push_back(std::move(series));
    std::stable_sort(found.series.begin(), found.series.end(),
                     [](const SeriesFiles& a, const SeriesFiles& b) {
                         constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
                         return a.facts.number.value_or(last) < b.facts.number.value_or(last);
                     });
    return found;
}

// "3 (T1, MR, 20 images)", with the UID where there is no number.
std::string text_of(const DicomSeries& series) {
    const std::string facts = (series.description.empty() ? "" : series.description + ", ") +
                              (series.modality.empty() ? "" : series.modality + ", ") +
                              std::to_string(series.images) +
                              (series.images == 1 ? " image" : " images");
    return (series.number ? std::to_string(*series.number) : series.uid) + " (" + facts + ")";
}

std::string list_of(const std::vector<SeriesFiles>& all) {
    constexpr std::size_t most = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(all.size(), most); ++i)
        text += (i > 0 ? "; " : "") + text_of(all[i].facts);
    return text + (all.size() > most ? "; ..." : "");
}

}  // namespace

std::vector<DicomSeries> dicom_series(const fs::path& folder, std::int64_t max_bytes) {
    std::vector<DicomSeries> list;
    for (const SeriesFiles& series : find_series(folder, max_bytes).series)
        list.push_back(series.facts);
    return list;
}

SeriesFiles chosen_series(const fs::path& folder, const PlaneChoice& choice,
                          std::int64_t most_bytes, std::vector<std::string>& warnings) {
    Found found = find_series(folder, most_bytes);
    if (found.without_image > 0)
        warnings.push_back(std::to_string(found.without_image) +
                           (found.without_image == 1
                                ? " DICOM file holds no image and is left out"
                                : " DICOM files hold no image and are left out"));
    const bool is_only = found.series.size() == 1;
    if (is_only && (choice.series.empty() || choice.where_several))
        return std::move(found.series.front());
    if (choice.series.empty())
        throw unsupported(folder, "the folder holds " + std::to_string(found.series.size()) +
                                      " DICOM series: choose one by --series NUMBER or UID, of " +
                                      list_of(found.series));
    const auto number = whole_number(choice.series);
    const auto is_meant = [&](const SeriesFiles& series) {
        return series.facts.uid == choice.series || (number && series.facts.number == number);
    };
    const auto meant = std::find_if(found.series.begin(), found.series.end(), is_meant);
    const auto count = std::count_if(found.series.begin(), found.series.end(), is_meant);
    if (count == 1) return std::move(*meant);
    throw InvalidArgument("--series is " + printable(choice.series) + ", but " + quoted(folder) +
                          (count > 1
                               ? " has several series of this number: give the UID, as 'tesela "
                                 "info' lists it"
                               : " has the series " + list_of(found.series)));
}

}  // namespace tesela::io
