// Names and colors of labels in files of text, as other programs write them.
#include "io/support.h"

namespace tesela::io::testing {
namespace {

class LabelNamesTest : public FileTest {
  protected:
    LabelTable read(const std::string& text, const std::string& name = "names.txt") {
        write_bytes(file(name), {text.begin(), text.end()});
        return read_label_names(file(name));
    }
    void refused(const std::string& text, std::vector<std::string> words,
                 ErrorCode code = ErrorCode::unreadable_input) {
        SCOPED_TRACE(text);
        words.push_back("names.txt");
        expect_error(code, words, [&] { read(text); });
    }
};

TEST_F(LabelNamesTest, TablesByTheNamesOfTheirColumns) {
    const LabelTable expected{{1, {"liver", Rgb{0xa0, 0xb1, 0xc2}}}, {2, {"kidney, left"}}};
    EXPECT_EQ(read("label,name,color\n1,liver,#a0b1c2\n2,\"kidney, left\",\n"), expected);
    EXPECT_EQ(read("\xef\xbb\xbfName;ID;Colour\r\n\"liver\";1;#A0B1C2\r\nkidney, left;2;\r\n"),
              expected);
    EXPECT_EQ(read("index\tlabel\tred\tgreen\tblue\n1\tliver\t160\t177\t194\n"
                   "2\tkidney, left\t\t\t\n"),
              expected);
    // As 3D Slicer writes it, with columns of terminology that are not read.
    EXPECT_EQ(read("LabelValue,Name,Color_R,Color_G,Color_B,Color_A,Category\n"
                   "1,liver,160,177,194,255,x\n2,\"kidney, left\"\n"),
              expected);
    EXPECT_EQ(read("value,name\n3,\"two\nlines and a \"\"quote\"\"\"\n7,\n"),
              (LabelTable{{3, {"two\nlines and a \"quote\""}}, {7, {}}}));
    EXPECT_EQ(read("label,color\n4294967295,#000001\n"),
              (LabelTable{{4294967295u, {"", Rgb{0, 0, 1}}}}));
}

TEST_F(LabelNamesTest, ColorTablesOfSlicer) {
    const std::string rows =
        "0 Background 0 0 0 0\n1 left_kidney 216 101 79 255\n\n12 bone 241 214 145 255\n";
    LabelTable expected{{0, {"Background", Rgb{0, 0, 0}}},
                        {1, {"left kidney", Rgb{216, 101, 79}}},
                        {12, {"bone", Rgb{241, 214, 145}}}};
    EXPECT_EQ(read("# Color table file C:/a.ctbl\n# 3 values\n" + rows), expected);
    EXPECT_EQ(read(rows, "names.ctbl"), expected);
    // Others have underscores of their own, and may have blanks.
    expected[1].name = "left_kidney";
    EXPECT_EQ(read(rows), expected);
    EXPECT_EQ(read("#No. Label Name:  R G B A\n2   Left-Cerebral-White-Matter  245 245 245 0\n"
                   "3 left kidney 1 2 3 4\n"),
              (LabelTable{{2, {"Left-Cerebral-White-Matter", Rgb{245, 245, 245}}},
                          {3, {"left kidney", Rgb{1, 2, 3}}}}));
}

TEST_F(LabelNamesTest, DescriptionsOfItkSnap) {
    EXPECT_EQ(read("################\n# ITK-SnAP Label Description File\n# File format:\n"
                   "# IDX   -R-  -G-  -B-  -A--  VIS MSH  LABEL\n################\n"
                   "    0     0    0    0        0  0  0    \"Clear Label\"\n"
                   "    7   255    0   10      0.5  1  1    \"the \"left\" one\"\n"),
              (LabelTable{{0, {"Clear Label", Rgb{0, 0, 0}}},
                          {7, {"the \"left\" one", Rgb{255, 0, 10}}}}));
}

TEST_F(LabelNamesTest, DamagedTablesAreRefused) {
    refused("label,name\n1,liver\n1,spleen\n", {"line 3", "label 1 is listed twice"});
    refused("label,name\n1.5,liver\n", {"line 2", "'1.5' is no label"});
    refused("label,name\n-1,liver\n", {"line 2", "'-1' is no label"});
    refused("label,name\n4294967296,liver\n", {"'4294967296' is no label"});
    refused("label,name\n,liver\n", {"line 2", "'' is no label"});
    refused("label,color\n1,red\n", {"'red' is no color like #a0b1c2"});
    refused("label,color\n1,#12345g\n", {"'#12345g' is no color"});
    refused("label,red,green,blue\n1,256,0,0\n", {"line 2", "'256' is no part of a color"});
    refused("label,red,green,blue\n1,0.5,0,0\n", {"'0.5' is no part"});
    refused("label,red,green,blue\n1,5\n", {"line 2", "too short"});
    refused("label,name\n1,\"liver\n", {"a quote that begins in line 2 is not closed"});
    refused("label,name\n1,liver,more,cells\n", {"line 2", "4 cells"});
    refused("name,color\nliver,#000000\n", {"its first row names the columns"},
            ErrorCode::unsupported_format);
    refused("label\n1\n", {"its first row names the columns"}, ErrorCode::unsupported_format);
    refused("1,liver\n", {"its first row names the columns"}, ErrorCode::unsupported_format);
    refused("# nothing\n\n", {"lists no names"}, ErrorCode::unsupported_format);
}

TEST_F(LabelNamesTest, DamagedListsAreRefused) {
    refused("1 liver 0 0 0 255\n1 spleen 0 0 0 255\n", {"line 2", "label 1 is listed twice"});
    refused("1 liver 0 0 256 255\n", {"line 1", "'256' is no part of a color"});
    refused("1 liver 0 0 -1 255\n", {"'-1' is no part of a color"});
    refused("1 liver 0 0 0\n", {"line 1", "no row of a color table"});
    refused("1 a 0 0 0 0\nx b 0 0 0 0\n", {"line 2", "'x' is no label"});
    refused("1 255 0 0 1 1 1 \"a\nb\"\n", {"line 1", "no row of label descriptions"});
    refused("1 255 0 0 1 1 \"a\"\n", {"line 1", "no row of label descriptions"});
    refused("1 255 0 300 1 1 1 \"a\"\n", {"'300' is no part of a color"});
    expect_error(ErrorCode::unreadable_input, {"none.csv"},
                 [&] { read_label_names(file("none.csv")); });
    expect_error(ErrorCode::unreadable_input, {"UTF-16"},
                 [&] { read(std::string("\xff\xfe") + "1=a"); });
}

}  // namespace
}  // namespace tesela::io::testing
