// The PostgreSQL store: plan → statement → answer. Every read is one statement and one round trip; the server keeps the
// plan of a statement for each connection.

import { Cache, cacheGauges, Fault, type Gauge, type Viewer } from '#base'
import type { Answer, AuthorizedPlan, Plan, Read } from '#plan'
import type { PostgresChanges } from '../changes/postgres-changes.ts'
import { bind } from '../compile/bind.ts'
import { postgres } from '../compile/postgres-dialect.ts'
import { type CompiledRead, compileRead } from '../compile/read.ts'
import type { Extras, Store } from '../contract.ts'
import type { Layout } from '../layout.ts'
import { tooLarge } from '../read-faults.ts'
import { StartRefused } from '../start-refused.ts'
import type { Vault } from '../vault.ts'
import type { Connections } from './connections.ts'

/** Characters of the statements that are kept. */
const mostSql = 1_000_000

interface Parts {
  layout: Layout
  connections: Connections
  changes: PostgresChanges
}

export class PostgresStore implements Store {
  readonly changes: PostgresChanges
  /** A contract with files is refused when it is opened. */
  readonly files = null
  readonly #parts: Parts
  /** By what is asked beside the rows. */
  readonly #compiled = Array.from({ length: 4 }, () => new Cache<Plan, CompiledRead>(mostSql, ({ sql }) => sql.length))

  constructor(parts: Parts) {
    this.changes = parts.changes
    this.#parts = parts
  }

  get vault(): Vault {
    throw new StartRefused('On PostgreSQL a service can be read, but not yet written or signed in to: use --data.')
  }

  run(plan: AuthorizedPlan, values: readonly unknown[], extras: Extras, viewer: Viewer): Promise<Answer> {
    if (plan.kind === 'write' || plan.kind === 'batch')
      throw new Fault('UNAVAILABLE', 'This store does not take writes yet.')
    return this.#read(plan, values, extras, viewer)
  }

  ready(): boolean {
    return this.#parts.connections.areThere
  }

  gauges(): Gauge[] {
    return cacheGauges('statements', ...this.#compiled)
  }

  async close(): Promise<void> {
    await this.changes.close()
    await this.#parts.connections.close()
  }

  async #read(plan: AuthorizedPlan<Read>, values: readonly unknown[], extras: Extras, viewer: Viewer): Promise<Answer> {
    const { sql, parameters } = this.#compile(plan, extras)
    const [row] = await this.#parts.connections.ask(sql, bind(parameters, values, viewer.account, postgres))
    return toAnswer(plan, row ?? null)
  }

  #compile(plan: AuthorizedPlan<Read>, extras: Extras): CompiledRead {
    const variant = this.#compiled[(extras.more ? 1 : 0) + (extras.total ? 2 : 0)]!
    const known = variant.get(plan)
    if (known !== undefined) return known
    const compiled = compileRead(plan, this.#parts.layout, extras, postgres)
    this.#parts.connections.noteStatement()
    variant.set(plan, compiled)
    return compiled
  }
}

/** A text that is NULL was too long (`Dialect.answer`). */
function toAnswer(plan: Read, row: unknown[] | null): Answer {
  if (plan.kind === 'one') {
    if (row === null) return { kind: 'one', text: null, version: 0 }
    const [text, version] = row as [string | null, number]
    if (text === null) throw tooLarge()
    return { kind: 'one', text, version }
  }
  const [text, found, more, total] = row as [string | null, boolean | number, boolean | number, number | null]
  if (found === false) throw new Fault('NOT_FOUND', `There is no such ${plan.within!.field.owner.name}.`)
  if (text === null) throw tooLarge()
  return { kind: 'many', text, more: more === true, total }
}
