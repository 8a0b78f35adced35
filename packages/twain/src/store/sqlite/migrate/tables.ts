// Creates the tables of a schema: the system tables, and those of its resources and links.
//
// Columns have no NOT NULL: required fields are checked before every write, so a field that becomes optional needs no new
// table. Foreign keys are the last guard behind the writer, which checks every reference itself. They are deferred, so that
// deletes may run in any order.

import type { DatabaseSync } from 'node:sqlite'
import { textKey } from '#base'
import type { Model, ReferenceField, Resource, StoredField } from '#model'
import { valueForExistingRows } from '../../sql/encode.ts'
import { attemptTable } from '../../system/accounts/attempt-store.ts'
import { codeTables } from '../../system/accounts/code-tables.ts'
import {
  actingColumns,
  actorIndex,
  credentialTables,
  formerTokenIndex,
} from '../../system/accounts/credential-tables.ts'
import { dataMigrationTables } from '../../system/data-migrations.ts'
import { epochTable } from '../../system/epoch-table.ts'
import { imageTable } from '../../system/files/image-records.ts'
import { handlerPositionTable } from '../../system/handler-positions.ts'
import { idempotencyTable } from '../../system/idempotency-table.ts'
import { importPositionTable } from '../../system/import-positions.ts'
import { jobTables } from '../../system/jobs/job-table.ts'
import { historyTables } from '../../system/kept-history.ts'
import { nodeTable } from '../../system/node-store.ts'
import { servedLimitTable } from '../../system/served-limits.ts'
import { trashTable } from '../../system/trash-table.ts'
import { usageTables } from '../../system/usage/usage-tables.ts'
import { moveDeliveries, webhookTables } from '../../system/webhooks/webhook-tables.ts'
import { type Layout, type Table, tableOf } from '../../tables/layout.ts'
import type { TableColumn } from '../../tables/storage-names.ts'
import { isOfEarlierBuild, namesCreatedIn, objectTable, recordObjects } from '../../tables/system-objects.ts'
import { storageClass } from '../scalar-columns.ts'
import { createIndexes } from './indexes.ts'
import { executeSteps, type MigrationSteps } from './migration-steps.ts'
import { createSearchTables } from './search-tables.ts'
import { addColumn, type ColumnDefinition, createLinkTable, createRowTable } from './table-statements.ts'
import { fillKeys } from './text-keys.ts'
import { setTimesOfOlderSchemas } from './time-columns.ts'

const sqliteCredentialTables: string = credentialTables({ text: 'TEXT', kind: ' STRICT, WITHOUT ROWID' })

const sqliteJobTables: string = jobTables({
  text: 'TEXT',
  whole: 'INTEGER',
  kind: ' STRICT',
  rowNumber: '_n INTEGER PRIMARY KEY',
})

/** Creates the tables that commands use beside a server, if an earlier Twain did not. */
export function createCommandTables(database: DatabaseSync): void {
  const tables = `${sqliteCredentialTables};${sqliteJobTables}`
  database.exec(tables)
  const isRecorded = existingColumns(database, 'twain_object').size > 0
  if (isRecorded) database.exec(recordObjects(namesCreatedIn(tables)))
}

