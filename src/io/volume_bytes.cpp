// The stored numbers of volumes: raw, compressed, or as text.
#include <isa-l/crc.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/threads.h"
#include "io/gzip.h"
#include "io/gzip_pieces.h"
#include "io/volume.h"

namespace tesela::io {
namespace {

class RawBytes : public ByteSource {
  public:
    RawBytes(InputFile file, const VolumeHeader& header)
        : file_(std::move(file)), at_(header.data_offset), bytes_(header.data_bytes()) {}

    void read(std::span<std::uint8_t> bytes) override {
        file_.read(at_, bytes);
        at_ += static_cast<std::int64_t>(bytes.size());
    }
    bool read_parts(const TakePart& take) override {
        constexpr std::int64_t part = 1 << 20;
        detail::for_each_index((bytes_ + part - 1) / part, 0, [&](std::int64_t i) {
            std::vector<std::uint8_t> bytes(
                static_cast<std::size_t>(std::min(part, bytes_ - i * part)));
            file_.read(at_ + i * part, bytes);
            take(i * part, bytes);
        });
        return true;
    }

  private:
    InputFile file_;
    std::int64_t at_, bytes_;
};

// With a checksum apart from them, as members of archives have it: it is made as they are read.
class CheckedBytes : public ByteSource {
  public:
    CheckedBytes(InputFile file, const VolumeHeader& header)
        : file_(std::move(file)),
          at_(header.data_offset),
          skipped_(header.skipped_bytes),
          expected_(*header.checksum) {
        if (header.encoding == DataEncoding::deflate) stream_.emplace(file_, at_, Wrapping::none);
    }

    void read(std::span<std::uint8_t> bytes) override {
        if (skipped_ > 0) {
            std::vector<std::uint8_t> before(static_cast<std::size_t>(skipped_));
            skipped_ = 0;
            take(before);
        }
        take(bytes);
    }

    void finish() override {
        if (sum_ != expected_)
            throw unreadable(file_.path(), "the checksum of its pixels is wrong");
    }

  private:
    void take(std::span<std::uint8_t> bytes) {
        if (!stream_) {
            file_.read(at_, bytes);
            at_ += std::ssize(bytes);
        } else if (stream_->read(bytes) < bytes.size()) {
            throw unreadable(file_.path(), "its compressed data end early");
        }
        sum_ = crc32_gzip_refl(sum_, bytes.data(), bytes.size());
    }

    InputFile file_;
    std::int64_t at_, skipped_;
    std::uint32_t expected_, sum_ = 0;
    std::optional<Inflater> stream_;
};

class GzipBytes : public ByteSource {
  public:
    GzipBytes(InputFile file, const VolumeHeader& header)
        : file_(std::move(file)),
          offset_(header.data_offset),
          skipped_(header.skipped_bytes),
          needed_(skipped_ + header.data_bytes()) {}

    void read(std::span<std::uint8_t> bytes) override {
        if (!stream_) {
            const bool is_all = std::ssize(bytes) == needed_ - skipped_;
            if (is_all && inflate_pieces(file_, offset_, skipped_, bytes)) return;
            stream_.emplace(file_, offset_);
            total_ = stream_->skip(skipped_);
            if (total_ < skipped_) fail();
        }
        const std::size_t got = stream_->read(bytes);
        total_ += static_cast<std::int64_t>(got);
        if (got < bytes.size()) fail();
    }

    bool read_parts(const TakePart& take) override {
        return inflate_pieces(file_, offset_, skipped_, needed_ - skipped_, take);
    }

    void finish() override {
        // What lies far behind the image is of no use, and may be made to be endless.
        constexpr std::int64_t slack = 1 << 20;
        if (stream_) stream_->skip(slack);
    }

  private:
    [[noreturn]] void fail() const {
        throw unreadable(file_.path(), "the header claims " + std::to_string(needed_) +
                                           " bytes, but its compressed data hold only " +
                                           std::to_string(total_));
    }

    InputFile file_;
    std::int64_t offset_, skipped_, needed_, total_ = 0;
    std::optional<Inflater> stream_;  // where the bytes did not come from pieces
};

class Characters {
  public:
    static constexpr int none = -1;

    Characters(InputFile file, std::int64_t offset) : file_(std::move(file)), offset_(offset) {}

    const fs::path& path() const { return file_.path(); }
    // `none` at the end of the file.
    int next() {
        if (at_ == got_) {
            got_ = file_.read_some(offset_, piece_);
            offset_ += static_cast<std::int64_t>(got_);
            at_ = 0;
            if (got_ == 0) return none;
        }
        return piece_[at_++];
    }

