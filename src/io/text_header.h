// Headers of text, as NRRD and MetaImage have them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/volume.h"

namespace tesela::io {

std::string trimmed(std::string_view text);
std::string lower(std::string text);
// The words between blanks.
std::vector<std::string> words(const std::string& text);
// Nothing where the whole text is no number; "nan" is one.
std::optional<double> real_number(const std::string& text);

// The lines of a header, with the place behind the last one given.
class HeaderLines {
  public:
    explicit HeaderLines(const InputFile& file) : file_(file) {}

    std::int64_t offset() const { return static_cast<std::int64_t>(at_); }
    bool at_end() const { return offset() >= file_.size(); }
    // Throws UnreadableInput where the line is not text or the header has no end.
    std::string next();

  private:
    void read_more();

    const InputFile& file_;
    std::string text_;
    std::size_t at_ = 0;
};

// The fields of a header, with errors that name the file.
class HeaderFields {
  public:
    HeaderFields(const InputFile& file, std::string format)
        : file_(file), format_(std::move(format)) {}

    UnreadableInput damaged(const std::string& name) const;
    // Throws UnreadableInput where the field is there already.
    void add(const std::string& name, const std::string& value);
    const std::map<std::string, std::string>& all() const { return fields_; }

    // Null where the field is missing.
    const std::string* find(const std::string& name) const;
    // The others throw UnreadableInput where the field is missing or no such value.
    const std::string& get(const std::string& name) const;
    std::int64_t whole_number(const std::string& name) const;
    std::int64_t whole_number_or(const std::string& name, std::int64_t otherwise) const;
    // Exactly `count` numbers; empty where the field is missing.
    std::vector<double> numbers(const std::string& name, std::int64_t count) const;
    // Exactly `count` lengths of axes.
    std::vector<std::int64_t> lengths(const std::string& name, std::int64_t count) const;

  private:
    const InputFile& file_;
    std::string format_;
    std::map<std::string, std::string> fields_;
};

// The file of the pixels as a header names it. Throws UnsupportedFormat for lists and patterns.
fs::path named_data_file(const InputFile& file, const std::string& name);

}  // namespace tesela::io
