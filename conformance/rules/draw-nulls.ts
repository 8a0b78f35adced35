// Rows in which a field is null as often as it has a value, and rows whose values come and go.

import assert from 'node:assert/strict'
import { system } from '../../packages/twain/src/base/http/index.ts'
import type { Field } from '../../packages/twain/src/model/index.ts'
import type { Random } from '../fuzz/random.ts'
import { type Writable, writableFields } from './cells/write-cells.ts'
import type { Row } from './rows-in-memory.ts'
import type { RulesFixture } from './rules-fixture.ts'

/** The schema with nullable fields where the rows of the suite have values, so that each condition compares with null too. */
export function loosened(sdl: string): string {
  return sdl.replace(/(\w+: (?:Boolean|Int|[A-Z]\w*))!(?! *@(?:unique|label|history|relation))/g, (whole, field) =>
    /^(id|name|email|login): |: (ID|String)$/.test(field) ? whole : field,
  )
}

/** Updates each row as the system, each nullable field to null or a value of another row, and keeps the rows in memory alike. */
export async function drawNulls({ apis, rows, dump }: RulesFixture, random: Random): Promise<number> {
  const ours = apis.as(system)
  let nulls = 0
  for (const of of rows.model.resources) {
    for (const { row } of rows.spots(of)) {
      const input: Record<string, unknown> = {}
      for (const field of writableFields(of).filter(isLoose)) {
        const values = valuesOf(
          field,
          rows.spots(of).map((spot) => spot.row),
        )
        if (random.chance(0.6))
          input[field.name] = values.length === 0 || random.chance(0.5) ? null : random.one(values)
      }
      if (Object.keys(input).length === 0) continue
      const { status, body } = await ours.rest('PATCH', `/${of.path}/${row.id}`, input)
      if (status >= 300)
        assert.ok(status === 409 || status === 400 || status === 422, `${status} ${JSON.stringify(body)}`)
      else {
        rows.put(of, { ...row, ...input })
        nulls += Object.values(input).filter((value) => value === null).length
      }
    }
  }
  assert.deepEqual(await dump(), rows.dump())
  return nulls
}

function isLoose(field: Writable): boolean {
  return !field.required && field.kind !== 'links' && !field.immutable && field.auto === null
}

function valuesOf(field: Field, rows: readonly Row[]): unknown[] {
  return rows.map((row) => row[field.name]).filter((value) => value !== null)
}
