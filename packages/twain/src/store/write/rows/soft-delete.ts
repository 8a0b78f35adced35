// Deletes that can be taken back (docs/internals/decisions/0069-soft-delete.md). The row and those that CASCADE takes along stay in
// their tables with negative versions, as a delete in the background leaves its row (`hide-row.ts`): to every read and write they
// are gone. Optional references to them are cleared, as in every delete, and remembered. So no visible row refers to a hidden one.

import { uuidv7 } from '#base'
import type { Resource } from '#model'
import type { Query, QueryRows } from '../../sql/query.ts'
import { toText } from '../../system/system-tables.ts'
import { insertTrash, type KeptParts } from '../../system/trash-table.ts'
import { storageTypeOf } from '../../tables/layout.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { WriteState } from '../rules/write-state.ts'
import { inChunks, queryRows, runBatch, type Step } from '../steps/query-step.ts'
import { removeLogin } from './accounts/logins.ts'
import { type Cascade, type FoundRow, keyOf, type Referrer } from './find-cascade.ts'

/** Hides what was found. Returns the queries that are still to run. */
export function* hideFound(
  resource: Resource,
  { deleted }: Cascade,
  cleared: readonly Referrer[],
  state: WriteState,
): Step<Query[]> {
  const { context } = state
  const rows = [...deleted.values()]
  const deletion = uuidv7()
  const expires = toText(context.clock.latest() + resource.softDelete!.keepSeconds * 1000)
  const references = clearedColumns(cleared, deleted, context)
  let save: Query[] = []
  for (const some of inChunks(rows)) {
    const [, kept] = [yield* runBatch(queryRows(save)), yield* keptLogins(some, context)]
    save = some.flatMap(({ resource: type, row }, index) => {
      const isRoot = row === rows[0]!.row
      const parts: KeptParts = { ...kept[index], ...(isRoot && references.length > 0 && { cleared: references }) }
      const entry = { type: storageTypeOf(context.layout, type), id: row.id, deletion, isRoot, expires }
      const hasParts = Object.keys(parts).length > 0
      return [
        ...hide({ resource: type, row }, state),
        insertTrash({ ...entry, kept: hasParts ? parts : null }, context.query),
      ]
    })
  }
  return save
}

function hide({ resource, row: { id, version } }: FoundRow, state: WriteState): Query[] {
  const { context, time, viewer } = state
  const { by, via, trace } = viewer
  const next = context.nextVersion(version)
  const entry = { kind: 'deleted', version: next, time, by, via, trace, before: null, links: null } as const
  return [
    ...removeLogin(resource, id, state),
    ...context.table(resource).hide(id, entry),
    context.markDeleted(resource, id, next),
  ]
}

/** What the cleared references were. A reference to a row that went along comes back with it. */
function clearedColumns(
  cleared: readonly Referrer[],
  deleted: Cascade['deleted'],
  context: WriterContext,
): NonNullable<KeptParts['cleared']> {
  const byRow = new Map<string, NonNullable<KeptParts['cleared']>[number]>()
  for (const { field, id, target } of cleared) {
    if (target === undefined || !deleted.has(keyOf(target.resource, target.id))) continue
    const { name, type } = context.table(field.owner).columns.get(field)!
    const key = keyOf(field.owner, id)
    const row = byRow.get(key) ?? { type: storageTypeOf(context.layout, field.owner), id, columns: {} }
    byRow.set(key, row)
    row.columns[name] = target.id
    if (type !== null) row.columns[type] = storageTypeOf(context.layout, target.resource)
  }
  return [...byRow.values()]
}

/** The logins of the accounts among the rows, which are free while the accounts are hidden. */
function* keptLogins(rows: readonly FoundRow[], context: WriterContext): Step<KeptParts[]> {
  const queries = rows.map(({ resource, row }) =>
    resource === context.account?.resource
      ? [
          context.query('SELECT hash, changed FROM twain_login WHERE account = ?1', row.id),
          context.query(
            'SELECT issuer, subject, address, created, used, provider FROM twain_identity WHERE account = ?1 ORDER BY issuer, subject',
            row.id,
          ),
        ]
      : [],
  )
  const found = yield* runBatch(queryRows(queries.flat()))
  let at = 0
  return queries.map((own) => (own.length === 0 ? {} : loginParts(found[at++]!, found[at++]!)))
}

function loginParts([login]: QueryRows, identities: QueryRows): KeptParts {
  const text = (value: unknown): string | null => (value === null ? null : String(value))
  return {
    ...(login && { login: { hash: text(login[0]), changed: String(login[1]) } }),
    ...(identities.length > 0 && {
      identities: identities.map(([issuer, subject, address, created, used, provider]) => ({
        issuer: String(issuer),
        subject: String(subject),
        address: text(address ?? null),
        created: String(created),
        used: String(used),
        provider: text(provider ?? null),
      })),
    }),
  }
}
