package e2e

// Files of the small repository that scenes play in: the worked example, where an unknown user throws,
// and beside it a lookup that really gives null.
const (
	dbPath = "src/db.ts"
	dbText = `export type Role = "reader" | "editor" | "admin"
export type User = { id: string; name: string; role: Role }
export type Session = { token: string; userId: string }

export class UserNotFoundError extends Error {
  constructor(id: string) {
    super("no user " + id)
  }
}

const users = new Map<string, User>()
const sessions = new Map<string, Session>()

export function findUserById(id: string): User {
  const user = users.get(id)
  if (!user) {
    throw new UserNotFoundError(id)
  }
  return user
}

export function findSession(token: string): Session {
  const session = sessions.get(token)
  if (!session) {
    return null as never
  }
  return session
}

export function saveUser(user: User) {
  users.set(user.id, user)
}
`

	profilePath = "src/profile.ts"
	profileText = `import { findUserById } from "./db"

export function getUserProfile(userId: string) {
  const user = findUserById(userId)
  return { name: user.name, role: user.role }
}
`

	greetingPath = "src/greeting.ts"
	greetingText = `export function greeting(s: string) {
  return "Welcome back, " + s
}
`

	adminPath = "src/admin.ts"
	adminText = `import { findUserById, saveUser } from "./db"

export function setRole(userId: string, role: string) {
  const user = findUserById(userId)
  saveUser({ ...user, role: role as never })
}
`

	sessionPath = "src/session.ts"
	sessionText = `import { findSession, findUserById } from "./db"

export function currentUser(token: string) {
  const session = findSession(token)
  return findUserById(session.userId)
}
`
	sessionPatch = `--- a/src/session.ts
+++ b/src/session.ts
@@ -3,4 +3,5 @@
 export function currentUser(token: string) {
   const session = findSession(token)
+  if (!session) return undefined
   return findUserById(session.userId)
 }
`

	sessionTestPath = "src/session.test.ts"
	sessionTestText = `import { currentUser } from "./session"

console.assert(currentUser("known").name === "Ada")
`
)

// Example is the repository as it is committed first.
func Example() map[string]string {
	return map[string]string{
		"package.json": `{ "name": "profiles", "version": "1.0.0", "type": "module", "private": true }` + "\n",
		dbPath:         dbText,
	}
}

// What the reviewer of the worked example says.
var (
	nullableUser = Finding{
		Note:     "findUserById may give null, and user.name then crashes.",
		Severity: "blocker", Verdict: "refuted", Category: "bug",
		Cites: []Cite{CiteOf(dbPath, dbText, "throw new UserNotFoundError(id)", "an unknown id throws, so that user is never null")},
	}
	unclearName = Finding{
		Note:     "The parameter s says nothing about what it takes; call it name.",
		Severity: "nit", Verdict: "confirmed", Category: "style",
		Cites: []Cite{CiteOf(greetingPath, greetingText, "export function greeting(s: string) {", "the parameter is called s")},
	}
	anyRole = Finding{
		Note:     "setRole stores any text as a role, because the cast hides that Role has three values. Take Role as the parameter's type, or check the value.",
		Severity: "concern", Verdict: "confirmed", Category: "bug",
		Cites: []Cite{CiteOf(adminPath, adminText, "saveUser({ ...user, role: role as never })", "the cast lets every text through")},
	}
	nullSession = Finding{
		Note:     "currentUser crashes for an unknown token: findSession gives null there, and session.userId is read without a check. Check the session first.",
		Severity: "blocker", Verdict: "confirmed", Category: "bug", Patch: sessionPatch,
		Cites: []Cite{
			CiteOf(dbPath, dbText, "return null as never", "an unknown token gives null, whatever the type says"),
			CiteOf(sessionPath, sessionText, "return findUserById(session.userId)", "it is read without a check"),
		},
	}
	nullSessionAgain = Finding{
		Note:     "An unknown or expired token makes currentUser throw a TypeError, since the result of findSession can be null. Guard against it.",
		Severity: "blocker", Verdict: "confirmed", Category: "bug",
		Cites: nullSession.Cites,
	}
)
