// Objects of masks by flooding from each point, for selections, holes and parts.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "tesela/image.h"

namespace tesela::reference {

// Numbers 1, 2, ... in raster order of first points, of connected points whose `inside` is not 0.
// Neighbors differ by one along at most `axes` axes.
inline LabelImage objects(const Image<std::uint8_t>& inside, int axes) {
    const Shape& s = inside.shape();
    LabelImage numbers(s);
    std::uint32_t count = 0;
    struct Point {
        std::int64_t x, y, z;
    };
    const auto flood = [&](const Point& first) {
        std::vector<Point> stack{first};
        numbers(first.x, first.y, first.z) = ++count;
        while (!stack.empty()) {
            const Point p = stack.back();
            stack.pop_back();
            for (int n = 0; n < 27; ++n) {
                const int dx = n % 3 - 1, dy = n / 3 % 3 - 1, dz = n / 9 - 1;
                const Point q{p.x + dx, p.y + dy, p.z + dz};
                if (std::abs(dx) + std::abs(dy) + std::abs(dz) > axes || q.x < 0 || q.x >= s.x ||
                    q.y < 0 || q.y >= s.y || q.z < 0 || q.z >= s.z)
                    continue;
                if (inside(q.x, q.y, q.z) == 0 || numbers(q.x, q.y, q.z) != 0) continue;
                numbers(q.x, q.y, q.z) = count;
                stack.push_back(q);
            }
        }
    };
    for (std::int64_t z = 0; z < s.z; ++z)
        for (std::int64_t y = 0; y < s.y; ++y)
            for (std::int64_t x = 0; x < s.x; ++x)
                if (inside(x, y, z) != 0 && numbers(x, y, z) == 0) flood({x, y, z});
    return numbers;
}

struct ObjectFacts {
    std::int64_t area = 0;
    bool at_border = false;
};
// Of each number, that of 0 included; at the border are points within `margin` of it, along axes of
// several points.
inline std::vector<ObjectFacts> facts_of(const LabelImage& numbers, std::int64_t margin) {
    const Shape& s = numbers.shape();
    std::vector<ObjectFacts> facts;
    const auto is_near = [margin](std::int64_t at, std::int64_t n) {
        return n > 1 && (at < margin || at >= n - margin);
    };
    for (std::int64_t z = 0; z < s.z; ++z)
        for (std::int64_t y = 0; y < s.y; ++y)
            for (std::int64_t x = 0; x < s.x; ++x) {
                const std::uint32_t number = numbers(x, y, z);
                if (facts.size() <= number) facts.resize(number + 1);
                ++facts[number].area;
                facts[number].at_border |= is_near(x, s.x) || is_near(y, s.y) || is_near(z, s.z);
            }
    return facts;
}

}  // namespace tesela::reference
