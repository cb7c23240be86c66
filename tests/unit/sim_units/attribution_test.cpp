// SPDX-License-Identifier: Apache-2.0
// Which layer a cycle belongs to and what it counts for: cases by hand.
#include "tests/unit/sim_units/command_book.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::units;
using kit::Bucket;
using spec::Queue;
using timing::Stall;

TEST_CASE("A cycle belongs to the lowest layer at work, whatever the order in the stream") {
  Book book;
  book.compute(2, Queue::VectorUnit, 0, 50);
  book.compute(1, Queue::MacArray, 10, 30);
  book.compute(0, Queue::MacArray, 40, 45);
  book.end(2, 5);
  const Attribution result = attribute(book.records, 3, 60);
  CHECK(result.layers[0].attributed_cycles == 5);
  CHECK(result.layers[1].attributed_cycles == 20);
  CHECK(result.layers[2].attributed_cycles == 10 + 10 + 5 + 10);
  CHECK(result.last_layer_idx == 2);
  CHECK(causes(result.layers[2]) == Causes{{"vector_unit", 25}, {"nothing_at_work", 10}});
}

TEST_CASE("What a DMA command is at follows from what it moves: writing outside makes it a store") {
  const auto moves = [](int64_t read, int64_t written) {
    timing::Traffic traffic;
    traffic.external_read_bytes = read;
    traffic.external_write_bytes = written;
    return work_of(Queue::Dma0, traffic);
  };
  CHECK(moves(0, 0) == Work::Copy);
  CHECK(moves(64, 0) == Work::Load);
  CHECK(moves(0, 64) == Work::Store);
  CHECK(moves(64, 64) == Work::Store);
}

TEST_CASE("A layer's last cycle is that of its command that ends last, not of the one that starts last") {
  Book book;
  book.compute(0, Queue::MacArray, 0, 100);
  book.compute(0, Queue::VectorUnit, 10, 50);
  book.compute(1, Queue::VectorUnit, 60, 120);
  const Attribution result = attribute(book.records, 2, 120);
  CHECK(result.layers[0].first_cycle == 0);
  CHECK(result.layers[0].last_cycle == 100);
  CHECK(result.layers[1].last_cycle == 120);
}

TEST_CASE("Two independent branches on the array and the vector unit at once both get cycles") {
  Book book;  // each branch has layers of its own; their commands alternate
  book.compute(0, Queue::MacArray, 0, 40);
  book.compute(3, Queue::VectorUnit, 0, 100);
  book.compute(1, Queue::MacArray, 60, 90);
  const Attribution result = attribute(book.records, 4, 100);
  CHECK(result.layers[0].attributed_cycles == 40);
  CHECK(result.layers[1].attributed_cycles == 30);
  CHECK(result.layers[2].attributed_cycles == 0);
  CHECK(result.layers[3].attributed_cycles == 20 + 10);
  CHECK(result.layers[3].working_cycles == 100);
}

TEST_CASE("A load behind compute has no cycle, what nothing covers goes to the layer of the next command at work") {
  Book book;
  book.compute(0, Queue::MacArray, 10, 50);
  book.load(1, 0, 80);
  book.compute(1, Queue::MacArray, 90, 100);
  book.waits_for(1, 82);
  const Attribution result = attribute(book.records, 2, 100);
  CHECK(causes(result.layers[0]) == Causes{{"nothing_at_work", 10}, {"array", 40}});
  CHECK(causes(result.layers[1]) == Causes{{"waiting_for_load", 32}, {"nothing_at_work", 8}, {"array", 10}});
  CHECK(result.layers[1].first_cycle == 90);
  CHECK(result.layers[1].last_cycle == 100);
  CHECK(result.layers[1].working_cycles == 10);
  CHECK(result.layers[1].in_flight_cycles == 80 + 10);
}

TEST_CASE("A wait counts for the command that gave the last token") {
  const auto cause_of_wait = [](auto enter_giver) {
    Book book;
    enter_giver(book);
    book.compute(0, Queue::VectorUnit, 60, 70);
    book.waits_for(0, 55);
    LayerCount count = attribute(book.records, 1, 70).layers[0];
    count.attributed_by[static_cast<size_t>(Cause::VectorUnit)] -= 10;
    return causes(count);
  };
  CHECK(cause_of_wait([](Book& book) { book.load(0, 0, 50); }) == Causes{{"waiting_for_load", 55}, {"nothing_at_work", 5}});
  CHECK(cause_of_wait([](Book& book) { book.copy(0, 0, 50); }) == Causes{{"waiting_for_copy", 55}, {"nothing_at_work", 5}});
  CHECK(cause_of_wait([](Book& book) { book.compute(0, Queue::MacArray, 0, 50); }) ==
        Causes{{"array", 50}, {"nothing_at_work", 10}});
  CHECK(cause_of_wait([](Book& book) { book.store(0, 0, 50); }) == Causes{{"dma_external", 50}, {"nothing_at_work", 10}});
}

