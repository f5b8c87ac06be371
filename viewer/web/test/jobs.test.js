import assert from "node:assert/strict";
import test from "node:test";
import { Jobs } from "../src/operations/jobs.ts";
import { ServerError } from "../src/session/client.ts";
import { Images } from "../src/session/images.ts";
import { addSeed, changeSeed, removeSeed, removeSeedsOf } from "../src/seeds/seeds.ts";
import { showImage } from "../src/slices/navigate.ts";
import { initialState } from "../src/store/state.ts";
import { Store } from "../src/store/store.ts";
import { volume } from "./images.js";

const settle = async () => {
  for (let i = 0; i < 10; ++i) await new Promise((done) => setImmediate(done));
};

/** A server that takes jobs; the test says what becomes of them. */
class Client {
  started = [];
  canceled = [];
  forgotten = [];
  refuse = null;

  async startJob(request) {
    if (this.refuse) throw this.refuse;
    this.started.push(request);
    return { job: this.started.length };
  }
  async cancelJob(job) {
    this.canceled.push(job);
  }
  async image(id) {
    return volume("LPS", { id, name: `labels ${id}`, role: "labels", of: 1 });
  }
  async forgetImage(id) {
    this.forgotten.push(id);
  }
}

const description = {
  verb: "grow tolerance",
  inputs: [
    { name: "input", kind: "image", required: true },
    { name: "seeds", kind: "seeds", required: true },
  ],
  outputs: [],
  options: [{ name: "tolerance", group: "Options", type: "number", default: null, help: "", advanced: false }],
};

function start(memory = new Map(), operation = description.verb) {
  const client = new Client();
  const store = new Store(initialState());
  store.set({ images: new Map([[1, volume()]]) });
  showImage(store, 1);
  const images = new Images(store, client, () => {});
  const storage = { getItem: (key) => memory.get(key) ?? null, setItem: (key, value) => memory.set(key, value) };
  const jobs = new Jobs(store, client, images, "tab", storage);
  store.set((state) => ({ panel: { ...state.panel, operation } }));
  jobs.description = description;
  const option = (tolerance) => store.set((state) => ({ panel: { ...state.panel, options: { tolerance } } }));
  const done = (job, image, seconds = 2) =>
    jobs.take({ job, view: "tab/0", operation: "grow tolerance", state: "done", outputs: { labels: image }, seconds });
  return { client, store, jobs, option, done };
}

test("a seed starts the job, and so does each change", async () => {
  const { client, store, option } = start();
  option(5);
  await settle();
  assert.equal(client.started.length, 0); // there is no seed
  addSeed(store, [1, 2, 3]);
  await settle();
  assert.deepEqual(client.started[0].inputs, { input: { image: 1 }, seeds: { seeds: "1,2,3=1" } });
  option(6);
  await settle();
  assert.deepEqual(client.started.map((request) => request.options.tolerance), [5, 6]);
  assert.equal(new Set(client.started.map((request) => request.view)).size, 1); // the newest counts
});

test("the last result stays, marked old, until the next one takes its place", async () => {
  const { client, store, option, done } = start();
  addSeed(store, [1, 2, 3]);
  await settle();
  await done(1, 7);
  assert.deepEqual(store.get().results.map((r) => [r.job.job, r.old]), [[1, false]]);
  assert.deepEqual(store.get().layers, [{ slot: "tab/0", image: 7, shown: true }]);
  option(6);
  assert.deepEqual(store.get().results.map((r) => [r.job.job, r.old]), [[1, true]]);
  assert.deepEqual(store.get().layers.map((layer) => layer.image), [7]);
  await settle();
  await done(2, 8);
  await settle();
  assert.deepEqual(store.get().results.map((r) => [r.job.job, r.old]), [[2, false]]);
  assert.deepEqual(store.get().layers, [{ slot: "tab/0", image: 8, shown: true }]);
  assert.deepEqual(client.forgotten, [7]);
});

