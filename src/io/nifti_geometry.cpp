// Where the header of a NIfTI file says that its voxels lie: sform, qform and units.
#include <cmath>

#include "io/nifti.h"

namespace tesela::io {
namespace {

// Of the stored numbers, axes to the right, front and head (RAS): the step along each axis, and the
// first voxel.
struct Form {
    std::array<Vector3, 3> steps{};
    Vector3 origin{};
};

double length(const Vector3& v) { return std::hypot(v[0], v[1], v[2]); }

class GeometryParser {
  public:
    GeometryParser(const InputFile& file, const NiftiFields& fields, VolumeHeader& header)
        : file_(file), fields_(fields), header_(header), shape_(header.shape()) {}

    void parse() {
        parse_time();
        const bool has_sform = fields_.code(fields_.at().sform_code) > 0;
        const bool has_qform = fields_.code(fields_.at().qform_code) > 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (points(axis) > 1) check("pixdim", fields_.at().pixdim, axis + 1, 1);
        if (has_qform) check("qform", fields_.at().quatern, 0, 6);
        if (has_sform) check("sform", fields_.at().srow, 0, 12);
        const bool has_unit = fields_.length_unit() >= 1 && fields_.length_unit() <= 3;
        if (!has_sform && !has_qform && !has_unit && has_no_spacing()) return;
        header_.geometry.unit = Unit::millimeter;
        if (!has_unit)
            warn("the NIfTI file does not name its unit of length; millimeters are assumed");
        if (has_sform && (prefers_sform() || !has_qform))
            use_sform(has_qform);
        else if (has_qform)
            use_qform(has_sform);
        else
            use_spacing();
    }

  private:
    void warn(const std::string& text) { header_.warnings.push_back(text); }

    // What is not used may be anything.
    void check(const char* name, std::size_t at, std::size_t first, std::size_t count) const {
        for (std::size_t i = first; i < first + count; ++i)
            if (!(std::abs(fields_.real(at, i)) * scale() <= nifti_largest_length))
                throw unreadable(file_.path(),
                                 std::string("its NIfTI header gives no valid spacing, "
                                             "origin or direction (") +
                                     name + ")");
    }

    // Millimeters of the file's unit.
    double scale() const {
        constexpr int meter = 1, micrometer = 3;
        return fields_.length_unit() == meter        ? 1e3
               : fields_.length_unit() == micrometer ? 1e-3
                                                     : 1;
    }

    std::int64_t points(std::size_t axis) const {
        return axis == 0 ? shape_.x : axis == 1 ? shape_.y : shape_.z;
    }
    double pixdim(std::size_t axis) const { return fields_.real(fields_.at().pixdim, axis); }
    // The sign says nothing: programs write it for axes that are turned around. 0: not given.
    double spacing(std::size_t axis) const {
        const double size = std::abs(pixdim(axis + 1));
        return std::isfinite(size) ? size : 0;
    }
    bool has_no_spacing() const {
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (points(axis) > 1 && pixdim(axis + 1) != 1 && spacing(axis) != 0) return false;
        return true;
    }

    Form sform() const {
        Form form;
        for (std::size_t row = 0; row < 3; ++row) {
            for (std::size_t axis = 0; axis < 3; ++axis)
                form.steps[axis][row] = fields_.real(fields_.at().srow, 4 * row + axis);
            form.origin[row] = fields_.real(fields_.at().srow, 4 * row + 3);
        }
        return form;
    }

    // Method 2 of nifti1.h: a rotation as a unit quaternion, its real part implied. A quaternion
    // that is too long by rounding is shortened.
    Form qform() const {
        const std::size_t at = fields_.at().quatern;
        double b = fields_.real(at, 0), c = fields_.real(at, 1), d = fields_.real(at, 2);
        const double vector = b * b + c * c + d * d;
        if (vector > 1) {
            const double norm = std::sqrt(vector);
            b /= norm, c /= norm, d /= norm;
        }
        const double a = std::sqrt(std::max(0.0, 1 - vector));
        const double handedness = pixdim(0) < 0 ? -1 : 1;
        Form form;
        form.steps = {{{a * a + b * b - c * c - d * d, 2 * (b * c + a * d), 2 * (b * d - a * c)},
                       {2 * (b * c - a * d), a * a + c * c - b * b - d * d, 2 * (c * d + a * b)},
                       {2 * (b * d + a * c), 2 * (c * d - a * b), a * a + d * d - c * c - b * b}}};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double size = spacing(axis) == 0 ? 1 : spacing(axis);
            for (double& part : form.steps[axis]) part *= axis == 2 ? size * handedness : size;
        }
        for (std::size_t row = 0; row < 3; ++row)
            form.origin[row] = fields_.real(fields_.at().qoffset, row);
        return form;
    }

    // Whether both put the corners of the image within a tenth of a voxel of each other.
    bool agree(const Form& a, const Form& b) const {
        double smallest = HUGE_VAL;
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (points(axis) > 1) smallest = std::min(smallest, spacing(axis));
        for (unsigned corner = 0; corner < 8; ++corner) {
            Vector3 distance;
            for (std::size_t row = 0; row < 3; ++row) {
                distance[row] = a.origin[row] - b.origin[row];
                for (std::size_t axis = 0; axis < 3; ++axis)
                    if (corner >> axis & 1u)
                        distance[row] += (a.steps[axis][row] - b.steps[axis][row]) *
                                         static_cast<double>(points(axis) - 1);
            }
            if (!(length(distance) <= 0.1 * smallest)) return false;
        }
        return true;
    }

