// The linear map that a model of registration begins with.
#pragma once

#include "tesela/registration.h"

namespace tesela {

// Splines bend after an affine map.
inline LinearKind linear_kind(RegistrationModel model) {
    return model == RegistrationModel::rigid        ? LinearKind::rigid
           : model == RegistrationModel::similarity ? LinearKind::similarity
                                                    : LinearKind::affine;
}

}  // namespace tesela
