// What the database must hold after the steps so far, whichever versions made them: rows with the fields of all versions, links, files,
// and the events. It is written from the documentation, and does what a single node of the newest version would do.

import assert from 'node:assert/strict'
import { type Chain, type FieldSketch, type Plain, type TypeSketch, typesOf } from './chain.ts'

/** A time that a field must have. */
export interface Span {
  from: number
  to: number
}

/** A value of a column: a plain one, the id of a row or a file, or a time. */
export type Value = Plain | Span

/** Which version wrote, and when the request ran. */
export interface Writer extends Span {
  version: number
}

export interface Written {
  /** Of columns. */
  given: Record<string, Plain>
  /** The ids of links and files. */
  lists: Record<string, readonly string[]>
  by: Writer
}

export interface Row {
  type: string
  id: string
  version: number
  values: Record<string, Value>
}

export interface Event {
  /** Those of one request have the same number. */
  request: number
  kind: 'created' | 'updated' | 'deleted'
  type: string
  id: string
  version: number
  before: Row['values'] | null
  after: Row['values'] | null
  /** The newest version that had been started by then. */
  newest: number
  /** The first version that sees a difference. */
  visibleSince: number
}

/** What a delete does, or who forbids it. */
export interface Deletion {
  rows: Row[]
  cleared: { row: Row; field: string }[]
  /** The versions since which the fields exist that forbid it. */
  forbiddenSince: number[]
  /** The first version that knows everything that it touches. */
  knownSince: number
}

export class Oracle {
  readonly chain: Chain
  readonly events: Event[] = []
  /** By id: those that a row has held. */
  readonly files = new Map<string, string>()
  /** The newest version that has been started. */
  newest = 0
  readonly #rows = new Map<string, Row>()
  /** By slot. */
  readonly #ids = new Map<string, string>()
  /** `Alpha.l10` → pairs of ids, written by the left side. */
  readonly #links = new Map<string, Set<string>>()
  #request = 0

  constructor(chain: Chain) {
    this.chain = chain
  }

  type(name: string): TypeSketch {
    return this.chain.types.find((type) => type.name === name)!
  }

