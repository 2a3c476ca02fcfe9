// The half that OpenCode V2 loads in the terminal: a server plugin cannot show a toast
// there. It watches what is admitted to sessions, and alerts the person of our notes that ask for it.

import { addBounded } from "./bounded.ts";
import { object, string } from "./opencode/json.ts";

interface TuiContext {
  data?: { on?(type: string, hear: (event: unknown) => void): unknown };
  ui?: { toast?: { show?(toast: { title: string; message: string; variant: string; duration: number }): void } };
}

const durationMs = 8_000;
const maxShown = 200;

function setup(context: TuiContext): () => void {
  const shown = new Set<string>();
  const hear = (event: unknown) => {
    try {
      const data = object(object(event)["data"]);
      const item = object(data["item"] ?? data["input"]);
      const payload = object(item["payload"] ?? item["data"]);
      const metadata = object(payload["metadata"]);
      const id = string(data["inboxID"]) ?? string(data["inputID"]) ?? "";
      if (metadata["advisor"] !== true || metadata["toast"] !== true || shown.has(id)) return;
      addBounded(shown, id, maxShown);
      context.ui?.toast?.show?.({
        title: "advisor",
        message: string(payload["description"]) ?? `A ${String(metadata["severity"])} was added to the session.`,
        variant: metadata["severity"] === "blocker" ? "error" : "warning",
        duration: durationMs,
      });
    } catch {
      // The note is in the session all the same.
    }
  };
  const stops = ["session.inbox.enqueued", "session.input.admitted"].map((type) => context.data?.on?.(type, hear));
  return () => {
    for (const stop of stops) if (typeof stop === "function") (stop as () => void)();
  };
}

// V1 looks for tui; its toasts are shown from the server.
export default { id: "opencode-superadvisor", setup, tui: async () => {} };
