import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { Deprecations, deprecationHeaders, deprecationReasons, earliestDeprecation } from './deprecations.ts'

const noSlot = { index: 0, accepts: { kind: 'version' } } as const

function sunsetBy(reason: string): string | undefined {
  const model = loadModel(
    `type A { id: ID! b: Int @deprecated(reason: ${JSON.stringify(reason)}) c: Int }`,
    'a.graphql',
  )
  const [a] = model.resources
  const field = a!.fields.get('b')!
  assert.ok(field.kind === 'stored')
  const since = new Map([['A.b', Date.parse('2026-02-03T04:05:06.789Z')]])
  const met = new Deprecations(deprecationReasons(model), since).of({
    plan: { kind: 'one', of: a!, id: noSlot, selections: [{ kind: 'field', key: 'b', field }] },
    values: [],
    places: [],
  })
  return met === null ? undefined : deprecationHeaders(met).sunset
}

test('the first valid date in the reason is the sunset date', () => {
  assert.equal(sunsetBy('Use c. Gone on 2030-06-30; announced 2026-01-01.'), 'Sun, 30 Jun 2030 00:00:00 GMT')
  assert.equal(sunsetBy('Until 2030-06-30T10:00:00+02:00'), 'Sun, 30 Jun 2030 08:00:00 GMT')
  assert.equal(sunsetBy('Not on 2030-02-30 but on 2030-03-01.'), 'Fri, 01 Mar 2030 00:00:00 GMT')
  assert.equal(sunsetBy('Since version 2030-06.'), undefined)
  assert.equal(sunsetBy('No longer supported'), undefined)
})

test('the date of deprecation is not after the sunset date (RFC 9745, section 4)', () => {
  const reasons = new Map([['A', 'Gone since 2020-01-01']])
  const deprecations = new Deprecations(reasons, new Map([['A', Date.parse('2026-01-01')]]))
  const model = loadModel('type A { id: ID! b: Int }', 'a.graphql')
  const plan = { kind: 'one', of: model.resources[0]!, id: noSlot, selections: [] } as const
  const met = deprecations.of({ plan: { ...plan, selections: [] }, values: [], places: [] })
  assert.equal(deprecationHeaders(met!).deprecation, `@${Date.parse('2020-01-01') / 1000}`)
})

test('of several deprecations the earliest dates count', () => {
  assert.deepEqual(earliestDeprecation({ since: 5, sunset: null }, { since: 7, sunset: 9 }), { since: 5, sunset: 9 })
  assert.deepEqual(earliestDeprecation(null, { since: 7, sunset: 9 }), { since: 7, sunset: 9 })
  assert.equal(earliestDeprecation(null, null), null)
})
