// Tables and lists as spreadsheets and other programs save them, and what is refused.
#include <cstdlib>
#include <fstream>

#include "io/text_table.h"
#include "support.h"
#include "tesela/circles_io.h"
#include "tesela/render_io.h"
#include "tesela/transform_io.h"
#include "tesela/tridiagonal_io.h"

namespace tesela::io {
namespace {

using testing::expect_error;
using testing::expect_unreadable;

constexpr const char* byte_order_mark = "\xef\xbb\xbf";

class TextTest : public testing::HandWrittenTest {};

TEST_F(TextTest, LinesOfEveryLength) {
    const std::string longer(100000, 'x');  // than what is read at once
    TextLines lines(text("a.txt", "one\r\n\n" + longer + "\nlast"));
    std::vector<std::string> found;
    for (std::string_view line; lines.next(line);) found.emplace_back(line);
    EXPECT_EQ(found, (std::vector<std::string>{"one", "", longer, "last"}));
    EXPECT_EQ(lines.number(), 4);
    TextLines marked(text("b.txt", std::string(byte_order_mark) + "one\n"));
    std::string_view line;
    ASSERT_TRUE(marked.next(line));
    EXPECT_EQ(line, "one");
    EXPECT_FALSE(marked.next(line));
}

TEST_F(TextTest, WhatIsNoTextIsRefused) {
    std::string_view line;
    expect_unreadable({"not a regular file"}, [] { TextLines("/dev/zero"); });
    expect_unreadable({"UTF-16", "save it as UTF-8"},
                      [&] { TextLines(text("a.csv", std::string("\xff\xfex\0", 4))); });
    expect_unreadable({"line 2", "longer than 1048576 bytes"}, [&] {
        TextLines lines(text("b.csv", "x\n" + std::string(3 << 20, 'y')));
        while (lines.next(line)) {
        }
    });
    for (const char* device : {"/dev/zero", "/dev/full", "/dev/null"}) {
        expect_unreadable({device, "not a regular file"}, [&] { read_circles(device); });
        expect_unreadable({device, "not a regular file"}, [&] { read_tridiagonal(device); });
        expect_unreadable({device, "not a regular file"}, [&] { read_landmarks(device); });
        expect_unreadable({device, "not a regular file"}, [&] { read_camera(device); });
        expect_unreadable({device, "not a regular file"}, [&] { read_transform(device); });
    }
}

TEST_F(TextTest, SeparatorsAndQuotes) {
    for (const char separator : {',', ';', '\t'}) {
        std::string text = "name,X,Y\n\" a, \"\"b\"\"; \n\t\", 1 ,2\nc,3e0,4\n,,\n";
        // The separator of the quoted cell is text.
        const std::size_t quoted = text.find('"'), end = text.find("\", 1");
        for (std::size_t i = 0; i < text.size(); ++i)
            if (text[i] == ',' && (i < quoted || i > end)) text[i] = separator;
        TextTable table(this->text("a.csv", text));
        EXPECT_EQ(table.header(), (std::vector<std::string>{"name", "X", "Y"}));
        ASSERT_TRUE(table.next());
        EXPECT_EQ(table.at(0), " a, \"b\"; \n\t");
        EXPECT_EQ(table.number(1), 1);
        ASSERT_TRUE(table.next());
        EXPECT_EQ(table.number(table.column("X")), 3);
        EXPECT_FALSE(table.next());
        EXPECT_EQ(table.column("Z"), TextTable::npos);
    }
    expect_unreadable({"quote that begins in line 3 is not closed"}, [&] {
        TextTable table(text("b.csv", "x,y\n1,2\n\"3,4\n5,6\n"));
        while (table.next()) {
        }
    });
}

TEST_F(TextTest, FieldsComeBack) {
    for (const std::string name : {"plain", "a,b", "\"", " blank ", "two\nlines"}) {
        TextTable table(text("a.csv", "name,x\n" + csv_field(name) + ",1\n"));
        ASSERT_TRUE(table.next());
        EXPECT_EQ(table.at(0), name);
    }
    EXPECT_EQ(csv_field("plain"), "plain");
}

TEST_F(TextTest, LandmarksOfSpreadsheets) {
    for (const std::string text :
         {"name;X;Y\na;1;2.5\n", "name\tX\tY\na\t1\t2.5\n", "name,X,Y\r\n\"a\",1,2.5\r\n"}) {
        const Landmarks found = read_landmarks(this->text("a.csv", byte_order_mark + text));
        ASSERT_EQ(found.list.size(), 1u) << text;
        EXPECT_EQ(found.list[0].name, "a");
        EXPECT_EQ(found.list[0].point, (SpacePoint{1, 2.5, 0}));
    }
    Landmarks named;
    named.list = {{"a, b", {1, 2, 0}}, {"\"c\"", {3, 4, 0}}};
    write_landmarks(named, file("b.csv"));
    EXPECT_EQ(read_landmarks(file("b.csv")).list[0].name, "a, b");
    EXPECT_EQ(read_landmarks(file("b.csv")).list[1].name, "\"c\"");
}

TEST_F(TextTest, DecimalCommasAreRefused) {
    const auto landmarks = [&](const std::string& text) {
        return [this, text] { read_landmarks(this->text("a.csv", text)); };
    };
    expect_unreadable({"line 2", "5 cells", "decimals follow a point"},
                      landmarks("name,X,Y\na,1,5,2,5\n"));
    expect_unreadable({"line 2", "'1,5'", "decimals follow a point"},
                      landmarks("name,X,Y\na,\"1,5\",\"2,5\"\n"));
    expect_unreadable({"line 2", "'1,5'", "decimals follow a point"},
                      landmarks("name;X;Y\na;1,5;2,5\n"));
    expect_unreadable({"line 2", "6 cells"},
                      [&] { read_circles(text("b.csv", "x,y,radius\n1,5,2,5,3,5\n")); });
    expect_unreadable({"line 1", "'1,5'", "decimals follow a point"},
                      [&] { read_tridiagonal(text("c.csv", "0;1,5;0;1\n")); });
    expect_unreadable({"line 1", "5 columns", "decimals follow a point"},
                      [&] { read_tridiagonal(text("c.csv", "0 1,5 0 1\n")); });
}

TEST_F(TextTest, SystemsOfSpreadsheets) {
    const TridiagonalSystems found =
        read_tridiagonal(text("a.csv", std::string(byte_order_mark) + "0;2;1;4\r\n1;3;0;7\r\n"));
    EXPECT_EQ(found.b, (std::vector<double>{2, 3}));
    EXPECT_EQ(found.d, (std::vector<double>{4, 7}));
}

TEST_F(TextTest, CirclesOfSpreadsheets) {
    const CircleLists found =
        read_circles(text("a.csv", std::string(byte_order_mark) + "x;y;radius;z\n1;2;3;4\n"));
    ASSERT_TRUE(found.pixels);
    EXPECT_EQ(found.pixels->at(0).x, 1);
    EXPECT_EQ(found.pixels->at(0).slice, 4);
    expect_unreadable({"line 2", "too far away"},
                      [&] { read_circles(text("b.csv", "x,y,radius\n1,2e13,3\n")); });
}

TEST_F(TextTest, ColumnsAndValuesThatCannotBe) {
    expect_error(ErrorCode::unsupported_format, {"a.csv", "column X twice"},
                 [&] { read_landmarks(text("a.csv", "name,X,Y,X\na,1,2,3\n")); });
    expect_error(ErrorCode::unreadable_input, {"b.csv", "line 2", "radius -3"},
                 [&] { read_circles(text("b.csv", "x,y,radius\n1,2,-3\n")); });
}

TEST_F(TextTest, ListsKeepToTheLimit) {
    std::string rows = "name,X,Y\n", circles = "x,y,radius\n", systems;
    for (int i = 0; i < 20000; ++i) {
        rows += std::to_string(i) + ",1,2\n";
        circles += "1,2,3\n";
        systems += "0 1 0 1\n";
    }
    const ReadOptions small{.max_bytes = 1 << 20}, large{.max_bytes = 1 << 24};
    const auto expect_limit = [&](const std::function<void(const ReadOptions&)>& read) {
        expect_error(ErrorCode::out_of_memory, {"list", "1048576 bytes"}, [&] { read(small); });
        EXPECT_NO_THROW(read(large));
    };
    expect_limit([&](const ReadOptions& o) { read_landmarks(text("a.csv", rows), o); });
    expect_limit([&](const ReadOptions& o) { read_circles(text("b.csv", circles), o); });
    expect_limit([&](const ReadOptions& o) { read_tridiagonal(text("c.csv", systems), o); });
}

TEST_F(TextTest, CasesOfUsers) {
    const char* cases = std::getenv("TESELA_CASES");
    if (!cases) GTEST_SKIP() << "TESELA_CASES does not name the folder of cases";
    const fs::path given = cases;
    const TridiagonalSystems systems = read_tridiagonal(given / "27-tridiagonal/bom.csv");
    EXPECT_EQ(systems.b, (std::vector<double>{2, 3}));
    const Landmarks landmarks = read_landmarks(given / "35-transforms/semi.csv");
    ASSERT_EQ(landmarks.list.size(), 2u);
    EXPECT_EQ(landmarks.list[0].point, (SpacePoint{3, 4, 0}));
}

}  // namespace
}  // namespace tesela::io
