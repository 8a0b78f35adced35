// The driver as a server written by hand would use it: its own pool, named statements, as many connections as Twain's reads have,
// and the session parameters of Twain.

// @ts-expect-error: the driver has no types of its own
import pg from 'pg'

interface NamedQuery {
  name: string
  text: string
  values: unknown[]
  rowMode?: 'array'
}

interface PgPool {
  end(): Promise<void>
  query(query: NamedQuery): Promise<{ rows: unknown[] }>
}

const { Pool } = pg as { Pool: new (options: object) => PgPool }

const options = '-c plan_cache_mode=force_generic_plan -c random_page_cost=1.1 -c jit=off'

export function openPgPool(address: string) {
  const pool = new Pool({ connectionString: address, max: 5, options })
  const names = new Map<string, string>()
  const nameOf = (text: string) => {
    const name = names.get(text) ?? `s${names.size}`
    names.set(text, name)
    return name
  }
  return {
    end: () => pool.end(),
    rows: async <R>(text: string, ...values: unknown[]): Promise<R[]> =>
      (await pool.query({ name: nameOf(text), text, values })).rows as R[],
    arrays: async <R>(text: string, ...values: unknown[]): Promise<R[]> =>
      (await pool.query({ name: nameOf(text), text, values, rowMode: 'array' })).rows as R[],
  }
}
