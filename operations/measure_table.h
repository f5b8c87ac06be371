// The options, the table and the report of `measure`, of images in memory and in parts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "operations/kinds/table.h"
#include "operations/operation.h"
#include "tesela/label_table.h"
#include "tesela/measure.h"

namespace tesela::operations {

struct MeasureChoice {
    std::string properties = "usual";
};
template <class V>
void describe(V&& v, MeasureChoice& o) {
    v("properties", o.properties, "properties to list, with commas; usual or all");
}

// Which columns of a table are asked for.
class MeasureSelection {
  public:
    // Of a map like this, with so many channels of images. Throws InvalidArgument for properties
    // that it does not have.
    MeasureSelection(const MeasureChoice& choice, const Shape& shape, const Geometry& geometry,
                     std::int64_t channels);

    bool has(const MeasureColumn& column) const;
    // What has to be measured for them.
    MeasureOptions options() const;

  private:
    void require_known() const;
    std::string known_properties() const;
    // Whether a column that is asked for goes away without it.
    bool needs(bool MeasureOptions::*part) const;

    std::string asked_;
    Measurements empty_;
    std::vector<MeasureColumn> known_;  // without values
};

// What the columns are made of.
struct Measured {
    Measurements measurements;
    std::vector<std::uint32_t> parents = {};  // where they were given
};

Table table_of(std::shared_ptr<const Measured> measured, const MeasureSelection& selection,
               const LabelTable& labels);
// A line, figures, stages and warnings, and the table: as an output where that is wanted, else as a
// text. `channels`: of each image by its name.
struct MeasuredImage {
    std::string name;
    std::int64_t channels;
};
Results report_of(const Call& call, const Measured& measured, const Table& table,
                  const std::vector<MeasuredImage>& images);

}  // namespace tesela::operations
