// Launches that must not compile, one a case; see CMakeLists.txt.
#include "kernels/dialect_test.kernel.h"
#include "tesela/compute/queue.h"

using namespace tesela;

void launches(Queue& queue, Buffer<float>& a, Buffer<const float>& lent, Buffer<float>& out,
              Buffer<int>& integers) {
    queue.launch(kernels::test_simd_kernel, Range{8}, a, lent, out, 1.0f);
    queue.launch(kernels::test_tile_sum, Groups{8}, integers, integers, 8);
#if defined(CASE_WRONG_COUNT)
    queue.launch(kernels::test_simd_kernel, Range{8}, a, lent, out);
#elif defined(CASE_WRONG_ELEMENT_TYPE)
    queue.launch(kernels::test_simd_kernel, Range{8}, a, integers, out, 1.0f);
#elif defined(CASE_READ_ONLY_BUFFER)
    queue.launch(kernels::test_simd_kernel, Range{8}, a, a, lent, 1.0f);
#elif defined(CASE_CONST_BUFFER)
    const Buffer<float>& constant = out;
    queue.launch(kernels::test_simd_kernel, Range{8}, a, a, constant, 1.0f);
#elif defined(CASE_INT_FOR_FLOAT)
    queue.launch(kernels::test_simd_kernel, Range{8}, a, lent, out, 1);
#elif defined(CASE_RANGE_FOR_GROUPS)
    queue.launch(kernels::test_tile_sum, Range{8}, integers, integers, 8);
#elif defined(CASE_BUFFER_OF_STRUCTURES)
    struct Vector3 {
        float x, y, z;
    };
    Buffer<Vector3> vectors;
#endif
}
