// All operations, by name.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "operations/operation.h"

namespace tesela::operations {

class Registry {
  public:
    // Those of Tesela.
    static const Registry& all();

    // Throws std::logic_error for a name that is taken, an operation without outputs, two options
    // or outputs of one name, or one of a family that is not there.
    void add(Operation operation);
    void add(Family family);

    const std::deque<Operation>& operations() const { return operations_; }
    const std::deque<Family>& families() const { return families_; }
    // Throws InvalidArgument where there is none of the name.
    const Operation& find(std::string_view name) const;
    // nullptr where there is none.
    const Family* family(std::string_view name) const;

  private:
    std::deque<Operation> operations_;  // these stay where they are
    std::deque<Family> families_;
};

// "threshold" of "threshold otsu", and of a family that is part of one; empty of "mean-shift".
std::string_view family_of(std::string_view operation);

}  // namespace tesela::operations