export const systemTables = `
CREATE TABLE IF NOT EXISTS twain_schema (
  n INTEGER PRIMARY KEY,
  sdl TEXT NOT NULL,
  names TEXT NOT NULL,
  since TEXT NOT NULL
) STRICT;
${objectTable({ text: 'TEXT', kind: ' STRICT, WITHOUT ROWID' })};
CREATE TABLE IF NOT EXISTS twain_change (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  resource TEXT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  version INTEGER NOT NULL,
  time TEXT NOT NULL,
  after TEXT,
  before TEXT,
  by TEXT, -- who made the change, such as account:1
  via TEXT, -- the name of the client
  trace TEXT -- the traceparent of the request
) STRICT;
CREATE INDEX IF NOT EXISTS twain_change_deleted ON twain_change (resource, id) WHERE kind = 'deleted';
CREATE INDEX IF NOT EXISTS twain_change_row ON twain_change (resource, id, version); -- the history of a row
CREATE TABLE IF NOT EXISTS twain_log ( -- which log this is: one row
  one INTEGER PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL,
  clock TEXT -- JSON (clock/sqlite-clock.ts)
) STRICT;
CREATE TABLE IF NOT EXISTS twain_log_mark ( -- how far the log went at some times, to delete old entries
  seq INTEGER PRIMARY KEY,
  time INTEGER NOT NULL -- of the clock in twain_log
) STRICT;
CREATE INDEX IF NOT EXISTS twain_log_mark_time ON twain_log_mark (time);
INSERT INTO twain_log (one, id) VALUES (1, lower(hex(randomblob(16)))) ON CONFLICT DO NOTHING;
${epochTable({ text: 'TEXT', whole: 'INTEGER', kind: ' STRICT', id: 'lower(hex(randomblob(4)))' })};
CREATE TABLE IF NOT EXISTS twain_tombstone (
  resource TEXT NOT NULL,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (resource, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS twain_file (
  _n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  _version INTEGER NOT NULL DEFAULT 1,
  name TEXT NOT NULL,
  media_type TEXT NOT NULL,
  size INTEGER NOT NULL,
  bytes TEXT NOT NULL, -- the key of the bytes in their storage
  fresh INTEGER NOT NULL DEFAULT 1, -- no row has used it yet
  uploader TEXT, -- the id of the account's row
  created TEXT NOT NULL,
  unreferenced TEXT -- when the cleanup first found that no row refers to it
) STRICT;
CREATE INDEX IF NOT EXISTS twain_file_bytes ON twain_file (bytes);
CREATE INDEX IF NOT EXISTS twain_file_uploader ON twain_file (uploader);
${webhookTables({ text: 'TEXT', whole: 'INTEGER', kind: ' STRICT' })};
${sqliteJobTables};
${handlerPositionTable({ text: 'TEXT', whole: 'INTEGER', kind: ' STRICT' })};
${imageTable({ text: 'TEXT', whole: 'INTEGER', kind: ' STRICT' })};
${trashTable({ text: 'TEXT', whole: 'INTEGER', kind: ' STRICT' })};
${historyTables({ text: 'TEXT', whole: 'INTEGER', kind: ' STRICT' })};
${importPositionTable({ text: 'TEXT', whole: 'INTEGER', kind: ' STRICT' })};
${servedLimitTable({ text: 'TEXT', whole: 'INTEGER', kind: ' STRICT' })};
${nodeTable({ text: 'TEXT', whole: 'INTEGER', kind: ' STRICT' })};
${dataMigrationTables({ text: 'TEXT', whole: 'INTEGER', kind: ' STRICT' })};
${sqliteCredentialTables};
${codeTables({ text: 'TEXT', whole: 'INTEGER', kind: ' STRICT, WITHOUT ROWID' })};
${attemptTable({ text: 'TEXT', whole: 'INTEGER', kind: ' STRICT, WITHOUT ROWID' })};
${idempotencyTable({ text: 'TEXT', kind: ' STRICT, WITHOUT ROWID' })};
${usageTables({ text: 'TEXT', whole: 'INTEGER', kind: ' STRICT, WITHOUT ROWID' })}`

/** Columns of system tables that databases of earlier builds lack. */
const addedColumns = [
  { table: 'twain_file', column: 'unreferenced', definition: 'TEXT' },
  { table: 'twain_handler_position', column: 'epoch', definition: 'TEXT' },
  { table: 'twain_change', column: 'by', definition: 'TEXT' },
  { table: 'twain_change', column: 'via', definition: 'TEXT' },
  { table: 'twain_change', column: 'trace', definition: 'TEXT' },
  { table: 'twain_log', column: 'clock', definition: 'TEXT' },
  { table: 'twain_job', column: 'delay', definition: 'INTEGER' },
  { table: 'twain_token', column: 'client', definition: 'TEXT' },
  { table: 'twain_token', column: 'how', definition: 'TEXT' },
  { table: 'twain_token', column: 'address', definition: 'TEXT' },
  { table: 'twain_token', column: 'seen', definition: 'TEXT' },
  ...actingColumns('TEXT'),
  { table: 'twain_key', column: 'seen', definition: 'TEXT' },
  { table: 'twain_usage', column: 'apis', definition: 'INTEGER NOT NULL DEFAULT 0' },
  { table: 'twain_invitation', column: 'shown', definition: 'TEXT' },
  { table: 'twain_identity', column: 'id', definition: 'TEXT' },
  { table: 'twain_identity', column: 'provider', definition: 'TEXT' },
]

/** Identities of earlier builds have no ids. */
const identityIds =
  'CREATE UNIQUE INDEX IF NOT EXISTS twain_identity_id ON twain_identity (id); ' +
  'UPDATE twain_identity SET id = lower(hex(randomblob(16))) WHERE id IS NULL'

/** The tables and indexes that Twain makes beside those of types. */
export const systemObjects: ReadonlySet<string> = new Set(
  namesCreatedIn(`${systemTables};${actorIndex};${identityIds}`),
)

