// Masks that are applied to images.
#define T_FILE masks
#include "kernels/begin.h"

// Of images of `channels` interleaved channels, of which the first `colors` get the value where
// whether the mask is 0 is `where`.
#define MASKS_VALUE u8
#include "kernels/morphology/masks.body.h"
#define MASKS_VALUE u16
#include "kernels/morphology/masks.body.h"
#define MASKS_VALUE i16
#include "kernels/morphology/masks.body.h"
#define MASKS_VALUE u32
#include "kernels/morphology/masks.body.h"
#define MASKS_VALUE f32
#include "kernels/morphology/masks.body.h"

#include "kernels/end.h"
