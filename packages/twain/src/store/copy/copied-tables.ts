// Every table that a copy takes, with its columns, which have the same names on both databases. A test compares this list
// with the tables that a start creates, so that nobody forgets a new one.
//
// Each database stores the id of the change log and its last position (`twain_log`) in its own way, so the copy passes them
// separately. The copy leaves out the table of a migration in progress (`twain_migration`). The bytes of files are no rows
// (`copy-files.ts`).

import { isFile } from '#model'
import { handlerPositionColumns } from '../system/handler-positions.ts'
import { deliveryColumns, webhookColumns } from '../system/webhook-tables.ts'
import type { Layout } from '../tables/layout.ts'

export interface CopiedTable {
  name: string
  columns: string[]
  /** The column that the rows are ordered by, and that the database may generate. */
  order: string
}

export const copiedSystemTables: readonly CopiedTable[] = [
  { name: 'twain_schema', columns: ['n', 'sdl', 'names', 'since'], order: 'n' },
  {
    name: 'twain_change',
    columns: ['seq', 'resource', 'id', 'kind', 'version', 'time', 'after', 'before'],
    order: 'seq',
  },
  { name: 'twain_tombstone', columns: ['resource', 'id', 'version'], order: 'id' },
  {
    name: 'twain_file',
    columns: [
      ...['_n', 'id', '_version', 'name', 'media_type', 'size', 'bytes', 'fresh', 'uploader', 'created'],
      'unreferenced',
    ],
    order: '_n',
  },
  { name: 'twain_login', columns: ['account', 'login', 'hash', 'changed'], order: 'account' },
  {
    name: 'twain_identity',
    columns: ['issuer', 'subject', 'account', 'address', 'created', 'used'],
    order: 'subject',
  },
  {
    name: 'twain_token',
    columns: ['id', 'account', 'generation', 'created', 'used', 'expires', 'ended'],
    order: 'id',
  },
  { name: 'twain_key', columns: ['id', 'hash', 'name', 'roles', 'created', 'ended'], order: 'id' },
  { name: 'twain_ticket', columns: ['hash', 'identity', 'proof', 'expires'], order: 'hash' },
  { name: 'twain_idempotency_key', columns: ['id', 'fingerprint', 'result', 'time'], order: 'id' },
  { name: 'twain_secret', columns: ['name', 'value', 'created'], order: 'name' },
  { name: 'twain_webhook', columns: [...webhookColumns], order: 'id' },
  { name: 'twain_usage', columns: ['day', 'path', 'client', 'requested', 'returned'], order: 'day' },
  { name: 'twain_deprecated', columns: ['path', 'since'], order: 'path' },
  { name: 'twain_delivery', columns: [...deliveryColumns], order: 'id' },
  { name: 'twain_handler_position', columns: [...handlerPositionColumns], order: 'name' },
]

/** The copy leaves out retired columns. */
export function copiedTables(layout: Layout): CopiedTable[] {
  const resources = [...layout.tables].filter(([resource]) => !isFile(resource))
  const rows = resources.map(([, { name, columns }]) => {
    const own = [...columns.values()].flatMap((column) =>
      column.type === null ? [column.name] : [column.name, column.type],
    )
    return { name, columns: ['_n', 'id', '_version', ...own], order: '_n' }
  })
  const links = [...layout.links.values()].map(({ name, left, right, rightType }) => {
    const far = rightType === null ? [right] : [right, rightType]
    return { name, columns: ['_n', left, ...far], order: '_n' }
  })
  return [...copiedSystemTables, ...rows, ...links]
}
