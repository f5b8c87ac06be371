#include "tesela/label_table.h"

#include <gtest/gtest.h>

#include "tesela/error.h"

namespace tesela {
namespace {

TEST(LabelTable, ListsOfNames) {
    EXPECT_EQ(parse_label_names("1=liver,2=kidney"), (LabelTable{{1, {"liver"}}, {2, {"kidney"}}}));
    // In any order; names hold blanks, equal signs and quotes within; a quoted one commas too.
    EXPECT_EQ(parse_label_names("4294967295=last one,0=a=b,7=5\" disc,3=\"kidney, \"\"left\"\"\""),
              (LabelTable{{0, {"a=b"}},
                          {3, {"kidney, \"left\""}},
                          {7, {"5\" disc"}},
                          {4294967295u, {"last one"}}}));
    EXPECT_EQ(parse_label_names("1=\"two\nlines\""), (LabelTable{{1, {"two\nlines"}}}));
}

TEST(LabelTable, DamagedListsAreRefused) {
    const auto refused = [](const char* text, const std::string& words) {
        try {
            parse_label_names(text);
            ADD_FAILURE() << text;
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
        }
    };
    refused("", "the list is empty");
    refused("liver", "'liver' begins with no whole number");
    refused("-1=liver", "'-1=liver' begins with no whole number from 0 to 4294967295");
    refused("4294967296=x", "begins with no whole number");
    refused("1=liver,1=kidney", "label 1 has two names");
    refused("1=liver,2=", "empty name");
    refused("1=", "empty name");
    refused("1=liver,", "none behind the comma");
    refused("1=\"liver", "a quote that is not closed");
    refused("1=\"liver\"2=kidney", "'2=kidney' follows a closing quote");
}

TEST(LabelTable, NamesAndColors) {
    const LabelTable table{{1, {"liver"}}, {2, {"", Rgb{1, 2, 3}}}};
    EXPECT_TRUE(has_names(table));
    EXPECT_FALSE(has_names({{2, {"", Rgb{1, 2, 3}}}}));
    EXPECT_EQ(label_name(table, 1), "liver");
    EXPECT_EQ(label_name(table, 2), "");
    EXPECT_EQ(label_name(table, 3), "");
    EXPECT_EQ(color_of(&table, 2), (Rgb{1, 2, 3}));
    EXPECT_EQ(color_of(&table, 1), label_color(1));
    EXPECT_EQ(color_of(nullptr, 9), label_color(9));
}

// A later table takes the place of an earlier one as far as it says something.
TEST(LabelTable, Update) {
    LabelTable table{{1, {"segment", Rgb{1, 2, 3}, {"id1", "tags", true, true}}}, {2, {"spleen"}}};
    update(table, {{1, {"liver"}}, {3, {"", Rgb{4, 5, 6}}}});
    EXPECT_EQ(table, (LabelTable{{1, {"liver", Rgb{1, 2, 3}, {"id1", "tags", false, true}}},
                                 {2, {"spleen"}},
                                 {3, {"", Rgb{4, 5, 6}}}}));
}

}  // namespace
}  // namespace tesela
