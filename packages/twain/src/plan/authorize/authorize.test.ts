import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anonymous, type Viewer } from '#base/http'
import { loadModel, type Resource } from '#model'
import { planOrder } from '../build/order.ts'
import { offsetPage } from '../build/page.ts'
import { PlanBuilder } from '../build/plan-builder.ts'
import { planWhere } from '../build/where.ts'
import { errorOf, library } from '../library.fixture.ts'
import type { PageRead, RowRead, Selection, WritePlan } from '../plan.ts'
import { printWhere } from '../print-where.fixture.ts'
import { Authority } from './authorize.ts'

const model = loadModel(
  `
  type User @account @allow(to: [READ]) @allow(who: "self", to: [UPDATE]) @allow(to: [CREATE]) {
    id: ID!
    email: String! @unique @allow(who: "self", to: [READ, UPDATE])
    salary: Int @allow(role: "payroll")
    role: String
    teams: [Membership!]!
  }
  type Team @allow(who: "members.user", to: [READ]) @allow(who: "members.user", to: [UPDATE], where: {open: {eq: true}}) {
    id: ID!
    open: Boolean
    members: [Membership!]!
    posts: [Post!]!
  }
  type Membership @allow(who: "team") { id: ID! user: User! team: Team! }
  type Post @allow(to: [READ], where: {live: {eq: true}}) @allow(who: "team", to: [READ]) @allow(who: "author") {
    id: ID!
    live: Boolean
    secret: String @allow(who: "author", to: [READ])
    author: User!
    team: Team
  }
  type Note { id: ID! text: String }
  `,
  'rules.graphql',
)
const ann: Viewer = { account: 'u1', roles: [], authenticated: true, token: 't1' }
const admin: Viewer = { account: null, roles: ['admin'], authenticated: true, token: 't2' }
const clerk: Viewer = { ...ann, roles: ['payroll', 'unheard of'] }

test('a model without an account type and without rules leaves every plan unchanged', () => {
  const plan = readOne(library.types.get('Book') as Resource)
  assert.equal(new Authority(library).authorize(plan, anonymous), plan)
})

test('each rule is sufficient for the viewers that it applies to', () => {
  const readable = (type: string, viewer: Viewer) =>
    printWhere(authorized(readOne(resource(type)), viewer).guard ?? null)
  assert.equal(readable('Post', anonymous), 'live eq true')
  assert.equal(readable('Post', ann), '(live eq true | team→some members(user→viewer) | author→viewer)')
  assert.equal(readable('Team', anonymous), 'false')
  assert.equal(readable('User', anonymous), '')
  assert.equal(readable('Note', ann), 'false')
  assert.equal(readable('Note', admin), '')
})

test('a path to another resource takes over its rules: READ to read, UPDATE to write', () => {
  const { checks } = authorized(write('update', 'Membership'), ann)
  assert.equal(printWhere(checks?.read ?? null), 'team→some members(user→viewer)')
  assert.equal(printWhere(checks?.before ?? null), 'team→(some members(user→viewer) & open eq true)')
})

test('a field with rules gets a guard, and an unreadable referenced row is null', () => {
  const post = resource('Post')
  const secret = post.fields.get('secret')
  const team = post.fields.get('team')
  assert.ok(secret?.kind === 'stored' && team?.kind === 'reference')
  const selections: Selection[] = [
    { kind: 'field', key: 's', field: secret },
    { kind: 'one', key: 't', field: team, types: [{ of: resource('Team'), selections: [] }] },
    { kind: 'id', key: 'i', field: team },
  ]
  const [field, one, id] = authorized({ ...readOne(post), selections }, ann).selections
  assert.ok(field?.kind === 'field' && one?.kind === 'one' && id?.kind === 'id')
  assert.equal(printWhere(field.guard ?? null), 'author→viewer')
  assert.equal(printWhere(one.types[0]?.guard ?? null), 'some members(user→viewer)')
  assert.equal(printWhere(id.targets?.[0]?.guard ?? null), 'some members(user→viewer)')
})

