// SPDX-License-Identifier: Apache-2.0
// Instructions of 16 bits (RV32C), each as the instruction of 32 bits that it stands for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace vernier::riscv {

/// Whether the first 16 bits of an instruction are all of it (unprivileged 20191213, section 1.5).
constexpr bool is_compressed(uint32_t parcel) { return (parcel & 3) != 3; }

/// The 32-bit instruction that `parcel` stands for, by unprivileged 20191213, chapter 16 (tables 16.5 to 16.7, RV32 without
/// F and D). nullopt for what the tables leave out, reserve, or leave to extensions that this CPU does not have. Hints stand
/// for the instruction without effect that they look like. `parcel` is_compressed.
std::optional<uint32_t> expand(uint16_t parcel);

/// The manual's name of the compressed instruction, in small letters; empty where expand() has nullopt.
std::string_view compressed_mnemonic(uint16_t parcel);

}  // namespace vernier::riscv