TEST_CASE("A wait for a table fill that is queued after loads is a wait for the loads") {
  Book book;
  book.load(0, 0, 400);
  book.load(0, 400, 900);
  book.copy(0, 900, 910);  // the table, on the same queue
  book.compute(0, Queue::VectorUnit, 912, 920);
  book.waits_for(2, 912);
  CHECK(causes(attribute(book.records, 1, 920).layers[0]) ==
        Causes{{"waiting_for_load", 900}, {"waiting_for_copy", 12}, {"vector_unit", 8}});
}

TEST_CASE("A wait is followed by tokens and queues, over any number of copies, to what each of them waited for last") {
  Book book;
  book.load(0, 10, 300);  // waits for its issue up to 10
  book.copy(0, 302, 320, Queue::Dma1);
  book.waits_for(0, 302);
  book.copy(0, 320, 350, Queue::Dma1);
  book.copy(0, 352, 360);
  book.waits_for(2, 352);
  book.copy(0, 365, 370);  // five cycles after the one before it on its queue
  book.compute(0, Queue::MacArray, 380, 390);
  book.waits_for(4, 372);
  CHECK(causes(attribute(book.records, 1, 390).layers[0]) ==
        Causes{{"waiting_for_load", 302}, {"waiting_for_copy", 70}, {"nothing_at_work", 8}, {"array", 10}});
}

TEST_CASE("A load that is queued after a long copy waits for that copy") {
  Book book;
  book.copy(0, 0, 400);
  book.load(0, 400, 500);
  book.compute(0, Queue::MacArray, 502, 510);
  book.waits_for(1, 502);
  CHECK(causes(attribute(book.records, 1, 510).layers[0]) ==
        Causes{{"waiting_for_copy", 400}, {"waiting_for_load", 102}, {"array", 8}});
}

TEST_CASE("A store that is queued after loads waits for them, without any token") {
  Book book;
  book.compute(0, Queue::MacArray, 0, 10);
  book.load(0, 0, 200, Queue::Dma1);
  book.store(0, 200, 230);
  CHECK(causes(attribute(book.records, 1, 230).layers[0]) ==
        Causes{{"array", 10}, {"waiting_for_load", 190}, {"dma_external", 30}});
}

TEST_CASE("A token that was there before the others had ended is not waited for") {
  Book book;
  book.load(1, 0, 20);
  book.compute(0, Queue::MacArray, 0, 50);
  book.compute(1, Queue::MacArray, 60, 70);
  book.waits_for(0, 22);
  CHECK(causes(attribute(book.records, 2, 70).layers[1]) == Causes{{"nothing_at_work", 10}, {"array", 10}});
}

TEST_CASE("Of several commands that start next in one cycle the lowest layer has the wait") {
  Book book;
  book.load(2, 0, 40);
  book.compute(2, Queue::VectorUnit, 42, 60);
  book.waits_for(0, 42);
  book.compute(1, Queue::MacArray, 42, 50);
  const Attribution result = attribute(book.records, 3, 60);
  CHECK(result.layers[1].attributed_cycles == 42 + 8);
  CHECK(causes(result.layers[1]) == Causes{{"nothing_at_work", 42}, {"array", 8}});
  CHECK(result.layers[2].attributed_cycles == 10);
}

TEST_CASE("Stores are at work, loads and copies only in layers without array and vector unit") {
  Book book;
  book.load(0, 0, 10);
  book.copy(0, 10, 20);
  book.compute(0, Queue::MacArray, 20, 30);
  book.store(0, 30, 40);
  book.load(1, 50, 60);
  book.copy(1, 60, 70);
  book.store(1, 70, 80);
  book.end(1, 1);
  const Attribution result = attribute(book.records, 2, 90);
  CHECK(causes(result.layers[0]) == Causes{{"nothing_at_work", 20}, {"array", 10}, {"dma_external", 10}});
  CHECK(result.layers[0].first_cycle == 20);
  CHECK(result.layers[0].last_cycle == 40);
  CHECK(causes(result.layers[1]) == Causes{{"nothing_at_work", 10 + 10}, {"dma_external", 20}, {"dma_in_sram", 10}});
  CHECK(result.layers[1].first_cycle == 50);
  CHECK(result.layers[1].working_cycles == 30);
}

TEST_CASE("Everything after the last, and END, belongs to the layer of the command at work that ends last") {
  Book book;
  book.compute(1, Queue::VectorUnit, 0, 100);
  book.compute(0, Queue::MacArray, 10, 20);  // the last one in the stream
  book.load(0, 20, 120);                     // ends later, and is not at work
  book.end(0, 30);
  const Attribution result = attribute(book.records, 2, 130);
  CHECK(result.last_layer_idx == 1);
  CHECK(result.layers[0].attributed_cycles == 10);
  CHECK(result.layers[1].attributed_cycles == 90 + 30);
  CHECK(result.layers[1].traffic == timing::Traffic{kSramBytes + 1, 0, 0, 0});
  CHECK(result.layers[0].traffic == timing::Traffic{kSramBytes, kSramBytes, kExternalBytes, 0});
}

