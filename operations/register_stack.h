// The operation on series of sections, of the family that `add_registration` adds.
#pragma once

namespace tesela::operations {

class Registry;

void add_register_stack(Registry& registry);

}  // namespace tesela::operations
