// Systems of equations, and what solves them.
#pragma once

#include "operations/kind.h"
#include "tesela/tridiagonal_systems.h"

namespace tesela::operations {

namespace kinds {
inline constexpr Kind equations = kind_of<TridiagonalSystems>("equations");
inline constexpr Kind solutions = kind_of<TridiagonalSolutions>("solutions");
}  // namespace kinds

}  // namespace tesela::operations