TEST_CASE("A phase's stalls come before its busy cycles, and what others added behind them") {
  Book book;
  CommandRecord& command = book.compute(1, Queue::MacArray, 10, 50);
  book.set(command.main, {{bucket(Stall::PipelineFill), 6},
                          {bucket(Stall::WeightLoad), 4},
                          {Bucket::busy(), 20},
                          {bucket(Stall::PortContention), 10}});
  book.compute(0, Queue::VectorUnit, 13, 42);  // takes the cycles from the fourth on but the last eight
  const Attribution result = attribute(book.records, 2, 50);
  CHECK(causes(result.layers[1]) == Causes{{"nothing_at_work", 10}, {"pipeline_fill", 3}, {"port_contention", 8}});
  CHECK(causes(result.layers[0]) == Causes{{"vector_unit", 29}});
}

TEST_CASE("A cycle counts for what the unit of the layer's oldest command at work does") {
  Book book;
  book.compute(0, Queue::VectorUnit, 0, 40);
  CommandRecord& array = book.compute(0, Queue::MacArray, 5, 60);
  book.set(array.main, {{bucket(Stall::BankConflict), 55}});
  const Attribution result = attribute(book.records, 1, 60);
  CHECK(causes(result.layers[0]) == Causes{{"vector_unit", 40}, {"bank_conflict", 20}});
}

TEST_CASE("While a command drains and the next accumulates, the array accumulates") {
  Book book;
  book.compute(0, Queue::MacArray, 0, 30, 10);
  CommandRecord& next = book.compute(1, Queue::MacArray, 12, 40, 35);
  book.set(next.main, {{bucket(Stall::WeightLoad), 5}, {Bucket::busy(), 18}});
  const Attribution result = attribute(book.records, 2, 40);
  // 10 to 12 drains alone, then the next one's load and rows; behind 30 the next one has its own cycles.
  CHECK(causes(result.layers[0]) == Causes{{"array", 10 + 13}, {"epilogue", 2}, {"weight_load", 5}});
  CHECK(causes(result.layers[1]) == Causes{{"array", 5}, {"epilogue", 5}});
}

TEST_CASE("Cycles at work and in flight count once, however many commands overlap") {
  Book book;
  book.compute(0, Queue::MacArray, 10, 40);
  book.compute(0, Queue::VectorUnit, 20, 30);
  book.load(0, 0, 15);
  book.compute(0, Queue::VectorUnit, 50, 60);
  book.load(0, 55, 70);
  const LayerCount layer = attribute(book.records, 1, 70).layers[0];
  CHECK(layer.working_cycles == 30 + 10);
  CHECK(layer.in_flight_cycles == 40 + 20);
}

TEST_CASE("A machine that stopped: what is in flight is so to the end") {
  Book book;
  book.compute(0, Queue::MacArray, 0, 20);
  CommandRecord& stuck = book.compute(1, Queue::MacArray, 20, 60, 40);
  stuck.end_cycle = -1;
  stuck.drain = {};  // it had begun
  CommandRecord& young = book.compute(1, Queue::VectorUnit, 30, 60);
  young.end_cycle = -1;
  young.main = {};
  CommandRecord unstarted;
  unstarted.layer_idx = 0;
  unstarted.traffic = {3, 0, 0, 0};
  book.records.commands.push_back(unstarted);
  const Attribution result = attribute(book.records, 2, 50);
  CHECK(causes(result.layers[0]) == Causes{{"array", 20}});
  CHECK(causes(result.layers[1]) == Causes{{"array", 30}});
  CHECK(result.layers[1].last_cycle == 50);
  CHECK(result.layers[1].working_cycles == 30);
  CHECK(result.layers[0].traffic.sram_read_bytes == kSramBytes + 3);
}

TEST_CASE("Commands that the package does not know, no command at work, no layers") {
  Book book;
  book.compute(-1, Queue::MacArray, 0, 20);
  book.compute(1, Queue::MacArray, 20, 30);
  Attribution result = attribute(book.records, 2, 35);
  CHECK(result.layers[1].attributed_cycles == 35);
  CHECK(result.layers[0] == LayerCount{});

  Book end_only;
  end_only.end(1, 8);
  result = attribute(end_only.records, 2, 8);
  CHECK(result.last_layer_idx == 1);
  CHECK(causes(result.layers[1]) == Causes{{"nothing_at_work", 8}});
  CHECK(result.layers[1].first_cycle == 8);
  CHECK(result.layers[1].last_cycle == 8);
  CHECK(result.layers[1].traffic.sram_read_bytes == 1);

  CHECK(attribute(CommandRecords{}, 1, 4).layers[0].attributed_cycles == 4);
  CHECK(attribute(book.records, 0, 35).layers.empty());
}
