import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse, validate } from 'graphql'
import { loadModel } from '#model'
import { buildApiSchema } from './build-schema.ts'

const sdl = `
  type Day { id: ID! at: DateTime on: Date price: Decimal count: BigInt any: JSON own: Own photo: File days: [Date!] }
  scalar Own
`
const { schema } = buildApiSchema(loadModel(sdl, 'x.graphql'))

function mistakes(input: string): string[] {
  const errors = validate(schema, parse(`mutation { createDay(input: ${input}) { id } }`))
  return errors.map(({ message, locations }) => `${locations?.[0]?.column}: ${message}`)
}

test('what a scalar of ours can be passes, in every spelling', () => {
  const input = `{at: "2026-01-31T09:30:00+01:00", on: "2024-02-29", price: 19.90, count: 90071992547409931, any: {a: [1.5e400]},
    own: RED, photo: "f1", days: "2026-01-31"}`
  assert.deepEqual(mistakes(input), [])
  assert.deepEqual(mistakes('{price: "19.90", count: "-3", photo: 7, at: null, days: []}'), [])
})

test('what it can not is told with its place and what would be right, all at once', () => {
  const told = mistakes('{at: "soon", on: "2026-02-30", price: "1,5", count: 1.5, photo: {}, days: ["2026-01-31", 5]}')
  assert.deepEqual(
    told.map((each) => each.replace(/ must be.*/, '')),
    [
      '34: DateTime cannot represent "soon": it',
      '46: Date cannot represent "2026-02-30": it',
      '67: Decimal cannot represent "1,5": it',
      '81: BigInt cannot represent 1.5: it',
      '93: Upload cannot represent {  }: it',
      '118: Date cannot represent 5: it',
    ],
  )
  assert.match(told[1]!, /it must be a date such as "2026-01-31"\.$/)
})
