// The memory of large images that ended, for those that come.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <mutex>
#include <new>
#include <variant>
#include <vector>

#include "tesela/image.h"
#include "tesela/kept_images.h"

namespace tesela {
namespace {

// From about here on the system maps each by itself, and clears its pages.
constexpr std::size_t least_kept = 1 << 17;

// Not under sanitizers, which then see uses of images that ended.
#ifdef __has_feature
    #define TESELA_HAS_FEATURE(name) __has_feature(name)
#else
    #define TESELA_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    TESELA_HAS_FEATURE(address_sanitizer) || TESELA_HAS_FEATURE(thread_sanitizer)
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
            const std::size_t bytes = bytes_of(pixels);
            if (bytes > most_) return;
            ended = beyond(most_ - bytes);
            blocks_.emplace_back(std::move(pixels));
            bytes_ += bytes;
        } catch (const std::bad_alloc&) {  // then the pixels are not kept
        }
    }
    void set_most(std::size_t bytes) {
        std::vector<Block> ended;
        const std::lock_guard lock(mutex_);
        most_ = bytes;
        ended = beyond(most_);
    }
    void clear() {
        std::vector<Block> ended;
        const std::lock_guard lock(mutex_);
        ended = beyond(0);
    }

  private:
    using Block = std::variant<std::vector<std::uint8_t>, std::vector<std::int8_t>,
                               std::vector<std::uint16_t>, std::vector<std::int16_t>,
                               std::vector<std::uint32_t>, std::vector<std::int32_t>,
                               std::vector<float>, std::vector<double>>;

    // Takes the oldest out, so that so many bytes are left.
    std::vector<Block> beyond(std::size_t most) {
        std::size_t bytes = bytes_;
        auto last = blocks_.begin();
        for (; bytes > most; ++last)
            bytes -= std::visit([](const auto& pixels) { return bytes_of(pixels); }, *last);
        std::vector<Block> ended(std::make_move_iterator(blocks_.begin()),
                                 std::make_move_iterator(last));
        blocks_.erase(blocks_.begin(), last);
        bytes_ = bytes;
        return ended;
    }

    std::mutex mutex_;
    std::vector<Block> blocks_;  // in the order in which they ended
    std::size_t bytes_ = 0;
    std::size_t most_ = images_kept;
};

// Images may end after everything else of the process.
Kept& kept() {
    static Kept* const all = new Kept;
    return *all;
}

template <class T>
bool is_large(std::size_t elements) {
    return is_keeping && elements >= least_kept / sizeof(T);
}

// Empty where none are kept.
template <class T>
std::vector<T> kept_pixels(std::size_t elements) {
    return is_large<T>(elements) ? kept().take<T>(elements) : std::vector<T>();
}

template <class T>
std::vector<T> new_pixels(std::size_t elements) {
    std::vector<T> pixels;
    try {
        pixels.reserve(elements);
    } catch (const std::bad_alloc&) {  // what is kept may be what lacks
        trim_images();
        pixels.reserve(elements);
    }
    detail::prefer_large_pages(pixels.data(), elements * sizeof(T));
    pixels.resize(elements);
    return pixels;
}

}  // namespace

template <class T>
std::vector<T> detail::unwritten_pixels(std::size_t elements) {
    std::vector<T> pixels = kept_pixels<T>(elements);
    if (pixels.capacity() > 0) {
        pixels.resize(elements);
        return pixels;
    }
    pixels = new_pixels<T>(elements);
    // Sanitizers' runs show what is taken for written.
    if (!is_keeping) std::memset(pixels.data(), 0xa5, elements * sizeof(T));
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
void keep_images(std::int64_t bytes) {
    kept().set_most(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 0)));
}

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