test("a result that is kept is not replaced", async () => {
  const { client, store, jobs, option, done } = start();
  addSeed(store, [1, 2, 3]);
  await settle();
  await done(1, 7);
  jobs.releaseLive();
  option(6);
  await settle();
  await done(2, 8);
  assert.deepEqual(store.get().results.map((r) => r.job.job), [2, 1]);
  assert.deepEqual(store.get().layers.map((layer) => layer.image), [7, 8]);
  assert.deepEqual(client.forgotten, []);
  assert.deepEqual(client.started.map((request) => request.view), ["tab/0", "tab/1"]); // nor by the server
});

test("an operation that takes no time ends before it starts anew, a slow one is replaced", async () => {
  const { client, store, option, done } = start();
  addSeed(store, [1, 2, 3]);
  await settle();
  await done(1, 7, 0.1);
  option(1);
  await settle();
  option(2);
  option(3);
  await settle();
  assert.equal(client.started.length, 2);
  await done(2, 8, 0.9);
  await settle();
  assert.deepEqual(client.started.map((request) => request.options.tolerance), [undefined, 1, 3]);
  option(4); // 0.9 s are too long to wait
  await settle();
  assert.equal(client.started.length, 4);
});

test("without auto-refresh nothing starts by itself", async () => {
  const { client, store, jobs } = start();
  store.set((state) => ({ panel: { ...state.panel, automatic: false } }));
  addSeed(store, [1, 2, 3]);
  await settle();
  assert.equal(client.started.length, 0);
  await jobs.run();
  assert.equal(client.started.length, 1);
});

test("an error is told beside its field, and goes with the next change", async () => {
  const { client, store, option } = start();
  client.refuse = new Error("--tolerance is needed.");
  addSeed(store, [1, 2, 3]);
  await settle();
  assert.equal(store.get().problem.message, "--tolerance is needed.");
  client.refuse = null;
  option(3);
  assert.equal(store.get().problem, null);
  await settle();
  assert.equal(client.started.length, 1);
});

test("a job that takes long begins when the user wants it, and goes on when something changes", async () => {
  const { client, store, jobs, option } = start();
  client.refuse = new ServerError(409, "'slide.svs' has no room in memory.");
  addSeed(store, [1, 2, 3]);
  await settle();
  assert.equal(client.started.length, 0);
  assert.match(store.get().problem.message, /no room/);
  client.refuse = null;
  await jobs.run();
  assert.deepEqual(client.started.map((request) => request.automatic), [undefined]);
  client.refuse = new ServerError(409, "'slide.svs' has no room in memory.");
  option(6);
  await settle();
  assert.equal(store.get().running.job, 1);
  assert.deepEqual(client.canceled, []);
  client.refuse = null;
  option(7);
  await settle();
  assert.deepEqual(client.started.map((request) => request.automatic), [undefined, true]);
});

test("a failed job is told, a canceled one is not; others' jobs are listed when done", async () => {
  const { store, jobs } = start();
  await jobs.take({ job: 1, view: "tab/0", state: "running", stage: "growth", fraction: 0.5 });
  assert.equal(store.get().running.stage, "growth");
  await jobs.take({ job: 1, view: "tab/0", state: "canceled" });
  assert.equal(store.get().running, null);
  assert.equal(store.get().problem, null);
  await jobs.take({ job: 2, view: "tab/0", state: "running" });
  await jobs.take({ job: 2, view: "tab/0", state: "failed", error: "out of memory", field: "radius" });
  assert.deepEqual(store.get().problem, { message: "Out of memory", field: "radius" });
  await jobs.take({ job: 3, view: "other/panel", state: "running" });
  assert.equal(store.get().running, null);
  await jobs.take({ job: 3, view: "other/panel", state: "done", outputs: { labels: 9 } });
  assert.deepEqual(store.get().layers, [{ slot: "job 3", image: 9, shown: false }]);
});

