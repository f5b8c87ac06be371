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
void add_measure(Registry& registry);
void add_nuclei(Registry& registry);
void add_surface(Registry& registry);
void add_split_merge(Registry& registry);
void add_grow(Registry& registry);
void add_wavelets(Registry& registry);
void add_flow(Registry& registry);
void add_theses(Registry& registry);
void add_thesis_mean_shift(Registry& registry);  // after these two
void add_thesis_flow(Registry& registry);
void add_thesis_circles(Registry& registry);
void add_thesis_registration(Registry& registry);
void add_thesis_level_set(Registry& registry);
void add_thesis_texture(Registry& registry);
void add_thesis_zernike(Registry& registry);
void add_thesis_tridiagonal(Registry& registry);
void add_thesis_wavelet(Registry& registry);
void add_texture(Registry& registry);
void add_stains(Registry& registry);
void add_distance(Registry& registry);
void add_morphology(Registry& registry);
void add_masks(Registry& registry);
void add_level_set(Registry& registry);
void add_circles(Registry& registry);
void add_zernike(Registry& registry);
void add_match(Registry& registry);
void add_registration(Registry& registry);
void add_render(Registry& registry);
void add_overlay(Registry& registry);
void add_warp(Registry& registry);
void add_transform(Registry& registry);  // and with it
void add_transform_fit(Registry& registry);
void add_tridiagonal(Registry& registry);
void add_synthesize(Registry& registry);  // and with it
void add_synthesize_series(Registry& registry);
void add_tissue(Registry& registry);  // and with it
void add_tissue_training(Registry& registry);
void add_tissue_evaluation(Registry& registry);
void add_image(Registry& registry);  // and with it
void add_image_math(Registry& registry);
void add_image_merge(Registry& registry);
void add_image_project(Registry& registry);
void add_image_resample(Registry& registry);
void add_image_smooth(Registry& registry);
void add_slides(Registry& registry);
void add_volumes(Registry& registry);
void add_evaluate(Registry& registry);  // and with it these
void add_evaluate_labels(Registry& registry);
void add_evaluate_flow(Registry& registry);
void add_evaluate_circles(Registry& registry);
void add_evaluate_image(Registry& registry);
void add_evaluate_landmarks(Registry& registry);

}  // namespace tesela::operations
