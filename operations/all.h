// What each family adds to the registry. A static list, not objects that enter themselves at start:
// a linker drops what nobody names.
#pragma once

namespace tesela::operations {

class Registry;

void add_segment(Registry& registry);
void add_thresholds(Registry& registry);
void add_edges(Registry& registry);
void add_mean_shift(Registry& registry);
void add_watershed(Registry& registry);
void add_components(Registry& registry);
void add_split_merge(Registry& registry);

}  // namespace tesela::operations
