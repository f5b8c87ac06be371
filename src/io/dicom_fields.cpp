#include "io/dicom_fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tesela::io {
namespace {

std::string trimmed(const std::string& raw) {
    const std::size_t end = raw.find_last_not_of(std::string(" \0", 2));
    const std::size_t start = raw.find_first_not_of(' ');
    return end == raw.npos || start == raw.npos ? "" : raw.substr(start, end - start + 1);
}

// NaN where it is none.
double number_of(std::string word) {
    if (!word.empty() && word[0] == '+') word.erase(0, 1);
    double value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && stop == word.data() + word.size() ? value : std::nan("");
}

}  // namespace

const std::string* DicomFields::raw(std::uint32_t tag) const {
    for (const DicomWalker::Values* values : {of_frame_, &values_}) {
        if (!values) continue;
        if (const auto found = values->find(tag); found != values->end()) return &found->second;
    }
    return nullptr;
}

std::string DicomFields::text(std::uint32_t tag) const {
    const std::string* value = raw(tag);
    return value ? trimmed(*value) : "";
}

int DicomFields::u16(std::uint32_t tag, const char* name, int otherwise) const {
    const std::string* value = raw(tag);
    if (!value && otherwise >= 0) return otherwise;
    if (!value || value->size() != 2) invalid(name);
    return static_cast<unsigned char>((*value)[0]) | static_cast<unsigned char>((*value)[1]) << 8;
}

std::vector<double> DicomFields::list(std::uint32_t tag, const char* name) const {
    const std::string value = text(tag);
    std::vector<double> numbers;
    for (std::size_t at = 0; !value.empty() && at <= value.size();) {
        const std::size_t end = std::min(value.find('\\', at), value.size());
        numbers.push_back(number_of(trimmed(value.substr(at, end - at))));
        if (!std::isfinite(numbers.back())) invalid(name);
        at = end + 1;
    }
    return numbers;
}

}  // namespace tesela::io
