// The mutual information of two levels at sampled voxels, and its derivative by the chain rule.
#pragma once

#include "registration/information.h"
#include "registration/levels.h"
#include "registration/linear_equations.h"

namespace tesela {

class SampledInformation {
  public:
    // About `samples` voxels of the fixed level, one of each of as many boxes; all of a small
    // level. `measure` is mi or nmi. Both levels must outlive this.
    SampledInformation(Queue& queue, const RegistrationLevel& fixed,
                       const RegistrationLevel& moving, const UnitSpace& space,
                       RegistrationMeasure measure, std::int64_t samples);

    MutualInformation information(const LinearMap& map);
    // Of a change that is applied before the map. Derivatives of the information of the samples
    // take the place of the second derivative (E. K. Berndt, B. H. Hall, R. E. Hall, J. A. Hausman,
    // 1974).
    LinearEquations equations(const LinearMap& map);

  private:
    Queue& queue_;
    const RegistrationLevel& moving_;
    LinearMap to_unit_;
    RegistrationMeasure measure_;
    std::int64_t count_ = 0;
    Buffer<float> points_, found_;  // unit coordinates; what the moving level has there
    Buffer<std::int32_t> rows_;     // first cells of fixed bins
};

}  // namespace tesela
