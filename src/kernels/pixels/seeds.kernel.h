// Seeds, from lists to an image of labels.
#define T_FILE seeds
#include "kernels/begin.h"

// Points are distinct.
T_KERNEL(seed_labels_to_image, (T_IN(u32) points, T_IN(u32) labels, T_OUT(u32) image)) {
    T_INDEX1(s);
    image[points[s]] = labels[s];
}

#include "kernels/end.h"
