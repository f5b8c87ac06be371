// How far operations look that go over images in parts.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "operations/operation.h"

namespace tesela::operations {

// How many pixels around a part the outputs of `whole` depend on. `sample` is that of
// SlideUse::halo, with one pixel only along axes of which the image has one. Where outputs depend
// on the whole, throws InvalidArgument with the reason: the options, or the pixel type. `advice`
// goes on after "needs the whole ".
std::int64_t halo_in_parts(const Operation& whole, const Options& options,
                           const AnyImageView& sample, const std::string& advice);

// Whether it has a halo by an option alone that was not given, --within: then it needs the whole.
bool is_unbounded(const Operation& operation, const Options& options);

// An object that a part need not have, but the whole has, and not everywhere.
class ObjectOfParts {
  public:
    // The figures of a part; only those of operations on an object say something of it.
    void add(const Figures& figures);
    // When all parts were added: throws InvalidArgument as the operation does of a whole. Where the
    // object is a label, an option of this name has it.
    void require(const Options& options) const;

  private:
    std::mutex mutex_;
    bool is_known_ = false, has_inside_ = false, has_outside_ = false;
};

}  // namespace tesela::operations
