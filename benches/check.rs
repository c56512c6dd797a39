//! How fast lines are framed, parsed and judged, on one core.

mod session;

use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{Dialect, DialectSource, load};
use conform_judge::frame::Body;
use conform_judge::framing::{Framer, LINE_LIMIT, parse};
use conform_judge::transcript::TranscriptReader;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::Arc;

const TURNS: usize = 200;

fn recorded() -> (Vec<u8>, u64) {
    let mut bytes = Vec::new();
    let frames = session::write(&mut bytes, TURNS).expect("memory holds it");
    (bytes, frames)
}

fn dialect() -> Arc<Dialect> {
    load(&DialectSource::default(), session::DIALECT).expect("the built-in dialect loads")
}

fn frame(c: &mut Criterion) {
    let (bytes, _) = recorded();
    let mut group = c.benchmark_group("framing");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("bytes to lines", |b| {
        b.iter(|| {
            let mut framer = Framer::new(LINE_LIMIT);
            let mut lines = 0;
            for chunk in bytes.chunks(1 << 16) {
                framer.push(chunk, &mut |line| lines += black_box(line).bytes.len());
            }
            lines
        });
    });
    group.finish();
}

fn events(c: &mut Criterion) {
    let (bytes, frames) = recorded();
    let dialect = dialect();
    let mut group = c.benchmark_group("events");
    group.throughput(Throughput::Elements(frames));
    group.bench_function("read", |b| {
        b.iter(|| TranscriptReader::new(&*bytes).expect("a header").count())
    });
    group.bench_function("read and parse", |b| {
        b.iter(|| {
            let reader = TranscriptReader::new(&*bytes).expect("a header");
            reader
                .filter(|frame| matches!(frame, Ok(frame) if is_json(&frame.body)))
                .count()
        });
    });
    group.bench_function("read and check", |b| {
        b.iter(|| {
            let mut checker = Checker::new(Arc::clone(&dialect), CheckOptions::default());
            for frame in TranscriptReader::new(&*bytes).expect("a header") {
                checker.push(&frame.expect("a frame"));
            }
            let outcome = checker.finish();
            assert!(outcome.findings.is_empty(), "{:?}", outcome.findings[0]);
            outcome.frames
        });
    });
    group.finish();
}

fn is_json(body: &Body) -> bool {
    matches!(body, Body::FromAgent(line) | Body::ToAgent(line) if parse(line).value.is_some())
}

fn loading(c: &mut Criterion) {
    c.bench_function("load a dialect", |b| b.iter(dialect));
}

criterion_group!(benches, frame, events, loading);
criterion_main!(benches);
