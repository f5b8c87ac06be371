// Outlines of the regions of a picture's label map, as shapes for other programs.
#pragma once

#include "tesela/annotation.h"
#include "tesela/image_view.h"
#include "tesela/label_table.h"
#include "tesela/progress.h"

namespace tesela {

// An annotation for each label above 0, in ascending order, along the edges of its pixels: a
// polygon for each part that is connected by 4 neighbors, with a hole for each part of the rest
// that is connected by 8. No ring meets itself, so that shapes are valid for every reader;
// for_each_covered gives the same pixels back. An annotation has the label's name, or its number
// where it has none, as its name, the label's name also as its class, its color, and the
// measurement "label". Throws InvalidArgument for volumes and series.
Annotations label_outlines(const LabelView& labels, const LabelTable& table = {},
                           const Progress& progress = {});

}  // namespace tesela
