import assert from "node:assert/strict";
import test from "node:test";
import { SliceCache, SliceFeed } from "../src/slices/loader.ts";

/** A server whose answers come when the test says so. */
class Client {
  asked = [];
  aborted = [];
  #answers = new Map();

  request(address, { signal }) {
    const name = /index=(\d+)/.exec(address)[1] + /step=\d/.exec(address)[0];
    this.asked.push(name);
    return new Promise((take, refuse) => {
      this.#answers.set(name, take);
      signal.addEventListener("abort", () => {
        this.aborted.push(name);
        refuse(new DOMException("aborted", "AbortError"));
      });
    });
  }

  /** `late`: ms between the head of the answer and its samples. */
  async answer(name, size = 4, late = 0) {
    const samples = new ReadableStream({
      async start(body) {
        if (late > 0) await new Promise((done) => setTimeout(done, late));
        body.enqueue(new Uint8Array(size * size));
        body.close();
      },
    });
    this.#answers.get(name)(new Response(samples, { headers: { "X-Tesela-Slice": `${size} ${size} u8 1` } }));
    if (late > 0) await new Promise((done) => setTimeout(done, late + 20));
    for (let i = 0; i < 20; ++i) await new Promise((done) => setImmediate(done));
  }
}

const small = 16; // bytes
const large = 1024 ** 2;
const key = (index, image = 1) => ({ image, axis: 2, index, t: 0, channel: null });

function feedOf(client) {
  const shown = [];
  const feed = new SliceFeed(new SliceCache(client), () => shown.push(feed.current().key.index), (error) => shown.push(String(error)));
  return { feed, shown };
}

test("at rest a request that nobody waits for is aborted", async () => {
  const client = new Client();
  const { feed, shown } = feedOf(client);
  feed.want(key(1), small, false);
  feed.want(key(2), small, false);
  assert.deepEqual(client.aborted, ["1step=1"]);
  await client.answer("2step=1");
  assert.deepEqual(shown, [2]);
});

test("while the user moves one request is on the way, and the newest follows", async () => {
  const client = new Client();
  const { feed, shown } = feedOf(client);
  for (const index of [1, 2, 3, 4]) feed.want(key(index), small, true);
  assert.deepEqual(client.asked, ["1step=1"]);
  await client.answer("1step=1");
  await client.answer("4step=1");
  assert.deepEqual(shown, [1, 4]);
  assert.deepEqual(client.aborted, []);
});

test("the same slice is asked for once", async () => {
  const client = new Client();
  const { feed, shown } = feedOf(client);
  feed.want(key(1), small, false);
  feed.want(key(1), small, false);
  await client.answer("1step=1");
  feed.want(key(2), small, false);
  await client.answer("2step=1");
  feed.want(key(1), small, false);
  assert.deepEqual(client.asked, ["1step=1", "2step=1"]);
  assert.deepEqual(shown, [1, 2, 1]);
});

test("slow slices have previews, and all samples at rest", async () => {
  const client = new Client();
  const { feed, shown } = feedOf(client);
  feed.want(key(1), large, false);
  await client.answer("1step=1", 1024, 300);
  feed.want(key(2), large, true);
  assert.deepEqual(client.asked.slice(1), ["2step=4"]); // 20 ms
  await client.answer("2step=4", 256);
  feed.want(key(2), large, false);
  assert.deepEqual(client.asked.slice(2), ["2step=1"]);
  assert.equal(feed.current().key.step, 4); // until then
  await client.answer("2step=1", 1024);
  assert.equal(feed.current().key.step, 1);
  assert.deepEqual(shown, [1, 2, 2]);
});

test("over a slow link a preview comes first also at rest, and all samples behind it", async () => {
  const client = new Client();
  const shown = [];
  const cache = new SliceCache(client, 300 / large); // as the page itself came
  const feed = new SliceFeed(cache, () => shown.push(feed.current().key.step), () => {});
  feed.want(key(1), large, false);
  feed.want(key(1), large, false);
  assert.deepEqual(client.asked, ["1step=4"]);
  await client.answer("1step=4", 256, 20);
  feed.want(key(1), large, false);
  assert.deepEqual(client.asked.slice(1), ["1step=1"]);
  await client.answer("1step=1", 1024, 100);
  assert.deepEqual(shown, [4, 1]);
  // What was changed in a slice that is shown comes whole.
  feed.want({ ...key(1), revision: 2 }, large, false);
  assert.deepEqual(client.asked.slice(2), ["1step=1"]);
});

