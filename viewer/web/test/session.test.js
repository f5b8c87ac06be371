import assert from "node:assert/strict";
import test from "node:test";
import { EventParser, readEvents } from "../src/session/events.ts";
import { ServerError } from "../src/session/client.ts";
import { parseFragment, toFragment } from "../src/session/fragment.ts";
import { Hub, inTurn } from "../src/session/hub.ts";
import { splitFragment, takeToken } from "../src/session/token.ts";
import { initialState } from "../src/store/state.ts";
import { Store } from "../src/store/store.ts";

test("the token is told from the rest of the fragment", () => {
  assert.deepEqual(splitFragment("#token=abc&at=1,2,3"), { token: "abc", rest: "at=1,2,3" });
  assert.deepEqual(splitFragment("#at=1,2,3"), { token: null, rest: "at=1,2,3" });
  assert.deepEqual(splitFragment(""), { token: null, rest: "" });
});

test("the token leaves the address and stays with the tab", () => {
  const held = new Map();
  const storage = { getItem: (key) => held.get(key) ?? null, setItem: (key, value) => held.set(key, value) };
  const written = [];
  const past = { replaceState: (_, __, address) => written.push(address) };
  const place = { pathname: "/p/index.html", search: "", hash: "#token=abc&image=1" };
  assert.equal(takeToken(place, past, storage), "abc");
  assert.deepEqual(written, ["/p/index.html#image=1"]);
  assert.equal(takeToken({ ...place, hash: "#image=1" }, past, storage), "abc");
  assert.equal(takeToken({ ...place, pathname: "/other/", hash: "" }, past, storage), null);
  assert.equal(written.length, 1);
});

test("events are cut out of a stream wherever it is broken", () => {
  const stream = 'event: job\r\ndata: {"job":1}\r\n\r\n: a remark\nevent: ping\ndata: {}\n\ndata: a\ndata: b\n\n';
  for (let length = 1; length < stream.length; ++length) {
    const parser = new EventParser();
    const events = [];
    for (let i = 0; i < stream.length; i += length) events.push(...parser.take(stream.slice(i, i + length)));
    // "\r" and "\n" may come apart: then the line is empty once more, which ends nothing.
    assert.deepEqual(events, [
      { name: "job", data: '{"job":1}' },
      { name: "ping", data: "{}" },
      { name: "message", data: "a\nb" },
    ], `pieces of ${length}`);
  }
});

test("a lost stream is read again, a refused one is not", async () => {
  let calls = 0;
  const encoder = new TextEncoder();
  const client = {
    request: async () => {
      if (++calls === 1) throw new TypeError("fetch failed");
      if (calls === 3) throw new ServerError(401, "no");
      return new Response(new ReadableStream({
        start: (stream) => {
          stream.enqueue(encoder.encode('event: ping\ndata: {}\n\nevent: image\ndata: {"id":3}\n\n'));
          stream.close();
        },
      }));
    },
  };
  const seen = [];
  const handlers = {
    opened: () => void seen.push("opened"),
    lost: () => seen.push("lost"),
    refused: () => seen.push("refused"),
    event: (name, data) => seen.push(`${name} ${data.id}`),
  };
  await readEvents(client, handlers, new AbortController().signal);
  assert.deepEqual(seen, ["lost", "opened", "image 3", "lost", "refused"]);
});

function stateLike(change) {
  const state = initialState();
  return { ...state, ...change, view: { ...state.view, image: 1, at: [1, 2, 3], ...change.view } };
}

