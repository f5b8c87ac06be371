// Values of elements as text and numbers.
#pragma once

#include "io/dicom_walker.h"

namespace tesela::io {

// Of a file, or of one of its frames, whose values come before those of the file.
class DicomFields {
  public:
    DicomFields(const InputFile& file, const DicomWalker::Values& values,
                const DicomWalker::Values* of_frame = nullptr)
        : file_(file), values_(values), of_frame_(of_frame) {}

    // Null where there is none.
    const std::string* raw(std::uint32_t tag) const;
    // Without blanks at its ends; empty where there is none.
    std::string text(std::uint32_t tag) const;
    // `otherwise`, where that is given, for an element that is not there.
    int u16(std::uint32_t tag, const char* name, int otherwise = -1) const;
    // Decimal strings (PS3.5, section 6.2); none for an element that is empty or not there.
    std::vector<double> list(std::uint32_t tag, const char* name) const;
    template <std::size_t n>
    std::optional<std::array<double, n>> decimals(std::uint32_t tag, const char* name) const {
        const std::vector<double> numbers = list(tag, name);
        if (numbers.empty()) return std::nullopt;
        if (numbers.size() != n) invalid(name);
        std::array<double, n> result;
        std::copy(numbers.begin(), numbers.end(), result.begin());
        return result;
    }
    [[noreturn]] void invalid(const char* name) const {
        throw unreadable(file_.path(), std::string("its DICOM header has no valid ") + name);
    }

  private:
    const InputFile& file_;
    const DicomWalker::Values& values_;
    const DicomWalker::Values* of_frame_;
};

}  // namespace tesela::io
