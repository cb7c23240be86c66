// SPDX-License-Identifier: Apache-2.0
// An FTR file as text, read by the crate ftr_parser, which Surfer reads it with: a line for each stream, generator, transaction,
// attribute and relation, fields between tabs.
use ftr_parser::parse::parse_ftr;
use ftr_parser::types::{DataType, StreamId};
use std::path::PathBuf;

fn main() {
    let path = PathBuf::from(std::env::args().nth(1).expect("FILE.ftr"));
    let mut ftr = parse_ftr(path).expect("a file that can be read");
    println!("timescale\t{:?}", ftr.time_scale);
    let mut streams: Vec<StreamId> = ftr.tx_streams.keys().copied().collect();
    streams.sort_by_key(|id| id.0);
    for id in &streams {
        ftr.load_stream_into_memory(*id).expect("a stream that can be read");
    }
    for id in &streams {
        let stream = ftr.get_stream(*id).unwrap();
        println!("stream\t{}\t{}\t{}", id.0, stream.name, stream.kind);
        for generator in &stream.generators {
            let generator = ftr.get_generator(*generator).unwrap();
            println!("generator\t{}\t{}\t{}", generator.id.0, id.0, generator.name);
            for transaction in &generator.transactions {
                println!(
                    "transaction\t{}\t{}\t{}\t{}",
                    transaction.get_tx_id().0,
                    generator.id.0,
                    transaction.get_start_time(),
                    transaction.get_end_time()
                );
                for attribute in &transaction.attributes {
                    let kind = match attribute.data_type {
                        DataType::Integer(_) => "int",
                        DataType::String(_) => "text",
                        _ => "other",
                    };
                    println!("attribute\t{}\t{}\t{}", attribute.name, kind, attribute.value());
                }
            }
        }
    }
    for relation in &ftr.tx_relations {
        println!(
            "relation\t{}\t{}\t{}\t{}\t{}",
            relation.name,
            relation.source_tx_id.0,
            relation.sink_tx_id.0,
            relation.source_stream_id.0,
            relation.sink_stream_id.0
        );
    }
}
