// What the terminal shows of the advisor tool. pi takes a component, which is an object that
// gives lines for a width, and ends when a line is wider: what is not plain ASCII counts as two columns.

import { list, number, object, string } from "../opencode/json.ts";
import { visible } from "../text.ts";
import { textOf } from "./events.ts";

interface Component {
  render(width: number): string[];
  invalidate(): void;
}

export function callRow(model: string | undefined, theme: unknown): Component {
  return component((width) => wrap(`advisor ${model ?? "(disabled)"}`, width).map((line) => colour(theme, "toolTitle", line)));
}

/** Model, effort and seconds above the advice. */
export function resultRow(result: unknown, theme: unknown): Component {
  const details = object(object(result)["details"]);
  const ms = number(details["durationMs"]);
  const header = [string(details["model"]), string(details["effort"]), ms === undefined ? undefined : `${(ms / 1000).toFixed(1)} s`].filter(Boolean).join(" · ");
  const advice = textOf(list(object(result)["content"]));
  return component((width) => [
    ...wrap(header, width).map((line) => colour(theme, "dim", line)),
    ...wrap(advice, width).map((line) => colour(theme, "toolOutput", line)),
    ...(details["truncated"] === true ? wrap("[advice truncated]", width).map((line) => colour(theme, "warning", line)) : []),
  ]);
}

/** A note of ours in the conversation: its first line in the colour of its severity, and on request all of it. */
export function noteRow(message: unknown, options: unknown, theme: unknown): Component {
  const { content, details } = object(message);
  const severity = string(object(details)["severity"]) ?? "";
  const lines = textOf(content).split("\n");
  // What a note is and whom it is from is said to the model; a person sees it by the colour.
  const shown = object(options)["expanded"] === true ? lines : lines.filter((line) => !line.startsWith("This is advice from opencode-superadvisor"));
  return component((width) =>
    shown.flatMap((line) => {
      const colourOf = line.startsWith("[advisor ") ? (severity === "blocker" ? "error" : severity === "concern" ? "warning" : "accent") : "customMessageText";
      return wrap(line, width).map((row) => colour(theme, colourOf, row));
    }),
  );
}

function component(render: (width: number) => string[]): Component {
  return { render, invalidate: () => {} };
}

function colour(theme: unknown, name: string, text: string): string {
  const { fg } = object(theme);
  return typeof fg === "function" ? String(fg.call(theme, name, text)) : text;
}

function columns(text: string): number {
  let n = 0;
  for (const character of text) n += character <= "~" || character === "·" ? 1 : 2;
  return n;
}

/** Lines of at most so many columns, broken between words where that is possible. */
export function wrap(text: string, width: number): string[] {
  if (text === "" || width < 2) return [];
  const lines: string[] = [];
  for (const line of text.replace(/\t/g, "  ").split("\n")) {
    let row = "";
    let used = 0;
    const next = () => {
      lines.push(row.trimEnd());
      row = "";
      used = 0;
    };
    for (const word of visible(line).split(/(?<= )/)) {
      if (used > 0 && used + columns(word.trimEnd()) > width) next();
      for (const character of word) {
        const size = columns(character);
        if (used + size > width) {
          if (character === " ") continue;
          next();
        }
        row += character;
        used += size;
      }
    }
    next();
  }
  return lines;
}
