#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/file.h"
#include "tesela/tissue_io.h"
#include "tissue/training.h"

namespace tesela {
namespace {

namespace fs = std::filesystem;

// Rows of fields. A quoted field may hold commas, quotes and line breaks.
class CsvReader {
  public:
    CsvReader(const fs::path& path, std::string text) : path_(path), text_(std::move(text)) {}

    bool at_end() const { return at_ >= text_.size(); }
    std::size_t row() const { return row_; }
    std::vector<std::string> next() {
        ++row_;
        std::vector<std::string> fields(1);
        bool inside = false;
        for (; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (inside && c == '"' && at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
                fields.back() += c;
                ++at_;
            } else if (c == '"') {
                inside = !inside;
            } else if (!inside && c == ',') {
                fields.emplace_back();
            } else if (!inside && c == '\n') {
                ++at_;
                return fields;
            } else if (inside || c != '\r') {
                fields.back() += c;
            }
        }
        if (inside) fail("a quote is not closed");
        return fields;
    }
    [[noreturn]] void fail(const std::string& reason) const {
        throw io::unreadable(path_, "row " + std::to_string(row_) + ": " + reason);
    }

  private:
    const fs::path& path_;
    std::string text_;
    std::size_t at_ = 0, row_ = 0;
};

}  // namespace

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

TissueSamples read_tissue_samples(const fs::path& path, const io::ReadOptions& options) {
    TissueSamples samples;
    io::with_memory_guard(path, [&] {
        const io::InputFile file(path);
        io::require_memory(path, 3 * file.size(), options.max_bytes);
        const auto bytes = file.head(static_cast<std::size_t>(file.size()));
        CsvReader csv(path, {bytes.begin(), bytes.end()});
        const std::vector<std::string> header = csv.next();
        if (header.size() < 4 || header[0] != "tile" || header[1] != "class" ||
            header[2] != "slide")
            throw io::unsupported(
                path,
                "a table of features begins with the columns tile, class, slide; 'tesela "
                "tissue features' writes such tables");
        samples.feature_names.assign(header.begin() + 3, header.end());
        samples.width = samples.feature_names.size();
        while (!csv.at_end()) {
            const std::vector<std::string> row = csv.next();
            if (row.size() != header.size())
                csv.fail("it has " + std::to_string(row.size()) + " fields, the header " +
                         std::to_string(header.size()));
            samples.names.push_back(row[0]);
            samples.labels.push_back(tissue::place_of(samples.classes, row[1]));
            samples.groups.push_back(tissue::place_of(samples.group_names, row[2]));
            for (std::size_t f = 3; f < row.size(); ++f) {
                double value = 0;
                const char* const end = row[f].data() + row[f].size();
                const auto [stop, error] = std::from_chars(row[f].data(), end, value);
                if (error != std::errc() || stop != end || !std::isfinite(value))
                    csv.fail("'" + io::printable(row[f]) + "' is not a number");
                samples.features.push_back(value);
            }
        }
        if (samples.rows() == 0) throw io::unreadable(path, "it has no rows");
    });
    return samples;
}

void write_tissue_samples(const TissueSamples& samples, const fs::path& path,
                          const io::WriteOptions& options) {
    io::Staging staging({path}, options.overwrite);
    io::OutputFile file(staging.staged(), path);
    std::string text = "tile,class,slide";
    for (const std::string& name : samples.feature_names) text += "," + csv_field(name);
    text += "\n";
    for (std::size_t i = 0; i < samples.rows(); ++i) {
        text += csv_field(samples.names[i]) + "," +
                csv_field(samples.classes[static_cast<std::size_t>(samples.labels[i])]) + "," +
                csv_field(samples.group_names[static_cast<std::size_t>(samples.groups[i])]);
        for (const double value : samples.row(i)) {
            char number[32];
            const auto [end, error] = std::to_chars(number, number + sizeof number, value);
            text += ',';
            text.append(number, end);
        }
        text += "\n";
        file.write_or_throw(text.data(), text.size());
        text.clear();
    }
    if (!text.empty()) file.write_or_throw(text.data(), text.size());
    file.close();
    staging.commit();
}

}  // namespace tesela
