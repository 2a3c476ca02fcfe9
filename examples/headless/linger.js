// A plugin of this example alone. A headless OpenCode ends with the agent, though the advisor may still be looking
// at the agent's last step; this keeps the process until the advisor is through, or the time is over.
// OpenCode 1.x ends its plugins in the order of its config and waits for each: this one stands first.

import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const folder = join(process.env.XDG_STATE_HOME, "opencode-superadvisor", "sessions")
const every = 100 // ms between two looks
const calmFor = 1500 // ms without a change: a review starts within that after the agent's last step

function look() {
  if (!existsSync(folder)) return []
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))
}

function pending(text) {
  try {
    const { busy, owed } = JSON.parse(text)
    return Boolean(busy || owed)
  } catch {
    return true // half written
  }
}

async function linger(maxMs) {
  const end = Date.now() + maxMs
  let seen
  let since = Date.now()
  while (Date.now() < end) {
    const states = look()
    const now = states.join("\n")
    if (now !== seen || states.some(pending)) {
      seen = now
      since = Date.now()
    }
    if (Date.now() - since >= calmFor) return
    await new Promise((resolve) => setTimeout(resolve, every))
  }
}

export default {
  id: "headless-linger",
  server: async (_, options) => ({ dispose: () => linger(options?.maxMs ?? 60_000).catch(() => {}) }),
}
