// Options of an operation without their C++ types: what a command line, a form of a viewer or the
// keywords of a Python function are made from. All of it comes from the `describe()` beside an
// options struct (tesela/options.h); an enumeration may have `constexpr auto enum_help(E)` beside
// its `enum_names`, a few words on each value.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "tesela/geometry.h"
#include "tesela/options.h"

namespace tesela::operations {

// An enumeration's value is its name. Nothing: an option that need not be given, and is not.
using OptionValue = std::variant<std::monostate, bool, std::int64_t, double, Length, std::string>;

enum class OptionKind { flag, integer, number, length, choice, text };
std::string_view kind_name(OptionKind kind);

// What a slider of a form spans at first; values beyond it may be allowed.
struct SuggestedRange {
    double lowest = 0, highest = 0;
    bool logarithmic = false;
};

struct Option {
    std::string_view name, help;
    OptionKind kind = OptionKind::text;
    OptionRange range;
    std::vector<std::string_view> choices;      // names, of OptionKind::choice
    std::vector<std::string_view> choice_help;  // a few words on each, or empty
    OptionValue default_value;
    // What the member can hold, of OptionKind::integer.
    std::int64_t lowest_integer = std::numeric_limits<std::int64_t>::min();
    std::int64_t highest_integer = std::numeric_limits<std::int64_t>::max();

    std::optional<SuggestedRange> suggestion = {};
    // Of numbers and lengths: the suggestion; without one by the range, or by the default where the
    // range is wide.
    std::optional<SuggestedRange> suggested() const;
};

namespace detail {

template <class T>
struct MemberType {
    using type = T;
    static constexpr bool optional = false;
};
template <class T>
struct MemberType<std::optional<T>> {
    using type = T;
    static constexpr bool optional = true;
};

template <class T>
constexpr OptionKind kind_of() {
    if constexpr (std::is_same_v<T, bool>)
        return OptionKind::flag;
    else if constexpr (std::is_enum_v<T>)
        return OptionKind::choice;
    else if constexpr (std::is_integral_v<T>)
        return OptionKind::integer;
    else if constexpr (std::is_floating_point_v<T>)
        return OptionKind::number;
    else if constexpr (std::is_same_v<T, Length>)
        return OptionKind::length;
    else
        return OptionKind::text;
}

template <class T>
OptionValue value_of(const T& member) {
    if constexpr (MemberType<T>::optional) {
        if (!member) return std::monostate{};
        return value_of(*member);
    } else if constexpr (std::is_enum_v<T>) {
        return std::string(enum_name(member));
    } else if constexpr (kind_of<T>() == OptionKind::integer) {
        return static_cast<std::int64_t>(member);
    } else if constexpr (kind_of<T>() == OptionKind::number) {
        return static_cast<double>(member);
    } else {
        return member;
    }
}

[[noreturn]] void throw_wrong_kind(std::string_view name, OptionKind kind);
// A whole number within the limits. Throws InvalidArgument.
std::int64_t whole_number(const Option& option, const OptionValue& value);
double number(const Option& option, const OptionValue& value);
Length length(const Option& option, const OptionValue& value);

template <class T>
Option option_of(std::string_view name, const T& member, std::string_view help,
                 const OptionRange& range) {
    using Value = typename MemberType<T>::type;
    Option option{name, help, kind_of<Value>(), range, {}, {}, value_of(member)};
    if constexpr (std::is_enum_v<Value>) {
        for (const auto& choice : enum_names(Value{})) option.choices.push_back(choice.second);
        if constexpr (requires { enum_help(Value{}); })
            for (const std::string_view text : enum_help(Value{}))
                option.choice_help.push_back(text);
    } else if constexpr (kind_of<Value>() == OptionKind::integer) {
        using Limits = std::numeric_limits<Value>;
        option.lowest_integer = static_cast<std::int64_t>(Limits::min());
        if constexpr (sizeof(Value) < 8 || std::is_signed_v<Value>)  // others are halved
            option.highest_integer = static_cast<std::int64_t>(Limits::max());
    }
    return option;
}

template <class T>
void assign(const Option& option, T& member, const OptionValue& value) {
    using Value = typename MemberType<T>::type;
    constexpr OptionKind kind = kind_of<Value>();
    if (MemberType<T>::optional && std::holds_alternative<std::monostate>(value)) {
        member = T{};
    } else if constexpr (kind == OptionKind::integer) {
        member = static_cast<Value>(whole_number(option, value));
    } else if constexpr (kind == OptionKind::number) {
        member = static_cast<Value>(number(option, value));
    } else if constexpr (kind == OptionKind::length) {
        member = length(option, value);
    } else if constexpr (kind == OptionKind::choice) {
        const auto* text = std::get_if<std::string>(&value);
        if (!text) throw_wrong_kind(option.name, kind);
        member = parse_enum<Value>(option.name, *text);
    } else {
        const auto* same = std::get_if<Value>(&value);
        if (!same) throw_wrong_kind(option.name, kind);
        member = *same;
    }
}

// An options struct behind one interface.
class AnyOptions {
  public:
    virtual ~AnyOptions() = default;
    virtual std::unique_ptr<AnyOptions> copy() const = 0;
    virtual OptionValue get(std::string_view name) const = 0;
    virtual void set(const Option& option, const OptionValue& value) = 0;
    virtual void validate() const = 0;
    virtual std::unique_ptr<AnyOptions> untouched() const = 0;
};

template <class T>
class TypedOptions : public AnyOptions {
  public:
    explicit TypedOptions(T values) : values_(std::move(values)) {}

