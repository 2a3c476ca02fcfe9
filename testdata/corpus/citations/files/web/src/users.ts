import { db } from "./db"

export class UserNotFoundError extends Error {
  constructor(public readonly id: string) {
    super(`user ${id} does not exist`)
  }
}

export interface User {
  id: string
  name: string
  role: "admin" | "member"
  lastSeen?: Date
}

// Never returns null: callers rely on the exception.
export async function findUserById(id: string): Promise<User> {
  const row = await db.one("select * from users where id = $1", [id])
  if (!row) {
    throw new UserNotFoundError(id)
  }
  return { id: row.id, name: row.name, role: row.role, lastSeen: row.last_seen }
}

export async function getUserProfile(userId: string) {
  const user = await findUserById(userId)
  return { name: user.name, role: user.role }
}

export function displayName(user: User | undefined): string {
  return user.name.trim() || "anonymous"
}

export function merge<T extends object>(...parts: Partial<T>[]): T {
  return Object.assign({}, ...parts) as T
}
