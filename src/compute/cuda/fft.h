// Fourier transforms through cuFFT, which is opened when it is first needed.
#pragma once

#include <cuda_runtime_api.h>
#include <cufft.h>

#include <array>
#include <cstdint>
#include <list>

#include "compute/backend.h"

namespace tesela::detail {

// The plans of one queue; those that were used last.
class CudaFft {
  public:
    CudaFft() = default;
    ~CudaFft() { drop(); }
    CudaFft(const CudaFft&) = delete;
    CudaFft& operator=(const CudaFft&) = delete;

    // False where cuFFT is missing or cannot do it.
    bool transform(const BackendQueue::FftCall& call, const BackendQueue::Scratch& scratch,
                   cudaStream_t stream);
    void drop() noexcept;

  private:
    static constexpr std::size_t most = 16;
    using Key = std::array<std::int64_t, 5>;  // sizes, batch, type
    struct Plan {
        Key key;
        cufftHandle handle;
        std::size_t work_bytes;
    };
    const Plan* find(const BackendQueue::FftCall& call, cudaStream_t stream);

    std::list<Plan> plans_;  // the last used in front
};

}  // namespace tesela::detail
