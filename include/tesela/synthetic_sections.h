// Sections of one tissue, as they may lie on glass: turned, mirrored, deformed, torn, folded, in
// part missing, in other stains. Where each point went is known.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "tesela/image.h"
#include "tesela/landmarks.h"
#include "tesela/options.h"
#include "tesela/transform.h"

namespace tesela {

// Stains of the sections: hematoxylin and eosin, hematoxylin and DAB, or both in turn; DAB in a few
// nuclei over weak hematoxylin; or hematoxylin and eosin, both weak.
enum class SectionStains { he, hdab, swapped, nuclear, pale };
constexpr auto enum_names(SectionStains) {
    return std::array{EnumNames<SectionStains>{SectionStains::he, "he"},
                      EnumNames<SectionStains>{SectionStains::hdab, "hdab"},
                      EnumNames<SectionStains>{SectionStains::swapped, "swapped"},
                      EnumNames<SectionStains>{SectionStains::nuclear, "nuclear"},
                      EnumNames<SectionStains>{SectionStains::pale, "pale"}};
}
constexpr auto enum_help(SectionStains) {
    return std::array<std::string_view, 5>{"hematoxylin and eosin", "hematoxylin and DAB",
                                           "both in turn", "a few nuclei in DAB, weak hematoxylin",
                                           "weak hematoxylin and eosin"};
}
enum class SectionMirror { no, yes, random };
constexpr auto enum_names(SectionMirror) {
    return std::array{EnumNames<SectionMirror>{SectionMirror::no, "no"},
                      EnumNames<SectionMirror>{SectionMirror::yes, "yes"},
                      EnumNames<SectionMirror>{SectionMirror::random, "random"}};
}

// The first section lies straight and is whole. Shares are of the shorter side of a picture.
struct SyntheticSectionsOptions {
    std::int64_t width = 1024, height = 1024;
    int count = 2;
    SectionStains stains = SectionStains::swapped;
    double rotation = 180;
    SectionMirror mirror = SectionMirror::random;
    double scale = 0.05;
    double shift = 0.1;
    double deformation = 0.01;
    double tear = 0, fold = 0;
    double missing = 0;
    std::optional<int> damaged = {};   // the only section that is torn, folded or cut
    std::optional<int> left_out = {};  // a section that the series lacks
    int landmarks = 60;
    std::uint64_t seed = 1;
};

template <class V>
void describe(V&& v, SyntheticSectionsOptions& o) {
    const OptionRange side{.lowest = 64, .highest = 1 << 17, .unit = "pixels"};
    const auto share = [](double highest) { return OptionRange{.lowest = 0, .highest = highest}; };
    v("width", o.width, "width of a section", side);
    v("height", o.height, "height of a section", side);
    v("count", o.count, "number of sections", OptionRange{.lowest = 1, .highest = 1000});
    v("stains", o.stains, "stains of the sections");
    v("rotation", o.rotation, "largest rotation",
      OptionRange{.lowest = 0, .highest = 180, .unit = "degrees"});
    v("mirror", o.mirror, "whether sections are flipped");
    v("scale", o.scale, "largest change of scale", share(0.3));
    v("shift", o.shift, "largest shift, as a share of the shorter side", share(1));
    v("deformation", o.deformation, "largest elastic displacement, likewise", share(0.04));
    v("tear", o.tear, "width of a tear, likewise", share(0.03));
    v("fold", o.fold, "width of a fold, likewise", share(0.03));
    v("missing", o.missing, "share of the tissue to cut off", share(0.6));
    const OptionRange number{.lowest = 0, .highest = 999, .automatic = "all but the first"};
    v("damaged", o.damaged, "the only section with a tear, fold or cut", number);
    v("left-out", o.left_out, "section that is not written",
      OptionRange{.lowest = 0, .highest = 999, .automatic = "none"});
    v("landmarks", o.landmarks, "number of landmarks", OptionRange{.lowest = 0, .highest = 10000});
    v("seed", o.seed, "seed of the random tissue");
}

struct StackedSection {
    Image<std::uint8_t> picture;  // RGB
    // From pixels of the first section to those of this one, but for tears and folds.
    Transform transform;
    // The same with tears and folds.
    std::function<SpacePoint(const SpacePoint&)> moved;
    // On the grid of the first section: 1 where its tissue is to be seen in this one, alone.
    Image<std::uint8_t> remaining;
    // Vessels that are to be seen in it; those of the same name show the same.
    Landmarks landmarks;
};

// Section `index` of a series, from 0. The same options give the same pixels. Throws
// InvalidArgument for options.
StackedSection synthetic_stack_section(const SyntheticSectionsOptions& options, int index);

}  // namespace tesela
