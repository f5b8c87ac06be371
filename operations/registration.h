// What registration of images and that of slides share.
#pragma once

#include <memory>

#include "operations/operation.h"
#include "tesela/register_slides.h"

namespace tesela::operations {

// Pictures of which a side is longer than the thumbnails are registered as slides.
bool is_like_slide(const AnyImageView& image, const SlideRegistrationOptions& options);

// Registers, and reports; those that do not match give a result too.
struct SlidePair {
    const TileSource &fixed, &moving;
    const TileSource *fixed_mask = nullptr, *moving_mask = nullptr;
};
SlideRegistration registered(const Call& call, const SlidePair& pair, Queue& queue,
                             const Progress& progress);

// Summary, figures and warnings, with those of the windows where there are any. A failure where the
// images do not match and are not accepted.
Results results_of(const Call& call, SlideRegistration& found);
void add_matches(const Call& call, const SlideRegistration& found, Results& results);

// The moving image on the requested canvas, where it is wanted, and the checkerboard of both.
void set_pictures(const Call& call, const AnyImageView& fixed, const AnyImageView& moving,
                  const Transform& transform, bool is_warped_wanted, Queue& queue,
                  Results& results);
// The checkerboard before registration.
AnyImage unaligned(const AnyImageView& fixed, const AnyImageView& moving, Queue& queue);

// The same operation, box by box.
Operation registration_of_slides(Operation whole);

}  // namespace tesela::operations
