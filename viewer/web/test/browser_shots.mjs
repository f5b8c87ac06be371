// Pictures of the page in both themes, beside kept ones (kept_shots.mjs): as it begins, and with labels that were grown
// and are edited.
//
//   TESELA=build/bin/tesela node --test test/browser_shots.mjs
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  browser,
  chooseTissueWindow,
  click,
  goOnWith,
  needsProgram,
  openGrowth,
  openPage,
  page,
  painted,
  resultDone,
  seriousFindings,
  setTolerance,
  shoot,
  startProgram,
  tissue,
} from "./browser_page.mjs";
import { compareWithKept } from "./kept_shots.mjs";

/** When all panes are painted, the volume's with all pixels, and the pointer is out of the way. */
async function shootAtRest(name) {
  await page.mouse.move(5, 5);
  for (const pane of [0, 1, 2]) await painted(pane);
  await page.waitForFunction(() => document.querySelector("canvas.volume").dataset.painted?.endsWith("full"));
  await page.waitForTimeout(300);
  await compareWithKept(browser, name, await shoot(name));
}

for (const colorScheme of ["dark", "light"])
  test(`the page looks as it did, ${colorScheme}`, needsProgram, async () => {
    const own = await startProgram("--device", "cpu");
    await page.close();
    goOnWith(await openPage(own.url, { colorScheme }));
    await painted();
    await chooseTissueWindow();
    await shootAtRest(`begin-${colorScheme}`);
    await openGrowth();
    await setTolerance(20);
    await page.keyboard.press("Escape");
    await page.keyboard.press("s");
    await click(0, tissue);
    await resultDone();
    await page.getByLabel("Edit", { exact: true }).selectOption({ label: "a copy of labels 1 (grow tolerance)" });
    await page.getByRole("button", { name: "Begin" }).click();
    await page.locator(".label-body").waitFor();
    await shootAtRest(`edited-${colorScheme}`);
    assert.deepEqual(await seriousFindings(), []);
    await page.close();
    await own.end();
  });
