// Formulas on images: values, columns of errors, and random texts.
#include "tesela/image_math.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "refusal.h"

namespace tesela {
namespace {

const std::vector<std::string> names{"a", "b"};

// Of one pixel each.
double value(std::string_view text, double a = 0, double b = 0) {
    Image<double> first({1, 1}), second({1, 1});
    first(0, 0) = a;
    second(0, 0) = b;
    const std::array<AnyImageView, 2> images{AnyImageView(first), AnyImageView(second)};
    const AnyImage made = evaluate_formula(Formula::parse(text, names), images);
    return std::visit([](const auto& image) { return static_cast<double>(image.pixels()[0]); },
                      made);
}
std::string refused(std::string_view text) {
    return testing::refusal([&] { Formula::parse(text, names); });
}

TEST(ImageMath, OperatorsBindAsInC) {
    EXPECT_EQ(value("1 + 2 * 3"), 7);
    EXPECT_EQ(value("(1+2)*3"), 9);
    EXPECT_EQ(value("7 - 2 - 1"), 4);
    EXPECT_EQ(value("16 / 4 / 2"), 2);
    EXPECT_EQ(value("2 ^ 3 ^ 2"), 512);
    EXPECT_EQ(value("-2 ^ 2"), -4);
    EXPECT_EQ(value("2 ^ -1"), 0.5);
    EXPECT_EQ(value("7 % 4 + -7 % 4"), 0);
    EXPECT_EQ(value("1 + 1 == 2 && 3 > 2"), 255);
    EXPECT_EQ(value("1 || 0 && 0"), 255);
    EXPECT_EQ(value("!0 + 1"), 2);
    EXPECT_EQ(value("a ? 2 : b ? 3 : 4", 0, 1), 3);
    EXPECT_EQ(value("a > 1 ? b > 1 : b < 1", 2, 0), 0);
    EXPECT_EQ(value("(a >= 2) + (b <= 3) + (a != b)", 2, 3), 3);
    EXPECT_EQ(value("1e2 + .5"), 100.5);
}

TEST(ImageMath, FunctionsAndConstants) {
    EXPECT_EQ(value("min(3, 1, 2) + max(1, 5)"), 6);
    EXPECT_EQ(value("abs(-2) + floor(-1.5) + ceil(1.2) + round(2.5)"), 2 - 2 + 2 + 3);
    EXPECT_DOUBLE_EQ(value("sqrt(a) + exp(1) + log(b)", 9, 10),
                     static_cast<float>(3 + std::numbers::e + std::log(10)));
    EXPECT_DOUBLE_EQ(value("pow(2, 10) * pi"), static_cast<float>(1024 * std::numbers::pi));
}

TEST(ImageMath, DivisionsByZeroGiveZero) {
    EXPECT_EQ(value("a / b", 5, 0), 0);
    EXPECT_EQ(value("a % b", 5, 0), 0);
    EXPECT_EQ(value("0 / 0"), 0);
    EXPECT_TRUE(std::isnan(value("sqrt(-1)")));
    EXPECT_TRUE(std::isnan(value("log(-1)")));
}

TEST(ImageMath, ErrorsNameTheColumn) {
    const auto expect = [](std::string_view text, const std::string& words) {
        EXPECT_NE(refused(text).find(words), std::string::npos) << text << ": " << refused(text);
    };
    expect("", "column 1: expected a number");
    expect("a +", "column 4: expected a number, an image, a function or '(', found the end");
    expect("a & b", "column 3: expected an operator, found '&'");
    expect("(a", "column 3: expected ')' to close '(', found the end");
    expect("a)", "column 2: expected an operator, found ')'");
    expect("a > c", "column 5: there is no image 'c'; there are a, b");
    expect("1 + sin(a)", "column 5: there is no function 'sin'; there are abs, ");
    expect("min(a)", "column 1: 'min' takes two values or more");
    expect("abs(a, b)", "column 1: 'abs' takes one value");
    expect("pow(a, b, a)", "column 1: 'pow' takes two values");
    expect("1 < a < 3", "column 8: comparisons do not follow each other");
    expect("a ? b", "column 6: expected ':'");
    expect("2a", "column 2: expected an operator behind the number");
    expect("1.2.3", "column 4");
    expect("1e999", "column 1: the number is too large");
    expect("a \xc3\xa4", "column 3: expected an operator, found a character");
    expect(std::string(65537, '1'), "65537 characters");
}

TEST(ImageMath, NestingHasALimit) {
    const auto nested = [](int levels, const char* open, const char* close) {
        std::string text;
        for (int i = 0; i < levels; ++i) text += open;
        text += "a";
        for (int i = 0; i < levels; ++i) text += close;
        return text;
    };
    EXPECT_EQ(value(nested(60, "(1+", ")"), 2), 62);
    EXPECT_EQ(value(nested(60, "max(0, 1*2-", ")"), 2), 2);
    for (const char* open : {"(", "-", "!", "abs(", "1 ? 2 : ", "2^", "min(1,"})
        EXPECT_NE(refused(nested(5000, open, "")).find("64 levels"), std::string::npos) << open;
}

TEST(ImageMath, ImagesOfManyPixelsChannelsAndTypes) {
    const Shape shape{701, 3, 2, 1, 3};
    Image<std::int16_t> first(shape);
    Image<std::uint8_t> mask({701, 3, 2});
    for (std::size_t i = 0; i < first.pixels().size(); ++i)
        first.pixels()[i] = static_cast<std::int16_t>(i % 501 - 250);
    for (std::size_t i = 0; i < mask.pixels().size(); ++i)
        mask.pixels()[i] = static_cast<std::uint8_t>(i % 3);
    first.geometry.unit = Unit::millimeter;
    const std::array<AnyImageView, 2> images{AnyImageView(first), AnyImageView(mask)};
    for (const int threads : {1, 2}) {
        const AnyImage sum = evaluate_formula(Formula::parse("2*a - b", names), images, threads);
        const AnyImage inside =
            evaluate_formula(Formula::parse("a>7 && b", names), images, threads);
        EXPECT_EQ(geometry_of(sum), first.geometry);
        for (std::size_t i = 0; i < first.pixels().size(); ++i) {
            const int a = first.pixels()[i], b = mask.pixels()[i / 3];
            ASSERT_EQ(std::get<Image<float>>(sum).pixels()[i], static_cast<float>(2 * a - b));
            ASSERT_EQ(std::get<Image<std::uint8_t>>(inside).pixels()[i], a > 7 && b ? 255 : 0);
        }
    }
    const Image<std::uint8_t> other({700, 3, 2});
    const std::array<AnyImageView, 2> unequal{AnyImageView(first), AnyImageView(other)};
    EXPECT_THROW(evaluate_formula(Formula::parse("a+b", names), unequal), InvalidArgument);
    EXPECT_THROW(evaluate_formula(Formula::parse("1", names), {}), InvalidArgument);
}

// Random texts and mutated formulas are refused, or give a value; nothing else happens.
TEST(ImageMath, AnyTextIsRefusedOrComputed) {
    std::mt19937 generator(7);
    const std::array<std::string, 26> words{"a", "b", "(",   ")",   "+",    "-",     "*",  "/", "%",
                                            "^", "<", ">=",  "==",  "&&",   "||",    "!",  "?", ":",
                                            ",", "1", "2.5", "1e3", "min(", "sqrt(", "pi", " "};
    int computed = 0;
    for (int round = 0; round < 40000; ++round) {
        std::string text = round % 2 != 0 ? "min(a, 2) > 3 ? sqrt(b) : -a^2 * (b + 1)" : "";
        const int changes = static_cast<int>(generator() % 12);
        for (int i = 0; i <= changes; ++i) {
            const std::size_t at = generator() % (text.size() + 1);
            if (generator() % 4 == 0 && !text.empty())
                text.erase(at, generator() % 4);
            else if (generator() % 8 == 0)
                text.insert(at, 1, static_cast<char>(generator()));
            else
                text.insert(at, words[generator() % words.size()]);
        }
        try {
            value(text, 3, 4);
            ++computed;
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string(error.what()).find("column"), std::string::npos) << text;
        }
    }
    EXPECT_GT(computed, 1000);
}

}  // namespace
}  // namespace tesela
