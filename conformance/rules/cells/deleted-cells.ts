// Cells of deleted rows (R68), on schemas in which each type but that of the accounts has @softDelete: who sees, restores and purges them.
//
// The reference: a viewer sees a deleted row, and a field of it, if the rules grant READ and DELETE of it both as things are and as they
// were before rows were hidden.

import type { Viewer } from '../../../packages/twain/src/base/http/index.ts'
import type { Field, Resource } from '../../../packages/twain/src/model/index.ts'
import { restoreName } from '../../../packages/twain/src/model/names/index.ts'
import type { ApiClient } from '../../harness/open-apis.ts'
import { ReferenceRules } from '../reference-rules.ts'
import { removeRow } from '../reference-writes.ts'
import { type PlacedRow, type Row, RowsInMemory } from '../rows-in-memory.ts'
import type { RuleSchema } from '../rule-schemas.ts'
import { graphqlRow, graphqlSelection, inOrder, readable, restRow } from '../visible-rows.ts'
import { askGraphql, askRest, type Cell } from './cell.ts'
import { statusOf } from './write-cells.ts'

/** The schemas with deletes that can be taken back. Views have no rows to delete. */
export function softSchemas(schemas: readonly RuleSchema[]): RuleSchema[] {
  return schemas.filter(({ sdl }) => !sdl.includes('@view')).map(softSchema)
}

function softSchema({ name, sdl, rows }: RuleSchema): RuleSchema {
  const account = /type (\w+) @account/.exec(sdl)?.[1]
  const soft = sdl.replaceAll(/\btype (\w+)( implements \w+)?/g, (head, type: string) =>
    type === account ? head : `${head} @softDelete`,
  )
  return { name: softName(name), sdl: soft, rows }
}

export function softName(name: string): string {
  return `${name}, with @softDelete`
}

/** The rows after a delete, and those that it has hidden. */
export interface Deletion {
  root: PlacedRow
  hidden: PlacedRow[]
  /** Without the hidden rows. */
  live: RowsInMemory
  /** With them. References that the delete has cleared stay so. */
  whole: RowsInMemory
}

/** Null: another row requires the row. */
export function deletionOf(world: RowsInMemory, root: PlacedRow): Deletion | null {
  const after = world.copy()
  if (!removeRow(after, root.of, root.row.id)) return null
  const all = world.model.resources.flatMap((of) => world.spots(of))
  const hidden = all.filter(({ of, row }) => after.find(of, row.id) === undefined)
  const isHidden = (row: Row) => hidden.some((spot) => spot.row.id === row.id)
  const whole = new RowsInMemory(
    world.model,
    all.map((spot): [string, Row] => {
      const { of, row } = isHidden(spot.row) ? spot : after.find(spot.of, spot.row.id)!
      return [of.name, { ...row, ...linksOf(spot) }]
    }),
  )
  return { root, hidden, live: new LiveRows(after), whole }
}

function linksOf({ of, row }: PlacedRow): Row {
  const links = [...of.fields.values()].filter(({ kind }) => kind === 'links')
  return { id: row.id, ...Object.fromEntries(links.map(({ name }) => [name, row[name]])) }
}

/** A hidden row is not among the rows; its links to rows that are there count. */
class LiveRows extends RowsInMemory {
  constructor(after: RowsInMemory) {
    const all = after.model.resources.flatMap((of) => after.spots(of))
    super(
      after.model,
      all.map(({ of, row }) => [of.name, row]),
    )
  }

  override follow(field: Field, row: Row): PlacedRow[] {
    if (field.kind !== 'links' || this.find(field.owner, row.id) !== undefined) return super.follow(field, row)
    return (row[field.name] as string[]).flatMap((id) => this.find(field.to, id) ?? [])
  }
}

/** The rules as they are and as they were: both must grant it. */
class RulesOfDeleted extends ReferenceRules {
  readonly #before: ReferenceRules
  readonly #hidden: ReadonlySet<Row>

  constructor({ live, whole, hidden }: Deletion, viewer: Viewer) {
    super(live, viewer)
    this.#before = new ReferenceRules(whole, viewer)
    this.#hidden = new Set(hidden.map(({ row }) => row))
  }

  sees(spot: PlacedRow): boolean {
    return this.may('DELETE', spot) && this.#before.may('DELETE', spot)
  }

