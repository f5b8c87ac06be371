// Several inputs of a verb that takes one, each by itself; and outputs on standard output.
#pragma once

#include <functional>

#include "operation_settings.h"

namespace tesela::cli {

// Whether the operation takes one file at a time, so that it can take several in turn.
bool takes_several(const operations::Operation& operation);

// The images in a folder, by their names' suffixes, in the order of the names. Where it holds
// slices of DICOM, which are named by .dcm, those are none.
std::vector<std::filesystem::path> images_in(const std::filesystem::path& folder);

// The inputs in turn: of folders the images in them, where --each asks for that.
std::vector<std::filesystem::path> inputs_in_turn(const OperationSettings& settings);

// Runs the job of an input with the outputs that are its own.
using RunJob = std::function<int(OperationSettings& settings)>;

// Runs the jobs of all inputs, whose outputs are named with {stem}; tables of one name are joined.
// All outputs are checked before the first job. An input that fails is told and passed over. Where
// --device names several devices, they share the inputs, and --max-memory. Gives the exit code.
int run_batch(const operations::Operation& operation, const OperationSettings& settings,
              const std::vector<std::filesystem::path>& inputs, const RunJob& run,
              const CancelToken& token);

// Replaces {stem} in the names of outputs by that of the one input. Throws InvalidArgument where
// there are several, or none.
void fill_stems(const operations::Operation& operation, OperationSettings& settings);

// Runs the job of one input, with {stem} in its outputs replaced, and `-` for standard output.
int run_one(const operations::Operation& operation, OperationSettings& settings, const RunJob& run);

}  // namespace tesela::cli
