// A small stand-in for `tesela view`: speaks viewer/README.md with a made volume, so that the page can be
// tried without the program, and where a server is wanted that is slow, fails or goes away.
//
//   node test/fake_server.mjs FOLDER [PORT]     FOLDER holds the built page
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { size, spacing, volume } from "./volume.mjs";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'";

function imageOf(id, name, role, of, extra) {
  return {
    id,
    name,
    role,
    of,
    shape: { ...size, t: 1, channels: 1 },
    pixel_type: role === "labels" ? "u32" : "i16",
    spacing,
    unit: "mm",
    origin: [-60, -70, -60],
    direction: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    has_geometry: true,
    axes: { x: ["R", "L"], y: ["A", "P"], z: ["I", "S"] },
    is_color: false,
    channels: [{ name: "", color: "#ffffff", lowest: -1000, highest: 900, window: [-1000, 900] }],
    ...extra,
  };
}

const option = (name, type, extra) => ({ name, group: "Options", type, flags: [`--${name}`], default: null, advanced: false, ...extra });
const descriptions = {
  "grow tolerance": {
    verb: "grow tolerance",
    summary: "Grows regions from seeds over connected pixels close to the seed's value.",
    inputs: [
      { name: "input", kind: "image", help: "picture, volume, or folder of one DICOM series", required: true },
      { name: "seeds", kind: "seeds", help: "label image, points 'x,y;...'", required: true },
    ],
    outputs: [{ name: "labels", kind: "labels", help: "labels of the regions" }],
    options: [
      option("seeds", "text", { help: "where regions begin" }),
      option("tolerance", "number", {
        help: "largest difference from the seed's value",
        unit: "file units",
        suggested: { lowest: 0, highest: 400, scale: "linear" },
        range: { lowest: 0, excludes_lowest: false, highest: null, text: "must be at least 0" },
      }),
      option("radius", "length", {
        help: "radius of the neighborhood that must be within tolerance",
        default: "0px",
        advanced: true,
        suggested: { lowest: 0, highest: 10, scale: "linear" },
        range: { lowest: 0, excludes_lowest: false, highest: null, text: "must be at least 0" },
      }),
      option("connectivity", "choice", {
        help: "which pixels are connected; auto: those sharing a face",
        default: "auto",
        choices: ["auto", "faces", "all"],
        choice_help: ["faces", "pixels that share a face", "also edges and corners"],
        advanced: true,
      }),
    ],
    examples: [],
  },
  "image smooth gaussian": {
    verb: "image smooth gaussian",
    summary: "Smooths an image with a Gaussian.",
    inputs: [{ name: "input", kind: "image", help: "picture or volume", required: true }],
    outputs: [{ name: "image", kind: "image", help: "smoothed image" }],
    options: [
      option("sigma", "length", {
        help: "standard deviation of the Gaussian",
        default: "1px",
        suggested: { lowest: 0.1, highest: 20, scale: "logarithmic" },
        range: { lowest: 0, excludes_lowest: true, highest: null, text: "must be above 0" },
      }),
      option("keep-type", "flag", { help: "write the pixel type of the input", default: false }),
    ],
    examples: [],
  },
  warp: {
    verb: "warp",
    summary: "Carries images along a transform.",
    inputs: [
      { name: "input", kind: "image", help: "picture", required: true },
      { name: "transform", kind: "transform", help: "transform", required: true },
    ],
    outputs: [{ name: "image", kind: "image", help: "warped image" }],
    options: [],
  },
};
const operations = [
  { name: "grow tolerance", title: "Grow tolerance", task: "Segmentation", purpose: "pixels with a value close to that of the seed" },
  { name: "image smooth gaussian", title: "Image smooth gaussian", task: "Filters and edges", purpose: "smooth with a Gaussian" },
  { name: "warp", title: "Warp", task: "Registration", purpose: "carry pictures along a transform" },
];

/** Labels of all voxels within a tolerance of a seed, connected with it over faces. */
function grow(data, text, tolerance) {
  const labels = new Uint32Array(data.length);
  const lengths = [size.x, size.y, size.z];
  const strides = [1, size.x, size.x * size.y];
  for (const part of text.split(";")) {
    const [place, label] = part.split("=");
    const at = place.split(",").map(Number);
    const start = at[0] + at[1] * strides[1] + at[2] * strides[2];
    const value = data[start];
    const todo = [start];
    labels[start] = Number(label);
    while (todo.length > 0) {
      const here = todo.pop();
      const voxel = [here % size.x, Math.floor(here / strides[1]) % size.y, Math.floor(here / strides[2])];
      for (let axis = 0; axis < 3; ++axis)
        for (const step of [-1, 1]) {
          if (voxel[axis] + step < 0 || voxel[axis] + step >= lengths[axis]) continue;
          const next = here + step * strides[axis];
          if (labels[next] !== 0 || Math.abs(data[next] - value) > tolerance) continue;
          labels[next] = Number(label);
          todo.push(next);
        }
    }
  }
  return labels;
}

