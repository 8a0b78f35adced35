// The rows of the types of the server itself, as reads see them: a sub-select on a system table that has the columns of a type.
// Both databases merge it into the statement around it, so that the indexes of the table serve. Writes do not use it.

import type { Model, Resource } from '#model'
import { cursorMarker } from '#plan'
import type { Layout, Table } from '../tables/layout.ts'
import { quoteName } from '../tables/quote.ts'
import { deliveryStates } from './webhooks/webhook-delivery.ts'

/** What the two databases spell differently. */
export interface SystemRowSql {
  /** A column of JSON text, as a value of the type JSON. */
  json(column: string): string
  /** A JSON list of objects whose member `at` is milliseconds since 1970, with times as texts. */
  timedList(column: string, members: readonly string[]): string
  /** The time of the database, as system tables store times. */
  now: string
}

interface SystemRows {
  /** The system table. */
  table: string
  /** The SQL of the version of a row. */
  version: string
  /** Whether the table has the column `_n`. */
  isNumbered: boolean
  /** Which of its rows are rows of the type. */
  where: string | ((sql: SystemRowSql) => string)
  /** The SQL of each field but the id, by its name. */
  fields(sql: SystemRowSql): Record<string, string>
}

/** The condition is a literal, so that a partial index with the same one serves. */
const jobs: SystemRows = {
  table: 'twain_job',
  version: '_version',
  isNumbered: true,
  where: `kind = 'code'`,
  fields: ({ json, timedList }) => ({
    name: 'name',
    key: 'key',
    state: 'upper(state)',
    payload: json('payload'),
    by: 'by',
    createdAt: 'created',
    dueAt: 'due',
    startedAt: 'started',
    finishedAt: 'finished',
    tries: 'tries',
    attempts: timedList('attempts', ['took', 'error']),
  }),
}

/** A key never changes until it ends, but for the time of its last use. Its table has only a hash of it. */
const keys: SystemRows = {
  table: 'twain_key',
  version: '1',
  isNumbered: false,
  where: 'ended IS NULL',
  fields: ({ json }) => ({ name: 'name', roles: json('roles'), key: 'NULL', createdAt: 'created', lastUsedAt: 'seen' }),
}

/** Its secrets are signed, not stored. A renewal makes another generation. */
const tokens: SystemRows = {
  table: 'twain_token',
  version: 'generation',
  isNumbered: false,
  where: ({ now }) => `ended IS NULL AND expires > ${now}`,
  fields: () => ({
    account: 'account',
    how: 'how',
    client: 'client',
    address: 'address',
    current: 'FALSE', // the statement compares the id (`selection.ts`)
    createdAt: 'created',
    lastUsedAt: 'CASE WHEN seen > used THEN seen ELSE used END',
    expiresAt: 'expires',
    actor: 'actor',
    by: 'by',
    role: 'role',
    readOnly: 'coalesce(read_only, 0) = 1',
    reason: 'reason',
  }),
}

/** Nothing that its owner sees of it changes, but the time of its last use. */
const identities: SystemRows = {
  table: 'twain_identity',
  version: '1',
  isNumbered: false,
  where: 'id IS NOT NULL',
  fields: () => ({
    account: 'account',
    provider: 'provider',
    issuer: 'issuer',
    subject: 'subject',
    createdAt: 'created',
    lastUsedAt: 'used',
  }),
}

/** The secret is shown once, by the write that set it. */
const webhooks: SystemRows = {
  table: 'twain_webhook',
  version: 'version',
  isNumbered: false,
  where: 'TRUE',
  fields: ({ json }) => ({
    url: 'url',
    events: json('events'),
    where: json('filter'),
    secret: 'NULL',
    active: 'active = 1',
    paused: 'paused',
    createdAt: 'created',
    updatedAt: 'changed',
  }),
}

/** The payload has the position of the change and its type. */
const deliveries: SystemRows = {
  table: 'twain_job',
  version: '_version',
  isNumbered: true,
  where: `kind = 'delivery'`,
  fields: ({ json, timedList }) => ({
    webhook: 'name',
    type: `${json('payload')} ->> 'type'`,
    event: `'${cursorMarker.text}' || (${json('payload')} ->> 'position')`,
    state: `CASE state ${deliveryStates.map(([stored, shown]) => `WHEN '${stored}' THEN '${shown}'`).join(' ')} END`,
    createdAt: 'created',
    finishedAt: 'finished',
    nextAt: 'CASE WHEN finished IS NULL THEN due END',
    attempts: timedList('attempts', ['took', 'status', 'answer', 'error']),
  }),
}

const rowsOf: Readonly<Record<string, SystemRows>> = {
  BackgroundJob: jobs,
  ApiKey: keys,
  Token: tokens,
  Identity: identities,
  Webhook: webhooks,
  WebhookDelivery: deliveries,
}

/** The layout with the types of the server itself. Migrations never see these: their tables are the same for every schema. */
export function withSystemTypes(layout: Layout, { system }: Model, sql: SystemRowSql): Layout {
  const tables = new Map(layout.tables)
  for (const resource of system.resources) tables.set(resource, tableFor(resource, rowsOf[resource.name]!, sql))
  return { ...layout, tables }
}

function tableFor({ name: type, fields, system }: Resource, rows: SystemRows, sql: SystemRowSql): Table {
  const { table, version, isNumbered } = rows
  const isTimed = typeof rows.where !== 'string'
  const where = typeof rows.where === 'string' ? rows.where : rows.where(sql)
  const columns: Table['columns'] = new Map()
  const expressions = rows.fields(sql)
  for (const field of fields.values()) {
    if (field.kind !== 'stored' && field.kind !== 'reference') continue
    if (field.name !== 'id') columns.set(field, { name: field.name, type: null })
  }
  const selected = [...columns.keys()].map(({ name }) => `${expressions[name]!} AS ${quoteName(name)}`)
  if (system?.rowNumber !== undefined) {
    columns.set(system.rowNumber, { name: system.rowNumber.name, type: null })
    selected.push(system.rowNumber.name)
  }
  const source = `(SELECT id, ${version} AS _version, ${selected.join(', ')} FROM ${table} WHERE ${where})`
  return { name: table, type, columns, source, ...(isNumbered ? {} : { isNumbered }), ...(isTimed ? { isTimed } : {}) }
}
