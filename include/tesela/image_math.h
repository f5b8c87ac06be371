// Arithmetic on images: a formula that is evaluated at each pixel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tesela/image_view.h"
#include "tesela/progress.h"

namespace tesela {

// A formula, compiled to steps on numbered registers. Operators, from those that bind most loosely:
//
//   a ? b : c    ||    &&    == !=    < <= > >=    + -    * / %    unary - + !    ^ (power)
//
// Functions: abs, ceil, exp, floor, log, max, min, pow, round, sqrt; max and min take two values or
// more. Constant: pi. Values are of double precision. Comparisons, &&, || and ! give 1 or 0, and
// take each value but 0 as true. A division by 0 and its remainder give 0; square roots and
// logarithms of what has none NaN; halves are rounded away from 0, and a remainder has the sign of
// the dividend.
class Formula {
  public:
    enum class Step : std::uint8_t {
        constant,
        image,
        negate,
        invert,
        abs,
        ceil,
        exp,
        floor,
        log,
        round,
        sqrt,
        add,
        subtract,
        multiply,
        divide,
        remainder,
        power,
        min,
        max,
        equal,
        differs,
        below,
        at_most,
        above,
        at_least,
        both,
        either,
        choose
    };
    // The result goes to `target`; operands are it and the registers behind it.
    struct Instruction {
        Step step;
        std::int32_t target = 0;
        std::int32_t image = 0;
        double value = 0;
    };

    // `names` are those of the images, in order. Throws InvalidArgument that names the column, from
    // 1, of what it does not understand: names that are none, more than 64 levels of nesting, more
    // than 65,536 characters.
    static Formula parse(std::string_view text, std::span<const std::string> names);

    const std::vector<Instruction>& instructions() const { return instructions_; }
    int registers() const { return registers_; }
    // Whether the formula gives 1 or 0 only, being a comparison or a combination of them.
    bool is_condition() const { return is_condition_; }
    bool uses(int image) const;

  private:
    friend class FormulaParser;
    std::vector<Instruction> instructions_;
    int registers_ = 1;
    bool is_condition_ = false;
};

// The formula at each pixel of images on one grid: a mask of 0 and 255 where it is a condition,
// else an image of single precision. Images have the channels of the first, or one, which counts
// for all of them. The result has geometry and alpha of the first. Up to `threads` threads work, 0:
// all of the CPU. Throws InvalidArgument for other sizes, channels or geometry, OutOfMemory,
// Cancelled.
AnyImage evaluate_formula(const Formula& formula, std::span<const AnyImageView> images,
                          int threads = 0, const Progress& progress = {});

}  // namespace tesela
