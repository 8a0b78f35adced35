// Denials through both APIs: the order of their reasons, and the rule of the schema file that would have granted the request.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { anonymous, system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { openApis, type TestApis } from '../harness/open-apis.ts'

const sdl = `type User @account(login: "name") @allow(to: [READ, CREATE]) @allow(who: "self") {
  id: ID!
  name: String! @unique
  phone: String @allow(who: "self", to: [READ])
}
type Box @allow(to: [READ]) @allow(who: "owner") @allow(role: "editor", to: [CREATE]) {
  id: ID!
  title: String! @constraint(minLength: 2)
  owner: User!
  code: String @allow(role: "auditor", to: [READ]) @allow(who: "owner", to: [READ])
  never: String @allow(role: "auditor", to: [READ])
  lids: [Lid!]! @allow(who: "owner", to: [READ])
}
type Lid @allow @allow(who: "box") {
  id: ID!
  box: Box! @relation(onDelete: CASCADE)
}
type Log @allow(to: [READ]) {
  id: ID!
  text: String!
}`

const bob: Viewer = { account: 'bob', roles: [], authenticated: true, token: 't' }
const logged: string[] = []

async function open(inAnswer: boolean): Promise<TestApis> {
  const log = (ways: string, refused: string) => void logged.push(`${refused} ${ways}`)
  const apis = await openApis(sdl, {}, undefined, { inAnswer, log })
  const put = async (path: string, body: object) => {
    assert.equal((await apis.as(system).rest('PUT', path, body)).status, 201)
  }
  for (const name of ['ann', 'bob']) await put(`/users/${name}`, { name, password: 'correct horse' })
  for (const id of ['b1', 'b2', 'b3']) await put(`/boxes/${id}`, { title: 'one', owner: 'ann', code: 'c', never: 'n' })
  await put('/boxes/b4', { title: 'four', owner: 'bob' })
  return apis
}

const neverWay = 'Box.never: schema.graphql:11 @allow(role: "auditor", to: [READ]) would allow it.'
const codeWay =
  'Box.code: schema.graphql:10 @allow(role: "auditor", to: [READ]) or schema.graphql:10 @allow(who: "owner", to: [READ]) would allow it.'

for (const inAnswer of [true, false]) {
  describe(`a denied read names the rules that could grant it, in the log${inAnswer ? ' and in the answer' : ' alone'}`, () => {
    let apis: TestApis
    before(async () => {
      apis = await open(inAnswer)
    })
    beforeEach(() => {
      logged.length = 0
    })
    after(() => apis.close())

    test('REST, by fields=', async () => {
      for (const [method, path, body] of [
        ['GET', '/boxes?fields=id,never'],
        ['GET', '/lids?fields=box.never'],
        ['PATCH', '/boxes/b4?fields=never', { title: 'other' }],
      ] as const) {
        logged.length = 0
        const answer = await apis.as(bob).rest(method, path, body)
        assert.equal(answer.status, 403, path)
        assert.equal((answer.body as { hint?: string }).hint, inAnswer ? neverWay : undefined)
        assert.deepEqual(logged, [`read ${neverWay}`])
      }
    })

    test('GraphQL, at each path, and in the log once', async () => {
      const { data, errors } = await apis
        .as(bob)
        .graphql('{ boxes { c: code } boxesConnection { edges { node { never } } } again: box(id: "b1") { code } }')
      assert.deepEqual(data?.boxes, Array(4).fill({ c: null }))
      const hints = errors.map(({ path, extensions }) => `${path?.join('.')} ${extensions?.hint}`)
      const way = (text: string) => (inAnswer ? text : undefined)
      assert.equal(hints[0], `boxes.0.c ${way(codeWay)}`)
      assert.ok(hints.includes(`boxesConnection.edges.1.node.never ${way(neverWay)}`))
      assert.ok(hints.includes(`again.code ${way(codeWay)}`))
      assert.deepEqual(logged, [`read ${codeWay} ${neverWay}`])
    })

    test('GraphQL, in the answer to a write', async () => {
      const { errors } = await apis.as(bob).graphql('mutation { updateBox(id: "b4", title: "new") { title never } }')
      assert.deepEqual(
        errors.map(({ extensions }) => extensions?.hint),
        [inAnswer ? neverWay : undefined],
      )
      assert.deepEqual(logged, [`read ${neverWay}`])
    })

    test('nothing is reported where nothing is denied', async () => {
      await apis.as(bob).graphql('{ boxes { title } box(id: "b4") { code } }')
      await apis.as(bob).rest('GET', '/boxes')
      assert.deepEqual(logged, [])
    })
  })
}

