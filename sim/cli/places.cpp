// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/places.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"

namespace vernier::cli {

void refuse_overwriting(const std::vector<Place>& read, const std::vector<Place>& written) {
  for (size_t i = 0; i < written.size(); ++i) {
    const Place& place = written[i];
    for (const Place& other : read) {
      if (base::is_same_file(place.file, other.file))
        throw base::UserError(place.what, "'{}' would overwrite {} '{}', expected another file", place.file, other.what,
                              other.file);
    }
    for (size_t k = 0; k < i; ++k) {
      if (base::is_same_file(place.file, written[k].file))
        throw base::UserError(place.what, "'{}' would overwrite {} '{}' of the same run, expected another file", place.file,
                              written[k].what, written[k].file);
    }
  }
}

}  // namespace vernier::cli