test("cancel ends the newest job, and nothing follows", async () => {
  const { client, store, jobs, option, done } = start();
  addSeed(store, [1, 2, 3]);
  await settle();
  await done(1, 7, 0.1);
  option(1);
  await settle();
  option(2);
  jobs.cancel();
  await jobs.take({ job: 2, view: "tab/0", state: "canceled" });
  await settle();
  assert.deepEqual(client.canceled, [2]);
  assert.equal(client.started.length, 2);
});

test("the last seed's end is no reproach", async () => {
  const { client, store } = start();
  addSeed(store, [1, 2, 3]);
  await settle();
  const [seed] = store.get().seeds;
  changeSeed(store, seed.id, { at: [2, 2, 3] });
  await settle();
  assert.equal(client.started.length, 2);
  removeSeed(store, seed.id);
  await settle();
  assert.equal(client.started.length, 2);
  assert.equal(store.get().problem, null);
});

test("an image that goes takes its seeds along, and starts nothing where it has none", async () => {
  const { client, store, done } = start();
  addSeed(store, [1, 2, 3]);
  await settle();
  await done(1, 7, 0.1);
  removeSeedsOf(store, 7);
  await settle();
  assert.equal(client.started.length, 1);
  removeSeedsOf(store, 1);
  assert.equal(store.get().seeds.length, 0);
});

test("when the page is loaded again all results come back, and the newest is replaced alone", async () => {
  const memory = new Map();
  const first = start(memory);
  addSeed(first.store, [1, 2, 3]);
  await settle(); // job 1
  first.option(5);
  await settle(); // job 2
  const { client, store, option, done } = start(memory);
  await done(1, 7);
  await done(2, 8);
  assert.deepEqual(store.get().results.map((r) => [r.job.job, r.live]), [[2, true], [1, false]]);
  client.started.length = 2;
  addSeed(store, [1, 2, 3]);
  await settle();
  option(6);
  await settle();
  await done(4, 9);
  await settle();
  assert.deepEqual(store.get().results.map((r) => r.job.job), [4, 1]);
  assert.deepEqual(client.forgotten, [8]);
});

test("results of before stay, also for the server, where the page is loaded again without an operation", async () => {
  const memory = new Map();
  const first = start(memory);
  addSeed(first.store, [1, 2, 3]);
  await settle(); // job 1
  const { client, store, done } = start(memory, "");
  await done(1, 7);
  assert.deepEqual(store.get().results.map((r) => [r.job.job, r.live]), [[1, false]]);
  store.set((state) => ({ panel: { ...state.panel, operation: "grow tolerance" } }));
  addSeed(store, [1, 2, 3]);
  await settle();
  assert.deepEqual(client.started.map((request) => request.view), ["tab/1"]);
  assert.deepEqual(client.forgotten, []);
});

test("a result of an operation that is left meanwhile stays, also for the server", async () => {
  const { client, store, option, done } = start();
  addSeed(store, [1, 2, 3]);
  await settle();
  store.set((state) => ({ panel: { ...state.panel, operation: "otsu" } }));
  await done(1, 7);
  store.set((state) => ({ panel: { ...state.panel, operation: "grow tolerance" } }));
  option(6);
  await settle();
  addSeed(store, [2, 2, 3]);
  await settle();
  assert.deepEqual(client.started.map((request) => request.view), ["tab/0", "tab/1", "tab/1"]);
});

test("a job that ends before the answer to its request does not run for ever", async () => {
  const { client, store, jobs } = start();
  client.startJob = async () => {
    await jobs.take({ job: 1, view: "tab/0", state: "running" });
    await jobs.take({ job: 1, view: "tab/0", state: "failed", error: "no object" });
    return { job: 1 };
  };
  addSeed(store, [1, 2, 3]);
  await settle();
  assert.equal(store.get().running, null);
  assert.equal(store.get().problem.message, "No object");
});
