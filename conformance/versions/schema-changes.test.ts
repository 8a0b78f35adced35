// Every kind of schema change, with an existing row of each type, on each store. An additive change starts, keeps the row, and the
// previous schema can be served again. A breaking change is refused and changes nothing; where it is allowed, it starts with what both
// schemas have, unless the rows violate the new schema.
// stores: sqlite + postgres
// all samples: sqlite + postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { applyRenames, compareModels, findRenames } from '../../packages/twain/src/model/compare/index.ts'
import { schemaChanges } from '../../packages/twain/src/model/compare/schema-changes.fixture.ts'
import { loadModel, type Model, type StoredField, type StoredType } from '../../packages/twain/src/model/index.ts'
import { printType } from '../../packages/twain/src/model/names/index.ts'
import { migrate as migratePostgres } from '../../packages/twain/src/store/postgres/migrate/migrate.ts'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { openWriteConnection } from '../../packages/twain/src/store/sqlite/connect/connect.ts'
import { migrate as migrateSqlite } from '../../packages/twain/src/store/sqlite/migrate/migrate.ts'
import type { Layout } from '../../packages/twain/src/store/tables/layout.ts'
import { quoteName, quoteText } from '../../packages/twain/src/store/tables/quote.ts'
import { samples } from '../generate/samples.ts'
import { freezeModel } from '../harness/freeze-model.ts'

interface SchemaText {
  sdl: string
  model: Model
}

interface Place {
  start(schema: SchemaText, allowBreaking?: boolean): Promise<Layout>
  query(sql: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

const places: Record<string, () => Promise<Place>> = { sqlite: openFolder, postgres: openDatabase }

/** `npm test` tries every second change on each store. */
const changesFor = (store: string) =>
  schemaChanges.filter((_, index) => samples(index % 2 === (store === 'postgres' ? 0 : 1), true))

for (const [store, open] of Object.entries(places)) {
  describe(`each kind of change (${store})`, () => {
    for (const [title, before, after] of changesFor(store)) {
      test(title, async (t) => {
        const place = await open()
        t.after(() => place.close())
        const [previous, next] = [before, after].map((sdl) => ({
          sdl,
          model: freezeModel(loadModel(sdl, 'test.graphql')),
        }))
        const [was, is] = [previous!.model, next!.model]
        const differences = compareModels(was, is)
        const layout = await place.start(previous!)
        await fill(place, was, layout)
        // A renamed field is looked up by its new name.
        const named = applyRenames(was, findRenames(was, is))
        const rows = await valuesOf(place, was, layout)
        const expected = await valuesOf(place, was, layout, named)
        if (differences.some(({ kind }) => kind === 'breaking')) {
          await assert.rejects(place.start(next!), { name: 'StartRefused', message: /Nothing was changed/ })
          assert.deepEqual(await valuesOf(place, was, await place.start(previous!)), rows)
          const mayViolate = differences.some(({ rows }) => rows !== 'stay' && rows !== 'dropped')
          const allowed = await place.start(next!, true).catch((error: Error) => error)
          if (allowed instanceof Error) {
            assert.match(allowed.message, /do not fit this schema/)
            assert.ok(mayViolate, allowed.message)
          } else assertKept(expected, await valuesOf(place, is, allowed), named, is)
        } else {
          assertKept(expected, await valuesOf(place, is, await place.start(next!)), named, is)
          assert.deepEqual(await valuesOf(place, was, await place.start(previous!)), rows)
        }
      })
    }
  })
}

type Values = Map<string, unknown>

/** One row of each type, with a value in every stored field. */
async function fill(place: Place, model: Model, layout: Layout): Promise<void> {
  for (const resource of model.resources) {
    const table = layout.tables.get(resource)!
    const stored = [...table.columns].filter(([field]) => field.kind === 'stored') as [StoredField, { name: string }][]
    const columns = ['id', '_version', ...stored.map(([, column]) => column.name)].map(quoteName).join(', ')
    const values = [`'a'`, '1', ...stored.map(([{ type }]) => sample(type))].join(', ')
    await place.query(`INSERT INTO ${quoteName(table.name)} (${columns}) VALUES (${values})`)
  }
}

function sample(type: StoredType): string {
  if (type.kind === 'enum') return quoteText(type.enum.values[0]!.name)
  if (type.kind === 'list') return `'[]'`
  if (type.kind !== 'scalar') return `'{}'`
  switch (type.name) {
    case 'Int':
      return '10'
    case 'DateTime':
      return `'2026-01-01T00:00:00.000Z'`
    default:
      return `'x'`
  }
}

/** The values of the row, by `Type.field` and type. */
async function valuesOf(place: Place, model: Model, layout: Layout, named = model): Promise<Values> {
  const values: Values = new Map()
  for (const [index, resource] of model.resources.entries()) {
    const table = layout.tables.get(resource)!
    const [row] = await place.query(`SELECT * FROM ${quoteName(table.name)}`)
    if (row === undefined) continue
    const called = named.resources[index]!
    const fields = new Map([...resource.fields.values()].map((field, at) => [field, [...called.fields.values()][at]!]))
    values.set(called.name, row.id)
    for (const [field, column] of table.columns) {
      const now = fields.get(field)
      if (field.kind !== 'stored' || now?.kind !== 'stored') continue
      assert.ok(Object.hasOwn(row, column.name), `${resource.name}.${field.name} has no column ${column.name}`)
      values.set(`${called.name}.${now.name}: ${printType(now.type)}`, row[column.name])
    }
  }
  return values
}

function assertKept(before: Values, after: Values, was: Model, is: Model): void {
  for (const [key, value] of before) if (after.has(key)) assert.deepEqual(after.get(key), value, key)
  for (const resource of is.resources) {
    if (was.types.get(resource.name)?.kind !== 'resource') continue
    assert.equal(after.get(resource.name), 'a', `the row of ${resource.name}`)
    for (const field of resource.fields.values()) {
      const key = field.kind === 'stored' ? `${resource.name}.${field.name}: ${printType(field.type)}` : ''
      if (field.required && after.has(key)) assert.notEqual(after.get(key), null, key)
    }
  }
}

async function openFolder(): Promise<Place> {
  const data = mkdtempSync(join(tmpdir(), 'twain-changes-'))
  const file = join(data, 'twain.db')
  return {
    async start({ model, sdl }, allowBreaking = false) {
      const database = openWriteConnection(file)
      try {
        return migrateSqlite(database, model, sdl, { data, allowBreaking })
      } finally {
        database.close()
      }
    },
    async query(sql) {
      const database = openWriteConnection(file)
      try {
        return database.prepare(sql).all()
      } finally {
        database.close()
      }
    },
    async close() {
      rmSync(data, { recursive: true })
    },
  }
}

async function openDatabase(): Promise<Place> {
  const database = await makeTestDatabase()
  return {
    start: (schema, allowBreaking = false) => migratePostgres(database.address, { ...schema, allowBreaking }),
    query: async (sql) => [...(await database.raw.query(sql))],
    close: () => database.drop(),
  }
}
