// A small valid file of each kind of text that verbs read, and a verb that reads it.
#pragma once

#include <string>
#include <vector>

namespace tesela::fuzz {

struct TextSample {
    std::string name, text;
    std::vector<std::string> arguments;  // which may name `volume.nii` and `spots.csv`
};
const std::vector<TextSample>& text_samples();

}  // namespace tesela::fuzz
