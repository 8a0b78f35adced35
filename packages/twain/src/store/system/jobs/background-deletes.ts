// The deletes that run in the background (docs/internals/decisions/0048-large-deletes.md). Each is a job of the queue whose name is
// the storage name of the type. As long as there is one, reads must leave its rows out.

import { type Layout, StorageTypeNames } from '../../tables/layout.ts'
import type { StorageNames } from '../../tables/storage-names.ts'
import { type SystemQuery, type SystemTables, systemQuery, toText } from '../system-tables.ts'
import { deleteTrash, findExpired, maxExpired, trashEntry } from '../trash-table.ts'
import type { ClaimedJob, NewJob } from './job-store.ts'
import type { SqlJobStore } from './sql-job-store.ts'

/** A row that is being deleted, and who deleted it. */
export interface BackgroundDelete {
  /** The storage name of the type. */
  type: string
  id: string
  by: string
  via: string | null
  /** The `traceparent` of the request. */
  trace: string | null
}

export function deleteJob({ type, id, by, via, trace }: BackgroundDelete): NewJob {
  return { kind: 'delete', name: type, key: null, payload: JSON.stringify({ id, via, trace }), at: null, by }
}

export function deleteOf({ name, payload, by }: ClaimedJob): BackgroundDelete {
  const { id, via, trace = null } = JSON.parse(payload) as { id: string; via: string | null; trace?: string | null }
  return { type: name, id, by: by ?? '', via, trace }
}

const dayMs = 86_400_000

const selectNames = 'SELECT names FROM twain_schema ORDER BY n DESC LIMIT 1'

const selectTypes = ['waiting', 'running']
  .map((state) => `SELECT name FROM twain_job WHERE kind = 'delete' AND state = '${state}'`)
  .join(' UNION ')

/** Who deletes rows whose time is over, as the change log names it where the delete changes other rows. */
function expiryOf(deletion: string): string {
  return `expiry:${deletion}`
}

export class BackgroundDeletes {
  /** The storage names of all types. */
  readonly storageTypes: readonly string[]
  /** Those of which this schema expects no hidden rows. */
  readonly #unhidden: ReadonlySet<string>
  /** Those of them of which a newer schema hides rows (`@softDelete`), which another node serves. */
  #hiddenElsewhere: readonly string[] = []
  /** The schema that was served last, as far as this node knows. */
  #served: unknown = null
  readonly #query: SystemQuery
  readonly #tables: SystemTables
  readonly #jobs: SqlJobStore
  readonly #names: StorageTypeNames
  readonly #listeners = new Set<(types: ReadonlySet<string>) => void>()
  #types: ReadonlySet<string> = new Set()
  /** How many have begun on this node. */
  #begun = 0

  constructor(tables: SystemTables, jobs: SqlJobStore, layout: Layout) {
    this.storageTypes = [...layout.tables.values()].map(({ type }) => type)
    this.#unhidden = new Set([...layout.tables.values()].filter(({ hides }) => hides !== true).map(({ type }) => type))
    this.#query = systemQuery(tables.dialect)
    this.#tables = tables
    this.#jobs = jobs
    this.#names = new StorageTypeNames(layout)
  }

  /** Calls `listener` with the names of the types of which a row is being deleted, now and after each change. */
  watch(listener: (types: ReadonlySet<string>) => void): void {
    this.#listeners.add(listener)
    listener(this.#types)
  }

  /** This node has begun to delete a row of the type. Reads that begin from now on do not see it. */
  began(type: string): void {
    this.#begun++
    this.#set(new Set([...this.#types, type]))
    this.#jobs.enqueued('delete')
  }

  /** Looks which deletes run: also those of other nodes, and those of the process before this one. */
  async refresh(): Promise<void> {
    for (let begun = -1; begun !== this.#begun; ) {
      begun = this.#begun
      await this.#lookForSchema()
      const rows = await this.#tables.read(this.#query(selectTypes))
      const types = [...rows.map(([name]) => String(name)), ...this.#hiddenElsewhere]
      if (begun === this.#begun) this.#set(new Set(types.map((type) => this.#names.current(type))))
    }
  }

  /** Another node may have begun to serve a schema that hides rows of more types. It serves none before it has saved that, so this node
   *  mostly knows the types before there is a hidden row. */
  async #lookForSchema(): Promise<void> {
    const { servedSchema } = this.#tables.dialect
    if (servedSchema === null) return
    const [[served] = []] = await this.#tables.read(this.#query(servedSchema))
    if (served === this.#served) return
    const [[names] = []] = await this.#tables.read(this.#query(selectNames))
    const { tables } = JSON.parse(String(names)) as StorageNames
    this.#hiddenElsewhere = Object.entries(tables)
      .filter(([, { hides }]) => hides === true)
      .map(([name, { type = name }]) => type)
      .filter((type) => this.#unhidden.has(type))
    this.#served = served
  }

  /** Begins to delete the rows whose time is over at `now`. Returns whether more may follow at once. Several nodes may do so at the same
   *  time: a job has the id of the deletion, so that each is enqueued once. */
  async purgeExpired(now: number): Promise<boolean> {
    const types = { table: this.#tables.dialect.jsonTexts('?3'), names: this.storageTypes }
    const rows = await this.#tables.read(findExpired(toText(now), toText(now - dayMs), types, this.#query))
    const expired = rows.map(trashEntry)
    if (expired.length === 0) return false
    const queries = expired.flatMap(({ type, id, deletion, isRoot }) => [
      deleteTrash(type, id, this.#query),
      this.#jobs.queries.insert({
        ...deleteJob({ type, id, by: expiryOf(deletion), via: null, trace: null }),
        id: isRoot ? deletion : `${deletion}.${id}`,
      }),
    ])
    await this.#tables.run(...queries)
    for (const { type } of expired) this.began(this.#names.current(type))
    return rows.length === maxExpired
  }

  #set(types: ReadonlySet<string>): void {
    if (types.size === this.#types.size && [...types].every((type) => this.#types.has(type))) return
    this.#types = types
    for (const listener of this.#listeners) listener(types)
  }
}
