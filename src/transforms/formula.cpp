// The parser of formulas: by descent, a function for each level of precedence, which gives steps at
// once. A value of depth d is in register d.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

#include "tesela/image_math.h"

namespace tesela {
namespace {

using Step = Formula::Step;

constexpr int most_levels = 64;
constexpr std::size_t most_characters = 65536;

struct Function {
    std::string_view name;
    Step step;
    int fewest, most;
};
constexpr int any_number = 1 << 20;
constexpr auto functions = std::to_array<Function>({{"abs", Step::abs, 1, 1},
                                                    {"ceil", Step::ceil, 1, 1},
                                                    {"exp", Step::exp, 1, 1},
                                                    {"floor", Step::floor, 1, 1},
                                                    {"log", Step::log, 1, 1},
                                                    {"max", Step::max, 2, any_number},
                                                    {"min", Step::min, 2, any_number},
                                                    {"pow", Step::power, 2, 2},
                                                    {"round", Step::round, 1, 1},
                                                    {"sqrt", Step::sqrt, 1, 1}});

struct Operator {
    std::string_view text;
    Step step;
};
// By precedence, the loosest first; of one level the longer first.
const std::array<std::vector<Operator>, 6> levels{
    {{{"||", Step::either}},
     {{"&&", Step::both}},
     {{"==", Step::equal}, {"!=", Step::differs}},
     {{"<=", Step::at_most}, {">=", Step::at_least}, {"<", Step::below}, {">", Step::above}},
     {{"+", Step::add}, {"-", Step::subtract}},
     {{"*", Step::multiply}, {"/", Step::divide}, {"%", Step::remainder}}}};
constexpr std::size_t conditions = 4;  // levels that give 1 or 0
constexpr std::size_t comparisons = 3;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

class FormulaParser {
  public:
    FormulaParser(std::string_view text, std::span<const std::string> names)
        : text_(text), names_(names) {
        if (text.size() > most_characters)
            throw InvalidArgument("the formula has " + std::to_string(text.size()) +
                                  " characters, and 65536 are the most");
    }

    Formula parse() {
        const bool is_condition = choice(0);
        skip_blanks();
        if (at_ < text_.size()) refuse("expected an operator, found " + here());
        formula_.is_condition_ = is_condition;
        return std::move(formula_);
    }

  private:
    // Each parses what it is called after into register `target`, and gives whether it is 1 or 0.
    bool choice(int target) {
        const Nesting nesting(*this);
        const bool first = binary(0, target);
        if (!take("?")) return first;
        const bool yes = choice(target + 1);
        expect(":", "after the value of a condition");
        const bool no = choice(target + 2);
        emit(Step::choose, target, target + 2);
        return yes && no;
    }

    bool binary(std::size_t level, int target) {
        if (level == levels.size()) return unary(target);
        bool is_condition = binary(level + 1, target);
        for (bool is_first = true;; is_first = false) {
            const Operator* found = take_operator(level);
            if (!found) return is_condition;
            if (level == comparisons && !is_first)
                refuse("comparisons do not follow each other: write 'a < b && b < c'");
            binary(level + 1, target + 1);
            emit(found->step, target, target + 1);
            is_condition = level < conditions;
        }
    }

    bool unary(int target) {
        const Nesting nesting(*this);
        if (take("-")) return unary_step(Step::negate, target);
        if (take("+")) return unary(target);
        if (peek("!=")) refuse("expected a value, found '!='");
        if (take("!")) {
            unary_step(Step::invert, target);
            return true;
        }
        const bool is_condition = primary(target);
        if (!take("^")) return is_condition;
        unary(target + 1);
        emit(Step::power, target, target + 1);
        return false;
    }
    bool unary_step(Step step, int target) {
        unary(target);
        emit(step, target, target);
        return false;
    }

    bool primary(int target) {
        skip_blanks();
        if (take("(")) {
            const bool is_condition = choice(target);
            expect(")", "to close '('");
            return is_condition;
        }
        if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.'))
            number(target);
        else if (at_ < text_.size() && is_letter(text_[at_]))
            name(target);
        else
            refuse("expected a number, an image, a function or '(', found " + here());
        return false;
    }

