// SPDX-License-Identifier: Apache-2.0
// What bounds a layer, from what its cycles count for; and what its commands spent.
#include "tests/unit/sim_explain/made_job.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace vernier;
using namespace vernier::explain;
using timing::Stall;
using units::Cause;

namespace {

std::string bound_of_one(Cause cause) { return MadeJob().counts(cause, 3).counts(Cause::NothingAtWork, 2).bound().bound_by; }
std::string bound_of_one(Stall stall) { return MadeJob().counts(stall, 3).counts(Cause::NothingAtWork, 2).bound().bound_by; }

}  // namespace

TEST_CASE("Each cause speaks for one bound") {
  CHECK(bound_of_one(Cause::Array) == "compute");
  CHECK(bound_of_one(Cause::Epilogue) == "compute");
  CHECK(bound_of_one(Cause::VectorUnit) == "vector");
  CHECK(bound_of_one(Cause::DmaInSram) == "sram");
  CHECK(bound_of_one(Cause::WaitsForCopy) == "sram");
  CHECK(bound_of_one(Cause::DmaExternal) == "external");
  CHECK(bound_of_one(Cause::WaitsForLoad) == "external");
  CHECK(bound_of_one(Cause::NothingAtWork) == "control");
  CHECK(bound_of_one(Stall::WeightLoad) == "sram");
  CHECK(bound_of_one(Stall::BankConflict) == "sram");
  CHECK(bound_of_one(Stall::PortContention) == "sram");
  CHECK(bound_of_one(Stall::ExternalMemory) == "external");
  CHECK(bound_of_one(Stall::RescaleContention) == "vector");
  CHECK(bound_of_one(Stall::PipelineFill) == "control");
  CHECK(bound_of_one(Stall::CommandIssue) == "control");
}

TEST_CASE("The bound with most cycles wins, however many causes they have") {
  MadeJob job;
  job.counts(Cause::Array, 40).counts(Stall::WeightLoad, 25).counts(Stall::PortContention, 20);
  CHECK(job.bound().bound_by == "sram");
  CHECK(job.bound().attributed_by == NamedCycles{{"array", 40}, {"weight_load", 25}, {"port_contention", 20}});
  job.counts(Cause::Epilogue, 6);
  CHECK(job.bound().bound_by == "compute");
}

TEST_CASE("A layer without a cycle is bound by what its commands spent") {
  MadeJob job;
  job.add(support::dma_copy(spec::Queue::Dma0, support::sram(0), support::sram(64), 64), 30, 30, {64, 64, 0, 0});
  job.add(support::vector_add(0, 64, 64, 1), 20, 20);
  CHECK(job.bound().bound_by == "sram");
  CHECK(job.words() == "sram: all of it is hidden behind other layers");
}

TEST_CASE("Spent cycles: a command's own, then what others added") {
  soc::JobResult job;
  job.layers.resize(1);
  job.layers[0].attributed_cycles = 130;
  job.layers[0].in_flight_cycles = 100;
  units::CommandRecord mac;
  mac.layer_idx = 0;
  mac.queue = spec::Queue::MacArray;
  mac.work = units::Work::Array;
  mac.start_cycle = 0;
  mac.end_cycle = 72;
  job.shares = {{kit::Bucket::stall(static_cast<size_t>(Stall::WeightLoad)), 4},
                {kit::Bucket::busy(), 36},
                {kit::Bucket::stall(static_cast<size_t>(Stall::PortContention)), 10},
                {kit::Bucket::busy(), 20}};
  mac.main = {0, 50, 40, {0, 3}};
  mac.drain = {52, 72, 18, {3, 1}};  // it waited for two cycles, and was slowed by two
  units::CommandRecord load = mac;
  load.queue = spec::Queue::Dma0;
  load.work = units::Work::Load;
  load.end_cycle = 50;
  load.drain = {};
  job.commands = {mac, load};
  const LayerBound bound = bounds_of_layers(job)[0];
  const NamedCycles expected{{"array", 36},           {"dma_external", 36},     {"epilogue", 18},
                             {"sharing", 10 + 2 + 2}, {"sharing_external", 10}, {"nothing_in_flight", 30},
                             {"weight_load", 4 + 4}};
  CHECK(bound.spent == expected);
}