test('in the list of a readable row the condition that its owner is readable is dropped; in the result of a write it stays', () => {
  const team = resource('Team')
  const members = team.fields.get('members')
  assert.ok(members?.kind === 'many')
  const selections: Selection[] = [{ kind: 'many', key: 'm', field: members, read: list('Membership', {}, 'id') }]
  const ruleOf = (selection: Selection | undefined) =>
    selection?.kind === 'many' ? printWhere(selection.read.where) : null
  assert.equal(ruleOf(authorized({ ...readOne(team), selections }, ann).selections[0]), '')
  const answer = authorized({ ...write('update', 'Team'), answer: selections }, ann).answer[0]
  assert.equal(ruleOf(answer), 'team→some members(user→viewer)')
})

test('filters and orders see only what the viewer may read, also behind a not', () => {
  const plan = list('Post', { not: { secret: { eq: 'x' } }, team: { posts: { none: {} } } }, 'secret')
  const { where, order } = authorized(plan, ann)
  const readable = '(live eq true | team→some members(user→viewer) | author→viewer)'
  assert.equal(
    printWhere(where),
    `(${readable} & ((author→viewer & !secret eq) & team→(some members(user→viewer) & none posts(${readable}))))`,
  )
  assert.equal(order[0]?.kind === 'field' && printWhere(order[0].guard ?? null), 'author→viewer')
})

test('viewers whom the same rules apply to share the very same plan', () => {
  const authority = new Authority(model)
  const plan = readOne(resource('Post'))
  const other: Viewer = { ...ann, account: 'u2', roles: ['unheard of'] }
  assert.equal(authority.authorize(plan, ann), authority.authorize(plan, other))
  assert.notEqual(authority.authorize(plan, ann), authority.authorize(plan, clerk))
  const answer: Selection[] = []
  const first = authority.authorize({ ...write('update', 'Post'), answer }, ann)
  const second = authority.authorize({ ...write('update', 'Post'), answer }, other)
  assert.equal(first.answer, second.answer)
  assert.equal(first.checks, second.checks)
})

test('a field that a viewer class can never read is hidden from it, and only from it', () => {
  const authority = new Authority(model)
  const salary = resource('User').fields.get('salary')!
  const email = resource('User').fields.get('email')!
  const seen = [anonymous, ann, clerk].map((viewer) => {
    const visibility = authority.visibility(viewer)
    return [visibility.isHidden(salary), visibility.isHidden(email)]
  })
  assert.deepEqual(seen, [
    [true, true],
    [true, false],
    [false, false],
  ])
})

test('an anonymous viewer can not update rows that are not readable', () => {
  const blind = loadModel(
    'type U @account { id: ID! email: String! @unique } type Drop @allow(to: [CREATE, UPDATE, DELETE]) @allow(who: "signedIn") { id: ID! }',
    'a.graphql',
  )
  const authority = new Authority(blind)
  const of = blind.resources[1]!
  for (const action of ['update', 'delete'] as const) {
    assert.equal(errorOf(() => authority.admit({ of, action }, anonymous)).code, 'UNAUTHENTICATED')
  }
  for (const action of ['create', 'replace'] as const) authority.admit({ of, action }, anonymous)
})

test('a write that no rule could allow without authentication is UNAUTHENTICATED before any row is read', () => {
  const authority = new Authority(model)
  const codeOf = (plan: WritePlan, viewer: Viewer) => errorOf(() => authority.authorize(plan, viewer)).code
  assert.equal(codeOf(write('update', 'Post'), anonymous), 'UNAUTHENTICATED')
  assert.equal(codeOf(write('delete', 'Note'), anonymous), 'UNAUTHENTICATED')
  assert.equal(codeOf(write('create', 'Note'), ann), 'FORBIDDEN')
  assert.ok(authority.authorize(write('create', 'User'), anonymous))
})

