#include "tridiagonal_peers.h"

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>

namespace tesela::bench {
namespace {

void* open_first(std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (name)
            if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    return nullptr;
}

template <class Function>
void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (!function) throw std::runtime_error(std::string("a peer's library has no ") + name);
}

void check(int status, const char* what) {
    if (status != 0)
        throw std::runtime_error(std::string(what) + " failed with " + std::to_string(status));
}

}  // namespace

// As cusparse.h and cuda.h declare them.
struct Cusparse::Functions {
    using Address = unsigned long long;
    using Matrix = const float*;

    int (*create)(void** handle);
    int (*strided_size)(void*, int, Matrix, Matrix, Matrix, Matrix, int, int, std::size_t*);
    int (*strided)(void*, int, Matrix, Matrix, Matrix, float*, int, int, void*);
    int (*interleaved_size)(void*, int, int, Matrix, Matrix, Matrix, Matrix, int, std::size_t*);
    int (*interleaved)(void*, int, int, float*, float*, float*, float*, int, void*);
    int (*one_size)(void*, int, int, Matrix, Matrix, Matrix, Matrix, int, std::size_t*);
    int (*one)(void*, int, int, Matrix, Matrix, Matrix, float*, int, void*);
    decltype(one_size) pivoted_size;
    decltype(one) pivoted;
    int (*allocate)(Address*, std::size_t);
    int (*release)(Address);
    int (*copy_in)(Address, const void*, std::size_t);
    int (*wait)();

    void* handle = nullptr;
    std::array<Address, 4> diagonals{};
    Address room = 0;
    std::size_t room_bytes = 0;

    float* diagonal(std::size_t k) const { return reinterpret_cast<float*>(diagonals[k]); }
    void* room_of(std::size_t bytes) {
        if (bytes > room_bytes) {
            if (room) check(release(room), "cuMemFree");
            check(allocate(&room, bytes), "cuMemAlloc");
            room_bytes = bytes;
        }
        return reinterpret_cast<void*>(room);
    }
};

std::unique_ptr<Cusparse> Cusparse::open() {
    void* sparse =
        open_first({std::getenv("TESELA_CUSPARSE"), "libcusparse.so.12", "libcusparse.so.11",
                    "libcusparse.so", "/usr/local/cuda/lib64/libcusparse.so"});
    void* driver = open_first({"libcuda.so.1"});
    if (!sparse || !driver) return nullptr;
    std::unique_ptr<Cusparse> opened(new Cusparse);
    Functions& f = *opened->functions_;
    find(sparse, "cusparseCreate", f.create);
    find(sparse, "cusparseSgtsv2StridedBatch_bufferSizeExt", f.strided_size);
    find(sparse, "cusparseSgtsv2StridedBatch", f.strided);
    find(sparse, "cusparseSgtsvInterleavedBatch_bufferSizeExt", f.interleaved_size);
    find(sparse, "cusparseSgtsvInterleavedBatch", f.interleaved);
    find(sparse, "cusparseSgtsv2_nopivot_bufferSizeExt", f.one_size);
    find(sparse, "cusparseSgtsv2_nopivot", f.one);
    find(sparse, "cusparseSgtsv2_bufferSizeExt", f.pivoted_size);
    find(sparse, "cusparseSgtsv2", f.pivoted);
    find(driver, "cuMemAlloc_v2", f.allocate);
    find(driver, "cuMemFree_v2", f.release);
    find(driver, "cuMemcpyHtoD_v2", f.copy_in);
    find(driver, "cuCtxSynchronize", f.wait);
    check(f.create(&f.handle), "cusparseCreate");
    return opened;
}

Cusparse::Cusparse() : functions_(std::make_unique<Functions>()) {}

Cusparse::~Cusparse() {
    for (const Functions::Address diagonal : functions_->diagonals)
        if (diagonal) functions_->release(diagonal);
    if (functions_->room) functions_->release(functions_->room);
}

void Cusparse::upload(std::span<const float> a, std::span<const float> b, std::span<const float> c,
                      std::span<const float> d) {
    Functions& f = *functions_;
    std::size_t k = 0;
    for (const std::span<const float> values : {a, b, c, d}) {
        if (f.diagonals[k]) check(f.release(f.diagonals[k]), "cuMemFree");
        check(f.allocate(&f.diagonals[k], values.size_bytes()), "cuMemAlloc");
        check(f.copy_in(f.diagonals[k++], values.data(), values.size_bytes()), "cuMemcpyHtoD");
    }
}

void Cusparse::solve_contiguous(int rows, int systems) {
    Functions& f = *functions_;
    std::size_t bytes = 0;
    check(f.strided_size(f.handle, rows, f.diagonal(0), f.diagonal(1), f.diagonal(2), f.diagonal(3),
                         systems, rows, &bytes),
          "gtsv2StridedBatch_bufferSizeExt");
    check(f.strided(f.handle, rows, f.diagonal(0), f.diagonal(1), f.diagonal(2), f.diagonal(3),
                    systems, rows, f.room_of(bytes)),
          "gtsv2StridedBatch");
    check(f.wait(), "cuCtxSynchronize");
}

void Cusparse::solve_interleaved(int rows, int systems) {
    constexpr int by_lu = 1;
    Functions& f = *functions_;
    std::size_t bytes = 0;
    check(f.interleaved_size(f.handle, by_lu, rows, f.diagonal(0), f.diagonal(1), f.diagonal(2),
                             f.diagonal(3), systems, &bytes),
          "gtsvInterleavedBatch_bufferSizeExt");
    check(f.interleaved(f.handle, by_lu, rows, f.diagonal(0), f.diagonal(1), f.diagonal(2),
                        f.diagonal(3), systems, f.room_of(bytes)),
          "gtsvInterleavedBatch");
    check(f.wait(), "cuCtxSynchronize");
}

void Cusparse::solve_one(int rows, bool pivots) {
    Functions& f = *functions_;
    std::size_t bytes = 0;
    check((pivots ? f.pivoted_size : f.one_size)(f.handle, rows, 1, f.diagonal(0), f.diagonal(1),
                                                 f.diagonal(2), f.diagonal(3), rows, &bytes),
          "gtsv2_bufferSizeExt");
    check((pivots ? f.pivoted : f.one)(f.handle, rows, 1, f.diagonal(0), f.diagonal(1),
                                       f.diagonal(2), f.diagonal(3), rows, f.room_of(bytes)),
          "gtsv2");
    check(f.wait(), "cuCtxSynchronize");
}

Sgtsv lapack_sgtsv() {
    void* library = open_first({"liblapack.so.3", "liblapack.so"});
    if (!library) return nullptr;
    void (*sgtsv)(const int*, const int*, float*, float*, float*, float*, const int*, int*) =
        nullptr;
    find(library, "sgtsv_", sgtsv);
    return [sgtsv](int rows, float* a, float* b, float* c, float* d) {
        const int one = 1;
        int info = 0;
        sgtsv(&rows, &one, a + 1, b, c, d, &rows, &info);
        check(info, "sgtsv");
    };
}

}  // namespace tesela::bench
