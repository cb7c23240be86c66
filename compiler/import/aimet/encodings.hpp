// SPDX-License-Identifier: Apache-2.0
// How AIMET quantizes the tensors of a network, whichever version of its JSON files said so: the one form that readers fill,
// that writers take, and that an importer of float networks uses.
//
// A tensor of `bits` bits has codes q from 0 to last_code(), and each code stands for a real number:
//     real(q) = (q + offset) * scale
//     q(x)    = clamp(round(x / scale - offset), 0, last_code()), in float32: first x / scale, then - offset; ties round up
// offset is a whole number from -(2^bits - 1) to 0, so real 0 always has a code, the zero point -offset. This is the
// convention of the versions 0.6.1 and 1.0.0; a file with the other sign (old TensorFlow files, 2.0.0) is turned into it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vernier::import::aimet {

/// The versions whose layout is known. A file with another patch number is read by the rules of its neighbour here.
enum class Version { V040, V050, V061, V100, V200 };
inline constexpr std::array<std::string_view, 5> kVersionNames{"0.4.0", "0.5.0", "0.6.1", "1.0.0", "2.0.0"};

constexpr std::string_view name_of(Version version) { return kVersionNames[static_cast<size_t>(version)]; }

/// What a tensor is to its network. Files of 2.0.0 do not say it.
enum class Role { Activation, Parameter, Unsaid };

enum class DataType { Integer, Float };

/// The kinds of grid. The files have one flag, is_symmetric; the offset tells the symmetric kinds apart.
enum class Symmetry {
  Asymmetric,         // any offset
  Symmetric,          // offset -2^(bits-1): reals from -2^(bits-1) * scale to (2^(bits-1) - 1) * scale
  StrictSymmetric,    // offset -(2^(bits-1) - 1) and no last code: reals from -M to M, M = (2^(bits-1) - 1) * scale
  UnsignedSymmetric,  // offset 0: reals from 0 to (2^bits - 1) * scale
};

/// The grid of a tensor, or of one of its channels.
struct Grid {
  double scale = 1;  // above 0, in the range of float32
  int64_t offset = 0;

  bool operator==(const Grid&) const = default;
};

struct Encoding {
  std::string name;  // of the tensor, as the file has it
  Role role = Role::Unsaid;
  DataType dtype = DataType::Integer;
  int bits = 8;  // of an integer 2 to 32, of a float 8, 16 or 32
  bool is_symmetric = false;
  /// Whether codes are stored as intN, q - 2^(bits-1), or as uintN, q. Files of 2.0.0 say it; of others this is what AIMET
  /// itself would write as 2.0.0.
  bool is_signed = false;
  /// One: for the whole tensor. Several: one for each channel along `axis`. None: the file has the number of bits only, and
  /// the grid is that of the tensor it is computed from; a float has none either.
  std::vector<Grid> channels;
  /// Files of 2.0.0 say it (-1 is the last one); in others channels are the output channels of the operator.
  std::optional<int64_t> axis;

  int64_t line = 0;  // of the file, for messages

  bool is_per_channel() const { return channels.size() > 1; }
};

/// All that a file says.
struct Encodings {
  Version version = Version::V061;
  std::vector<Encoding> tensors;  // in the order of the file, no name twice
  /// What decides nothing: quantizer_args, producer, excluded_layers, where the file has them. Each with its JSON text.
  std::vector<std::pair<std::string, std::string>> remarks;
};

/// 2^bits.
constexpr int64_t num_codes(int bits) { return int64_t{1} << bits; }
/// The kind that a grid of this encoding is of.
Symmetry symmetry_of(const Encoding& encoding, const Grid& grid);
/// 2^bits - 1; one less where the grid is strict symmetric.
int64_t last_code(const Encoding& encoding, const Grid& grid);

/// An integer tensor of at most 16 bits fits the machine's operands; 32 bits are for biases. Says what is wrong with an
/// encoding that no integer machine takes ("has dtype float (16 bits), allowed is int"), or nothing. Who uses encodings
/// reports it with the tensor's name, for all tensors at once.
std::optional<std::string> refusal_of(const Encoding& encoding);

}  // namespace vernier::import::aimet