  private:
    InputFile file_;
    std::int64_t offset_;
    std::vector<std::uint8_t> piece_ = std::vector<std::uint8_t>(1 << 16);
    std::size_t at_ = 0, got_ = 0;
};

bool is_blank(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Two hexadecimal digits a byte; blanks do not count.
class HexBytes : public ByteSource {
  public:
    HexBytes(InputFile file, std::int64_t offset) : characters_(std::move(file), offset) {}

    void read(std::span<std::uint8_t> bytes) override {
        for (std::uint8_t& byte : bytes) {
            const int high = digit();
            byte = static_cast<std::uint8_t>(high << 4 | digit());
        }
    }

  private:
    int digit() {
        int c = characters_.next();
        while (is_blank(c)) c = characters_.next();
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        if (c >= 'A' && c <= 'F') return c - 'A' + 10;
        throw unreadable(characters_.path(), c == Characters::none
                                                 ? "its hexadecimal digits end early"
                                                 : "its pixels are no hexadecimal digits");
    }

    Characters characters_;
};

// Numbers with blanks or commas between them.
template <class T>
class TextBytes : public ByteSource {
  public:
    TextBytes(InputFile file, std::int64_t offset) : characters_(std::move(file), offset) {}

    void read(std::span<std::uint8_t> bytes) override {
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
            const T value = next();
            std::memcpy(&bytes[at], &value, sizeof value);
        }
    }

  private:
    T next() {
        constexpr std::size_t longest = 64;
        std::string word;
        int c = characters_.next();
        while (is_blank(c) || c == ',') c = characters_.next();
        for (; c != Characters::none && !is_blank(c) && c != ',' && word.size() < longest;
             c = characters_.next())
            word += static_cast<char>(c);
        ++count_;
        if (word.empty())
            throw unreadable(characters_.path(),
                             "its text ends before pixel value " + std::to_string(count_));
        const char* begin = word.data() + (word[0] == '+');
        const char* end = word.data() + word.size();
        T value{};
        const auto [stop, error] = std::from_chars(begin, end, value);
        if (error != std::errc{} || stop != end)
            throw unreadable(characters_.path(), "its pixel value " + std::to_string(count_) +
                                                     ", '" + printable(word) +
                                                     "', does not fit its type");
        return value;
    }

    Characters characters_;
    std::int64_t count_ = 0;
};

std::unique_ptr<ByteSource> open_text(InputFile file, const VolumeHeader& header) {
    return with_type(header.type, [&]<class T>(T) -> std::unique_ptr<ByteSource> {
        return std::make_unique<TextBytes<T>>(std::move(file), header.data_offset);
    });
}

// The most bytes of numbers that `there` bytes of the file can hold.
std::int64_t most_bytes(const VolumeHeader& header, std::int64_t there) {
    switch (header.encoding) {
        case DataEncoding::raw:
            return there;
        case DataEncoding::gzip:
        case DataEncoding::deflate:
            return 1032 * there;  // deflate puts 258 bytes into 2 bits at best (RFC 1951)
        case DataEncoding::hex:
            return there / 2;
        case DataEncoding::text:
            break;
    }
    return (there + 1) / 2 * number_bytes(header.type);  // a digit and a blank
}

// 0 of numbers that are not whole.
double largest_stored(NumberType type) {
    return with_type(type, [](auto value) {
        using Number = decltype(value);
        return std::is_integral_v<Number> ? static_cast<double>(std::numeric_limits<Number>::max())
                                          : 0.0;
    });
}

}  // namespace

InputFile open_data(const InputFile& header, const fs::path& data_file) {
    try {
        return InputFile(data_file);
    } catch (const UnreadableInput& error) {
        if (data_file == header.path()) throw;
        throw unreadable(header.path(),
                         std::string("its pixels lie in another file, ") + error.what());
    }
}

void check_data(const InputFile& file, const VolumeHeader& header, const DecodeOptions& options) {
    const std::int64_t there =
        std::max<std::int64_t>(open_data(file, header.data_file).size() - header.data_offset, 0);
    const std::int64_t needed = header.skipped_bytes + header.data_bytes();
    if (needed > most_bytes(header, there))
        throw unreadable(
            file.path(),
            "the header claims " + std::to_string(needed) +
                " bytes of pixels, but the file has only " + std::to_string(there) +
                (header.encoding == DataEncoding::gzip || header.encoding == DataEncoding::deflate
                     ? " compressed bytes"
                 : header.encoding == DataEncoding::raw ? ""
                                                        : " characters"));
    // Whatever whole numbers are stored; those of others are looked at where they are scaled.
    const double most_stored = largest_stored(header.type);
    const bool is_single = most_stored < 65536;
    const double most_scaled =
        std::abs(header.scaling.slope) * most_stored + std::abs(header.scaling.intercept);
    if (!(most_scaled <=
          (is_single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max())))
        throw unreadable(file.path(), "the slope and the offset of its " + header.format +
                                          " header make values that are too large");
    // A header that unpacks to more than the limit is not worth the time to skip it.
    require_memory(file.path(), header.data_bytes(), options.max_bytes, header.skipped_bytes);
}

std::unique_ptr<ByteSource> open_bytes(const InputFile& file, const VolumeHeader& header) {
    InputFile data = open_data(file, header.data_file);
    if (header.checksum) return std::make_unique<CheckedBytes>(std::move(data), header);
    switch (header.encoding) {
        case DataEncoding::raw:
        case DataEncoding::deflate:  // always has a checksum
            return std::make_unique<RawBytes>(std::move(data), header);
        case DataEncoding::gzip:
            return std::make_unique<GzipBytes>(std::move(data), header);
        case DataEncoding::hex:
            return std::make_unique<HexBytes>(std::move(data), header.data_offset);
        case DataEncoding::text:
            break;
    }
    return open_text(std::move(data), header);
}

}  // namespace tesela::io
