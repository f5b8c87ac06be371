// Builds the page into a folder, each file also compressed: node build.mjs [FOLDER]; the folder may be
// named by TESELA_WEB_OUT too. With --tests it bundles the tests into test/out instead.
import { build } from "esbuild";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const most = 1 << 20; // bytes of all files together, not compressed

async function buildTests() {
  const out = join(here, "test/out");
  rmSync(out, { recursive: true, force: true });
  const names = readdirSync(join(here, "test")).filter((name) => name.endsWith(".test.js"));
  await build({
    entryPoints: names.map((name) => join(here, "test", name)),
    outdir: out,
    bundle: true,
    platform: "node",
    format: "esm",
    outExtension: { ".js": ".mjs" },
    logLevel: "warning",
  });
}

/** Leaves a file alone that is the same, since the program is built anew after each change. */
function writeChanged(path, bytes) {
  if (!existsSync(path) || !readFileSync(path).equals(bytes)) writeFileSync(path, bytes);
}

async function buildPage(folder) {
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(here, "src/app.ts"), join(here, "src/app.css")],
    footer: { js: `/*!\n${readFileSync(join(here, "node_modules/openseadragon/LICENSE.txt"), "utf8")}*/` },
    outdir: folder,
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    logLevel: "warning",
  });
  copyFileSync(join(here, "src/index.html"), join(folder, "index.html"));
  let total = 0;
  for (const name of ["index.html", "app.js", "app.css"]) {
    const bytes = readFileSync(join(folder, name));
    const packed = gzipSync(bytes, { level: 9 });
    packed[9] = 255; // the operating system's number: the same bytes wherever it is built
    writeChanged(join(folder, `${name}.gz`), packed);
    total += bytes.length;
    console.log(`${name}: ${bytes.length} bytes, ${packed.length} compressed`);
  }
  if (total > most) throw new Error(`the page has ${total} bytes, and ${most} are allowed`);
}

if (process.argv[2] === "--tests") await buildTests();
else await buildPage(resolve(process.argv[2] ?? process.env.TESELA_WEB_OUT ?? join(here, "../../build/viewer/web")));
