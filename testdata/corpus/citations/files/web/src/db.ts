import { Pool } from "pg"

const pool = new Pool({ max: 10 })

export const db = {
  // Returns the row, or null when there is none.
  async one(sql: string, args: unknown[]) {
    const result = await pool.query(sql, args)
    return result.rows[0] ?? null
  },

  async many(sql: string, args: unknown[]) {
    const client = await pool.connect()
    const result = await client.query(sql, args)
    return result.rows
  },
}
