// The report in a real Chromium: on a phone and on a desk, light and dark, by keyboard, and without a network.
// `node test/browser/report.test.mjs --shoot` writes the picture that README.md shows.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const root = fileURLToPath(new URL("../..", import.meta.url));
const browsers = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const dir = fs.mkdtempSync(path.join(os.tmpdir(), "superadvisor-report-"));
let browser;
let report;

before(async () => {
  const executablePath = browsers.find((name) => name && fs.existsSync(name));
  assert.ok(executablePath, "there is no Chromium: install it (Debian: apt-get install chromium), or name it in CHROMIUM");
  report = write();
  browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox"], userDataDir: path.join(dir, "profile") });
});

after(async () => {
  await browser?.close();
  fs.rmSync(dir, { recursive: true, force: true });
});

/** Runs the program over a journal that a real OpenCode session wrote (`go run ./internal/demo --keep`). */
function write() {
  const logs = path.join(dir, "state", "opencode-superadvisor", "logs");
  fs.mkdirSync(logs, { recursive: true });
  fs.copyFileSync(path.join(root, "testdata", "report", "journal.log"), path.join(logs, "journal.log"));
  const env = { ...process.env, XDG_STATE_HOME: path.join(dir, "state") };
  const done = spawnSync(process.execPath, [path.join(root, "dist", "cli.js"), "report", "--all", "--out", "report.html"], { cwd: dir, env, encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  return path.join(dir, "report.html");
}

async function open(width, scheme) {
  const page = await browser.newPage();
  const odd = [];
  page.on("console", (message) => odd.push(message.text()));
  page.on("pageerror", (error) => odd.push(String(error)));
  page.on("request", (request) => {
    if (request.url() !== pathToFileURL(report).href) odd.push(`a request for ${request.url()}`);
  });
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.goto(pathToFileURL(report).href, { waitUntil: "load" });
  return { page, odd };
}

/** Texts of which the colour is too near to what is behind them, by WCAG 2 (4.5, and 3 for large ones). */
function faint() {
  const rgb = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const light = (color) => {
    const [r, g, b] = color.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = rgb(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || element.closest(".hidden, .skip, style")) continue;
    seen++;
    const style = getComputedStyle(element);
    const [a, b] = [light(rgb(style.color).slice(0, 3)), light(behind(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (style.opacity !== "1" || ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) found.push(`${ratio.toFixed(2)}: ${texts.currentNode.data.trim().slice(0, 40)}`);
  }
  return { found, seen };
}

for (const width of [320, 390, 1200]) {
  for (const scheme of ["light", "dark"]) {
    test(`${width} pixels wide, ${scheme}: all of it can be read`, async () => {
      const { page, odd } = await open(width, scheme);
      const { wide, back } = await page.evaluate(() => ({
        wide: [...document.querySelectorAll("body *")]
          .filter((element) => !element.closest(".wide, .skip, .hidden") && element.getBoundingClientRect().right > innerWidth + 1)
          .map((element) => element.outerHTML.slice(0, 80)),
        back: getComputedStyle(document.body).backgroundColor,
      }));
      assert.deepEqual(wide, [], "it reaches out of the window");
      assert.equal(await page.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth), true, "the page scrolls sideways");
      assert.equal(back, scheme === "light" ? "rgb(255, 255, 255)" : "rgb(20, 24, 30)");
      const { found, seen } = await page.evaluate(faint);
      assert.ok(seen > 100, `only ${seen} texts were looked at`);
      assert.deepEqual(found, [], "too faint");
      assert.deepEqual(odd, []);
      await page.close();
    });
  }
}

test("by keyboard everything is reached, and seen", async () => {
  const { page } = await open(390, "light");
  const now = () =>
    page.evaluate(() => {
      const at = document.activeElement;
      const box = at.getBoundingClientRect();
      return { what: at.getAttribute("href") ?? at.getAttribute("aria-label") ?? at.tagName, outline: getComputedStyle(at).outlineStyle, seen: box.left >= 0 && box.bottom > 0 && box.top < innerHeight };
    });
  const reached = [];
  for (;;) {
    await page.keyboard.press("Tab");
    const at = await now();
    if (at.what === "BODY") break;
    assert.ok(reached.length < 20, `no end: ${reached.join(", ")}`);
    assert.equal(at.outline, "solid", `${at.what} has no mark`);
    assert.equal(at.seen, true, `${at.what} is out of sight`);
    reached.push(at.what);
  }
  assert.deepEqual(reached, ["#timeline", "#sum", "#timeline", "#dropped", "#cost", "#judge", "Kept back, by reason", "Cost and time, by model", "How reviews ended"]);
  await page.reload();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "timeline", "the first link leads past the head of the page");
  await page.close();
});

test("it tells what the session was", async () => {
  const { page } = await open(1200, "light");
  const text = await page.evaluate(() => document.body.innerText);
  for (const said of ["Wakes\n1\nof 5 messages of yours", "woke the agent", "src/db.ts:25", "the reviewer itself found it refuted", "it had been said already"]) assert.ok(text.includes(said), `it does not say ${said}:\n${text}`);
  if (process.argv.includes("--shoot")) {
    await page.setViewport({ width: 1000, height: 1150, deviceScaleFactor: 1 });
    await page.screenshot({ path: path.join(root, "docs", "report.png") });
  }
  await page.close();
});
