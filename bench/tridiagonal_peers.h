// Other people's tridiagonal solvers, opened at run time and never linked: cuSPARSE on a CUDA
// device, LAPACK on the host.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace tesela::bench {

// Solvers of cuSPARSE on matrices in device memory of its own. A call returns when the device has
// solved them. Libraries are looked for under the usual names; the environment variable
// TESELA_CUSPARSE names another file.
class Cusparse {
  public:
    // Null where there is no cuSPARSE; call it after a queue of the CUDA device was made.
    static std::unique_ptr<Cusparse> open();
    ~Cusparse();

    // The diagonals of `systems` systems of `rows` rows, as they lie in memory.
    void upload(std::span<const float> a, std::span<const float> b, std::span<const float> c,
                std::span<const float> d);
    void solve_contiguous(int rows, int systems);  // gtsv2StridedBatch
    void solve_interleaved(int rows,
                           int systems);    // gtsvInterleavedBatch, by LU; spoils the matrix
    void solve_one(int rows, bool pivots);  // gtsv2, or gtsv2_nopivot

  private:
    Cusparse();
    struct Functions;
    std::unique_ptr<Functions> functions_;
};

// LAPACK's sgtsv, one system of contiguous rows; all but d is spoilt, x replaces d. Null where
// there is no LAPACK.
using Sgtsv = std::function<void(int rows, float* a, float* b, float* c, float* d)>;
Sgtsv lapack_sgtsv();

}  // namespace tesela::bench