/** Creates the system tables, or what they lack, and records them. */
export function createSystemTables(database: DatabaseSync): void {
  const tables = ['twain_schema', 'twain_object'].map((table) => [table, existingColumns(database, table)] as const)
  const isEarlier = isOfEarlierBuild(new Map(tables))
  database.exec(systemTables)
  database.exec(recordObjects(systemObjects))
  for (const { table, column, definition } of addedColumns) {
    if (!existingColumns(database, table).has(column))
      database.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${definition}`)
  }
  allowTokensOfRoles(database)
  database.exec(identityIds)
  database.exec(actorIndex)
  if (!isEarlier) return
  database.exec(`DROP INDEX IF EXISTS ${formerTokenIndex}`)
  if (existingColumns(database, 'twain_delivery').size > 0) database.exec(`BEGIN; ${moveDeliveries}; COMMIT`)
}

/** In databases of earlier builds every session had an account. SQLite drops a NOT NULL by a new table only. */
function allowTokensOfRoles(database: DatabaseSync): void {
  const sql = `SELECT "notnull" AS required FROM pragma_table_info('twain_token') WHERE name = 'account'`
  if ((database.prepare(sql).get() as { required: number }).required === 0) return
  const columns = [...existingColumns(database, 'twain_token')].join(', ')
  database.exec(`BEGIN;
DROP INDEX IF EXISTS twain_token_of_account;
DROP INDEX IF EXISTS twain_token_created;
DROP INDEX IF EXISTS twain_token_expires;
ALTER TABLE twain_token RENAME TO twain_token_before;
${sqliteCredentialTables};
INSERT INTO twain_token (${columns}) SELECT ${columns} FROM twain_token_before;
DROP TABLE twain_token_before;
COMMIT`)
}

/** Creates what is missing: tables, columns (filled with their default), indexes, search words. It drops indexes that the
 *  schema no longer needs, but never tables or columns. */
export function createTables(
  database: DatabaseSync,
  model: Model,
  layout: Layout,
  steps: MigrationSteps = executeSteps(database),
): void {
  createRowTables(database, model, layout, steps)
  fillKeys(layout.unkeyed, steps)
  createIndexes(database, model, layout, steps)
  createSearchTables(database, layout, steps)
}

function createRowTables(database: DatabaseSync, model: Model, layout: Layout, steps: MigrationSteps): void {
  for (const resource of model.resources) createTable(database, resource, layout, steps)
  for (const [link, { name: table, left, right, rightType }] of layout.links) {
    if (existingColumns(database, table).size > 0) continue
    const far = link.left.to.kind === 'resource' ? tableOf(layout, link.left.to).name : null
    const ids = [
      { name: left, references: tableOf(layout, link.left.owner).name },
      { name: right, references: far },
    ]
    steps.run(createLinkTable(table, rightType === null ? ids : [...ids, { name: rightType, references: null }]))
  }
}

/** Empty: the table does not exist. */
function existingColumns(database: DatabaseSync, table: string): Set<string> {
  const present = database.prepare('SELECT name FROM pragma_table_info(?)').all(table) as { name: string }[]
  return new Set(present.map((column) => column.name))
}

function createTable(database: DatabaseSync, resource: Resource, layout: Layout, steps: MigrationSteps): void {
  const table = tableOf(layout, resource)
  const there = existingColumns(database, table.name)
  if (there.size === 0) {
    const columns = [...table.columns].flatMap(([field, column]) => [
      ...columnsOf(field, column, layout),
      ...keyColumnOf(field, table, layout),
    ])
    steps.run(createRowTable(table.name, columns))
    return
  }
  for (const [field, column] of table.columns) {
    for (const key of keyColumnOf(field, table, layout)) if (!there.has(key.name)) steps.run(addColumn(table.name, key))
    if (there.has(column.name)) continue
    const added = columnsOf(field, column, layout)
    for (const one of added) steps.run(addColumn(table.name, one))
    if (field.kind !== 'stored') continue
    const { fallback } = added[0]!
    for (const statement of setTimesOfOlderSchemas(table.name, column.name, field.auto, fallback)) steps.run(statement)
  }
}

/** The column of a field, and the column of the row's type if it may be of several. */
function columnsOf(field: StoredField | ReferenceField, column: TableColumn, layout: Layout): ColumnDefinition[] {
  const target = field.kind === 'reference' && field.to.kind === 'resource' ? field.to : null
  const own: ColumnDefinition = {
    name: column.name,
    type: columnType(field),
    fallback: field.kind === 'stored' ? valueForExistingRows(field, layout) : null,
    references: target === null ? null : tableOf(layout, target).name,
  }
  if (column.type === null) return [own]
  return [own, { name: column.type, type: 'TEXT', fallback: null, references: null }]
}

/** The column of the keys of a text. Existing rows have the default of a new text: its key is the default of the key. */
function keyColumnOf(field: StoredField | ReferenceField, { keys }: Table, layout: Layout): ColumnDefinition[] {
  const name = field.kind === 'stored' ? keys?.get(field) : undefined
  if (name === undefined) return []
  const text = valueForExistingRows(field as StoredField, layout)
  return [{ name, type: 'TEXT', fallback: typeof text === 'string' ? textKey(text) : null, references: null }]
}

function columnType(field: StoredField | ReferenceField): ColumnDefinition['type'] {
  return field.kind === 'reference' ? 'TEXT' : storageClass(field.type)
}