test("the state comes back from the address", () => {
  const state = stateLike({
    view: { t: 2, zoom: 2.5, center: [1.5, 2.25, 3], main: 1, convention: "neurological", labelStyle: "outline", labelOpacity: 0.3, crosshair: false, palette: "safe" },
    channels: new Map([[1, [{ shown: true, color: "#ff0000", window: [-10.5, 90] }, { shown: false, color: "#00ff00", window: [0, 1e-5] }]]]),
    layers: [{ slot: "a", image: 7, shown: false }, { slot: "b", image: 8, shown: true }],
    seeds: [{ id: 4, image: 1, at: [5, 6, 7], t: 0, label: 2 }],
    panel: { operation: "grow tolerance", options: { tolerance: 12.5, radius: "2.5mm", "keep type": true }, images: { input: 1 }, texts: { camera: "left side" }, outputs: null, device: null, automatic: false },
  });
  const saved = parseFragment(`#${toFragment(state)}`);
  for (const member of ["image", "at", "t", "zoom", "center", "main", "convention", "labelStyle", "labelOpacity", "crosshair", "palette"])
    assert.deepEqual(saved.view[member], state.view[member], member);
  assert.deepEqual(saved.channels, { image: 1, views: state.channels.get(1) });
  assert.deepEqual(saved.hidden, [7]);
  assert.deepEqual(saved.seeds, [{ image: 1, at: [5, 6, 7], t: 0, label: 2 }]);
  assert.deepEqual(saved.panel, { operation: "grow tolerance", options: state.panel.options, images: { input: 1 }, texts: { camera: "left side" }, automatic: false });
});

test("a fragment at the start is short", () => {
  assert.equal(toFragment(stateLike({})), "image=1&at=1,2,3");
});

test("what is wrong in an address is passed over", () => {
  const saved = parseFragment("#image=x&at=1,2&zoom=1e9&side=up&channels=zz;&seeds=1:2,3:1;9&o.a=%7B&%&main=7&opacity=-2");
  assert.deepEqual(saved.view, { zoom: 1e9, main: 3, labelOpacity: 0 });
  assert.deepEqual(saved.seeds, []);
  assert.equal(saved.channels, null);
  assert.deepEqual(saved.panel.options, {});
});

test("the store calls those whose part has changed", () => {
  const store = new Store({ a: 1, b: 2 });
  const seen = [];
  const stop = store.watch((state) => state.a, (a, before) => seen.push([a, before]));
  store.set({ b: 3 });
  store.set({ a: 5 });
  store.set((state) => ({ a: state.a }));
  stop();
  store.set({ a: 6 });
  assert.deepEqual(seen, [[1, undefined], [5, 1]]);
  let times = 0;
  store.watchAny((state) => [state.a, state.b], () => ++times);
  store.set({ a: 6, b: 3 });
  store.set({ b: 4 });
  assert.equal(times, 2);
});

test("tabs share a stream; one that comes later hears of the jobs that are there", () => {
  const port = () => ({ heard: [], postMessage(message) { this.heard.push(message.kind === "event" ? `${message.name} ${message.data.job ?? message.data.id}` : message.kind); } });
  const hub = new Hub();
  const [first, second, third] = [port(), port(), port()];
  hub.join(first);
  hub.handlers.opened();
  hub.handlers.event("job", { job: 1, state: "running" });
  hub.handlers.event("job", { job: 1, state: "done", outputs: { labels: 5 } });
  hub.handlers.event("job", { job: 2, state: "done", outputs: { labels: 6 } });
  hub.handlers.event("job", { job: 3, state: "running" });
  hub.handlers.event("job", { job: 4, state: "failed" });
  hub.handlers.event("gone", { id: 5 });
  hub.join(second);
  assert.deepEqual(second.heard, ["opened", "job 2", "job 3"]);
  assert.deepEqual(first.heard, ["opened", "job 1", "job 1", "job 2", "job 3", "job 4", "gone 5"]);
  hub.leave(first);
  hub.handlers.lost();
  hub.join(third);
  assert.deepEqual([first.heard.length, second.heard.at(-1), third.heard], [7, "lost", []]);
});

test("an event waits for what the last one began", async () => {
  const seen = [];
  const take = inTurn({
    opened: () => new Promise((done) => setTimeout(() => (seen.push("opened"), done()), 20)),
    event: (name) => seen.push(name),
    lost: () => seen.push("lost"),
    refused: (error) => seen.push(`refused ${error.status}`),
  });
  take({ kind: "opened" });
  take({ kind: "event", name: "job", data: {} });
  take({ kind: "lost" });
  take({ kind: "refused", status: 401, text: "" });
  await new Promise((done) => setTimeout(done, 60));
  assert.deepEqual(seen, ["opened", "job", "lost", "refused 401"]);
});
