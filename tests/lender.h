// Images in memory of others: contiguous or strided, and read-only.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <deque>
#include <new>
#include <variant>

#include "tesela/image_view.h"

namespace tesela::testing {

// Memory that cannot be written once it is closed: a write ends the test program.
class ReadOnlyMemory {
  public:
    explicit ReadOnlyMemory(std::size_t bytes) : bytes_(bytes) {
        memory_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory_ == MAP_FAILED) throw std::bad_alloc();
    }
    ~ReadOnlyMemory() { munmap(memory_, bytes_); }
    ReadOnlyMemory(const ReadOnlyMemory&) = delete;
    ReadOnlyMemory& operator=(const ReadOnlyMemory&) = delete;

    void* data() const { return memory_; }
    void close() { EXPECT_EQ(mprotect(memory_, bytes_, PROT_READ), 0); }

  private:
    void* memory_;
    std::size_t bytes_;
};

enum class Lies { in_image, contiguous, strided };

// Lends images to functions, from where it is to be tested.
class Lender {
  public:
    explicit Lender(Lies lies) : lies_(lies) {}

    template <class T>
    const AnyImageView& lend(const Image<T>& image) {
        if (lies_ == Lies::in_image) return views_.emplace_back(images_.emplace_back(image));
        const Shape& s = image.shape();
        typename ImageView<const T>::Strides strides = ImageView<const T>::contiguous_strides(s);
        std::int64_t elements = s.elements();
        if (lies_ == Lies::strided) {  // channels as planes, rows with padding
            const std::int64_t row = s.x + 5;
            strides = {1, row, row * s.y, row * s.y * s.z, row * s.y * s.z * s.t};
            elements = strides.channel * s.channels;
        }
        ReadOnlyMemory& memory =
            memories_.emplace_back(static_cast<std::size_t>(elements) * sizeof(T));
        std::memset(memory.data(), 0x5a, static_cast<std::size_t>(elements) * sizeof(T));
        T* const first = static_cast<T*>(memory.data());
        const typename ImageView<T>::Strides same{strides.x, strides.y, strides.z, strides.t,
                                                  strides.channel};
        const ImageView<T> written(first, s, same);
        for (std::int64_t t = 0; t < s.t; ++t)
            for (std::int64_t z = 0; z < s.z; ++z)
                for (std::int64_t y = 0; y < s.y; ++y)
                    for (std::int64_t x = 0; x < s.x; ++x)
                        for (int c = 0; c < s.channels; ++c)
                            written(x, y, z, t, c) = image(x, y, z, t, c);
        memory.close();
        ImageView<const T> view(first, s, strides, image.geometry);
        view.set_alpha(image.has_alpha);
        const AnyImageView& lent = views_.emplace_back(view);
        EXPECT_EQ(lent.owns_pixels(), lies_ == Lies::strided);
        return lent;
    }

    const AnyImageView& operator()(const AnyImage& image) {
        return std::visit(
            [&](const auto& typed) -> const AnyImageView& { return this->lend(typed); }, image);
    }
    template <class T>
    const PixelView<T>& pixels(const Image<T>& image) {
        return *lend(image).template get_if<T>();
    }

  private:
    Lies lies_;
    std::deque<AnyImage> images_;
    std::deque<ReadOnlyMemory> memories_;
    std::deque<AnyImageView> views_;
};

}  // namespace tesela::testing
