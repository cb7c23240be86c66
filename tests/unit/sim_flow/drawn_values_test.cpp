// SPDX-License-Identifier: Apache-2.0
// Long because: each kind of value that the host makes has its drawer and its case, and all share what draws and what tells.
// What the host makes of arrays, ranges, codes and texts that a seed draws, as rows of recorded_values.txt
// (tests/support/recorded.hpp).
#include "hw/base/error.hpp"
#include "hw/base/npy.hpp"
#include "sim/flow/files/output_files.hpp"
#include "sim/flow/host/host_program.hpp"
#include "sim/flow/look/dump_text.hpp"
#include "sim/flow/model/boundary_values.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/model.hpp"
#include "sim/flow/model/quantized_array.hpp"
#include "sim/flow/model/quantized_input.hpp"
#include "sim/flow/model/source_layout.hpp"
#include "sim/flow/run/carry.hpp"
#include "sim/flow/run/injection.hpp"
#include "tests/support/random.hpp"
#include "tests/support/recorded.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <limits>
#include <span>

namespace vernier::flow {
namespace {

using base::ElementType;
using package::BoundaryEnd;
using tests::Random;

/// Notes texts, one after the other, for a row.
class Told {
 public:
  explicit Told(const char* what) : what_(what) {}
  ~Told() noexcept(false) {
    static tests::Recorded rows("tests/unit/sim_flow/recorded_values.txt");
    rows.check(fmt::format("{}, {} bytes, {} refused", what_, text_.size(), num_refused_), text_);
  }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;
  /// What `make` gives as text, or says of a mistake; without `folder`, whose name is another one each time.
  template <typename Make>
  void add(const Make& make, const std::string& folder = "") {
    try {
      text_ += make() + "\n";
    } catch (const base::UserError& error) {
      ++num_refused_;
      std::string said = error.what();
      for (size_t at = 0; !folder.empty() && (at = said.find(folder, at)) != std::string::npos;)
        said.erase(at, folder.size());
      text_ += said + "\n";
    }
  }