export class FakeServer {
  token = "0123456789abcdef0123456789abcdef";
  saved = [];
  requests = []; // for tests
  jobTime = 60; // ms
  slow = 0; // ms that a slice takes
  #images = new Map();
  #jobs = new Map();
  #streams = new Set();
  #next = { image: 3, job: 1 };

  constructor(page) {
    this.page = page;
    const data = volume();
    this.#images.set(1, { info: imageOf(1, "head.nii.gz", "image", null), data });
    this.#images.set(2, {
      info: {
        ...imageOf(2, "stack.tif", "image", null),
        shape: { ...size, t: 3, channels: 2 },
        axes: undefined,
        has_geometry: false,
        channels: [
          { name: "DAPI", color: "#4080ff", lowest: -1000, highest: 900, window: [-1000, 900] },
          { name: "GFP", color: "#40ff60", lowest: -1000, highest: 900, window: [-1000, 900] },
        ],
      },
      data,
    });
  }

  async listen(port = 0) {
    this.server = createServer((request, response) => void this.#answer(request, response));
    await new Promise((done) => this.server.listen(port, "127.0.0.1", done));
    this.address = `http://127.0.0.1:${this.server.address().port}/`;
    return `${this.address}#token=${this.token}`;
  }

  close() {
    for (const stream of this.#streams) stream.destroy();
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }

  send(name, data) {
    for (const stream of this.#streams) stream.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  async #answer(request, response) {
    const url = new URL(request.url, this.address);
    this.requests.push(`${request.method} ${url.pathname}${url.search}`);
    const json = (status, body) => {
      response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" });
      response.end(JSON.stringify(body));
    };
    try {
      if (!url.pathname.startsWith("/api/")) return this.#file(url.pathname, response);
      if (request.headers["x-tesela-token"] !== this.token) return json(401, { error: "The token is missing or wrong." });
      const parts = url.pathname.slice("/api/".length).split("/").map(decodeURIComponent);
      let text = "";
      for await (const chunk of request) text += chunk;
      await this.#route(request.method, parts, url.searchParams, text ? JSON.parse(text) : {}, response, json);
    } catch (error) {
      json(error.status ?? 500, { error: error.message, field: error.field });
    }
  }

  #file(path, response) {
    const names = { "/": "index.html", "/app.js": "app.js", "/app.css": "app.css" };
    const name = names[path];
    if (!name) return response.writeHead(404).end();
    const type = { html: "text/html", js: "text/javascript", css: "text/css" }[name.split(".").at(-1)];
    response.writeHead(200, { "Content-Type": `${type}; charset=utf-8`, "Content-Security-Policy": policy, "Referrer-Policy": "no-referrer" });
    response.end(readFileSync(join(this.page, name)));
  }

  async #route(method, [what, id, part], query, body, response, json) {
    if (what === "session")
      return json(200, {
        version: "0.0",
        read_only: false,
        can_save: true,
        images: [...this.#images.values()].map(({ info: { id, name, role, of } }) => ({ id, name, role, of, is_file: id < 3 })),
      });
    if (what === "devices")
      return json(200, [
        { id: "cpu", name: "CPU, 2 threads", usable: true, chosen: true },
        { id: null, name: "OpenCL", usable: false, reason: "no OpenCL driver is installed (pocl-opencl-icd)" },
      ]);
    if (what === "views") return this.#view(id, body, response, json);
    if (what === "operations") return id ? json(200, descriptions[id] ?? fail(404, "No such operation.")) : json(200, operations);
    if (what === "events") return this.#stream(response);
    if (what === "jobs" && method === "POST") return json(202, { job: this.#start(body) });
    if (what === "jobs" && method === "DELETE") return this.#finish(this.#jobs.get(Number(id)), { state: "canceled" }), json(200, {});
    if (what === "jobs") return json(200, this.#jobs.get(Number(id)));
    const image = this.#images.get(Number(id)) ?? fail(404, `There is no image ${id}.`);
    if (method === "DELETE") {
      this.#images.delete(Number(id));
      this.send("gone", { id: Number(id) });
      return json(200, {});
    }
    if (part === "save") {
      if (this.saved.includes(body.name) && !body.overwrite) fail(409, `There is a file ${body.name}.`);
      this.saved.push(body.name);
      return json(200, { saved: body.name, warnings: [] });
    }
    if (part === "slice") return this.#slice(image, query, response);
    return json(200, image.info);
  }

  #stream(response) {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    response.write(": open\n\n");
    this.#streams.add(response);
    response.on("close", () => this.#streams.delete(response));
    for (const job of this.#jobs.values())
      if (Object.values(job.outputs ?? {}).some((id) => this.#images.has(id))) this.send("job", job);
  }

  async #slice({ info, data }, query, response) {
    if (this.slow > 0) await new Promise((done) => setTimeout(done, this.slow));
    const axis = "xyz".indexOf(query.get("axis"));
    const step = Number(query.get("step") ?? 1);
    const lengths = [size.x, size.y, size.z];
    const strides = [1, size.x, size.x * size.y];
    const [across, down] = [0, 1, 2].filter((a) => a !== axis);
    const [width, height] = [Math.ceil(lengths[across] / step), Math.ceil(lengths[down] / step)];
    const samples = new data.constructor(width * height);
    const first = Number(query.get("index")) * strides[axis];
    for (let j = 0; j < height; ++j)
      for (let i = 0; i < width; ++i)
        samples[j * width + i] = data[first + i * step * strides[across] + j * step * strides[down]];
    response.writeHead(200, {
      "Content-Type": "application/octet-stream",
      "X-Tesela-Slice": `${width} ${height} ${info.pixel_type} 1`,
      "Content-Encoding": "gzip",
    });
    response.end(gzipSync(samples, { level: 1 }));
  }

  /** A gray square for a picture, and the middle for what is clicked. */
  #view(what, body, response, json) {
    const camera = { position: [0, -500, 0], target: [0, 0, 0], up: [0, 0, 1], height: 180 };
    const transfer = {
      format: "tesela-transfer", version: 1, name: "gray", units: "file", reference_length_mm: 1,
      color: [[-1000, 0, 0, 0], [900, 1, 1, 1]], opacity: [[0, 0], [900, 0.8]], gradient_opacity: [],
    };
    if (what === "scene")
      return json(200, {
        level: 0,
        range: [-1000, 900],
        histogram: { lowest: -1000, highest: 900, counts: Array.from({ length: 256 }, (_, i) => (i % 50) + 1) },
        presets: [{ name: "", purpose: "as the values suggest", transfer }],
        cameras: { anterior: camera },
      });
    if (what === "pick") return json(200, { hit: { voxel: [60, 70, 30], position: [0, 0, 0], value: 40, label: 0 } });
    if (what === "lines") return json(200, { command: "tesela render head.nii.gz", python: "r0 = tesela.render('head.nii.gz')" });
    const [width, height] = body.options.size.split("x").map(Number);
    response.writeHead(200, { "Content-Type": "application/octet-stream", "X-Tesela-Frame": `${width} ${height} 3 0` });
    response.end(Buffer.alloc(width * height * 3, 96));
  }

  #start(body) {
    for (const other of this.#jobs.values())
      if (other.view === body.view && ["waiting", "running"].includes(other.state)) this.#finish(other, { state: "canceled" });
    if (body.operation === "grow tolerance" && body.options.tolerance === undefined)
      fail(400, "--tolerance is needed.", "tolerance");
    const job = { job: this.#next.job++, view: body.view, operation: body.operation, state: "running", stage: "growth", fraction: 0.3 };
    this.#jobs.set(job.job, job);
    this.send("job", job);
    job.timer = setTimeout(() => this.#compute(job, body), this.jobTime);
    Object.defineProperty(job, "timer", { enumerable: false });
    return job.job;
  }

  #compute(job, body) {
    const source = this.#images.get(body.inputs.input.image);
    const id = this.#next.image++;
    const isGrowth = body.operation === "grow tolerance";
    const data = isGrowth ? grow(source.data, body.inputs.seeds.seeds, body.options.tolerance) : source.data;
    const info = imageOf(id, isGrowth ? "labels" : "smoothed", isGrowth ? "labels" : "image", source.info.id);
    this.#images.set(id, { info, data });
    this.send("image", { id });
    const grown = isGrowth ? data.reduce((sum, label) => sum + (label !== 0), 0) : 0;
    this.#finish(job, {
      state: "done",
      outputs: { [isGrowth ? "labels" : "image"]: id },
      summary: isGrowth ? `1 region, ${data.length - grown} pixels without a label` : "smoothed",
      figures: { region_count: 1, points: data.length, intervals: [{ label: 1, lower: 12.5, upper: 80 }] },
      warnings: grown > data.length / 4 ? ["The label map covers more than a quarter of the image."] : [],
      seconds: this.jobTime / 1000,
      command: `tesela ${body.operation} head.nii.gz --seeds '${body.inputs.seeds?.seeds}' -o labels.nii.gz`,
      python: "tesela.grow.tolerance(tesela.read('head.nii.gz'), seeds='60,70,30=1', tolerance=80).labels",
    });
  }

  #finish(job, change) {
    if (!job || !["waiting", "running"].includes(job.state)) return;
    clearTimeout(job.timer);
    Object.assign(job, change);
    this.send("job", job);
  }
}

function fail(status, message, field) {
  throw Object.assign(new Error(message), { status, field });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const server = new FakeServer(process.argv[2]);
  console.log(await server.listen(Number(process.argv[3] ?? 0)));
}
