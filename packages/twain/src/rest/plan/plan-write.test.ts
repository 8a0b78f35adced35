import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import { loadModel, type Resource } from '#model'
import { defaultLimits, isSetField, type SetField } from '#plan'
import { fullVisibility } from '#plan/build'
import { blog, resource } from '../blog.fixture.ts'
import type { WritePreconditions } from '../request/preconditions.ts'
import { parseQuery } from '../request/query-string.ts'
import { Router } from '../request/route.ts'
import { WritePlanner } from './plan-write.ts'

const router = new Router(blog)
const writes = new WritePlanner(defaultLimits)

test('R42: a create sets the fields of the body, in their order', () => {
  const { plan, values, places } = writes.create(parsedRequest('/posts'), { title: 'a', author: 'u1', tags: ['t1'] })
  assert.deepEqual([plan.action, plan.of, plan.id, plan.ifVersion], ['create', resource('Post'), null, null])
  assert.deepEqual(
    plan.set.map(({ field }) => field.name),
    ['title', 'author', 'tags'],
  )
  assert.deepEqual(
    [values, places],
    [
      ['a', 'u1', ['t1']],
      ['title', 'author', 'tags'],
    ],
  )
})

test('creates that set the same fields have one plan for a class of viewers, each with its own values', () => {
  const parsed = parsedRequest('/posts')
  const other = { ...parsed, visibility: { ...parsed.visibility } }
  const first = writes.create(parsed, { title: 'a', author: 'u1' })
  const second = writes.create(parsedRequest('/posts'), { title: 'b', author: null })
  assert.equal(second.plan, first.plan)
  assert.deepEqual([second.values, second.places], [['b', null], first.places])
  assert.notEqual(writes.create(other, { title: 'b', author: 'u1' }).plan, first.plan)
  assert.notEqual(writes.create(parsed, { author: 'u1', title: 'b' }).plan, first.plan)
  assert.deepEqual(
    mistakes(() => writes.create(parsed, { title: 'a', autor: 'u1' })),
    ['autor UNKNOWN', 'author REQUIRED'],
  )
})

test('R43, R62: a replace and an update have the id of the path and the version of If-Match', () => {
  const replace = writes.replace(parsedRequest('/posts/p1'), { title: 'a', author: 'u1' }, versions(7))
  assert.deepEqual([replace.plan.action, replace.values], ['replace', ['p1', 'a', 'u1', 7]])
  assert.deepEqual(replace.places, ['id', 'title', 'author', 'If-Match'])
  const update = writes.update(parsedRequest('/users/u1'), { address: { city: null } }, true, null)
  assert.deepEqual([update.plan.action, update.values, update.plan.ifVersion], ['update', ['u1', { city: null }], null])
  const [address] = update.plan.set as SetField[]
  assert.equal(address?.parameter.accepts.kind === 'field' && address.parameter.accepts.merge, true)
})

test('R46: a delete sets and returns nothing', () => {
  const { plan, values } = writes.delete(parsedRequest('/posts/p1'), versions(3))
  assert.deepEqual([plan.action, plan.set, plan.answer, values], ['delete', [], [], ['p1', 3]])
})

test('R17: the same choice of fields shares one array of selections, whatever is set', () => {
  const [first, second] = [{ title: 'a' }, { title: 'b', status: 'DRAFT' }].map((body) =>
    writes.update(parsedRequest('/posts/p1?fields=title,comments.body'), body, true, null),
  )
  assert.equal(first!.plan.answer, second!.plan.answer)
  assert.deepEqual(second!.values, [20, 0, 'p1', 'b', 'DRAFT'])
  assert.deepEqual(
    (second!.plan.set as SetField[]).map(({ parameter }) => parameter.index),
    [3, 4],
  )
})

test('R44: the id in a body must be that of the path', () => {
  assert.deepEqual(writes.update(parsedRequest('/posts/p1'), { id: 'p1', title: 'a' }, true, null).values, ['p1', 'a'])
  assert.deepEqual(
    mistakes(() => writes.update(parsedRequest('/posts/p1'), { id: 'p2' }, true, null)),
    ['id READONLY'],
  )
  assert.deepEqual(
    mistakes(() => writes.create(parsedRequest('/posts'), { id: 'p2', title: 'a', author: 'u' })),
    ['id READONLY'],
  )
})

test('R45: a row created below another references it', () => {
  const create = (target: string, body: object) => writes.create(parsedRequest(target), body)
  assert.deepEqual(create('/users/u1/posts', { title: 'a' }).values, ['a', 'u1'])
  assert.deepEqual(create('/users/u1/posts', { author: 'u1', title: 'a' }).values, ['u1', 'a'])
  assert.deepEqual(
    mistakes(() => create('/users/u1/posts', { author: 'u2', title: 'a' })),
    ['author READONLY'],
  )
})

test('R3: an invalid id is not found, and can not be created', () => {
  assert.throws(() => writes.update(parsedRequest('/posts/a.b'), {}, true, null), { code: 'NOT_FOUND' })
  assert.throws(() => writes.delete(parsedRequest(`/posts/${'a'.repeat(65)}`), null), { code: 'NOT_FOUND' })
  assert.deepEqual(
    mistakes(() => writes.replace(parsedRequest('/posts/a.b'), { title: 'a', author: 'u' }, null)),
    ['id PATTERN'],
  )
})

