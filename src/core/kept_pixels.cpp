// The memory of large images that ended, for those that come.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <new>
#include <variant>
#include <vector>

#include "tesela/image.h"

namespace tesela {
namespace {

constexpr std::size_t least_kept = 8 << 20, most_kept = 128 << 20;

// Not under the address sanitizer, which then sees uses of images that ended.
#ifdef __has_feature
    #define TESELA_HAS_FEATURE(name) __has_feature(name)
#else
    #define TESELA_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || TESELA_HAS_FEATURE(address_sanitizer)
constexpr bool is_keeping = false;
#else
constexpr bool is_keeping = true;
#endif

template <class T>
std::size_t bytes_of(const std::vector<T>& pixels) {
    return pixels.capacity() * sizeof(T);
}

class Kept {
  public:
    // With room for at most a quarter more than is asked for; empty where there is none.
    template <class T>
    std::vector<T> take(std::size_t elements) {
        const std::lock_guard lock(mutex_);
        const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& block) {
            const auto* pixels = std::get_if<std::vector<T>>(&block);
            return pixels && pixels->capacity() >= elements &&
                   pixels->capacity() - elements <= elements / 4;
        });
        if (found == blocks_.end()) return {};
        auto pixels = std::get<std::vector<T>>(std::move(*found));
        blocks_.erase(found);
        bytes_ -= bytes_of(pixels);
        return pixels;
    }
    // The oldest make room.
    template <class T>
    void put(std::vector<T>&& pixels) noexcept {
        std::vector<Block> ended;  // freed without the lock
        try {
            const std::lock_guard lock(mutex_);
            std::size_t bytes = bytes_ + bytes_of(pixels), count = 0;
            for (; bytes > most_kept; ++count)
                bytes -= std::visit([](const auto& p) { return bytes_of(p); }, blocks_[count]);
            ended.reserve(count);
            blocks_.reserve(blocks_.size() + 1);
            const auto last = blocks_.begin() + static_cast<std::ptrdiff_t>(count);
            std::move(blocks_.begin(), last, std::back_inserter(ended));
            blocks_.erase(blocks_.begin(), last);
            blocks_.emplace_back(std::move(pixels));
            bytes_ = bytes;
        } catch (const std::bad_alloc&) {  // then the pixels are not kept
        }
    }
    void clear() {
        const std::lock_guard lock(mutex_);
        blocks_.clear();
        bytes_ = 0;
    }

  private:
    using Block = std::variant<std::vector<std::uint8_t>, std::vector<std::int8_t>,
                               std::vector<std::uint16_t>, std::vector<std::int16_t>,
                               std::vector<std::uint32_t>, std::vector<std::int32_t>,
                               std::vector<float>, std::vector<double>>;

    std::mutex mutex_;
    std::vector<Block> blocks_;  // in the order in which they ended
    std::size_t bytes_ = 0;
};

// Images may end after everything else of the process.
Kept& kept() {
    static Kept* const all = new Kept;
    return *all;
}

template <class T>
bool is_large(std::size_t elements) {
    return is_keeping && elements >= least_kept / sizeof(T) && elements <= most_kept / sizeof(T);
}

// Empty where none are kept.
template <class T>
std::vector<T> kept_pixels(std::size_t elements) {
    return is_large<T>(elements) ? kept().take<T>(elements) : std::vector<T>();
}

template <class T>
std::vector<T> new_pixels(std::size_t elements) {
    std::vector<T> pixels;
    pixels.reserve(elements);
    detail::prefer_large_pages(pixels.data(), elements * sizeof(T));
    pixels.resize(elements);
    return pixels;
}

}  // namespace

template <class T>
std::vector<T> detail::unwritten_pixels(std::size_t elements) {
    std::vector<T> pixels = kept_pixels<T>(elements);
    if (pixels.capacity() == 0) return new_pixels<T>(elements);
    pixels.resize(elements);
    return pixels;
}

template <class T>
std::vector<T> detail::cleared_pixels(std::size_t elements) {
    std::vector<T> pixels = kept_pixels<T>(elements);
    if (pixels.capacity() == 0) return new_pixels<T>(elements);
    pixels.assign(elements, T{});
    return pixels;
}

template <class T>
void detail::keep_pixels(std::vector<T>&& pixels) noexcept {
    if (is_large<T>(pixels.capacity())) kept().put(std::move(pixels));
}

void trim_images() { kept().clear(); }

#define TESELA_PIXELS(T)                                              \
    template std::vector<T> detail::unwritten_pixels<T>(std::size_t); \
    template std::vector<T> detail::cleared_pixels<T>(std::size_t);   \
    template void detail::keep_pixels<T>(std::vector<T> &&) noexcept;
TESELA_PIXELS(std::uint8_t)
TESELA_PIXELS(std::int8_t)
TESELA_PIXELS(std::uint16_t)
TESELA_PIXELS(std::int16_t)
TESELA_PIXELS(std::uint32_t)
TESELA_PIXELS(std::int32_t)
TESELA_PIXELS(float)
TESELA_PIXELS(double)
#undef TESELA_PIXELS

}  // namespace tesela
