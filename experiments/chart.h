// Charts as SVG: curves and bars with axes, ticks and a legend.
#pragma once

#include <string>
#include <vector>

namespace tesela::experiments {

struct Axis {
    std::string label;
    bool logarithmic = false;  // values that are not above 0 are then left out
};

struct Curve {
    std::string name;
    std::vector<double> x, y;  // of equal length
};

// Curves through points, over a common pair of axes.
std::string curve_chart(const std::string& title, const Axis& x, const Axis& y,
                        const std::vector<Curve>& curves);

struct Bars {
    std::string name;
    std::vector<double> values;  // one a category; NaN where there is none
};

// Groups of bars, one group a category; `stacked`: one bar a category, the values on top of one
// another.
std::string bar_chart(const std::string& title, const Axis& y,
                      const std::vector<std::string>& categories, const std::vector<Bars>& bars,
                      bool stacked = false);

}  // namespace tesela::experiments
