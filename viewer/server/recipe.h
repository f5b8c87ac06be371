// How an image was made, as what a user would type: so that each result can be had again, with the
// same bits, without the viewer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operations/operation.h"

namespace tesela::viewer {

struct Recipe {
    std::vector<std::string> commands = {};  // lines of a shell, in their order; none: a file
    std::vector<std::string> python = {};
    std::string file;        // its name for the command line, "head.nii.gz"
    std::string expression;  // what it is in Python, "\"head.nii.gz\"" or "r7.labels"
};
Recipe recipe_of_file(const std::string& path);

// What an input was given: images, or a text that stands for a value.
struct GivenInput {
    std::vector<const Recipe*> images = {};
    std::string text = {};
};

// A call of an operation.
struct RecipeCall {
    const operations::Operation& operation;
    const operations::Options& options;  // of which those are named that were given
    std::vector<std::pair<std::string, GivenInput>> inputs = {};
    std::vector<std::pair<std::string, std::string>> outputs = {};  // names, and files for them
    std::string device = {};                                        // empty: as Tesela chooses
    int number = 0;                                                 // of the result
};

// All lines that are needed, those of the images that it computes from first.
std::vector<std::string> command_lines(const RecipeCall& call);
std::vector<std::string> python_lines(const RecipeCall& call);
// "r7.labels"
std::string python_output(int number, std::string_view output);

// A name for a file that holds such an output: "labels-7.nii.gz".
std::string file_name(const operations::Output& output, const operations::Values& values,
                      int number);

}  // namespace tesela::viewer