test("of a slice that was changed comes the part, which takes its place in the one that is shown", async () => {
  const answers = [
    ["3 2 u32 1", null, [1, 2, 3, 4, 5, 6]],
    ["3 2 u32 1", "1 0 2 2", [7, 8, 9, 10]],
    ["3 2 u32 1", "0 0 0 0", []],
    ["3 2 u32 1", null, [0, 0, 0, 0, 0, 1]], // the server does not remember the revision
  ];
  const asked = [];
  const client = {
    async request(address) {
      asked.push(/&revision=(\d+)/.exec(address)?.[1] + "/" + /&since=(\d+)/.exec(address)?.[1]);
      const [slice, part, samples] = answers.shift();
      return new Response(new Uint32Array(samples).buffer, {
        headers: { "X-Tesela-Slice": slice, ...(part ? { "X-Tesela-Slice-Part": part } : {}) },
      });
    },
  };
  const shown = [];
  const feed = new SliceFeed(new SliceCache(client), () => shown.push([...feed.current().data]), (error) => shown.push(String(error)));
  for (const revision of [0, 4, 5, 6]) {
    feed.want({ ...key(1), revision }, small, false);
    for (let i = 0; i < 20; ++i) await new Promise((done) => setImmediate(done));
  }
  assert.deepEqual(asked, ["undefined/undefined", "4/0", "5/4", "6/5"]);
  assert.deepEqual(shown, [[1, 2, 3, 4, 5, 6], [1, 7, 8, 4, 9, 10], [1, 7, 8, 4, 9, 10], [0, 0, 0, 0, 0, 1]]);
});

test("another slice, and one with other steps, come whole", async () => {
  const asked = [];
  const client = {
    async request(address) {
      asked.push(address.includes("since"));
      return new Response(new Uint8Array(4), { headers: { "X-Tesela-Slice": "2 2 u8 1" } });
    },
  };
  const feed = new SliceFeed(new SliceCache(client), () => {}, () => {});
  for (const [index, image] of [[1, 1], [2, 1], [2, 3]]) {
    feed.want({ ...key(index, image), revision: 7 }, small, false);
    for (let i = 0; i < 20; ++i) await new Promise((done) => setImmediate(done));
  }
  assert.deepEqual(asked, [false, false, false]);
});

test("a user who moves on does not wait for all samples of the slice before", async () => {
  const client = new Client();
  const cache = new SliceCache(client, 300 / large);
  const feed = new SliceFeed(cache, () => {}, () => {});
  feed.want(key(1), large, true);
  feed.want(key(1), large, false);
  await client.answer("1step=4", 256, 20);
  assert.deepEqual(client.asked, ["1step=4", "1step=1"]);
  feed.want(key(2), large, true);
  assert.deepEqual(client.aborted, ["1step=1"]);
  assert.deepEqual(client.asked.slice(2), ["2step=4"]);
});

test("slices of an image that has changed are asked for again", async () => {
  const client = new Client();
  const cache = new SliceCache(client);
  const loading = cache.load({ ...key(1), step: 1 }, new AbortController().signal);
  await client.answer("1step=1");
  await loading;
  assert.ok(cache.get({ ...key(1), step: 1 }));
  cache.forget(1);
  assert.equal(cache.get({ ...key(1), step: 1 }), undefined);
});

test("the oldest slices are dropped when memory is full", async () => {
  const size = 8192; // 64 MiB each, and 192 MiB are kept
  const client = new Client();
  const cache = new SliceCache(client);
  for (const index of [1, 2, 3, 4]) {
    const loading = cache.load({ ...key(index), step: 1 }, new AbortController().signal);
    await client.answer(`${index}step=1`, size);
    await loading;
    if (index === 3) cache.get({ ...key(1), step: 1 });
  }
  const kept = [1, 2, 3, 4].filter((index) => cache.get({ ...key(index), step: 1 }));
  assert.deepEqual(kept, [1, 3, 4]);
});

test("a failure is told, an abort is not", async () => {
  const failures = [];
  const cache = new SliceCache({ request: () => Promise.reject(new TypeError("fetch failed")) });
  const feed = new SliceFeed(cache, () => {}, (error) => failures.push(error.message));
  feed.want(key(1), small, false);
  await new Promise((done) => setImmediate(done));
  assert.deepEqual(failures, ["fetch failed"]);
});

test("slices that are too large to be sent come with a step, also at rest", async () => {
  const client = new Client();
  const { feed } = feedOf(client);
  feed.want(key(1), 3 * 10000 ** 2, false);
  assert.deepEqual(client.asked, ["1step=4"]); // 18 MiB instead of 286
});