  rows(type: string): Row[] {
    return [...this.#rows.values()].filter((row) => row.type === type)
  }

  /** The row in a slot. */
  at(type: string, slot: string): Row | undefined {
    const id = this.#ids.get(`${type} ${slot}`)
    return id === undefined ? undefined : this.#rows.get(`${type} ${id}`)
  }

  /** The id of the row that was deleted last. */
  lastDeleted(type: string): string | undefined {
    return this.events.findLast((event) => event.type === type && event.kind === 'deleted')?.id
  }

  linked(type: string, field: FieldSketch & { kind: 'links' }, id: string): string[] {
    const pairs = [...this.#pairs(type, field)].map((pair) => pair.split(' '))
    return pairs.flatMap(([left, right]) =>
      field.isLeft ? (left === id ? [right!] : []) : right === id ? [left!] : [],
    )
  }

  listed(type: string, field: FieldSketch & { kind: 'files' }, id: string): string[] {
    return [...this.#set(`${type}.${field.name}`)].flatMap((pair) =>
      pair.startsWith(`${id} `) ? pair.split(' ')[1]! : [],
    )
  }

  children(field: FieldSketch & { kind: 'children' }, id: string): string[] {
    return this.rows(field.to).flatMap((row) => (row.values[field.via] === id ? row.id : []))
  }

  create(type: TypeSketch, slot: string, id: string, { given, lists, by }: Written): void {
    const values: Row['values'] = {}
    for (const field of this.type(type.name).fields) {
      if (field.kind === 'time') values[field.name] = timeOf(field, by)
      else if (isColumn(field))
        values[field.name] = given[field.name] ?? (field.name in given ? null : defaultOf(field))
    }
    const row = { type: type.name, id, version: 1, values }
    this.#rows.set(`${row.type} ${id}`, row)
    this.#ids.set(`${row.type} ${slot}`, id)
    this.#request++
    this.#setLists(row, lists)
    this.#log({ kind: 'created', row, before: null, after: { ...values }, visibleSince: type.since })
  }

  /** Nothing happens where nothing changes. */
  change(row: Row, { given, lists, by }: Written): void {
    const before = { ...row.values }
    const fields = this.type(row.type).fields
    const changed = fields.filter(({ name }) => name in given && given[name] !== row.values[name])
    Object.assign(row.values, given)
    const relinked = this.#setLists(row, lists)
    const all = [...changed, ...relinked]
    if (all.length === 0) return
    this.#request++
    this.#touch(row, before, by, Math.min(...all.map(({ since }) => since)))
  }

  /** What the delete of a row does under the newest schema. */
  deletion(row: Row): Deletion {
    const rows = [row]
    const touched: { field: FieldSketch; type: TypeSketch; row: Row; onDelete: string }[] = []
    for (const going of rows) {
      for (const found of this.#referrers(going)) {
        touched.push(found)
        if (found.onDelete === 'CASCADE' && !rows.includes(found.row)) rows.push(found.row)
      }
    }
    const others = touched.filter((one) => !rows.includes(one.row))
    const sinces = [
      ...touched.map(({ field, type }) => Math.max(field.since, type.since)),
      ...rows.flatMap((one) => this.#linksSince(one)),
    ]
    return {
      rows,
      cleared: others
        .filter(({ onDelete }) => onDelete === 'SET_NULL')
        .map((one) => ({ row: one.row, field: one.field.name })),
      forbiddenSince: others.filter(({ onDelete }) => onDelete === 'RESTRICT').map(({ field }) => field.since),
      knownSince: Math.max(0, ...sinces),
    }
  }

  delete({ rows, cleared }: Deletion, by: Writer): void {
    this.#request++
    for (const [row, fields] of Map.groupBy(cleared, (one) => one.row)) {
      // A version that does not know the type of the row clears its references one by one.
      const isKnown = this.type(row.type).since <= by.version
      for (const some of isKnown ? [fields] : fields.map((field) => [field])) {
        const before = { ...row.values }
        for (const { field } of some) row.values[field] = null
        const sinces = some.map(({ field }) => this.type(row.type).fields.find(({ name }) => name === field)!.since)
        this.#touch(row, before, by, Math.min(...sinces))
      }
    }
    for (const row of rows) {
      this.#rows.delete(`${row.type} ${row.id}`)
      this.#unlink(row)
      row.version++
      this.#log({
        kind: 'deleted',
        row,
        before: { ...row.values },
        after: null,
        visibleSince: this.type(row.type).since,
      })
    }
  }

  addFile(slot: string, id: string, text: string): void {
    this.files.set(id, text)
    this.#ids.set(`File ${slot}`, id)
  }

  /** The file in a slot, if a version can show it: a client can refer only to what it can read. */
  fileAt(slot: string, version: number): string | undefined {
    const id = this.#ids.get(`File ${slot}`)
    return id !== undefined && this.holders(id).some((since) => since <= version) ? id : undefined
  }

  /** The versions since which the fields exist that refer to a file. */
  holders(id: string): number[] {
    return typesOf(this.chain, this.newest).flatMap((type) =>
      type.fields.flatMap((field) => {
        const isHolder =
          field.kind === 'file'
            ? this.rows(type.name).some(({ values }) => values[field.name] === id)
            : field.kind === 'files' &&
              [...this.#set(`${type.name}.${field.name}`)].some((pair) => pair.endsWith(` ${id}`))
        return isHolder ? [Math.max(field.since, type.since)] : []
      }),
    )
  }

  #touch(row: Row, before: Row['values'], by: Writer, visibleSince: number): void {
    for (const field of this.type(row.type).fields) {
      if (field.kind === 'time' && field.set === 'UPDATE_TIME') row.values[field.name] = timeOf(field, by)
    }
    row.version++
    this.#log({ kind: 'updated', row, before, after: { ...row.values }, visibleSince })
  }

  #log({ row, ...event }: Pick<Event, 'kind' | 'before' | 'after' | 'visibleSince'> & { row: Row }): void {
    this.events.push({
      ...event,
      request: this.#request,
      type: row.type,
      id: row.id,
      version: row.version,
      newest: this.newest,
    })
  }

