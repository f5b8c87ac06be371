// What tells that pixels or a file were changed: FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo, 1991).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tesela::detail {

class Fingerprint {
  public:
    void add(std::span<const unsigned char> bytes) {
        for (const unsigned char byte : bytes) hash_ = (hash_ ^ byte) * 0x100000001b3;
    }
    void add(std::string_view text) {
        add({reinterpret_cast<const unsigned char*>(text.data()), text.size()});
    }
    // 16 hexadecimal digits.
    std::string text() const {
        std::string digits(16, '0');
        std::uint64_t rest = hash_;
        for (std::size_t i = digits.size(); i-- > 0; rest >>= 4)
            digits[i] = "0123456789abcdef"[rest & 15];
        return digits;
    }

  private:
    std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace tesela::detail
