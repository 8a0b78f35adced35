import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { defaultLimits } from '#plan'
import { fullVisibility, type Visibility } from '#plan/build'
import { ReadPlanner } from '../plan/plan-read.ts'
import { parseQuery } from '../request/query-string.ts'
import { Router } from '../request/route.ts'
import { lastModified } from './last-modified.ts'

const router = new Router(
  loadModel(
    `type Note { id: ID! text: String meta: JSON at: DateTime @auto(set: UPDATE_TIME) by: User }
     type User { id: ID! name: String }`,
    'x.graphql',
  ),
)
const time = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
const at = `"at":"${new Date(time).toISOString()}"`
const later = time + 10_000

test('R63: the time is found in the text, whatever precedes it', () => {
  assert.equal(modified('/notes/1?fields=id,text,at', `{"id":"1","text":"\\"at\\":\\"x",${at}}`), time)
  assert.equal(modified('/notes/1', `{"id":"1","text":"a","meta":{"at":"2020-01-01T00:00:00Z"},${at},"by":null}`), time)
})

test('R63: it is unknown if it is not selected, or if something else can change the representation', () => {
  assert.equal(modified('/notes/1?fields=text', '{"text":"a"}'), null)
  assert.equal(modified('/notes/1?fields=at,by.name', `{${at},"by":{"name":"x"}}`), null)
  assert.equal(
    modified('/notes/1?fields=at,by', `{${at},"by":"u1"}`, { ...fullVisibility, maybeHidden: () => true }),
    null,
  )
})

test('R63: it is unknown within the second of the change', () => {
  const target = '/notes/1?fields=at'
  assert.equal(modified(target, `{${at}}`, fullVisibility, time + 300), null)
  assert.equal(modified(target, `{${at}}`, fullVisibility, time - 678 + 1000), time)
})

function modified(target: string, text: string, visibility: Visibility = fullVisibility, now = later): number | null {
  const [path = '', query = ''] = target.split('?')
  const { plan } = new ReadPlanner(defaultLimits).item({
    ...router.find(path),
    query: parseQuery(query),
    visibility,
  })
  return lastModified(plan, text, visibility, () => now)
}
