// A plugin of this example alone. A headless OpenCode ends with the agent, though the advisor may still be looking
// at the agent's last step; this keeps the process until the advisor is through, or the time is over.
// OpenCode 1.x ends its plugins in the order of its config and waits for each: this one stands first.

import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const folder = join(process.env.XDG_STATE_HOME, "opencode-superadvisor", "sessions")
const every = 100 // ms between two looks
const calmFor = 4000 // ms without a change: a review starts within that after the agent's last step, on a loaded machine too
const firstBy = 20_000 // ms until the advisor has stored a session; a short run can end before it has started

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
  const begun = Date.now()
  const end = begun + maxMs
  let seen
  let since = Date.now()
  while (Date.now() < end) {
    const states = look()
    const now = states.join("\n")
    const starting = states.length === 0 && Date.now() - begun < firstBy
    if (now !== seen || starting || states.some(pending)) {
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
