// Tiles of a microscope as one picture.
#pragma once

namespace tesela::operations {

class Registry;
void add_register_mosaic(Registry& registry);

}  // namespace tesela::operations
