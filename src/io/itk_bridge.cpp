#include "io/itk_bridge.h"

#include <itkImageIOBase.h>
#include <itkOutputWindow.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <mutex>
#include <streambuf>
#include <thread>

namespace tesela::io {
namespace {

// Takes ITK's warnings and drops them: what matters is checked by us.
class SilentWindow : public itk::OutputWindow {
  public:
    using Self = SilentWindow;
    using Superclass = itk::OutputWindow;
    using Pointer = itk::SmartPointer<Self>;
    static Pointer New() {
        Pointer window = new Self;
        window->UnRegister();  // the smart pointer holds it now
        return window;
    }
    void DisplayText(const char*) override {}

  protected:
    SilentWindow() = default;
};

// Swallows what one thread writes to a stream; other threads' text goes where it went before.
class Mute : public std::streambuf {
  public:
    explicit Mute(std::ostream& stream)
        : stream_(stream), before_(stream.rdbuf(this)), muted_(std::this_thread::get_id()) {}
    ~Mute() override { stream_.rdbuf(before_); }
    Mute(const Mute&) = delete;
    Mute& operator=(const Mute&) = delete;

  protected:
    int_type overflow(int_type c) override {
        if (std::this_thread::get_id() == muted_ || traits_type::eq_int_type(c, traits_type::eof()))
            return traits_type::not_eof(c);
        return before_->sputc(traits_type::to_char_type(c));
    }
    std::streamsize xsputn(const char* text, std::streamsize count) override {
        return std::this_thread::get_id() == muted_ ? count : before_->sputn(text, count);
    }
    int sync() override { return std::this_thread::get_id() == muted_ ? 0 : before_->pubsync(); }

  private:
    std::ostream& stream_;
    std::streambuf* before_;
    std::thread::id muted_;
};

class Silence {
  public:
    Silence() : window_(itk::OutputWindow::GetInstance()) {
        itk::OutputWindow::SetInstance(SilentWindow::New());
    }
    ~Silence() { itk::OutputWindow::SetInstance(window_); }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

  private:
    itk::OutputWindow::Pointer window_;
    Mute out_{std::cout}, err_{std::cerr}, log_{std::clog};
};

// "ITK ERROR: GDCMImageIO(0x55d0): Read failed" carries an address and lines that tell the user
// nothing.
std::string reason_of(const itk::ExceptionObject& error) {
    std::string text = error.GetDescription();
    const std::size_t address = text.find("): ");
    if (text.find("ERROR") != text.npos && address != text.npos) text.erase(0, address + 3);
    while (!text.empty() && (text.back() == ' ' || text.back() == '.' || text.back() == '\n'))
        text.pop_back();
    text.erase(std::min(text.find('\n'), text.size()));
    return text.empty() ? "the decoder failed" : printable(text);
}

PixelType pixel_type(const itk::ImageIOBase& io, const fs::path& path) {
    using itk::IOComponentEnum;
    switch (io.GetComponentType()) {
        case IOComponentEnum::UCHAR:
            return PixelType::u8;
        case IOComponentEnum::CHAR:
            return PixelType::i8;
        case IOComponentEnum::USHORT:
            return PixelType::u16;
        case IOComponentEnum::SHORT:
            return PixelType::i16;
        case IOComponentEnum::UINT:
            return PixelType::u32;
        case IOComponentEnum::INT:
            return PixelType::i32;
        case IOComponentEnum::FLOAT:
            return PixelType::f32;
        case IOComponentEnum::DOUBLE:
            return PixelType::f64;
        default:
            break;
    }
    throw unsupported(path, "its pixel type '" +
                                itk::ImageIOBase::GetComponentTypeAsString(io.GetComponentType()) +
                                "' is not supported");
}

// Throws UnsupportedFormat where the pixels are no numbers or vectors of them, or the axes more
// than four.
Shape shape_of(const itk::ImageIOBase& io, const fs::path& path) {
    using itk::IOPixelEnum;
    const IOPixelEnum pixel = io.GetPixelType();
    if (pixel == IOPixelEnum::COMPLEX || pixel == IOPixelEnum::UNKNOWNPIXELTYPE)
        throw unsupported(path, "its pixels are neither numbers nor vectors of them");
    const unsigned dimensions = io.GetNumberOfDimensions();
    std::array<std::int64_t, 4> lengths{1, 1, 1, 1};
    for (unsigned i = 0; i < dimensions; ++i) {
        const auto length = static_cast<std::int64_t>(io.GetDimensions(i));
        if (i < 4)
            lengths[i] = length;
        else if (length > 1)
            throw unsupported(path, "it has more than four axes");
    }
    const Shape shape{lengths[0], lengths[1], lengths[2], lengths[3],
                      static_cast<int>(io.GetNumberOfComponents())};
    validate(shape);
    return shape;
}

}  // namespace

void run_itk(const std::function<void()>& work) {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    const Silence silence;
    try {
        work();
    } catch (const itk::ExceptionObject& error) {
        throw std::runtime_error(reason_of(error));
    }
}

Geometry itk_geometry(const itk::ImageIOBase& io, const fs::path& path) {
    Geometry g;
    g.unit = Unit::millimeter;
    const unsigned dimensions = io.GetNumberOfDimensions();
    for (unsigned axis = 0; axis < std::min(dimensions, 3u); ++axis) {
        g.spacing[axis] = io.GetSpacing(axis);
        g.origin[axis] = io.GetOrigin(axis);
        const std::vector<double> column = io.GetDirection(axis);
        for (unsigned row = 0; row < std::min(dimensions, 3u); ++row)
            g.direction[3 * row + axis] = column[row];
        // An axis of one point often has no spacing.
        if (g.spacing[axis] == 0 && io.GetDimensions(axis) == 1) g.spacing[axis] = 1;
    }
    if (dimensions > 3 && io.GetSpacing(3) > 0 && std::isfinite(io.GetSpacing(3)))
        g.time_step = io.GetSpacing(3);
    bool valid = true;
    for (const double spacing : g.spacing) valid = valid && spacing > 0 && std::isfinite(spacing);
    for (const double origin : g.origin) valid = valid && std::isfinite(origin);
    const auto& d = g.direction;
    const double determinant = d[0] * (d[4] * d[8] - d[5] * d[7]) -
                               d[1] * (d[3] * d[8] - d[5] * d[6]) +
                               d[2] * (d[3] * d[7] - d[4] * d[6]);
    valid = valid && std::abs(std::abs(determinant) - 1) < 1e-2;
    if (!valid) throw unreadable(path, "its header gives no valid spacing, origin or direction");
    return g;
}

AnyImage itk_pixels(itk::ImageIOBase& io, const fs::path& path, const DecodeOptions& options) {
    const Shape shape = shape_of(io, path);
    itk::ImageIORegion region(io.GetNumberOfDimensions());
    for (unsigned i = 0; i < io.GetNumberOfDimensions(); ++i)
        region.SetSize(i, io.GetDimensions(i));
    io.SetIORegion(region);
    AnyImage image = allocate(path, pixel_type(io, path), shape, options);
    if (static_cast<std::size_t>(io.GetImageSizeInBytes()) != pixel_bytes(image))
        throw unsupported(path, "its pixels are not laid out as its header says");
    io.Read(pixel_data(image));
    if (io.GetPixelType() == itk::IOPixelEnum::RGBA)
        std::visit([](auto& i) { i.has_alpha = true; }, image);
    return image;
}

}  // namespace tesela::io
