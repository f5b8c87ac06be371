// Elements before and behind the planes of flows: what is beside the first and the last pixel can
// be read, and vectors stay aligned.
#ifndef TESELA_KERNELS_FLOW_MARGIN_H
#define TESELA_KERNELS_FLOW_MARGIN_H

enum { flow_margin = 16 };

#endif