test('other roles could show more rows only where a rule by a role gives what the viewer lacks', () => {
  const authority = new Authority(model)
  const couldSeeMore = (type: string, viewer: Viewer) => authority.couldSeeMore(resource(type), viewer)
  assert.deepEqual(
    ['User', 'Post', 'Note'].map((type) => couldSeeMore(type, ann)),
    [false, false, true],
  )
  assert.equal(couldSeeMore('Note', { ...ann, roles: ['admin'] }), false)
  const proven = loadModel(
    'type User @account { id: ID! email: String! @unique } type Shop @allow(verified: true) { id: ID! }',
    'proven.graphql',
  )
  const shop = proven.types.get('Shop') as Resource
  assert.equal(new Authority(proven).couldSeeMore(shop, ann), true)
  assert.equal(new Authority(proven).couldSeeMore(shop, { ...ann, verified: true }), false)
})

test('only an admin sets roles, unless a rule allows it', () => {
  const roleOf = (viewer: Viewer) =>
    authorized(write('create', 'User'), viewer).checks?.fields.find(({ field }) => field.name === 'role')
  assert.equal(printWhere(roleOf(anonymous)?.create ?? null), 'false')
  assert.equal(roleOf(admin), undefined)
})

test('a plan that is kept is restricted once for a class of viewers, and each viewer is still refused', () => {
  const authority = new Authority(model)
  const plan: WritePlan = { ...write('create', 'User'), isKept: true }
  const other: Viewer = { ...ann, account: 'u2', token: 't3' }
  assert.equal(authority.authorize(plan, other), authority.authorize(plan, ann))
  assert.notEqual(authority.authorize(plan, admin), authority.authorize(plan, ann))
  assert.notEqual(authority.authorize({ ...plan }, ann), authority.authorize(plan, ann))
  const note: WritePlan = { ...write('create', 'Note'), isKept: true }
  assert.ok(authority.authorize(note, admin))
  for (const viewer of [ann, ann]) assert.equal(errorOf(() => authority.authorize(note, viewer)).code, 'FORBIDDEN')
})

function resource(name: string): Resource {
  return model.types.get(name) as Resource
}

function authorized<P extends RowRead | PageRead | WritePlan>(plan: P, viewer: Viewer): P {
  return new Authority(model).authorize(plan, viewer)
}

function readOne(of: Resource): RowRead {
  const id = new PlanBuilder().parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, 'b1', 'id')
  return { kind: 'one', of, id, selections: [] }
}

function list(name: string, where: object, sort: string): PageRead {
  const builder = new PlanBuilder()
  const of = resource(name)
  return {
    kind: 'many',
    of,
    within: null,
    where: planWhere(where, of, builder, 'where'),
    order: planOrder([{ field: sort, direction: 'ASC', place: 'sort' }], of, builder),
    page: offsetPage(20, 0, builder, { limit: 'limit', offset: 'offset' }),
    shape: { kind: 'list', types: [{ of, selections: [] }] },
  }
}

function write(action: WritePlan['action'], name: string): WritePlan {
  return { kind: 'write', action, of: resource(name), id: null, set: [], ifVersion: null, answer: [] }
}

test('types of the server itself are for their role, also in a model without rules', () => {
  const open = loadModel('type Note { id: ID! }', 'x.graphql')
  const job = open.system.resources.find(({ name }) => name === 'BackgroundJob')!
  const authority = new Authority(open)
  const other: Viewer = { ...anonymous, authenticated: true, roles: ['editor'] }
  const admin: Viewer = { ...other, roles: ['admin'] }
  const read: RowRead = {
    kind: 'one',
    of: job,
    id: { index: 0, accepts: { kind: 'type', type: { kind: 'scalar', name: 'ID' } } },
    selections: [],
  }
  assert.equal(errorOf(() => authority.admitRead(job, anonymous)).code, 'UNAUTHENTICATED')
  assert.equal(errorOf(() => authority.authorize(read, anonymous)).code, 'UNAUTHENTICATED')
  assert.equal(errorOf(() => authority.authorize(read, other)).code, 'FORBIDDEN')
  assert.equal(errorOf(() => authority.admit({ of: job, action: 'update' }, other)).code, 'FORBIDDEN')
  authority.admit({ of: job, action: 'update' }, admin)
  assert.equal(authority.authorize(read, admin), authority.authorize(read, admin))
  authority.admitRead(open.resources[0]!, anonymous)
})
