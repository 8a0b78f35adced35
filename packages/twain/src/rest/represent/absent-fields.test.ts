import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forbiddenMarker, type PlanResult } from '#plan'
import { fullVisibility } from '#plan/build'
import { fakeRest } from '../blog.fixture.ts'
import { visibleText } from './absent-fields.ts'

const refusing = { ...fullVisibility, mayForbid: true }
const refused = JSON.stringify(forbiddenMarker.text)

test('R18: a forbidden field is absent at every level, and null stays null', () => {
  const rows = `[{"id":"p1","secret":${refused},"author":{"email":${refused},"age":null}},{"id":"p2","secret":"x"}]`
  assert.equal(visibleText(rows, refusing), '[{"id":"p1","author":{"age":null}},{"id":"p2","secret":"x"}]')
  const connection = `{"edges":[{"node":{"secret":${refused}},"cursor":"c"}],"pageInfo":{"hasNextPage":true,"endCursor":"c"}}`
  assert.equal(
    visibleText(connection, refusing),
    '{"edges":[{"node":{},"cursor":"c"}],"pageInfo":{"hasNextPage":true,"endCursor":"c"}}',
  )
})

test('text without forbidden fields is not changed', () => {
  assert.equal(visibleText('{"n":1.10}', refusing), '{"n":1.10}')
})

test('R18, R60: items, pages and written rows have visible fields only, and their ETags depend on them', async () => {
  const one = (text: string): PlanResult => ({ kind: 'one', text, version: 1 })
  const many = (text: string): PlanResult => ({ kind: 'many', text, more: false, total: null })
  const written = (text: string): PlanResult => ({ kind: 'written', text, id: 'p1', version: 1, created: false })
  const [hidden, seen] = [`{"id":"p1","where":${refused}}`, '{"id":"p1"}']
  const update = { method: 'PATCH', body: { title: 'a' } }

  for (const [target, asking, left, right] of [
    ['/posts/p1', {}, one(hidden), one(seen)],
    ['/posts', {}, many(`[${hidden}]`), many(`[${seen}]`)],
    ['/posts/p1', update, written(hidden), written(seen)],
  ] as const) {
    const [guarded, plain] = [await fakeRest(left).send(target, asking), await fakeRest(right).send(target, asking)]
    assert.deepEqual(guarded, plain)
  }
})