  /** The server does not look for a row at the end of a path if its viewer may read and change all of them: it shows an admin more. */
  isOpen(spot: PlacedRow): boolean {
    return this.viewer.roles.includes('admin') && !this.sees(spot) && this.#before.may('DELETE', spot)
  }

  override shows(field: Field, spot: PlacedRow): boolean {
    return super.shows(field, spot) && (!this.#hidden.has(spot.row) || this.#before.shows(field, spot))
  }
}

export function deletedCells(deletion: Deletion, viewer: Viewer): Cell[] {
  const rules = new RulesOfDeleted(deletion, viewer)
  const types = new Set(deletion.hidden.map(({ of }) => of).filter(({ softDelete }) => softDelete !== undefined))
  return [...types].flatMap((of) => {
    if (deletion.hidden.some((spot) => spot.of === of && rules.isOpen(spot))) return []
    const seen = deletion.hidden.filter((spot) => spot.of === of && rules.sees(spot))
    const all = [...readable(rules, deletion.live.spots(of)), ...seen]
    return [listCells(rules, of, 'only', seen), listCells(rules, of, 'with', all)].flat()
  })
}

function listCells(rules: RulesOfDeleted, of: Resource, deleted: 'only' | 'with', spots: PlacedRow[]): Cell[] {
  const rows = inOrder(rules, spots, [])
  const path = `/${of.path}?deleted=${deleted}`
  const which = deleted.toUpperCase()
  const query = `{ all: ${of.list}(deleted: ${which}) { ${graphqlSelection(of)} }
    some: ${of.list}Connection(deleted: ${which}, first: 1) { totalCount edges { node { id } } } }`
  const errors: string[] = []
  const all = rows.map((spot, at) => graphqlRow(rules, spot, `all.${at}`, errors))
  const edges = rows.slice(0, 1).map(({ row }) => ({ node: { id: row.id } }))
  return [
    {
      name: `GET ${path}`,
      ask: (client) => askRest(client, path),
      expected: rows.map((spot) => restRow(rules, spot)),
    },
    {
      name: query,
      ask: (client) => askGraphql(client, query),
      expected: { data: { all, some: { totalCount: rows.length, edges } }, errors: errors.toSorted() },
    },
  ]
}

/** A write of a deleted row. */
export interface DeletedAttempt {
  name: string
  spot: PlacedRow
  action: 'restore' | 'purge'
  status: number
}

export function deletedAttempts(deletion: Deletion, viewer: Viewer): DeletedAttempt[] {
  const rules = new RulesOfDeleted(deletion, viewer)
  return deletion.hidden
    .filter((spot) => spot.of.softDelete !== undefined && !rules.isOpen(spot))
    .flatMap((spot) =>
      (['restore', 'purge'] as const).map((action) => ({
        name: `${action} ${spot.of.name} ${spot.row.id}`,
        spot,
        action,
        status: expectedStatus(rules, deletion, spot, action),
      })),
    )
}

function expectedStatus(
  rules: RulesOfDeleted,
  { root }: Deletion,
  spot: PlacedRow,
  action: 'restore' | 'purge',
): number {
  if (!rules.viewer.authenticated && !rules.could('DELETE', spot.of)) return 401
  if (!rules.sees(spot)) return 404
  if (action === 'purge') return 204
  // A row that went along comes back with the row that it belongs to.
  return spot.row === root.row ? 200 : 409
}

export async function sendDeleted(
  client: ApiClient,
  { action, spot: { of, row } }: DeletedAttempt,
  api: 'rest' | 'graphql',
): Promise<number> {
  const { id } = row
  if (api === 'rest') {
    const [method, path] =
      action === 'purge' ? ['DELETE', `/${of.path}/${id}?purge=true`] : ['POST', `/${of.path}/${id}/restorations`]
    return (await client.rest(method, path)).status
  }
  const field =
    action === 'purge' ? `delete${of.name}(id: $id, purge: true) { success }` : `${restoreName(of)}(id: $id) { id }`
  const { data, errors } = await client.graphql(`mutation ($id: ID!) { done: ${field} }`, { id })
  const done = (data?.done ?? null) as { success?: boolean } | null
  if (done === null) return statusOf(errors[0])
  if (action === 'restore') return 200
  return done.success === true ? 204 : 404
}
