// The verbs of the program.
#pragma once

#include "verb.h"

namespace tesela::cli {

int run_devices(const Arguments& arguments);
int run_info(const Arguments& arguments);
int run_compress(const Arguments& arguments);
int run_decompress(const Arguments& arguments);
int run_slide_region(const Arguments& arguments);
int run_slide_thumbnail(const Arguments& arguments);
int run_slide_tiles(const Arguments& arguments);
int run_slide_convert(const Arguments& arguments);
int run_synthesize_flow(const Arguments& arguments);
int run_synthesize_sections(const Arguments& arguments);
int run_synthesize_slide(const Arguments& arguments);
int run_tissue_features(const Arguments& arguments);
int run_tissue_train(const Arguments& arguments);
int run_tissue_evaluate(const Arguments& arguments);
int run_tissue_classify(const Arguments& arguments);

}  // namespace tesela::cli