describe('a viewer to whom no rule could grant a write is denied before the input is checked', () => {
  let apis: TestApis
  before(async () => {
    apis = await open(true)
  })
  after(() => apis.close())

  const rest = async (viewer: Viewer, method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    (await apis.as(viewer).rest(method, path, body, headers)).status
  const graphql = async (viewer: Viewer, document: string, variables?: unknown) =>
    (await apis.as(viewer).graphql(document, variables)).errors[0]?.extensions?.code

  const json = { 'content-type': 'application/json' }

  test('in REST, whatever the body, the parameters, the version or the id', async () => {
    for (const body of [{ title: 1 }, { title: 'x' }, { nope: 1 }, [], 5]) {
      assert.equal(await rest(anonymous, 'POST', '/boxes', body), 401)
      assert.equal(await rest(anonymous, 'PUT', '/boxes/b1', body), 401)
      assert.equal(await rest(anonymous, 'PATCH', '/boxes/b1', body), 401)
      assert.equal(await rest(anonymous, 'PATCH', '/boxes/none', body), 401)
    }
    assert.equal(await rest(anonymous, 'POST', '/boxes?nope=1', { title: 'two' }), 401)
    assert.equal(await rest(anonymous, 'DELETE', '/boxes/b1?nope=1'), 401)
    assert.equal(await rest(anonymous, 'DELETE', '/boxes/b1', undefined, { 'if-match': 'nonsense' }), 401)
    assert.equal(await rest(anonymous, 'DELETE', '/boxes/%20'), 401)
    const { status } = await apis.send('rest', { method: 'POST', path: '/boxes', body: '{', headers: json })
    assert.equal(status, 401)
    assert.equal(await rest(bob, 'POST', '/logs', { text: 5 }), 403)
  })

  test('in GraphQL, after the document is validated', async () => {
    const create = 'mutation ($input: CreateBoxInput!) { createBox(input: $input) { id } }'
    for (const input of [{ title: 'x', owner: 'ann' }, { title: 5 }, { nope: 1 }]) {
      assert.equal(await graphql(anonymous, create, { input }), 'UNAUTHENTICATED')
    }
    assert.equal(await graphql(anonymous, 'mutation { updateBox(id: "b1", title: "x") { id } }'), 'UNAUTHENTICATED')
    assert.equal(await graphql(bob, 'mutation { createLog(input: {text: "x\\u0000"}) { id } }'), 'FORBIDDEN')
  })

  test('a viewer to whom a rule could grant it gets the mistakes', async () => {
    assert.equal(await rest(bob, 'POST', '/boxes', { title: 1 }), 400)
    assert.equal(await graphql(bob, 'mutation { updateBox(id: "b1", title: "x") { id } }'), 'VALIDATION_FAILED')
  })

  test('the rule that would grant it is named in both cases', async () => {
    const { body } = await apis.rest('POST', '/boxes', { title: 1 })
    assert.match(String((body as { hint?: string }).hint), /schema.graphql:6 @allow\(who: "owner"\)/)
  })
})

describe('a list that its viewer cannot read', () => {
  let apis: TestApis
  before(async () => {
    apis = await open(true)
  })
  after(() => apis.close())

  test('can be neither read nor written, but the collection can', async () => {
    const sent = apis.as(bob)
    const unseen = [await sent.rest('GET', '/boxes/b1/lids'), await sent.rest('POST', '/boxes/b1/lids', {})]
    const none = [await sent.rest('GET', '/boxes/none/lids'), await sent.rest('POST', '/boxes/none/lids', {})]
    assert.deepEqual(
      [...unseen, ...none].map(({ status }) => status),
      [404, 404, 404, 404],
    )
    assert.equal((await sent.rest('POST', '/boxes/b4/lids', {})).status, 201)
    assert.equal((await sent.rest('POST', '/lids', { box: 'b1' })).status, 201)
    assert.equal((await apis.rest('POST', '/boxes/b4/lids', {})).status, 404)
  })
})

describe('a denial because of the new row says so, alike through both APIs', () => {
  let apis: TestApis
  before(async () => {
    const post = `type User @account(login: "name") @allow { id: ID! name: String! @unique }
type Post @allow(to: [READ]) @allow(who: "by", where: { state: { ne: OUT } }) @allow(role: "editor") {
  id: ID!
  state: State! @default(value: DRAFT)
  by: User! @auto(set: VIEWER)
}
enum State { DRAFT OUT }`
    apis = await openApis(post, {}, undefined, { inAnswer: true, log() {} })
    for (const name of ['ann', 'bob'])
      await apis.as(system).rest('PUT', `/users/${name}`, { name, password: 'correct horse' })
    await apis.as(system).rest('PUT', '/posts/p', { by: 'bob' })
  })
  after(() => apis.close())

  const denial = async (method: string, path: string, body: object, mutation: string) => {
    const rest = (await apis.as(bob).rest(method, path, body)).body as { detail: string; code: string; hint?: string }
    const [error] = (await apis.as(bob).graphql(`mutation { ${mutation} { id } }`)).errors
    assert.deepEqual(
      [error!.message, error!.extensions?.code, error!.extensions?.hint],
      [rest.detail, rest.code, rest.hint],
    )
    return rest
  }

  test('an update of a row that the viewer may update, to a state that they may not write', async () => {
    const { code, detail, hint } = await denial(
      'PATCH',
      '/posts/p',
      { state: 'OUT' },
      'updatePost(id: "p", state: OUT)',
    )
    assert.equal(code, 'FORBIDDEN')
    assert.equal(detail, 'You may change this Post, but no rule allows it as it would be then.')
    const own = 'schema.graphql:2 @allow(who: "by") where state ≠ OUT does not match this row'
    assert.equal(hint, `Post: ${own}; schema.graphql:2 @allow(role: "editor") would allow it.`)
  })

  test('a create for another owner, where the server sets the owner', async () => {
    const { code, detail } = await denial('POST', '/posts', { by: 'ann' }, 'createPost(input: {by: "ann"})')
    assert.equal(code, 'VALIDATION_FAILED')
    assert.equal(detail, 'by: is set by the server to who is signed in; leave it out.')
  })
})

test('a refused PUT or upsert names only the rules for what it would do: create or update', async () => {
  const tag = `type Tag @allow(to: [READ, CREATE]) @allow(role: "editor", to: [UPDATE]) { id: ID! name: String! @unique n: Int }
type Mark @allow(to: [READ, UPDATE]) @allow(to: [CREATE], where: { n: { gt: 5 } }) { id: ID! name: String! @unique n: Int }`
  const apis = await openApis(tag, {}, undefined, { inAnswer: true, log() {} })
  try {
    await apis.as(system).rest('PUT', '/tags/t', { name: 'x' })
    const { rest, graphql } = apis.as(bob)
    const hintOf = async (method: string, path: string, body: object) =>
      ((await rest(method, path, body)).body as { hint?: string }).hint
    const hintOfUpsert = async (type: string, name: string) => {
      const text = `mutation { upsert${type}(key: {name: "${name}"}, create: {name: "${name}", n: 1}, update: {n: 1}) { id } }`
      return (await graphql(text)).errors[0]?.extensions?.hint
    }
    const update = 'Tag: schema.graphql:1 @allow(role: "editor", to: [UPDATE]) would allow it.'
    assert.equal(await hintOf('PUT', '/tags/t', { name: 'y' }), update)
    assert.equal(await hintOf('POST', '/tags?onConflict=name', { name: 'x', n: 1 }), update)
    assert.equal(await hintOfUpsert('Tag', 'x'), update)
    const guest = (await apis.as(anonymous).rest('PUT', '/tags/t', { name: 'y' })).body as {
      code: string
      hint?: string
    }
    assert.deepEqual([guest.code, guest.hint], ['UNAUTHENTICATED', update])
    const create = 'Mark: schema.graphql:2 @allow(to: [CREATE]) where n > 5 does not match this row.'
    assert.equal(await hintOf('POST', '/marks?onConflict=name', { name: 'x', n: 1 }), create)
    assert.equal(await hintOfUpsert('Mark', 'x'), create)
  } finally {
    await apis.close()
  }
})

test('a refused transition names only the @next rules that would allow it, and its answer has no more than other errors', async () => {
  const repair = `type User @account(login: "name") @allow { id: ID! name: String! @unique }
type Repair @allow(to: [READ]) @allow(role: "desk", to: [UPDATE]) {
  id: ID!
  customer: User!
  state: State!
}
enum State {
  BOOKED
    @next(to: [CANCELLED], who: "customer")
    @next(to: [IN_PROGRESS], role: "mechanic")
    @next(to: [LOST])
  IN_PROGRESS @next(to: [DONE], role: "mechanic")
  DONE
  CANCELLED
  LOST
}`
  const apis = await openApis(repair, {}, undefined, { inAnswer: true, log() {} })
  try {
    await apis.as(system).rest('PUT', '/users/bob', { name: 'bob', password: 'correct horse' })
    assert.equal((await apis.as(system).rest('PUT', '/repairs/r', { customer: 'bob' })).status, 201)
    const refused = async (state: string) => {
      const rest = await apis.as(bob).rest('PATCH', '/repairs/r', { state })
      const { hint, errors } = rest.body as { hint: string; errors: object[] }
      assert.equal(rest.status, 403)
      const message = `You may not make this Repair ${state}.`
      assert.deepEqual(errors, [{ path: 'state', pointer: '/state', code: 'READONLY', message }])
      const [error] = (await apis.as(bob).graphql(`mutation { updateRepair(id: "r", state: ${state}) { id } }`)).errors
      assert.deepEqual(error!.extensions, {
        code: 'FORBIDDEN',
        errors: [{ path: 'state', code: 'READONLY', message }],
        hint,
      })
      return hint
    }
    assert.equal(
      await refused('IN_PROGRESS'),
      'Repair.state: schema.graphql:10 @next(to: [IN_PROGRESS], role: "mechanic") would allow it.',
    )
    assert.equal(
      await refused('LOST'),
      'Repair.state: schema.graphql:11 @next(to: [LOST]) allows it to viewers who may update the row. ' +
        'Repair: schema.graphql:2 @allow(role: "desk", to: [UPDATE]) would allow it.',
    )
    const desk: Viewer = { ...bob, roles: ['desk'] }
    assert.equal((await apis.as(desk).rest('PATCH', '/repairs/r', { state: 'LOST' })).status, 200, 'as the hint says')
  } finally {
    await apis.close()
  }
})