    // As ITK: the sform where it leads to the scanner's frame, or else the qform, which has no
    // shear and is rounded less. But one that leaves an axis without length is no place.
    bool prefers_sform() const {
        constexpr int scanner = 1;
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (points(axis) > 1 && spacing(axis) == 0) return true;
        return fields_.code(fields_.at().sform_code) == scanner && !is_sheared(sform());
    }

    static bool is_sheared(const Form& form) {
        constexpr double rounding = 1e-3;
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < a; ++b) {
                double product = 0;
                for (std::size_t row = 0; row < 3; ++row)
                    product += form.steps[a][row] * form.steps[b][row];
                if (std::abs(product) > rounding * length(form.steps[a]) * length(form.steps[b]))
                    return true;
            }
        return false;
    }

    void use_sform(bool has_qform) {
        const Form form = sform();
        bool differs = false;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (points(axis) == 1) continue;
            if (length(form.steps[axis]) == 0)
                throw unreadable(file_.path(),
                                 "its sform has no step along axis " + std::to_string(axis + 1));
            differs = differs ||
                      (spacing(axis) > 0 && std::abs(length(form.steps[axis]) - spacing(axis)) >
                                                0.01 * length(form.steps[axis]));
        }
        place(form);
        if (has_qform && !agree(form, qform()))
            warn("the NIfTI file's sform and qform disagree; the sform was used");
        else if (differs)
            warn("the spacings of the NIfTI file's sform and pixdim disagree; the sform was used");
    }

    void use_qform(bool has_sform) {
        const Form form = qform();
        place(form);
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (points(axis) > 1 && spacing(axis) == 0)
                warn("the NIfTI header gives no size of its voxels along axis " +
                     std::to_string(axis + 1) + "; 1 is assumed");
        if (has_sform && !agree(form, sform()))
            warn("the NIfTI file's sform and qform disagree; the qform was used");
    }

    // Method 1 of nifti1.h: where the voxels lie is not known.
    void use_spacing() {
        VolumeAxes axes;
        for (std::size_t axis = 0; axis < 3; ++axis) axes.spacing[axis] = spacing(axis) * scale();
        set_geometry(file_, axes, header_);
        if (shape_.z > 1)
            warn(
                "the NIfTI header does not say how a patient lies (neither sform nor qform); its "
                "axes are taken for left, back and head");
    }

    void place(const Form& form) {
        VolumeAxes axes;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            // The spacing itself, where the step is the same number but for its rounding.
            constexpr double rounding = 1e-5;
            const double step = length(form.steps[axis]);
            const bool same = std::abs(step - spacing(axis)) <= rounding * step;
            axes.spacing[axis] = same ? spacing(axis) * scale() : step * scale();
            for (std::size_t row = 0; row < 3; ++row)
                axes.directions[axis][row] =
                    step == 0 ? 0
                              : to_lps(row) * form.steps[axis][row] / (same ? spacing(axis) : step);
            axes.origin[axis] = to_lps(axis) * form.origin[axis] * scale();
        }
        set_geometry(file_, axes, header_);
    }
    static double to_lps(std::size_t row) { return row < 2 ? -1 : 1; }

    // Seconds, where the header has them.
    void parse_time() {
        constexpr int second = 8, millisecond = 16, microsecond = 24;
        const double step = pixdim(4);
        const int unit = fields_.time_unit();
        const bool has_axis = fields_.dim(0) >= 4;
        if (!has_axis || (shape_.t == 1 && !(step > 0 && std::isfinite(step)))) return;
        if (!(step >= 0 && std::isfinite(step)))
            return warn("the NIfTI file gives no valid time step (pixdim)");
        if (unit > microsecond) {
            const char* name = unit == 32   ? "Hz"
                               : unit == 40 ? "ppm"
                               : unit == 48 ? "rad/s"
                                            : "an unknown unit";
            if (shape_.t > 1)
                warn(std::string("the step along the NIfTI file's fourth axis is in ") + name +
                     ", not in seconds; it is not used");
            return;
        }
        if (unit == 0 && step != 0 && step != 1 && shape_.t > 1)
            warn("the NIfTI file does not name its unit of time; seconds are assumed");
        if (step > 0)
            header_.geometry.time_step = step * (unit == millisecond   ? 1e-3
                                                 : unit == microsecond ? 1e-6
                                                                       : 1);
        if (std::abs(fields_.real(fields_.at().toffset)) > 0 && unit >= second && shape_.t > 1)
            warn("the time of the NIfTI file's first volume (toffset) is not kept");
    }

    const InputFile& file_;
    const NiftiFields& fields_;
    VolumeHeader& header_;
    const Shape shape_;
};

}  // namespace

void parse_nifti_geometry(const InputFile& file, const NiftiFields& fields, VolumeHeader& header) {
    GeometryParser(file, fields, header).parse();
}

}  // namespace tesela::io
