import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Field, loadModel } from '#model'
import { defaultSelection, PlanBuilder, type Visibility } from '#plan/build'
import { fakeRestWith, problemOf, problemPathsOf, resource } from '../blog.fixture.ts'
import { parseQuery } from '../request/query-string.ts'
import { selectTypes } from './fields.ts'
import { planFilters } from './filters.ts'

/** A viewer that never reads these fields, such as `User.email`. */
function without(...names: string[]): Visibility {
  const hides = ({ owner, name }: Field) => names.includes(`${owner.name}.${name}`)
  return { key: names.join(), isHidden: hides, maybeHidden: hides, mayForbid: true, account: resource('User') }
}

test('R18: the default representation leaves out fields that the viewer can never read', () => {
  const keys = defaultSelection(resource('User'), without('User.email', 'User.address')).map(({ key }) => key)
  assert.deepEqual(keys, ['id', 'name', 'age'])
})

test('R18: naming such a field is a 403 that names it', async () => {
  const { send, executed } = fakeRestWith({ visibility: () => without('User.email', 'Post.comments') })
  for (const [target, name] of [
    ['/users?fields=id,email', 'email'],
    ['/posts/p1?fields=author.email', 'author.email'],
    ['/posts/p1?fields=comments.body', 'comments'],
  ] as const) {
    const reply = await send(target)
    assert.deepEqual([reply.status, problemOf(reply).detail], [403, `You may not read ${name}.`])
  }
  assert.equal(executed.length, 0)
})

test('R18: for an interface or union it is a 403 if no member shows the field', () => {
  const model = loadModel(
    'interface Named { id: ID! name: String } type A implements Named { id: ID! name: String } type B implements Named { id: ID! name: String }',
    'x.graphql',
  )
  const [named] = model.abstracts
  const keys = (...hidden: string[]) =>
    selectTypes(named!, 'name', new PlanBuilder(without(...hidden))).map(({ selections }) =>
      selections.map(({ key }) => key),
    )
  assert.deepEqual(keys('A.name'), [['name'], ['name']])
  assert.throws(() => keys('A.name', 'B.name'), { code: 'FORBIDDEN' })
})

test('R29: a filter treats it as an unknown field, without a suggestion', async () => {
  const { send } = fakeRestWith({ visibility: () => without('User.email') })
  for (const query of ['email=x', 'email[nothing]=x', 'where={"email":{"eq":"x"}}', 'sort=email']) {
    const reply = await send(`/users?${query}`)
    assert.equal(reply.status, 400)
    assert.match(
      problemOf(reply).detail,
      /"email" is (not a field of User|neither a field of User nor one of [a-zA-Z, ]*)\.$/,
    )
  }
  assert.deepEqual(problemPathsOf(await send('/posts?author.email=x')), ['author.email UNKNOWN'])
  assert.doesNotMatch(problemOf(await send('/users?emial=x')).detail, /email/)
})

test('R29: isViewer is valid at the end of a path to an account', () => {
  const plan = (query: string, name: string) => {
    const builder = new PlanBuilder(without())
    const where = planFilters(parseQuery(query).filters, resource(name), builder)
    return [where, builder.problems.map(({ path, code }) => `${path} ${code}`)]
  }
  const author = resource('Post').fields.get('author')
  assert.deepEqual(plan('isViewer=true', 'User'), [{ kind: 'viewer' }, []])
  assert.deepEqual(plan('author.isViewer=false', 'Post'), [
    { kind: 'through', field: author, where: { kind: 'not', of: { kind: 'viewer' } } },
    [],
  ])
  assert.deepEqual(plan('isViewer=yes', 'User')[1], ['isViewer TYPE'])
  assert.deepEqual(plan('isViewer[ne]=true', 'User')[1], ['isViewer[ne] UNKNOWN'])
  assert.deepEqual(plan('isViewer=true', 'Post')[1], ['isViewer UNKNOWN'])
})

test('each class of viewers has its own plans, and a boolean is part of the plan', async () => {
  const { send, executed } = fakeRestWith({
    visibility: ({ account }) => (account === null ? without('User.email') : without()),
    answers: [{ kind: 'many', text: '[]', more: false, total: null }],
  })
  const viewer = { account: 'u1', roles: [], authenticated: true, token: null }
  for (const asking of [{}, { viewer }, {}, { viewer }]) await send('/users', asking)
  const [first, second, third, fourth] = executed.map(({ boundPlan }) => boundPlan.plan)
  assert.equal(first, third)
  assert.equal(second, fourth)
  assert.notEqual(first, second)
  await send('/users?isViewer=true')
  await send('/users?isViewer=false')
  assert.notDeepEqual(executed[4]?.boundPlan.plan, executed[5]?.boundPlan.plan)
})