    void number(int target) {
        double value = 0;
        const char* begin = text_.data() + at_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error == std::errc::result_out_of_range) refuse("the number is too large or too small");
        if (error != std::errc{}) refuse("expected a number, found " + here());
        at_ += static_cast<std::size_t>(end - begin);
        if (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '.'))
            refuse("expected an operator behind the number, found " + here());
        formula_.instructions_.push_back({Step::constant, target, 0, value});
    }

    void name(int target) {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
        const std::string_view word = text_.substr(begin, at_ - begin);
        if (peek("(")) return call(word, begin, target);
        const auto image = std::find(names_.begin(), names_.end(), word);
        if (image != names_.end())
            formula_.instructions_.push_back(
                {Step::image, target, static_cast<std::int32_t>(image - names_.begin()), 0});
        else if (word == "pi")
            formula_.instructions_.push_back({Step::constant, target, 0, std::numbers::pi});
        else
            refuse_name("image", word, begin, names_, [](const std::string& n) { return n; });
    }

    void call(std::string_view word, std::size_t begin, int target) {
        const auto* found = std::find_if(functions.begin(), functions.end(),
                                         [&](const Function& f) { return f.name == word; });
        if (found == functions.end())
            refuse_name("function", word, begin, functions,
                        [](const Function& f) { return std::string(f.name); });
        expect("(", "after a function");
        int values = 0;
        do {
            choice(target + (values > 0 ? 1 : 0));
            if (++values > found->most) break;
            if (values > 1) emit(found->step, target, target + 1);
        } while (take(","));
        if (values < found->fewest || values > found->most)
            refuse_at(begin, "'" + std::string(word) + "' takes " +
                                 (found->most == any_number ? "two values or more"
                                  : found->most == 2        ? "two values"
                                                            : "one value"));
        expect(")", "to close the call of '" + std::string(word) + "'");
        if (found->most == 1) emit(found->step, target, target);
    }

    // ---- Steps and words ----

    void emit(Step step, int target, int last) {
        formula_.instructions_.push_back({step, target, 0, 0});
        formula_.registers_ = std::max(formula_.registers_, last + 1);
    }

    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    }
    bool peek(std::string_view word) {
        skip_blanks();
        return text_.substr(at_, word.size()) == word;
    }
    bool take(std::string_view word) {
        if (!peek(word)) return false;
        at_ += word.size();
        return true;
    }
    const Operator* take_operator(std::size_t level) {
        for (const Operator& candidate : levels[level])
            if (take(candidate.text)) return &candidate;
        return nullptr;
    }
    void expect(std::string_view word, const std::string& where) {
        if (!take(word))
            refuse("expected '" + std::string(word) + "' " + where + ", found " + here());
    }

    std::string here() const {
        if (at_ >= text_.size()) return "the end";
        const char c = text_[at_];
        return c > ' ' && c < 127 ? "'" + std::string(1, c) + "'" : "a character that is no symbol";
    }
    [[noreturn]] static void refuse_at(std::size_t at, const std::string& reason) {
        throw InvalidArgument("formula, column " + std::to_string(at + 1) + ": " + reason);
    }
    [[noreturn]] void refuse(const std::string& reason) const { refuse_at(at_, reason); }
    template <class Known, class NameOf>
    [[noreturn]] static void refuse_name(const char* kind, std::string_view word, std::size_t at,
                                         const Known& known, const NameOf& name_of) {
        std::string list;
        for (const auto& one : known) list += (list.empty() ? "" : ", ") + name_of(one);
        refuse_at(at, "there is no " + std::string(kind) + " '" + std::string(word.substr(0, 40)) +
                          "'; there are " + list);
    }

    class Nesting {
      public:
        explicit Nesting(FormulaParser& parser) : level_(parser.level_) {
            if (++level_ > 2 * most_levels)
                parser.refuse("more than 64 levels of nesting: make an image of a part first");
        }
        ~Nesting() { --level_; }
        Nesting(const Nesting&) = delete;
        Nesting& operator=(const Nesting&) = delete;

      private:
        int& level_;
    };

    std::string_view text_;
    std::span<const std::string> names_;
    Formula formula_;
    std::size_t at_ = 0;
    int level_ = 0;  // two of each pair of parentheses
};

Formula Formula::parse(std::string_view text, std::span<const std::string> names) {
    return FormulaParser(text, names).parse();
}

bool Formula::uses(int image) const {
    return std::any_of(instructions_.begin(), instructions_.end(), [&](const Instruction& i) {
        return i.step == Step::image && i.image == image;
    });
}

}  // namespace tesela
