// Launches that must not compile, one a case; see CMakeLists.txt.
#include "kernels/dialect_test.kernel.h"
#include "tesela/compute/queue.h"

using namespace tesela;

#if defined(CASE_PADDED_STRUCT) || defined(CASE_STRUCT_WITH_POINTER)
    #define T_FILE compile_fail
    #include "kernels/begin.h"
typedef struct {
    i32 a;
    #if defined(CASE_PADDED_STRUCT)
    i64 b;
    #else
    f32 b;
    T_GLOBAL_PTR(f32) c;
    #endif
} wrong_struct;
T_KERNEL(takes_wrong_struct, (wrong_struct values)) {
    T_INDEX1(i);
    (void)i;
}
    #include "kernels/end.h"
#endif

void launches(Queue& queue, Buffer<float>& a, Buffer<const float>& lent, Buffer<float>& out,
              Buffer<int>& integers, Buffer<std::int64_t>& values) {
    queue.launch(kernels::test_simd_kernel, Range{8}, a, lent, out, 1.0f);
    queue.launch(kernels::test_tile_sum, Groups{8}, integers, integers, 8);
    queue.launch(kernels::test_struct_layout, Range{1}, integers, values, kernels::test_struct{},
                 1);
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
#elif defined(CASE_OTHER_STRUCT)
    struct {
        int x, y;
    } other;
    queue.launch(kernels::test_struct_layout, Range{1}, integers, values, other, 1);
#elif defined(CASE_RANGE_FOR_GROUPS)
    queue.launch(kernels::test_tile_sum, Range{8}, integers, integers, 8);
#elif defined(CASE_BUFFER_OF_STRUCTURES)
    struct Vector3 {
        float x, y, z;
    };
    Buffer<Vector3> vectors;
#endif
}
