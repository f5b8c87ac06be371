// What operations that make regions have in common.
#pragma once

#include "operations/operation.h"
#include "tesela/seeds.h"

namespace tesela::operations {

// Labels, which are always made, and the image of the regions.
Output labels_output();
Output segmented_output();

// Where regions begin. Not given: chosen by the operation itself.
Input seeds_input(std::string_view help, std::string_view alias = {});
// Of operations that cannot choose.
Input required_seeds_input(std::string_view help);
const Seeds& seeds_of(const Call& call);
// Of the host: points and labels of a label image, and the pairs that are sorted into them.
std::int64_t seed_bytes(const Call& call);

// An operation's `finish`: each region in its mean color, where that is wanted.
void add_segmented(const Call& call, Results& results);
// What that takes of the host.
std::int64_t segmented_bytes(const Call& call);

}  // namespace tesela::operations
