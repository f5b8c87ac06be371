// tesela slide VERB
#include <array>

#include "verbs.h"

namespace tesela::cli {

int run_slide(const Arguments& arguments) {
    const std::array kinds{
        Verb{"region", "read a rectangle of a slide", run_slide_region},
        Verb{"thumbnail", "make a small picture of a slide", run_slide_thumbnail},
        Verb{"tiles", "cut a slide into pictures", run_slide_tiles},
        Verb{"convert", "write a slide as OME-TIFF with a pyramid", run_slide_convert},
    };
    return dispatch("tesela slide", "Whole slides and other tiled images.", kinds, arguments);
}

}  // namespace tesela::cli