 private:
  const char* what_;
  std::string text_;
  int num_refused_ = 0;
};

std::string hex_of(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

std::string text_of(const base::NpyArray& array) {
  return fmt::format("{} {} {}", array.dtype, base::to_string(array.shape), hex_of(array.data));
}

std::string text_of(const base::Tensor& tensor) {
  return fmt::format("{} {} {}", base::to_string(tensor.type()), base::to_string(tensor.shape()), hex_of(tensor.bytes()));
}

float number(Random& random) {
  if (random.chance(4))
    return random.pick<float>(
        {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), 1e30F, -0.0F});
  return static_cast<float>(random.within(-4000, 4000)) / random.pick<float>({1, 7, 16, 100, 4000});
}

base::Shape shape(Random& random, int64_t most_rank) {
  base::Shape shape;
  for (int64_t rank = random.within(0, most_rank); rank > 0; --rank) shape.push_back(random.within(1, 4));
  return shape;
}

template <typename T, typename Draw>
base::NpyArray array_of(const std::string& dtype, const base::Shape& shape, const Draw& draw) {
  base::NpyArray array{dtype, shape, {}};
  for (int64_t i = 0; i < base::num_elements(shape); ++i) {
    const T value = draw();
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    array.data.insert(array.data.end(), bytes, bytes + sizeof(T));
  }
  return array;
}

base::NpyArray floats(Random& random, const base::Shape& shape) {
  return array_of<float>("float32", shape, [&] { return number(random); });
}

base::NpyArray codes(Random& random, const std::string& dtype, const base::Shape& shape) {
  if (dtype.ends_with("32"))
    return array_of<int32_t>(dtype, shape, [&] { return static_cast<int32_t>(random.within(-100000, 100000)); });
  if (dtype.ends_with("16"))
    return array_of<int16_t>(dtype, shape, [&] { return static_cast<int16_t>(random.within(-32768, 32767)); });
  return array_of<int8_t>(dtype, shape, [&] { return static_cast<int8_t>(random.within(-128, 127)); });
}

model::QuantizeAttributes attributes(Random& random) {
  using model::QuantizeMode;
  model::QuantizeAttributes attributes;
  attributes.type = random.pick<model::QuantizedType>({{8, true}, {8, false}, {16, true}, {16, false}, {32, true}});
  attributes.mode = random.pick<QuantizeMode>({QuantizeMode::MinCombined, QuantizeMode::MinFirst, QuantizeMode::Scaled});
  if (attributes.mode == QuantizeMode::Scaled && random.chance(50))
    attributes.rounding = model::QuantizeRounding::HalfToEven;
  attributes.narrow_range = random.chance(50);
  attributes.ensure_minimum_range = random.pick<float>({0.01F, 0, 1});
  return attributes;
}

RangeEnd range_of(Random& random, const std::string& option, std::optional<int64_t> axis, const base::Shape& shape,
                  bool is_most) {
  const bool is_list = axis && *axis >= 0 && *axis < std::ssize(shape) ? random.chance(90) : random.chance(10);
  const auto value = [&] {
    if (random.chance(8)) return random.pick<float>({0, -1, 1, 1e-30F, std::numeric_limits<float>::infinity()});
    return (is_most ? 1.0F : -1.0F) * static_cast<float>(random.within(0, 300)) / 16;
  };
  if (!is_list) {
    const float one = value();
    return {option, fmt::format("{}", one), {}, {one}};
  }
  const int64_t count =
      axis && *axis >= 0 && *axis < std::ssize(shape) && random.chance(95) ? shape[static_cast<size_t>(*axis)] : 3;
  RangeEnd end{option, "FILE.npy", {count}, {}};
  for (int64_t i = 0; i < count; ++i) end.values.push_back(value());
  return end;
}

TEST_CASE("arrays that QuantizeV2 and Dequantize take, and those that they refuse") {
  Told quantized("quantized"), dequantized("dequantized"), slices("slices");
  Random random(1);
  for (int i = 0; i < 1500; ++i) {
    const model::QuantizeAttributes wanted = attributes(random);
    const base::Shape of = shape(random, 3);
    std::optional<int64_t> axis;
    if (random.chance(50))
      axis = random.within(random.chance(10) ? -1 : 0, std::max<int64_t>(0, std::ssize(of) - (random.chance(10) ? 0 : 1)));
    const RangeEnd min = range_of(random, "--min", axis, of, false), max = range_of(random, "--max", axis, of, true);
    quantized.add([&] {
      const QuantizedArray result = quantize_array(wanted, axis, floats(random, of), min, max);
      return fmt::format("{} {} {} {}", text_of(result.codes), fmt::join(result.min, ","), fmt::join(result.max, ","),
                         fmt::join(result.warnings, "; "));
    });
    dequantized.add([&] {
      const DequantizedArray result = dequantize_array(wanted, axis, codes(random, numpy_name(wanted.type), of), min, max);
      return fmt::format("{} {}", text_of(result.values), fmt::join(result.warnings, "; "));
    });
    slices.add([&] {
      const Slices found = slices_of(of, axis && *axis >= 0 && *axis < std::ssize(of) ? axis : std::nullopt);
      std::string text = fmt::format("{} {} {}:", found.outer, found.count, found.inner);
      for (int64_t slice = 0; slice < found.count; ++slice)
        for_each_element(found, slice, [&](size_t at) { text += fmt::format(" {}", at); });
      return text;
    });
  }
}

TEST_CASE("texts that are ranges, inputs, injections and carried values, and those that are none") {
  const tests::TemporaryDirectory folder;
  Random random(2);
  for (const char* name : {"a.npy", "b.npy"}) {
    std::ofstream(folder / name, std::ios::binary) << base::to_npy(floats(random, {2, 3}));
    std::ofstream(folder / (std::string("codes_") + name), std::ios::binary) << base::to_npy(codes(random, "int8", {2, 3}));
  }
  const std::string at = folder.path().string() + "/";
  Told ranges("ranges");
  for (const std::string text : {"", " 1", "1 ", "1.5", "-2e3", "nan", "inf", "0x10", "1e400", "x", "1,5", "a.npy"})
    ranges.add([&] { return fmt::format("{}", range_end("--min", text == "a.npy" ? at + text : text).values.front()); }, at);

  std::vector<End> ends{
      {"x", ElementType::Int8, {2, 3}}, {"x=y", ElementType::Int16, {2, 3}}, {"z", ElementType::Int32, {4, 1}}};
  BoundaryEnd source;
  source.tensor = "x";
  source.scale = 0.5F;
  ends[0].source = source;
  Told inputs("inputs");
  for (const std::vector<std::string>& specs : std::vector<std::vector<std::string>>{{},
                                                                                     {"a.npy"},
                                                                                     {"x=a.npy"},
                                                                                     {"x=codes_a.npy"},
                                                                                     {"x=y=codes_a.npy"},
                                                                                     {"x=a.npy", "x=b.npy"},
                                                                                     {"X=a.npy"},
                                                                                     {"=a.npy"},
                                                                                     {"x="},
                                                                                     {"x=none.npy"},
                                                                                     {"x=codes_b.npy", "z=a.npy"}}) {
    for (size_t count = 1; count <= 3; ++count) {
      const std::vector<End> some(ends.begin(), ends.begin() + static_cast<int64_t>(count));
      std::vector<std::string> given;
      for (const std::string& spec : specs) {
        const size_t begin = spec.rfind('=') == std::string::npos ? 0 : spec.rfind('=') + 1;
        given.push_back(spec.substr(0, begin) + at + spec.substr(begin));
      }
      inputs.add(
          [&] {
            std::string text;
            for (const base::Tensor& tensor : make_inputs(some, given, 5, {"x"})) text += text_of(tensor) + "\n";
            return text;
          },
          at);
      inputs.add(
          [&] {
            std::string text = fmt::format("{} {}", fmt::join(input_sources(some, given, 5), ","),
                                           fmt::join(input_files(some, given), ","));
            for (size_t place = 0; (place = text.find(at, place)) != std::string::npos;) text.erase(place, at.size());
            return text;
          },
          at);
    }
  }
  Told injections("injections");
  for (const char* kind : {"accumulator:bitflip", "weight:bitflip", "sram:bitflip", "command:bitflip", "token:drop",
                           "token:dorp", "sram", "", "dma:error", "bus:error", "interrupt:lost", "interrupt:spurious",
                           "doorbell:lost", "register:bitflip", "cpu:bitflip", "ram:bitflip", "shared:bitflip"}) {
    for (const char* more : {"", "@", "@0", "@7:", "@7:3", "@7:-3", "@7:3:8", "@7:3:7", "@7:3:0", "@7:3:47", "@7:3:48",
                             "@7:3:2:1", "@x", "@1x", "@99999999999999999999"}) {
      injections.add([&] {
        const InjectionRequest request = parse_injection(std::string(kind) + more);
        return fmt::format("{} {} {} {}", kind_of(request.site), request.cycle, request.index.value_or(-1),
                           request.bit.value_or(-1));
      });
    }
  }
  Told carried("carried");
  const Ends both{ends,
                  {{"x", ElementType::Int8, {2, 3}, source},
                   {"y=x", ElementType::Int16, {2, 3}},
                   {"w", ElementType::Int32, {4, 1}},
                   {"u", ElementType::Int8, {2, 3}}}};
  for (const std::vector<std::string>& specs : std::vector<std::vector<std::string>>{{},
                                                                                     {"x=x"},
                                                                                     {"w=z"},
                                                                                     {"x=x", "w=z"},
                                                                                     {"x=x", "u=x"},
                                                                                     {"x=x", "x=x"},
                                                                                     {"y=x=x=y"},
                                                                                     {"u=x"},
                                                                                     {"w=x"},
                                                                                     {"x"},
                                                                                     {"=x"},
                                                                                     {"x="},
                                                                                     {"v=x"},
                                                                                     {"x=v"},
                                                                                     {"y=x=z"}}) {
    carried.add([&] {
      std::string text;
      for (const Carry& one : carries_of(specs, both))
        text += fmt::format("{} {} {}; ", one.output, one.input, note_of(one, both));
      return text;
    });
  }
}

BoundaryEnd end_of(Random& random, ElementType type, const base::Shape& shape) {
  BoundaryEnd end;
  end.tensor = "x";
  end.is_float = random.chance(80);
  end.is_signed = random.chance(50);
  end.scale = random.pick<float>({1, 0.5F, 0.037F, 3});
  end.zero_point = random.within(end.is_signed ? -10 : 0, 100);
  end.keeps_bits = !end.is_signed && random.chance(40);
  if (random.chance(30))
    end.rule = package::IntRule{
        random.pick<base::Rounding>({base::Rounding::HalfEven, base::Rounding::Ceil, base::Rounding::Floor}),
        end.is_signed ? -5 : 0, 100};
  if (!shape.empty() && random.chance(40)) {
    end.axis = random.within(0, std::ssize(shape) - 1);
    for (int64_t i = 0; i < shape[static_cast<size_t>(end.axis)]; ++i)
      end.channels.push_back({random.pick<float>({1, 0.25F, 2}), random.within(0, 20)});
  }
  static_cast<void>(type);
  return end;
}

package::HostStep step_of(Random& random, const base::Shape& shape) {
  using package::HostOperator;
  package::HostStep step;
  step.kind = static_cast<HostOperator>(random.within(0, 10));
  step.name = "step";
  if (package::is_binary(step.kind)) {
    step.shape = shape;
    if (!step.shape.empty() && random.chance(50)) step.shape.erase(step.shape.begin());
    for (int64_t& size : step.shape) size = random.chance(40) ? 1 : size;
    for (int64_t i = 0; i < base::num_elements(step.shape); ++i)
      step.numbers.push_back(static_cast<float>(random.within(1, 60)) / 8);
  }
  if (step.kind == HostOperator::Clip) step.numbers = {-1.5F, 2.5F};
  if (step.kind == HostOperator::Softmax) step.dimensions = {random.within(0, std::max<int64_t>(1, std::ssize(shape)) - 1)};
  if (step.kind == HostOperator::Transpose) {
    for (int64_t i = 0; i < std::ssize(shape); ++i) step.dimensions.insert(step.dimensions.begin() + random.within(0, i), i);
  }
  if (step.kind == HostOperator::Reshape) step.dimensions = {base::num_elements(shape), 1};
  return step;
}

TEST_CASE("arrays at the ends of a network, in and out") {
  const tests::TemporaryDirectory folder;
  const std::string file = (folder / "x.npy").string();
  Told in("in"), out("out"), steps("steps");
  Random random(3);
  for (int i = 0; i < 1200; ++i) {
    const ElementType type = random.pick<ElementType>({ElementType::Int8, ElementType::Int16, ElementType::Int32});
    const base::Shape of = shape(random, 3);
    BoundaryEnd end = end_of(random, type, of);
    if (type == ElementType::Int32) end.is_signed = true, end.keeps_bits = false;
    base::Shape now = of;
    std::vector<float> values(static_cast<size_t>(base::num_elements(of)));
    for (float& value : values) value = static_cast<float>(random.within(-64, 64)) / 8;
    const std::vector<float> first = values;
    std::vector<package::HostStep> made;
    for (int64_t more = random.within(0, 3); more > 0; --more) {
      const package::HostStep step = step_of(random, now);
      if (!package::problem_of(step, {now}).empty()) continue;
      made.push_back(step);
      now = package::result_shape(step, {now});
    }
    steps.add([&] { return fmt::format("{}", fmt::join(run_steps(made, of, first), " ")); });
    base::Tensor tensor(type, of);
    for (int64_t k = 0; k < tensor.size(); ++k) tensor.set(k, random.within(-128, 127));
    BoundaryEnd output = end;
    output.steps = made;
    output.source_shape = now;
    out.add([&] {
      return text_of(codes_of(tensor, end)) + " " + text_of(reals_of(output, {numbers_of_codes(tensor, output)})) + " " +
             input_dtypes(end, type);
    });
    if (!made.empty() && now == of && random.chance(50)) {
      end.steps = made;
      end.source_shape = of;
    }
    const std::string dtype =
        random.pick<std::string>({"float32", "float32", codes_dtype(end, type), codes_dtype(end, type), "int8", "int64"});
    const base::Shape held = random.chance(90) ? of : shape(random, 3);
    const base::NpyArray array = dtype == "float32" ? floats(random, held)
                                 : dtype == "int64" ? array_of<int64_t>(dtype, held, [] { return int64_t{3}; })
                                                    : codes(random, dtype, held);
    std::ofstream(file, std::ios::binary) << base::to_npy(array);
    in.add([&] { return text_of(read_end(file, end, type, of)); }, file);
  }
}

TEST_CASE("tensors of a graph as their source has them") {
  Told told("as in the source");
  Random random(4);
  for (int i = 0; i < 400; ++i) {
    const base::Shape of = shape(random, 3);
    base::Tensor values(ElementType::Int8, of);
    for (int64_t k = 0; k < values.size(); ++k) values.set(k, random.within(-128, 127));
    Model model;
    if (random.chance(30)) model.package.emplace();
    for (int64_t more = random.within(0, 3); more > 0; --more) {
      import::SourceTensor source{
          random.chance(80) ? "t" : "other", random.pick<std::string>({"t", "u", "v"}), {}, {}, random.chance(50)};
      base::Shape order;
      for (int64_t d = 0; d < std::ssize(of); ++d) order.insert(order.begin() + random.within(0, d), d);
      source.shape = of;
      for (size_t d = 0; d < of.size(); ++d) source.shape[static_cast<size_t>(order[d])] = of[d];
      source.order = order;
      if (random.chance(15)) source.order.push_back(0);
      model.source_tensors.push_back(source);
    }
    if (random.chance(40)) {
      BoundaryEnd end = end_of(random, ElementType::Int8, of);
      end.tensor = random.chance(80) ? "t" : "other";
      (random.chance(50) ? model.boundary.inputs : model.boundary.outputs).push_back(end);
    }
    DumpedTensor dumped{"t", values};
    if (random.chance(20)) dumped.note = "a note";
    if (random.chance(20)) dumped.unwritten_elems = 3;
    told.add([&] {
      const DumpedTensor found = as_in_source(dumped, model), sums = sums_as_in_source(dumped, model);
      const std::string npy = to_npy(found);
      return fmt::format("{} {}\n{}{}{}{}", found.note, found.codes.has_value(), to_text(found), to_hex(found),
                         hex_of(std::as_bytes(std::span(npy))), to_text(sums));
    });
  }
}

TEST_CASE("inputs with --quantize, what it makes of floats and what it refuses") {
  Told told("quantized inputs");
  Random random(5);
  for (int i = 0; i < 600; ++i) {
    Model model;
    model.file = "net.tosa";
    ir::Graph& graph = model.graph.emplace();
    const base::Shape of = shape(random, 3);
    const ElementType type = random.pick<ElementType>(
        {ElementType::Int8, ElementType::Int8, ElementType::Int16, ElementType::Int32, ElementType::Bool});
    for (const char* name : {"w", "x", "y"}) {
      graph.inputs.push_back(static_cast<ir::TensorId>(graph.tensors.size()));
      graph.tensors.push_back({name, type, of, nullptr});
    }
    if (random.chance(30)) {
      BoundaryEnd end = end_of(random, type, of);
      end.is_float = random.chance(20);
      model.boundary.inputs.push_back(end);
    }
    InputQuantization wanted;
    wanted.name = random.chance(95) ? "x" : "xx";
    wanted.attributes = attributes(random);
    if (random.chance(80)) wanted.attributes.type = {base::info(type).bits, true};
    wanted.min = fmt::format("{}", -random.within(0, 40));
    wanted.max = fmt::format("{}", random.within(random.chance(10) ? -50 : 0, 40));
    if (random.chance(20)) wanted.axis = random.within(0, 2);
    told.add([&] {
      quantize_input(model, wanted);
      std::string text;
      for (const BoundaryEnd& end : model.boundary.inputs)
        text += fmt::format("{} {} {} {}; ", end.tensor, end.is_float, end.is_signed, end.range.has_value());
      const BoundaryEnd& end = *package::find_end(model.boundary.inputs, "x");
      std::vector<float> reals(static_cast<size_t>(base::num_elements(of)));
      for (float& real : reals) real = static_cast<float>(random.within(-400, 400)) / 8;
      if (random.chance(10) && !reals.empty()) reals.back() = std::numeric_limits<float>::quiet_NaN();
      return text + text_of(ranged_codes("f.npy", reals, end, type, of));
    });
  }
}

TEST_CASE("names of output files") {
  Told told("names");
  Random random(6);
  for (int i = 0; i < 200; ++i) {
    std::vector<End> outputs;
    for (int64_t more = random.within(1, 5); more > 0; --more) {
      End& end =
          outputs.emplace_back(End{random.pick<std::string>({"a", "a_2", "a.float", "a/b", "..b"}), ElementType::Int8, {2}});
      if (random.chance(50)) end.source = end_of(random, ElementType::Int8, {2});
    }
    told.add([&] {
      std::string text = fmt::format("{}", fmt::join(output_file_names(outputs), " "));
      for (const End& end : outputs) text += " " + dtype_of(end, ElementType::Int8);
      return text;
    });
  }
}

TEST_CASE("machines that options ask for, and what is told of them") {
  Told told("machines");
  Random random(7);
  for (int i = 0; i < 400; ++i) {
    MachineOptions options;
    if (random.chance(70)) options.config = random.pick<std::string>({"v64", "v256", "v1024", "v256-port8", "v25"});
    if (random.chance(60)) options.memory = random.pick<std::string>({"sram", "weights-external", "external", "outside"});
    if (random.chance(60))
      options.sram_bytes = random.pick<int64_t>({0, 1, 1000, 65536, 65537, 100'000, int64_t{64} << 20, int64_t{1} << 40});
    if (random.chance(30)) options.sets["clock_hz"] = random.pick<std::string>({"1000000000", "0", "x"});
    if (random.chance(30)) options.sets["external.latency_cycles"] = "7";
    told.add([&] {
      const config::MachineConfig config = config_of(options);
      return fmt::format("{} {} {} {}: {}", config.name, config.sram_bytes, config.clock_hz,
                         static_cast<int>(config.memory_mode), fmt::join(notes_of(config, options), "; "));
    });
    told.add([&] {
      Model model;
      model.file = "p.vnpu";
      model.package.emplace();
      model.package->config = config::preset_config("v256", "test");
      require_same_machine(model, options);
      return std::string("the same machine");
    });
  }
}

}  // namespace
}  // namespace vernier::flow
