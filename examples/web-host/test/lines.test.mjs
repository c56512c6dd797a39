// The splitter of lines, byte by byte.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LineSplitter } from "../src/lines.mjs";

test("lines are the same however their bytes arrive", () => {
  const bytes = Buffer.from('{"a":"é\u2028\u{1F600}"}\n\n{"b":1}\nrest');
  for (let size = 1; size <= bytes.length; size += 1) {
    const splitter = new LineSplitter();
    const lines = [];
    for (let at = 0; at < bytes.length; at += size) lines.push(...splitter.push(bytes.subarray(at, at + size)));
    assert.deepEqual(lines.map(({ text }) => text), ['{"a":"é\u2028\u{1F600}"}', "", '{"b":1}']);
    assert.equal(splitter.end().text, "rest");
  }
});

test("a line that is not UTF-8, or too long, is a problem, and the next one is read", () => {
  const splitter = new LineSplitter(8);
  const [bad, long, good] = splitter.push(Buffer.concat([Buffer.from([0xff, 10]), Buffer.from("123456789\n{}\n")]));
  assert.match(bad.problem, /not UTF-8/);
  assert.equal(long.problem, "a line of 9 bytes is too long");
  assert.equal(good.text, "{}");
  assert.equal(splitter.end(), null);
});
