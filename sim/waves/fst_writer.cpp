// SPDX-License-Identifier: Apache-2.0
// GTKWave's FST, by the writer that comes with Verilator. It writes to a path only, and a disk that fills up ends the
// program or leaves half a wave: the wave is made in a temporary folder in which there is room for the most that it can
// take, and looked at before it is read back.
#include "hw/base/error.hpp"
#include "sim/waves/wave_writer.hpp"

#ifdef VERNIER_HAS_FST

#include "hw/base/file.hpp"
#include "hw/base/temporary_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstapi.h>
#include <map>
#include <system_error>
#include <unistd.h>

namespace vernier::waves {

namespace {

/// UserError unless the folder has room for so much.
void require_room(const std::filesystem::path& folder, size_t bytes) {
  const std::filesystem::path file = folder / "room";
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const int error = fd < 0 ? errno : ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
  if (fd >= 0) ::close(fd);
  std::filesystem::remove(file);
  if (error != 0) {
    throw base::UserError(folder.string(),
                          "there is no room for the {} bytes that a wave may take ({}), TMPDIR names another folder", bytes,
                          std::generic_category().message(error));
  }
}

/// Exactly `bits` digits.
std::string binary(uint64_t value, int bits) { return fmt::format("{:0{}b}", value, bits); }

class FstWriter : public WaveWriter {
 public:
  explicit FstWriter(size_t most_bytes) : file_((folder_.path() / "wave.fst").string()) {
    require_room(folder_.path(), most_bytes);
    context_ = fstWriterCreate(file_.c_str(), 1);
    if (context_ == nullptr) throw base::UserError(file_, "no wave can be written there, TMPDIR names another folder");
    fstWriterSetPackType(context_, FST_WR_PT_LZ4);
    fstWriterSetTimescaleFromString(context_, std::string(kTimescale).c_str());
    fstWriterSetDate(context_, "");  // the same wave gives the same bytes
    fstWriterSetVersion(context_, "vernier");
    fstWriterSetComment(context_, "A cycle is a nanosecond, whatever the clock: the time axis counts cycles.");
  }
  FstWriter(const FstWriter&) = delete;
  FstWriter& operator=(const FstWriter&) = delete;
  ~FstWriter() override {
    if (context_ != nullptr) fstWriterClose(context_);
  }

  void declare(const std::vector<Variable>& variables) override {
    variables_ = variables;
    handles_.resize(variables.size());
    declare_scope(scopes_of(variables_));
  }
  void time(int64_t time) override { fstWriterEmitTimeChange(context_, static_cast<uint64_t>(time)); }
  void number(size_t variable, uint64_t value) override { bits(variable, binary(value, width_of(variables_[variable]))); }
  void bits(size_t variable, std::string_view digits) override {
    // The writer reads as many digits as the variable has bits.
    std::string all(digits);
    const char fill = digits.empty() || digits[0] == '1' ? '0' : digits[0];
    all.insert(0, static_cast<size_t>(width_of(variables_[variable])) - digits.size(), fill);
    fstWriterEmitValueChange(context_, handles_[variable], all.data());
  }
  void real(size_t variable, double value) override { fstWriterEmitValueChange(context_, handles_[variable], &value); }
  void text(size_t variable, std::string_view value) override {
    fstWriterEmitVariableLengthValueChange(context_, handles_[variable], value.data(), static_cast<uint32_t>(value.size()));
  }
  std::vector<std::byte> finish(int64_t end_time) override {
    fstWriterClose(context_);
    context_ = nullptr;
    check(end_time);
    return base::read_file(file_);
  }

 private:
  static int width_of(const Variable& variable) {
    return variable.kind == VariableKind::State ? bits_for(variable.labels.size()) : variable.bits;
  }
  void declare_scope(const Scope& scope) {
    for (const size_t i : scope.variables) handles_[i] = declare_variable(variables_[i]);
    for (const Scope& inner : scope.scopes) {
      fstWriterSetScope(context_, FST_ST_VCD_MODULE, inner.name.c_str(), nullptr);
      declare_scope(inner);
      fstWriterSetUpscope(context_);
    }
  }
  fstHandle declare_variable(const Variable& variable) {
    const auto create = [&](fstVarType type, uint32_t length, const std::string& name) {
      return fstWriterCreateVar(context_, type, FST_VD_IMPLICIT, length, name.c_str(), 0);
    };
    switch (variable.kind) {
      case VariableKind::Real: return create(FST_VT_VCD_REAL, 8, variable.name);
      case VariableKind::Text: return create(FST_VT_GEN_STRING, 0, variable.name);
      case VariableKind::State:
        fstWriterEmitEnumTableRef(context_, enum_of(variable));
        return create(FST_VT_SV_ENUM, static_cast<uint32_t>(width_of(variable)), variable.name);
      case VariableKind::Bits: break;
    }
    const std::string range = variable.bits == 1 ? "" : fmt::format(" [{}:0]", variable.bits - 1);
    return create(FST_VT_VCD_WIRE, static_cast<uint32_t>(variable.bits), variable.name + range);
  }
  /// States of equal labels share a table.
  fstEnumHandle enum_of(const Variable& variable) {
    const auto [entry, is_new] = enums_.try_emplace(variable.labels, 0);
    if (!is_new) return entry->second;
    std::vector<const char*> labels, values;
    std::vector<std::string> digits;
    for (size_t i = 0; i < variable.labels.size(); ++i) digits.push_back(binary(i, width_of(variable)));
    for (size_t i = 0; i < variable.labels.size(); ++i) {
      labels.push_back(variable.labels[i].c_str());
      values.push_back(digits[i].c_str());
    }
    entry->second = fstWriterCreateEnumTable(context_, fmt::format("states_{}", enums_.size()).c_str(),
                                             static_cast<uint32_t>(labels.size()), static_cast<unsigned>(width_of(variable)),
                                             labels.data(), values.data());
    return entry->second;
  }
  /// The file as its reader sees it.
  void check(int64_t end_time) const {
    void* reader = fstReaderOpen(file_.c_str());
    const bool is_whole = reader != nullptr && fstReaderGetEndTime(reader) == static_cast<uint64_t>(end_time) &&
                          fstReaderGetVarCount(reader) == variables_.size();
    if (reader != nullptr) fstReaderClose(reader);
    VERNIER_CHECK(is_whole, "the wave in {} is not whole", file_);
  }

  base::TemporaryFolder folder_{std::filesystem::temp_directory_path(), "vernier-wave-",
                                "no temporary folder can be made for a wave, TMPDIR names where"};
  std::string file_;
  void* context_ = nullptr;
  std::vector<Variable> variables_;
  std::vector<fstHandle> handles_;
  std::map<std::vector<std::string>, fstEnumHandle> enums_;
};

}  // namespace

bool has_fst_writer() { return true; }
std::unique_ptr<WaveWriter> make_fst_writer(size_t most_bytes) { return std::make_unique<FstWriter>(most_bytes); }

}  // namespace vernier::waves

#else

namespace vernier::waves {
bool has_fst_writer() { return false; }
std::unique_ptr<WaveWriter> make_fst_writer(size_t) { VERNIER_CHECK(false, "there is no FST writer"); }
}  // namespace vernier::waves

#endif
