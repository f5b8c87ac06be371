import assert from "node:assert/strict";
import test from "node:test";
import {
  fromPosition,
  grouped,
  isProblem,
  lengthText,
  obstacle,
  ownOptions,
  parseLength,
  requestOf,
  scaleOf,
  titleOf,
  toPosition,
  usualOutputs,
  withOption,
  wrongWith,
} from "../src/operations/form.ts";
import { figureText, secondsText, suggestedName } from "../src/operations/results.ts";
import { seedText } from "../src/seeds/seeds.ts";
import { initialState } from "../src/store/state.ts";
import { picture, volume } from "./images.js";

const option = (change) => ({ name: "max-step", group: "Options", type: "number", help: "", default: null, advanced: false, ...change });
const range = { lowest: 0, excludes_lowest: true, highest: 10, text: "above 0, at most 10" };
const description = {
  verb: "grow tolerance",
  summary: "",
  inputs: [
    { name: "input", kind: "image", help: "", required: true },
    { name: "seeds", kind: "seeds", help: "", required: true },
    { name: "mask", kind: "mask", help: "", required: false },
  ],
  outputs: [{ name: "labels", kind: "labels", help: "" }, { name: "segmented", kind: "image", help: "" }],
  options: [
    option({ name: "tolerance" }),
    option({ name: "seeds", type: "text" }),
    option({ name: "output", group: "Outputs", type: "path" }),
    option({ name: "device", group: "Computing", type: "text" }),
  ],
};
const panel = { ...initialState().panel, operation: "grow tolerance" };
const seed = (at, label, t = 0) => ({ id: label, image: 1, at, t, label });

test("a form has the operation's own options", () => {
  assert.deepEqual(ownOptions(description).map((o) => o.name), ["tolerance"]);
  assert.equal(titleOf("max-step"), "Max step");
});

test("an operation that needs a file of another kind says so", () => {
  assert.equal(obstacle(description), null);
  const other = { ...description, verb: "warp", inputs: [{ name: "transform", kind: "transform", required: true }] };
  assert.match(obstacle(other), /needs a transform from a file: use tesela warp/);
});

test("lengths are numbers with a unit", () => {
  assert.deepEqual(parseLength("2.5mm"), { value: 2.5, unit: "mm" });
  assert.deepEqual(parseLength("8px"), { value: 8, unit: "px" });
  assert.deepEqual(parseLength("12 um"), { value: 12, unit: "um" });
  assert.deepEqual(parseLength(3), { value: 3, unit: "px" });
  assert.equal(parseLength("wide"), null);
  assert.equal(lengthText(2.5, "mm"), "2.5mm");
  assert.equal(lengthText(8, "px"), "8");
});

test("sliders go from end to end, linear and logarithmic", () => {
  const linear = scaleOf(option({ suggested: { lowest: 0, highest: 50, scale: "linear" } }));
  assert.deepEqual([0, 0.5, 1].map((p) => fromPosition(linear, p)), [0, 25, 50]);
  const logarithmic = scaleOf(option({ suggested: { lowest: 0.1, highest: 10, scale: "logarithmic" } }));
  assert.deepEqual([0, 0.5, 1].map((p) => fromPosition(logarithmic, p)), [0.1, 1, 10]);
  assert.ok(Math.abs(toPosition(logarithmic, 1) - 0.5) < 1e-12);
  const whole = scaleOf(option({ type: "integer", suggested: { lowest: 1, highest: 4, scale: "linear" } }));
  assert.equal(fromPosition(whole, 0.4), 2);
  assert.equal(toPosition(whole, 99), 1); // allowed beyond the slider
  assert.equal(scaleOf(option({})), null);
});

test("a value beyond its range has a sentence", () => {
  assert.equal(wrongWith(option({ range }), 5), null);
  assert.equal(wrongWith(option({ range }), null), null);
  assert.match(wrongWith(option({ range }), 0), /^Max step above 0/);
  assert.match(wrongWith(option({ range }), 11), /Max step/);
  assert.match(wrongWith(option({ type: "integer" }), 1.5), /whole number/);
  assert.match(wrongWith(option({ type: "length" }), "wide"), /no length/);
  assert.match(wrongWith(option({ type: "length", range }), "0mm"), /above 0/);
});

test("options that have their default again are left out", () => {
  const changed = withOption({}, option({ default: 2 }), 3);
  assert.deepEqual(changed, { "max-step": 3 });
  assert.deepEqual(withOption(changed, option({ default: 2 }), 2), {});
});

test("seeds are written with as many places as the image has axes", () => {
  const seeds = [seed([1, 2, 3], 1, 4), seed([5, 6, 7], 2, 0)];
  assert.equal(seedText(seeds, volume()), "1,2,3=1;5,6,7=2");
  assert.equal(seedText(seeds, picture()), "1,2=1;5,6=2");
  const series = volume("LPS", { shape: { x: 20, y: 30, z: 40, t: 9, channels: 1 } });
  assert.equal(seedText(seeds, series), "1,2,3,4=1;5,6,7,0=2");
});

