// OME-Zarr in format 3 of Zarr: checksums and shards.
#include "io/ome_zarr_files.h"

namespace tesela::io::testing {
namespace {

using OmeZarrFormat3 = OmeZarrFiles;

// CRC-32C of "123456789" is e3069283 (RFC 3720, appendix B.4).
TEST_F(OmeZarrFormat3, Checksum) {
    put("a.zarr/zarr.json", {{"zarr_format", 3},
                             {"node_type", "group"},
                             {"attributes",
                              {{"ome", image({axis("y", "space"), axis("x", "space")},
                                             Json::array({scale({1, 1})}))}}}});
    const Json description{
        {"zarr_format", 3},
        {"node_type", "array"},
        {"shape", {3, 3}},
        {"data_type", "uint8"},
        {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", {3, 3}}}}}},
        {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "/"}}}}},
        {"fill_value", 0},
        {"codecs",
         {{{"name", "transpose"}, {"configuration", {{"order", {1, 0}}}}},
          {{"name", "bytes"}},
          {{"name", "crc32c"}}}}};
    put("a.zarr/0/zarr.json", description);
    Bytes chunk{'1', '2', '3', '4', '5', '6', '7', '8', '9', 0x83, 0x92, 0x06, 0xe3};
    put("a.zarr/0/c/0/0", chunk);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(read_image(file("a.zarr")).image).pixels(),
              (Bytes{'1', '4', '7', '2', '5', '8', '3', '6', '9'}));
    chunk[3] ^= 1;
    put("a.zarr/0/c/0/0", chunk);
    expect_unreadable({"chunk '0/c/0/0' is damaged"}, [&] { read_image(file("a.zarr")); });
}

TEST_F(OmeZarrFormat3, IsWritten) {
    Image<std::uint16_t> image = pattern<std::uint16_t>({700, 3}, micrometers_per_pixel(2, 3));
    for (std::int64_t x = 512; x < 700; ++x)
        for (std::int64_t y = 0; y < 3; ++y) image(x, y) = 0;
    write_image(image, file("a.ome.zarr"), {.zarr = ZarrVersion::v0_5});
    const Json group = json_at("a.ome.zarr/zarr.json");
    EXPECT_EQ(group["node_type"], "group");
    const Json& ome = group["attributes"]["ome"];
    EXPECT_EQ(ome["version"], "0.5");
    EXPECT_FALSE(ome["multiscales"][0].contains("version"));
    const Json level = json_at("a.ome.zarr/0/zarr.json");
    EXPECT_EQ(level["dimension_names"], Json({"y", "x"}));
    EXPECT_EQ(level["data_type"], "uint16");
    EXPECT_TRUE(fs::exists(file("a.ome.zarr/0/c/0/0")));
    EXPECT_FALSE(fs::exists(file("a.ome.zarr/0/c/0/1")));  // zeros
    EXPECT_FALSE(fs::exists(file("a.ome.zarr/.zgroup")));
    EXPECT_EQ(slide_format(file("a.ome.zarr")), "OME-Zarr");
    // A bit that is wrong is found.
    Bytes chunk = read_bytes(file("a.ome.zarr/0/c/0/0"));
    chunk[chunk.size() / 2] ^= 4;
    write_bytes(file("a.ome.zarr/0/c/0/0"), chunk);
    expect_unreadable({"0/c/0/0", "damaged"}, [&] { read_image(file("a.ome.zarr")); });
    LabelImage labels({5, 4});
    labels(1, 1) = 3;
    write_labels(labels, file("l.zarr"), {.zarr = ZarrVersion::v0_5}, {{3, {"liver"}}});
    EXPECT_EQ(label_name(*read_label_map(file("l.zarr")).table, 3), "liver");
}

