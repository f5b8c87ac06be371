// Descriptions of slides, and their annotations, for tests, as the server sends them.

/** 4000 x 3000 pixels of 0.5 um in levels of 1, 2, 4 and 8. */
export function slide(change = {}) {
  const level = (step) => ({ width: 4000 / step, height: 3000 / step, downsample: [step, step], stored: step !== 2 });
  return {
    id: 1,
    name: "slide.ome.tif",
    role: "image",
    of: null,
    shape: { x: 4000, y: 3000, z: 1, t: 1, channels: 3 },
    pixel_type: "u8",
    spacing: [0.5, 0.5, 1],
    unit: "um",
    origin: [0, 0, 0],
    direction: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    has_geometry: true,
    is_color: true,
    channels: [{ name: "", color: "#ff0000", lowest: 0, highest: 255, window: [0, 255] }],
    slide: { format: "OME-TIFF", magnification: null, spacing_source: "OME" },
    levels: [1, 2, 4, 8].map(level),
    ...change,
  };
}

/** A map of 63 x 47 tiles of 64 pixels, which begins with the slide. */
export function tissueMap(change = {}) {
  return slide({
    id: 2,
    name: "map.png",
    role: "labels",
    of: 1,
    shape: { x: 63, y: 47, z: 1, t: 1, channels: 1 },
    slide: undefined,
    levels: [{ width: 63, height: 47, downsample: [1, 1], stored: true }],
    place: { left: 0, top: 0, scale: [64, 64] },
    labels: [{ label: 1, name: "Fibers" }],
    ...change,
  });
}

/** Shapes {classOf, form, rings: [[x, y, x, y, ...]]} as the server packs them. */
export function packed(shapes) {
  const rings = shapes.flatMap((shape) => shape.rings);
  const ends = (counts) => {
    let sum = 0;
    return counts.map((count) => (sum += count));
  };
  const points = rings.flat();
  const words = [
    shapes.length,
    rings.length,
    points.length / 2,
    ...shapes.map((shape) => shape.classOf),
    ...shapes.map((shape) => shape.form),
    ...ends(shapes.map((shape) => shape.rings.length)),
    ...ends(rings.map((ring) => ring.length / 2)),
  ];
  const body = new ArrayBuffer(4 * (words.length + points.length));
  new Uint32Array(body, 0, words.length).set(words);
  new Float32Array(body, 4 * words.length).set(points);
  return body;
}
