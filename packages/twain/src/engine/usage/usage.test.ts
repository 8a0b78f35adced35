import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientOf, unknownClient } from '#base/http'
import { loadModel, type StoredField } from '#model'
import type { RowRead, WritePlan } from '#plan'
import { defaultSelection, fullVisibility } from '#plan/build'
import { otherClients, Usage } from './usage.ts'

const [post] = loadModel('type Post { id: ID! title: String }', 'a.graphql').resources
const id = { index: 0, accepts: { kind: 'version' } } as const
const read: RowRead = { kind: 'one', of: post!, id, selections: defaultSelection(post!, fullVisibility) }

test('a plan is counted for its client, and its paths are counted', () => {
  const usage = new Usage()
  for (let times = 0; times < 3; times++) usage.count(read, 'web', true, 'rest')
  const chosen = { ...read }
  usage.count(chosen, 'web', false, 'rest')
  const counts = usage
    .take()
    .map(({ path, client, requested, returned, apis }) => `${client} ${path} ${requested} ${returned} ${apis}`)
  assert.deepEqual(counts.sort(), ['web Post 4 0 1', 'web Post.id 1 3 1', 'web Post.title 1 3 1'])
  assert.deepEqual(usage.take(), [])
})

test('a hundred clients are counted separately, the others together until the next day', () => {
  const usage = new Usage()
  for (let number = 0; number < 250; number++) usage.count(read, `client ${number}`, true, 'rest')
  const clients = (paths = usage.take()) =>
    new Map(paths.filter(({ path }) => path === 'Post').map((use) => [use.client, use.requested]))
  const counts = clients()
  assert.equal(counts.size, 101)
  assert.equal(counts.get(otherClients), 150)
  usage.count(read, 'late', true, 'rest')
  assert.deepEqual(clients(), new Map([[otherClients, 1]]))
  usage.beginDay()
  usage.count(read, 'late', true, 'rest')
  assert.deepEqual(clients(), new Map([['late', 1]]))
})

test('the paths of thousands of different plans are counted as they arrive', () => {
  const usage = new Usage()
  for (let times = 0; times < 5000; times++) {
    const write: WritePlan = { kind: 'write', action: 'delete', of: post!, id, set: [], ifVersion: null, answer: [] }
    usage.count(write, 'import', true, 'rest')
  }
  assert.deepEqual(usage.take(), [{ path: 'Post', client: 'import', requested: 5000, returned: 0, apis: 1 }])
})

test('writes with the same names are counted together, others apart', () => {
  const usage = new Usage()
  const title = post!.fields.get('title')! as StoredField
  const accepts = { kind: 'version' } as const
  const answer = read.selections
  const create = (fields: StoredField[], selected = answer): WritePlan => ({
    kind: 'write',
    action: 'create',
    of: post!,
    id: null,
    set: fields.map((field, index) => ({ field, parameter: { index, accepts } })),
    ifVersion: null,
    answer: selected,
  })
  for (let times = 0; times < 3; times++) {
    usage.count(create([title]), 'web', true, 'rest')
    usage.count(create([]), 'web', true, 'rest')
    usage.count(create([]), 'web', false, 'rest')
    usage.count(create([], []), 'web', true, 'rest')
    usage.count({ ...create([], []), key: [{ field: title, parameter: { index: 0, accepts } }] }, 'web', true, 'rest')
    if (times === 1) usage.take()
  }
  const counts = usage.take().map(({ path, requested, returned }) => `${path} ${requested} ${returned}`)
  assert.deepEqual(counts.sort(), ['Post 5 0', 'Post.id 1 2', 'Post.title 3 1'])
})

test('each path knows through which APIs it was used, also of writes with the same names', () => {
  const usage = new Usage()
  const write: WritePlan = { kind: 'write', action: 'delete', of: post!, id, set: [], ifVersion: null, answer: [] }
  usage.count({ ...write }, 'web', true, 'rest')
  usage.count({ ...write }, 'web', true, 'graphql')
  usage.count({ ...read, selections: [] }, 'app', false, 'graphql')
  const counts = usage.take().map(({ client, requested, apis }) => `${client} ${requested} ${apis}`)
  assert.deepEqual(counts, ['web 2 3', 'app 1 2'])
})

test('counts that are put back are counted', () => {
  const usage = new Usage()
  usage.count(read, 'web', false, 'rest')
  const taken = usage.take()
  usage.count(read, 'web', false, 'rest')
  usage.putBack(taken)
  assert.deepEqual(new Set(usage.take().map(({ requested }) => requested)), new Set([2]))
})

test('a client is known by its name, its user agent, or as unknown', () => {
  assert.equal(clientOf({ 'x-client-name': 'web', 'user-agent': 'Mozilla' }), 'web')
  assert.equal(clientOf({ 'user-agent': 'Mozilla' }), 'Mozilla')
  assert.equal(clientOf({}), unknownClient)
  assert.equal(clientOf({ 'user-agent': 'x'.repeat(5000) }).length, 120)
})
