// Pictures of the page beside kept ones, test/kept/NAME.png, each a quarter as wide and high: small files, in which text
// of another font hardly differs. TESELA_RENEW_SHOTS=1 keeps those of this run in their place; look at them then.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = new URL("kept", import.meta.url).pathname;
const renews = process.env.TESELA_RENEW_SHOTS === "1";
const mostDiffering = 0.03; // of the pixels, by a fifth of white or more

/** In a page of its own, whose policy lets it draw: the small picture, and how many pixels differ from the kept one. */
async function smaller([shot, kept]) {
  const pictureOf = (base64) =>
    new Promise((done, failed) => {
      const picture = new Image();
      picture.onload = () => done(picture);
      picture.onerror = () => failed(new Error("a picture that cannot be read"));
      picture.src = `data:image/png;base64,${base64}`;
    });
  const large = await pictureOf(shot);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(large.width / 4), Math.round(large.height / 4)];
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const pixels = (picture) => {
    context.imageSmoothingQuality = "high";
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    return context.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  const now = pixels(large);
  const png = canvas.toDataURL("image/png").split(",")[1];
  if (kept === null) return { png, differing: 1 };
  const before = pixels(await pictureOf(kept));
  let count = 0;
  for (let i = 0; i < now.length; i += 4) if ([0, 1, 2].some((c) => Math.abs(now[i + c] - before[i + c]) > 51)) ++count;
  return { png, differing: count / (now.length / 4) };
}

/** Fails where a picture of the page, as PNG, differs from the one that is kept under its name. */
export async function compareWithKept(browser, name, shot) {
  const path = join(folder, `${name}.png`);
  const kept = existsSync(path) ? readFileSync(path, "base64") : null;
  const blank = await browser.newPage();
  const { png, differing } = await blank.evaluate(smaller, [shot.toString("base64"), kept]);
  await blank.close();
  if (renews) return writeFileSync(path, Buffer.from(png, "base64"));
  const share = `${(100 * differing).toFixed(1)} %`;
  assert.ok(differing <= mostDiffering, `${name}: ${share} of the picture differ from ${path}; where that is as it should be, renew it`);
}
