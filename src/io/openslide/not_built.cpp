// In place of the reader where Tesela was built without OpenSlide.
#include "io/slide.h"

namespace tesela::io {

bool has_openslide() { return false; }

std::string openslide_vendor(const fs::path&) { return {}; }

std::unique_ptr<TileSource> open_openslide(const fs::path& path, const SlideReadOptions&) {
    throw unsupported(path,
                      "this Tesela was built without OpenSlide; install libopenslide-dev and build "
                      "it again, or convert the slide to OME-TIFF");
}

}  // namespace tesela::io