test("a job has inputs, seeds and changed options", () => {
  const asked = { description, panel: { ...panel, options: { tolerance: 12 }, images: { mask: 3 }, device: "cpu" }, image: volume(), seeds: [seed([1, 2, 3], 1)], view: "v" };
  assert.deepEqual(requestOf(asked), {
    operation: "grow tolerance",
    view: "v",
    device: "cpu",
    inputs: { input: { image: 1 }, seeds: { seeds: "1,2,3=1" }, mask: { image: 3 } },
    options: { tolerance: 12 },
    outputs: ["labels"],
  });
});

test("what is missing is named with its field", () => {
  const without = requestOf({ description, panel, image: volume(), seeds: [], view: "v" });
  assert.ok(isProblem(without));
  assert.equal(without.field, "seeds");
  const wrong = { ...description, options: [option({ name: "tolerance", range })] };
  const beyond = requestOf({ description: wrong, panel: { ...panel, options: { tolerance: -1 } }, image: volume(), seeds: [seed([1, 2, 3], 1)], view: "v" });
  assert.equal(beyond.field, "tolerance");
  assert.equal(requestOf({ description, panel, image: undefined, seeds: [], view: "v" }).field, "input");
});

test("operations are found by all words of a search", () => {
  const operations = [
    { name: "grow tolerance", title: "", task: "Segmentation", purpose: "pixels like the seed" },
    { name: "grow limits", title: "", task: "Segmentation", purpose: "pixels within limits" },
    { name: "warp", title: "", task: "Registration", purpose: "along a transform" },
  ];
  assert.deepEqual([...grouped(operations, "").keys()], ["Segmentation", "Registration"]);
  const names = (search) => [...grouped(operations, search).values()].flat().map((o) => o.name);
  assert.deepEqual(names("GROW"), ["grow tolerance", "grow limits"]);
  assert.deepEqual(names("seed grow"), ["grow tolerance"]);
  assert.deepEqual(names("segm"), ["grow tolerance", "grow limits"]);
  assert.equal(grouped(operations, "nothing").size, 0);
});

test("results are written for people", () => {
  assert.deepEqual([0.0637, 3.14159, 12.4, 185].map(secondsText), ["0.064 s", "3.1 s", "12 s", "3 min 5 s"]);
  assert.equal(figureText(1234567), "1,234,567");
  assert.equal(figureText(0.123456789), "0.123457");
  assert.equal(figureText([1, 2, 3, 4, 5, 6, 7]), "1, 2, 3, 4, 5, 6, … (7)");
  assert.equal(figureText([{ label: 1, lower: 2 }]), "label 1, lower 2");
});

test("saved names come from the image and the operation", () => {
  const labels = volume("LPS", { name: "labels" });
  assert.equal(suggestedName(labels, volume(), "grow tolerance"), "head-grow-tolerance.nii.gz");
  assert.equal(suggestedName(picture(), picture({ name: "coins.png" }), "threshold otsu"), "coins-threshold-otsu.tif");
  assert.equal(suggestedName(picture(), picture({ name: "a.ome.tif" }), "watershed"), "a-watershed.tif");
});

test("sliders of file units span the values of the image", () => {
  const suggested = { lowest: 0, highest: 10, scale: "linear" };
  const tolerance = option({ unit: "file units", suggested, range: { ...range, lowest: 0 } });
  assert.deepEqual(scaleOf(tolerance, volume()), { lowest: 0, highest: 445, logarithmic: false, whole: false });
  const level = option({ unit: "file units", suggested });
  assert.deepEqual(scaleOf(level, volume()), { lowest: 0, highest: 1000, logarithmic: false, whole: false });
  assert.equal(scaleOf(option({ unit: "pixels", suggested }), volume()).highest, 10);
});

test("seeds may be the labels of an image, and inputs texts", () => {
  const request = requestOf({ description, panel: { ...panel, images: { seeds: 5 } }, image: volume(), seeds: [], view: "v" });
  assert.deepEqual(request.inputs.seeds, { image: 5 });
  const render = { ...description, inputs: [description.inputs[0], { name: "camera", kind: "camera", required: false }] };
  assert.deepEqual(requestOf({ description: render, panel: { ...panel, texts: { camera: "left" } }, image: volume(), seeds: [], view: "v" }).inputs.camera, { text: "left" });
});

test("the main output is asked for, and label maps", () => {
  const shift = { outputs: [{ name: "filtered", kind: "image" }, { name: "labels", kind: "labels" }, { name: "segmented", kind: "image" }] };
  assert.deepEqual(usualOutputs(shift), ["filtered", "labels"]);
  assert.deepEqual(usualOutputs({ outputs: [{ name: "transform", kind: "transform" }, { name: "warped", kind: "image" }] }), []);
  assert.deepEqual(usualOutputs({ outputs: [{ name: "table", kind: "table" }] }), ["table"]);
});