// An array of 2 rows of 7 numbers in shards.
Json sharded(const Json& inner, const Json& shard, bool index_first) {
    const Json sharding{
        {"chunk_shape", inner},
        {"codecs", Json::array({{{"name", "bytes"}}})},
        {"index_codecs",
         Json::array({{{"name", "bytes"}, {"configuration", {{"endian", "little"}}}}})},
        {"index_location", index_first ? "start" : "end"}};
    return Json{
        {"zarr_format", 3},
        {"node_type", "array"},
        {"shape", {2, 7}},
        {"data_type", "uint8"},
        {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", shard}}}}},
        {"chunk_key_encoding", {{"name", "default"}}},
        {"fill_value", 9},
        {"codecs", Json::array({{{"name", "sharding_indexed"}, {"configuration", sharding}}})}};
}

Bytes index_of(const std::vector<std::uint64_t>& words) {
    Bytes bytes(8 * words.size());
    for (std::size_t i = 0; i < words.size(); ++i) put_number(bytes, 8 * i, words[i], false);
    return bytes;
}

// Shards of 1 x 2 chunks of 2 x 2 numbers, with the index in front or at the end.
TEST_F(OmeZarrFormat3, ChunksInShards) {
    const auto read = [&] {
        return std::get<Image<std::uint8_t>>(read_image(file("a.zarr")).image).pixels();
    };
    constexpr std::uint64_t none = ~std::uint64_t{0};
    put("a.zarr/zarr.json", sharded({2, 2}, {2, 4}, false));
    put("a.zarr/c/0/0", joined("abcdABCD", index_of({4, 4, 0, 4})));
    put("a.zarr/c/0/1", joined("efgh", index_of({none, none, 0, 4})));
    EXPECT_EQ(read(), (Bytes{'A', 'B', 'a', 'b', 9, 9, 'e', 'C', 'D', 'c', 'd', 9, 9, 'g'}));
    fs::remove(file("a.zarr/c/0/1"));
    EXPECT_EQ(read(), (Bytes{'A', 'B', 'a', 'b', 9, 9, 9, 'C', 'D', 'c', 'd', 9, 9, 9}));
    put("a.zarr/zarr.json", sharded({2, 2}, {2, 4}, true));
    Bytes first = index_of({36, 4, 32, 4});
    for (const char c : std::string("abcdABCD")) first.push_back(static_cast<std::uint8_t>(c));
    put("a.zarr/c/0/0", first);
    EXPECT_EQ(read(), (Bytes{'A', 'B', 'a', 'b', 9, 9, 9, 'C', 'D', 'c', 'd', 9, 9, 9}));

    const auto damaged = [&](const std::string& word, const Bytes& shard) {
        SCOPED_TRACE(word);
        put("a.zarr/c/0/0", shard);
        expect_unreadable({"a.zarr", "c/0/0", word}, read);
    };
    damaged("ends early", index_of({36, 4, 32, 4}));
    damaged("ends early", index_of({36, 4, 1000, 4}));
    damaged("ends early", index_of({36}));
    damaged("valid place", index_of({none, 4, 0, 4}));
    damaged("more than", index_of({0, 1 << 20, 0, 4}));
    damaged("damaged", joined("", index_of({0, 3, 0, 4})));

    put("a.zarr/c/0/0", first);
    const auto refused = [&](ErrorCode code, const std::string& word, const Json& json) {
        SCOPED_TRACE(word);
        put("a.zarr/zarr.json", json);
        expect_error(code, {"a.zarr", word}, read);
    };
    refused(ErrorCode::unreadable_input, "shards of 3", sharded({2, 2}, {2, 3}, true));
    refused(ErrorCode::unreadable_input, "shards of 0", sharded({2, 2}, {2, 0}, true));
    refused(ErrorCode::unreadable_input, "1 axes", sharded({2, 2}, {2}, true));
    refused(ErrorCode::unreadable_input, "too many", sharded({1, 1}, {2048, 2048}, true));
    Json nested = sharded({2, 2}, {2, 4}, true);
    Json& inner = nested["codecs"][0]["configuration"]["codecs"];
    inner = nested["codecs"];
    refused(ErrorCode::unsupported_format, "sharding_indexed", nested);
    Json packed = sharded({2, 2}, {2, 4}, true);
    packed["codecs"][0]["configuration"]["index_codecs"][0]["name"] = "gzip";
    refused(ErrorCode::unsupported_format, "gzip", packed);
}

TEST_F(OmeZarrFormat3, MutatedFoldersAreReadOrRefused) {
    write_image(pattern<std::uint16_t>({600, 30, 1, 1, 2}), file("a.zarr"),
                {.zarr = ZarrVersion::v0_5});
    expect_mutants_read_or_refused("a.zarr", {"zarr.json", "0/zarr.json", "0/c/0/0/0"});
    fs::remove_all(file("a.zarr"));
    put("a.zarr/zarr.json", sharded({2, 2}, {2, 4}, true));
    put("a.zarr/c/0/0", joined("", index_of({32, 4, 36, 4})));
    Bytes shard = read_bytes(file("a.zarr/c/0/0"));
    shard.insert(shard.end(), {1, 2, 3, 4, 5, 6, 7, 8});
    put("a.zarr/c/0/0", shard);
    expect_mutants_read_or_refused("a.zarr", {"zarr.json", "c/0/0"});
}

}  // namespace
}  // namespace tesela::io::testing