    std::unique_ptr<AnyOptions> copy() const override {
        return std::make_unique<TypedOptions>(*this);
    }
    OptionValue get(std::string_view name) const override {
        OptionValue found;
        T copy = values_;
        describe(
            [&](std::string_view member_name, const auto& member, std::string_view,
                const OptionRange& = {}) {
                if (member_name == name) found = value_of(member);
            },
            copy);
        return found;
    }
    void set(const Option& option, const OptionValue& value) override {
        describe(
            [&](std::string_view member_name, auto& member, std::string_view,
                const OptionRange& = {}) {
                if (member_name == option.name) assign(option, member, value);
            },
            values_);
    }
    void validate() const override { validate_options(values_); }
    std::unique_ptr<AnyOptions> untouched() const override {
        return std::make_unique<TypedOptions>(T{});
    }

    T values_;
};

}  // namespace detail

// The values of an operation's options, with their descriptions. A value: copies are independent.
class Options {
  public:
    Options() = default;  // none
    // From a struct with a `describe()`; its values are the defaults.
    template <class T>
    static Options of(const T& defaults) {
        Options options;
        options.values_ = std::make_unique<detail::TypedOptions<T>>(defaults);
        T copy = defaults;
        describe(
            [&](std::string_view name, const auto& member, std::string_view help,
                const OptionRange& range = {}) {
                options.described_.push_back(detail::option_of(name, member, help, range));
            },
            copy);
        return options;
    }
    Options(const Options& other);
    Options& operator=(const Options& other);
    Options(Options&&) = default;
    Options& operator=(Options&&) = default;

    // The same where some options have the values that they have now, and cannot be named.
    Options without(std::initializer_list<std::string_view> names) &&;

    // The same with another span of its slider than that made from range and default.
    Options suggest(std::string_view name, SuggestedRange range) &&;
    // Whether a value was set.
    bool given(std::string_view name) const { return given_.contains(name); }

    const std::vector<Option>& described() const { return described_; }
    // Throw InvalidArgument that names the option: one that there is not, or a value of another
    // kind.
    OptionValue get(std::string_view name) const;
    void set(std::string_view name, const OptionValue& value);
    // The value that the struct has when it is made, which C++ starts from.
    OptionValue untouched(std::string_view name) const;
    // Throws InvalidArgument for a value beyond its range.
    void validate() const {
        if (values_) values_->validate();
    }
    // The struct itself, which is of the type that `of` was given.
    template <class T>
    const T& as() const {
        return dynamic_cast<const detail::TypedOptions<T>&>(*values_).values_;
    }

  private:
    const Option& find(std::string_view name) const;

    std::vector<Option> described_;
    std::unique_ptr<detail::AnyOptions> values_;
    std::set<std::string, std::less<>> given_;
};

}  // namespace tesela::operations