  /** Returns the fields whose lists changed. */
  #setLists(row: Row, lists: Record<string, readonly string[]>): FieldSketch[] {
    return this.type(row.type).fields.filter((field) => {
      const wanted = lists[field.name]
      if (wanted === undefined) return false
      if (field.kind !== 'links' && field.kind !== 'files') throw new Error(`${field.name} is no list that is written`)
      const had = field.kind === 'links' ? this.linked(row.type, field, row.id) : this.listed(row.type, field, row.id)
      const pairs = field.kind === 'links' ? this.#pairs(row.type, field) : this.#set(`${row.type}.${field.name}`)
      const pair = (other: string) =>
        field.kind === 'links' && !field.isLeft ? `${other} ${row.id}` : `${row.id} ${other}`
      for (const other of had) pairs.delete(pair(other))
      for (const other of wanted) pairs.add(pair(other))
      return had.toSorted().join() !== [...new Set(wanted)].toSorted().join()
    })
  }

  #referrers(target: Row): { field: FieldSketch; type: TypeSketch; row: Row; onDelete: string }[] {
    return this.chain.types.flatMap((type) =>
      type.fields.flatMap((field) => {
        if (field.kind !== 'reference' || field.to !== target.type) return []
        const rows = this.rows(type.name).filter(({ values }) => values[field.name] === target.id)
        return rows.map((row) => ({ field, type, row, onDelete: field.onDelete }))
      }),
    )
  }

  /** The versions of the links and files of a row. */
  #linksSince(row: Row): number[] {
    return this.type(row.type).fields.flatMap((field) => {
      if (field.kind === 'links') return this.linked(row.type, field, row.id).length > 0 ? [field.since] : []
      if (field.kind === 'files') return this.listed(row.type, field, row.id).length > 0 ? [field.since] : []
      return []
    })
  }

  #unlink(row: Row): void {
    for (const field of this.type(row.type).fields) {
      if (field.kind === 'links' || field.kind === 'files') this.#setLists(row, { [field.name]: [] })
    }
  }

  #pairs(type: string, field: FieldSketch & { kind: 'links' }): Set<string> {
    return this.#set(field.isLeft ? `${type}.${field.name}` : `${field.to}.${field.back}`)
  }

  #set(name: string): Set<string> {
    const found = this.#links.get(name) ?? new Set()
    this.#links.set(name, found)
    return found
  }
}

/** A field that the writing version does not have gets its time later: at the next start that has it, or in the database. */
function timeOf(field: FieldSketch, { from, to, version }: Writer): Span {
  return { from, to: version < field.since ? Number.POSITIVE_INFINITY : to }
}

/** Whether it has a column, which events and the default representation show. */
export function isColumn(field: FieldSketch): boolean {
  return field.kind === 'scalar' || field.kind === 'time' || field.kind === 'reference' || field.kind === 'file'
}

export function defaultOf(field: FieldSketch): Plain {
  return field.kind === 'scalar' ? field.default : null
}

/** Whether an answer has the value. */
export function isValue(found: unknown, expected: Value): boolean {
  if (typeof expected !== 'object' || expected === null) return found === expected
  const time = typeof found === 'string' ? Date.parse(found) : Number.NaN
  return time >= expected.from && time <= expected.to
}

export function assertValue(found: unknown, expected: Value, place: string): void {
  const isTime = typeof expected === 'object' && expected !== null
  const wanted = isTime ? `a time from ${new Date(expected.from).toISOString()} on` : JSON.stringify(expected)
  assert.ok(isValue(found, expected), `${place} is ${JSON.stringify(found)} instead of ${wanted}`)
}
