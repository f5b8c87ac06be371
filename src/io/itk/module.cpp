// The module of ITK's DICOM reader.
#include <itkGDCMImageIO.h>
#include <itkOutputWindow.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <mutex>
#include <streambuf>
#include <thread>

#include "io/itk/table.h"

namespace tesela::io::itk_module {
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
    return text.empty() ? "the decoder failed" : text;
}

// 'u', 'i' or 'f' for the types of C that have a fixed size here.
char kind_of(itk::IOComponentEnum component) {
    using itk::IOComponentEnum;
    switch (component) {
        case IOComponentEnum::UCHAR:
        case IOComponentEnum::USHORT:
        case IOComponentEnum::UINT:
            return 'u';
        case IOComponentEnum::CHAR:
        case IOComponentEnum::SHORT:
        case IOComponentEnum::INT:
            return 'i';
        case IOComponentEnum::FLOAT:
        case IOComponentEnum::DOUBLE:
            return 'f';
        default:
            return 0;
    }
}

Facts facts_of(const itk::ImageIOBase& io, const std::string& component_name) {
    using itk::IOPixelEnum;
    Facts facts{};
    facts.axes = std::min(io.GetNumberOfDimensions(), most_axes);
    std::fill_n(facts.lengths, most_axes, 1);
    for (std::uint32_t axis = 0; axis < facts.axes; ++axis) {
        facts.lengths[axis] = static_cast<std::int64_t>(io.GetDimensions(axis));
        facts.spacing[axis] = io.GetSpacing(axis);
        facts.origin[axis] = io.GetOrigin(axis);
        const std::vector<double> column = io.GetDirection(axis);
        std::copy_n(column.begin(), facts.axes, facts.direction[axis]);
    }
    facts.channels = static_cast<std::int32_t>(io.GetNumberOfComponents());
    facts.component_bytes = static_cast<std::int32_t>(io.GetComponentSize());
    facts.component_kind = kind_of(io.GetComponentType());
    facts.component_name = component_name.c_str();
    const IOPixelEnum pixel = io.GetPixelType();
    facts.has_alpha = pixel == IOPixelEnum::RGBA;
    facts.is_no_vector = pixel == IOPixelEnum::COMPLEX || pixel == IOPixelEnum::UNKNOWNPIXELTYPE;
    facts.bytes = static_cast<std::int64_t>(io.GetImageSizeInBytes());
    return facts;
}

Outcome read_image(const char* path, Receiver* receive, void* caller) {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    const Silence silence;
    const auto io = itk::GDCMImageIO::New();
    io->SetFileName(path);
    io->ReadImageInformation();
    itk::ImageIORegion region(io->GetNumberOfDimensions());
    for (unsigned i = 0; i < io->GetNumberOfDimensions(); ++i)
        region.SetSize(i, io->GetDimensions(i));
    io->SetIORegion(region);
    const std::string name = itk::ImageIOBase::GetComponentTypeAsString(io->GetComponentType());
    const Facts facts = facts_of(*io, name);
    void* const room = receive(caller, &facts);
    if (!room) return stopped;
    io->Read(room);
    return done;
}

Outcome read(const char* path, Receiver* receive, void* caller, char* reason,
             std::size_t reason_bytes) {
    const auto fail = [&](const std::string& text) {
        reason[text.copy(reason, reason_bytes - 1)] = 0;
        return failed;
    };
    try {
        return read_image(path, receive, caller);
    } catch (const itk::ExceptionObject& error) {
        return fail(reason_of(error));
    } catch (const std::bad_alloc&) {
        return no_memory;
    } catch (const std::exception& error) {
        return fail(error.what());
    } catch (...) {
        return fail("the decoder failed");
    }
}

}  // namespace
}  // namespace tesela::io::itk_module

extern "C" [[gnu::visibility("default")]] const tesela::io::ModuleHead* tesela_module() {
    using namespace tesela::io::itk_module;
    static constexpr Table table{{Table::kind.version}, read};
    return &table.head;
}
