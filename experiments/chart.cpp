#include "experiments/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "shown_text.h"

namespace tesela::experiments {
namespace {

constexpr double width = 760, height = 440;
constexpr double left = 76, right = 20, top = 44, bottom = 88;
constexpr double plot_width = width - left - right, plot_height = height - top - bottom;

// The palette of M. Okabe and K. Ito, which people with any color vision can tell apart.
constexpr std::array<std::string_view, 7> colors{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#e69f00", "#56b4e9", "#000000"};
std::string_view color(std::size_t i) { return colors[i % colors.size()]; }

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : cli::on_one_line(text))
        result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    return result;
}

// Values along one direction of the plot: from `begin` to `end` in pixels.
class Scale {
  public:
    Scale(const Axis& axis, const std::vector<double>& values, double begin, double end)
        : logarithmic_(axis.logarithmic), begin_(begin), end_(end) {
        double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
        for (const double value : values)
            if (shows(value)) {
                lowest = std::min(lowest, value);
                highest = std::max(highest, value);
            }
        if (!(lowest <= highest)) lowest = highest = 1;
        if (logarithmic_) {
            lowest_ = std::floor(std::log10(lowest));
            highest_ = std::max(std::ceil(std::log10(highest)), lowest_ + 1);
        } else {
            lowest_ = std::min(lowest, 0.0);
            step_ = step_for(highest - lowest_);
            highest_ = std::max(std::ceil(highest / step_), 1.0) * step_;
        }
    }

    bool shows(double value) const { return std::isfinite(value) && (!logarithmic_ || value > 0); }
    double at(double value) const {
        const double v = logarithmic_ ? std::log10(value) : value;
        return begin_ + (end_ - begin_) * (v - lowest_) / (highest_ - lowest_);
    }
    double base() const { return begin_; }
    std::vector<double> ticks() const {
        std::vector<double> values;
        if (logarithmic_)
            for (double e = lowest_; e <= highest_; ++e) values.push_back(std::pow(10, e));
        else
            for (double v = lowest_; v <= highest_ + 0.5 * step_; v += step_) values.push_back(v);
        return values;
    }

  private:
    // 1, 2 or 5 times a power of ten, about six of them over the extent.
    static double step_for(double extent) {
        const double rough = std::max(extent, 1e-12) / 6;
        const double power = std::pow(10, std::floor(std::log10(rough)));
        const double factor = rough / power;
        return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
    }

    bool logarithmic_;
    double begin_, end_, lowest_ = 0, highest_ = 1, step_ = 1;
};

std::string text(double x, double y, std::string_view anchor, std::string_view content,
                 std::string_view more = "") {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                       anchor, more, escaped(content));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view stroke) {
    return fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1,
        x2, y2, stroke);
}

std::string rectangle(double x, double y, double w, double h, std::string_view fill) {
    return fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y,
        w, h, fill);
}

std::string opening(const std::string& title) {
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
               "height=\"{1}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n",
               width, height) +
           rectangle(0, 0, width, height, "#fff") +
           text(width / 2, 24, "middle", title, " font-size=\"15\" font-weight=\"bold\"");
}

std::string y_axis(const Axis& axis, const Scale& scale) {
    std::string svg;
    for (const double tick : scale.ticks()) {
        const double y = scale.at(tick);
        svg += line(left, y, left + plot_width, y, "#ddd");
        svg += text(left - 6, y + 4, "end", fmt::format("{:g}", tick));
    }
    const double middle = top + plot_height / 2;
    return svg + text(18, middle, "middle", axis.label,
                      fmt::format(" transform=\"rotate(-90 18 {:.1f})\"", middle));
}

std::string frame() {
    return line(left, top, left, top + plot_height, "#222") +
           line(left, top + plot_height, left + plot_width, top + plot_height, "#222");
}

std::string legend(const std::vector<std::string>& names) {
    std::string svg;
    double x = left;
    double y = height - 34;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const double needed = 26 + 6.6 * static_cast<double>(names[i].size());
        if (x + needed > width && x > left) {
            x = left;
            y += 18;
        }
        svg += rectangle(x, y - 9, 11, 11, color(i)) + text(x + 16, y, "start", names[i]);
        x += needed;
    }
    return svg;
}

template <class Series>
std::vector<std::string> names_of(const std::vector<Series>& all) {
    std::vector<std::string> names;
    for (const Series& series : all) names.push_back(series.name);
    return names;
}

}  // namespace

std::string curve_chart(const std::string& title, const Axis& x, const Axis& y,
                        const std::vector<Curve>& curves) {
    std::vector<double> xs, ys;
    for (const Curve& curve : curves) {
        xs.insert(xs.end(), curve.x.begin(), curve.x.end());
        ys.insert(ys.end(), curve.y.begin(), curve.y.end());
    }
    const Scale across(x, xs, left, left + plot_width), up(y, ys, top + plot_height, top);
    std::string svg = opening(title) + y_axis(y, up);
    for (const double tick : across.ticks()) {
        svg += line(across.at(tick), top + plot_height, across.at(tick), top + plot_height + 4,
                    "#222");
        svg += text(across.at(tick), top + plot_height + 17, "middle", fmt::format("{:g}", tick));
    }
    svg += text(left + plot_width / 2, top + plot_height + 34, "middle", x.label) + frame();
    for (std::size_t i = 0; i < curves.size(); ++i) {
        std::string points, marks;
        for (std::size_t k = 0; k < curves[i].x.size(); ++k) {
            if (!across.shows(curves[i].x[k]) || !up.shows(curves[i].y[k])) continue;
            const double px = across.at(curves[i].x[k]), py = up.at(curves[i].y[k]);
            points += fmt::format("{:.1f},{:.1f} ", px, py);
            marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.2\" fill=\"{}\"/>\n",
                                 px, py, color(i));
        }
        svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\"/>\n", points,
                           color(i)) +
               marks;
    }
    return svg + legend(names_of(curves)) + "</svg>\n";
}

std::string bar_chart(const std::string& title, const Axis& y,
                      const std::vector<std::string>& categories, const std::vector<Bars>& bars,
                      bool stacked) {
    std::vector<double> values;
    for (std::size_t c = 0; c < categories.size(); ++c) {
        double sum = 0;
        for (const Bars& one : bars) {
            values.push_back(one.values[c]);
            sum += std::isfinite(one.values[c]) ? one.values[c] : 0;
        }
        if (stacked) values.push_back(sum);
    }
    const Scale up(y, values, top + plot_height, top);
    std::string svg = opening(title) + y_axis(y, up);
    const double room =
        plot_width / static_cast<double>(std::max<std::size_t>(categories.size(), 1));
    const double parts = stacked ? 1 : static_cast<double>(std::max<std::size_t>(bars.size(), 1));
    const double bar = 0.8 * room / parts;
    for (std::size_t c = 0; c < categories.size(); ++c) {
        const double begin = left + room * (static_cast<double>(c) + 0.1);
        double sum = 0;
        for (std::size_t i = 0; i < bars.size(); ++i) {
            const double value = bars[i].values[c];
            if (!up.shows(value)) continue;
            const double low = stacked && sum > 0 ? up.at(sum) : up.base();
            sum += value;
            const double high = up.at(stacked ? sum : value);
            const double x = begin + (stacked ? 0 : bar * static_cast<double>(i));
            svg += rectangle(x, high, bar, low - high, color(i));
        }
        svg += text(begin + 0.4 * room, top + plot_height + 17, "middle", categories[c]);
    }
    return svg + frame() + legend(names_of(bars)) + "</svg>\n";
}

}  // namespace tesela::experiments