test('R23, R41: mistakes in parameters and body are reported together', () => {
  const body = JSON.parse('{"titel": 1, "__proto__": 1, "constructor": 2, "comments": [{}]}') as unknown
  assert.deepEqual(
    mistakes(() => writes.create(parsedRequest('/posts?limit=1&fields=nme'), body)),
    [
      'limit UNKNOWN',
      'fields.nme UNKNOWN',
      'titel UNKNOWN',
      '__proto__ UNKNOWN',
      'constructor UNKNOWN',
      'comments.0.body REQUIRED',
      'title REQUIRED',
      'author REQUIRED',
    ],
  )
  assert.deepEqual(
    mistakes(() => writes.create(parsedRequest('/posts'), [1])),
    [' TYPE'],
  )
  assert.deepEqual(
    mistakes(() => writes.delete(parsedRequest('/posts/p1?fields=id'), null)),
    ['fields UNKNOWN'],
  )
})

test('R51: several rows are one plan, with the index of the row in each path', () => {
  const { plan, values, places } = writes.createAll(parsedRequest('/users/u1/posts'), [{ title: 'a' }, { title: 'b' }])
  assert.deepEqual(
    plan.writes.map(({ set }) => set.map(({ field }) => field.name)),
    [
      ['title', 'author'],
      ['title', 'author'],
    ],
  )
  assert.deepEqual(
    [values, places],
    [
      ['a', 'u1', 'b', 'u1'],
      ['0.title', '0.author', '1.title', '1.author'],
    ],
  )
  assert.equal(plan.writes[0]!.answer, plan.writes[1]!.answer)
  assert.deepEqual(
    mistakes(() => writes.createAll(parsedRequest('/users/u1/posts'), [{ title: 'a', author: 'u2' }, { titel: 'b' }])),
    ['0.author READONLY', '1.titel UNKNOWN', '1.title REQUIRED'],
  )
})

test('R8: one link is an update of its list, and returns nothing', () => {
  const { plan, values } = writes.link(parsedRequest('/posts/p1/tags/t1'), 'add', null)
  assert.deepEqual([plan.action, plan.of, plan.answer, values], ['update', resource('Post'), [], ['p1', ['t1']]])
  const [set] = plan.set
  assert.ok(set !== undefined && isSetField(set))
  assert.deepEqual([set.field.name, set.change], ['tags', 'add'])
})

test('R62, R63: preconditions other than one version are separate', () => {
  const update = (conditions: object) =>
    writes.update(parsedRequest('/posts/p1'), { title: 'a' }, true, { ...versions(7), ...conditions })
  assert.equal(update({}).plan.preconditions, undefined)
  const several = update({ versions: [7, 8], otherVersions: [9], presence: 'there' })
  assert.deepEqual([several.plan.ifVersion, several.plan.preconditions?.presence], [null, 'there'])
  assert.deepEqual(several.values, ['p1', 'a', [7, 8], [9]])
  assert.equal(update({ versions: null, unmodifiedSince: 0 }).plan.preconditions, undefined) // a Post has no time of its update
})

function versions(...expected: number[]): WritePreconditions {
  return { presence: null, versions: expected, otherVersions: null, unmodifiedSince: null }
}

function parsedRequest(target: string) {
  const [path = '', query = ''] = target.split('?')
  return { ...router.find(path), query: parseQuery(query), visibility: fullVisibility }
}

function mistakes(write: () => unknown): string[] {
  try {
    write()
  } catch (error) {
    if (error instanceof ApiError) return error.problems.map(({ path, code }) => `${path} ${code}`)
    throw error
  }
  return []
}

test('R48: a write of the account type accepts a password, and a create requires one', () => {
  const visibility = { ...fullVisibility, account: resource('User') }
  const create = (body: object) => writes.create({ ...parsedRequest('/users'), visibility }, body)
  const names = create({ name: 'Ann', password: 'correct horse' }).plan.set.map(({ field }) => field.name)
  assert.deepEqual(names, ['name', 'password'])
  assert.deepEqual(
    mistakes(() => create({ nme: 'Ann' })),
    ['nme UNKNOWN', 'name REQUIRED', 'password REQUIRED'],
  )
  assert.deepEqual(
    mistakes(() => create({ nme: 'Ann', name: 'Ann', password: 'short' })),
    ['nme UNKNOWN', 'password LENGTH'],
  )
  assert.deepEqual(
    mistakes(() => writes.create(parsedRequest('/posts'), { title: 'a', author: 'u1', password: 'correct horse' })),
    ['password UNKNOWN'],
  )
})

test('a create that needs no password leaves no plan for one that does', () => {
  const model = loadModel('type User @account { id: ID! email: String! @unique name: String! }', 'x.graphql')
  const routes = new Router(model)
  const account = model.types.get('User') as Resource
  const request = (of: Resource | null) => ({
    ...routes.find('/users'),
    query: parseQuery(''),
    visibility: { ...fullVisibility, account: of },
  })
  const input = { email: 'a@b.c', name: 'a' }
  writes.create(request(null), input)
  assert.deepEqual(
    mistakes(() => writes.create(request(account), input)),
    ['password REQUIRED'],
  )
})
