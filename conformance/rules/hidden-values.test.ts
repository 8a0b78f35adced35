// Two databases that differ only in one hidden value give the same answers, to the byte: no request reveals anything of the value to a
// viewer who may not read it.
// stores: sqlite, postgres
// all samples: postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { anonymous, system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { guessableFields } from '../../packages/twain/src/plan/explain/index.ts'
import { samples } from '../generate/samples.ts'
import { type ApiClient, openApis, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type User @account(login: "name") @allow(to: [READ]) @allow(who: "self") {
    id: ID! name: String! @unique roles: [String!] boxes: [Box!]!
  }
  type Box @allow(to: [READ]) @allow(who: "owner") @allow(role: "editor", to: [CREATE, UPDATE]) {
    id: ID! title: String! owner: User! notes: [Note!]!
    "Read on one's own rows, written by whoever updates the row."
    partly: String @allow(who: "owner", to: [READ])
    "Read by a role that nobody here has."
    never: String @allow(role: "auditor", to: [READ])
    "The same, alone and together with what all see: no two rows have it."
    serial: String @unique @allow(role: "auditor", to: [READ])
    mark: String @unique(with: ["title"]) @allow(role: "auditor", to: [READ])
    seals: [Seal!]!
  }
  "Stands against deleting what it seals."
  type Seal @allow(who: "owner") { id: ID! box: Box! owner: User! @default(value: VIEWER) }
  "Whole rows that only their owner knows of."
  type Diary @allow(who: "owner") { id: ID! text: String! code: String @unique owner: User! @default(value: VIEWER) notes: [Note!]! }
  type Note @allow(to: [READ, CREATE, UPDATE, DELETE]) { id: ID! title: String! box: Box diary: Diary }`

const secrets = ['mmmmmmmmmmmmmmmm', 'mzQ7-hidden-2222'] as const
/** Close to both values, equal to each, and unrelated. */
const guesses = ['m', 'mm', 'mz', 'mzQ7', 'a', 'n', '2222', 'mmm2', ...secrets]

const wrongGuesses = guesses.filter((guess) => secrets.every((secret) => guess !== secret))

const viewers: Record<string, Viewer> = {
  nobody: anonymous,
  bob: { account: 'bob', roles: [], authenticated: true, token: 't1' },
  'an editor': { account: 'eve', roles: ['editor'], authenticated: true, token: 't2' },
  'an operator': { account: null, roles: ['admin'], authenticated: true, token: 't3' },
}

let twins: TestApis[]
before(async () => {
  twins = await Promise.all(secrets.map((secret) => openWith(secret)))
})
after(async () => {
  for (const twin of twins) await twin.close()
})

async function openWith(secret: string): Promise<TestApis> {
  const apis = await openApis(sdl, { depth: 0, cost: 0 })
  const put = async (path: string, body: object) => {
    const { status } = await apis.as(system).rest('PUT', path, body)
    assert.equal(status, 201)
  }
  for (const name of ['ann', 'bob', 'eve']) await put(`/users/${name}`, { name, password: 'correct horse' })
  await put('/boxes/b1', { title: 'one', owner: 'ann', partly: secret, never: secret, serial: secret, mark: secret })
  await put('/boxes/b2', { title: 'two', owner: 'bob', partly: 'mq', never: 'mq' })
  await put('/boxes/b3', { title: 'two', owner: 'ann', partly: 'mq', never: 'mq' })
  for (const at of guesses.keys())
    for (const use of ['partly', 'never', 'graphql'])
      await put(`/boxes/x-${use}-${at}`, { title: 'x', owner: 'ann', partly: secret, never: secret })
  await put('/diaries/d1', { text: secret, owner: 'ann', code: `${secret}-code` })
  await put('/diaries/d2', { text: 'mq', owner: 'bob', code: 'mq' })
  await put('/notes/n1', { title: 'note', box: 'b1', diary: 'd1' })
  await put('/notes/n2', { title: 'note', box: 'b2', diary: 'd2' })
  await put('/boxes/sealed', { title: 'sealed', owner: 'bob' })
  await put('/seals/s1', { box: 'sealed', owner: 'ann' })
  return apis
}

type Ask = (client: ApiClient) => Promise<unknown>

function rest(method: string, path: string, body?: unknown, headers?: Record<string, string>): [string, Ask] {
  return [
    `${method} ${path} ${JSON.stringify(body ?? headers ?? '')}`,
    (client) => client.rest(method, path, body, headers),
  ]
}

function graphql(query: string, variables?: unknown): [string, Ask] {
  return [`${query} ${JSON.stringify(variables ?? '')}`, (client) => client.graphql(query, variables)]
}

const onTexts = ['contains', 'startsWith', 'endsWith', 'ieq', 'icontains', 'istartsWith', 'iendsWith']
const tests = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', ...onTexts].flatMap((operator) =>
  guesses.map((guess) => ({ [operator]: guess })),
)
const leaves: object[] = [
  ...tests,
  { in: [...guesses] },
  { notIn: [...guesses] },
  { between: [guesses[0], guesses[0]] },
  { isNull: true },
  { isNull: false },
]

/** A field in filters: directly, negated, combined, through references and lists. */
function filters(field: 'partly' | 'never'): [path: string, type: string, where: object][] {
  return leaves.flatMap((leaf): [string, string, object][] => {
    const where = { [field]: leaf }
    return [
      ['boxes', 'Box', where],
      ['boxes', 'Box', { not: where }],
      ['boxes', 'Box', { and: [{ title: { eq: 'one' } }, { or: [where, { id: { eq: 'b2' } }] }] }],
      ['notes', 'Note', { box: where }],
      ['notes', 'Note', { not: { box: where } }],
      ['users', 'User', { boxes: { some: where } }],
      ['users', 'User', { boxes: { none: where } }],
      ['users', 'User', { boxes: { every: where } }],
    ]
  })
}

const rowFilters = leaves.flatMap((leaf): [string, string, object][] => [
  ['diaries', 'Diary', { text: leaf }],
  ['notes', 'Note', { diary: { text: leaf } }],
  ['notes', 'Note', { not: { diary: { code: leaf } } }],
])

const filterAsks = [...filters('partly'), ...filters('never'), ...rowFilters].flatMap(([path, type, where]) => {
  const text = encodeURIComponent(JSON.stringify(where))
  const query = `query ($where: ${type}Where) { ${path}(where: $where) { id }
    ${path}Connection(where: $where, first: 1) { totalCount pageInfo { hasNextPage endCursor } } }`
  return [rest('GET', `/${path}?where=${text}`, undefined, { prefer: 'count=exact' }), graphql(query, { where })]
})

const parameterAsks = guesses.flatMap((guess) => [
  rest('GET', `/boxes?partly=${guess}`),
  rest('GET', `/boxes?never[gte]=${guess}`),
  rest('GET', `/notes?box.partly[startsWith]=${guess}`),
  rest('GET', `/notes?diary.text[lt]=${guess}`),
])

const orderAsks = ['partly', 'never'].flatMap((field) =>
  ['ASC', 'DESC'].flatMap((direction) => {
    const sort = direction === 'DESC' ? `-${field}` : field
    return [
      rest('GET', `/boxes?sort=${sort}`),
      rest('GET', `/boxes?sort=${sort}&first=1`),
      rest('GET', `/boxes?sort=title,${sort}&first=2`),
      rest('GET', `/users/ann/boxes?sort=${sort}&first=1`),
      graphql(`{ boxesConnection(first: 1, orderBy: [{ ${field}: ${direction} }]) {
        edges { cursor node { id } } pageInfo { hasNextPage endCursor startCursor } totalCount } }`),
      graphql(`{ user(id: "ann") { boxes(orderBy: [{ ${field}: ${direction} }], limit: 1) { id } } }`),
    ]
  }),
)

const readAsks = [
  ...['/boxes', '/boxes/b1', '/diaries', '/diaries/d1', '/notes', '/notes/n1', '/users/ann/boxes', '/diaries/d1/notes'],
  ...['/boxes?fields=id,partly', '/boxes?fields=never', '/notes?fields=box.partly', '/notes?fields=diary.text'],
]
  .map((path) => rest('GET', path))
  .concat([
    graphql(
      '{ boxes { id partly never _version owner { id } } box(id: "b1") { again: partly ...more } } fragment more on Box { never }',
    ),
    graphql('{ notes { id box { partly } diary { id text code } } diary(id: "d1") { text } }'),
  ])

/** In this order, on both databases. Each guess overwrites a hidden value of its own: a write that changes nothing must look like one
 *  that does. */
const writeAsks = [
  ...guesses.flatMap((guess, at) => [
    rest('PATCH', `/boxes/x-partly-${at}`, { partly: guess }),
    rest('PATCH', `/boxes/x-never-${at}`, { never: guess }),
    graphql(
      `mutation ($value: String) { updateBox(id: "x-graphql-${at}", partly: $value) { id title _version partly } }`,
      { value: guess },
    ),
    rest('PATCH', '/diaries/d1', { text: guess }),
    rest('PUT', '/diaries/d1', { text: guess }),
  ]),
  // A right guess of a unique value is a conflict (below); a wrong guess reveals nothing.
  ...wrongGuesses.flatMap((guess) => [
    rest('PATCH', '/boxes/b2', { serial: guess }),
    rest('PATCH', '/boxes/b2', { title: 'one', mark: guess }),
    rest('PUT', '/boxes/b2', { title: 'two', owner: 'bob', serial: guess, mark: guess }),
    rest('PATCH', '/boxes/b1', { serial: guess }),
    graphql(
      'mutation ($value: String) { updateBox(id: "b2", title: "one", serial: $value, mark: $value) { _version } }',
      {
        value: guess,
      },
    ),
  ]),
  rest('DELETE', '/boxes/sealed'),
  graphql('mutation { deleteBox(id: "sealed") { success message } }'),
  ...['*', '"1"', '"1-x"', '"2-x"'].flatMap((tag) => [
    rest('PATCH', '/diaries/d1', { text: 'm' }, { 'if-match': tag }),
    rest('DELETE', '/diaries/d1', undefined, { 'if-match': tag }),
    rest('PUT', '/diaries/d1', { text: 'm' }, { 'if-match': tag }),
    rest('GET', '/diaries/d1', undefined, { 'if-none-match': tag }),
  ]),
  rest('PUT', '/diaries/d1', { text: 'm' }, { 'if-none-match': '*' }),
  rest('PUT', '/diaries/d9', { text: 'm', code: 'mzQ', owner: 'bob' }),
  rest('PUT', '/diaries/d9', { text: 'm', code: 'mmmm', owner: 'bob' }),
  rest('PUT', '/diaries/d9', { text: 5, code: { a: 1 }, owner: 'bob' }),
  rest('PUT', '/boxes/b1', { title: 'one', owner: 'ann' }),
  rest('PUT', '/notes/n9', { title: 'new', diary: 'd1' }),
  rest('PUT', '/notes/n9', { title: 'new', diary: 'none' }),
  rest('PATCH', '/notes/n2', { diary: 'd1' }),
  rest('PATCH', '/notes/n1', { title: 'renamed' }),
  graphql('mutation { deleteDiary(id: "d1") { success message } }'),
  rest('DELETE', '/boxes/b1'),
]

test('the same requests reveal the value to its owner, so they could reveal it', async () => {
  const ann: Viewer = { account: 'ann', roles: ['auditor'], authenticated: true, token: 't4' }
  const differ = async (asks: [string, Ask][]) => {
    let count = 0
    for (const [, ask] of asks) {
      const [one, other] = await Promise.all(twins.map(async (twin) => JSON.stringify(await ask(twin.as(ann)))))
      if (one !== other) count++
    }
    return count
  }
  const filters = filterAsks.filter((_, at) => samples(at % 12 === 0, true))
  const found = [await differ(readAsks), await differ(filters), await differ(parameterAsks)]
  assert.ok(
    found.every((count, at) => count > [5, filters.length / 20, 5][at]!),
    String(found),
  )
})

for (const [turn, [name, viewer]] of Object.entries(viewers).entries()) {
  test(`${name} can't tell two hidden values apart`, async () => {
    // Each viewer sends other filters, or all of them.
    const sampled = filterAsks.filter((_, at) => samples((at + turn) % 12 === 0, true))
    const asks = [...readAsks, ...sampled, ...parameterAsks, ...orderAsks, ...writeAsks, ...readAsks]
    const differences: string[] = []
    for (const [sent, ask] of asks) {
      const [one, other] = await Promise.all(twins.map(async (twin) => JSON.stringify(await ask(twin.as(viewer)))))
      if (one !== other) differences.push(`${sent}\n  ${one}\n  ${other}`)
      const leaks = secrets.filter((secret) => !sent.includes(secret) && one!.includes(secret))
      if (leaks.length > 0) differences.push(`${sent} shows ${leaks}`)
    }
    assert.deepEqual(differences.slice(0, 5), [], `${differences.length} of ${asks.length} answers differ`)
  })
}

test('a unique value, or a reference that prevents a delete, is a conflict that names nothing hidden, and twain check lists it', async () => {
  const bob = viewers.bob!
  const [secret] = secrets
  const asks: [string, Ask, named: string][] = [
    [...rest('PATCH', '/boxes/b2', { serial: secret }), ''],
    [...rest('PUT', '/boxes/mine', { title: 'x', owner: 'bob', serial: secret }), ''],
    [...graphql('mutation ($v: String) { updateBox(id: "b2", serial: $v) { id } }', { v: secret }), ''],
    [...rest('PATCH', '/boxes/b2', { title: 'one', mark: secret }), 'title'],
    [
      ...graphql('mutation ($v: String) { updateBox(id: "b2", title: "one", mark: $v) { id } }', { v: secret }),
      'title',
    ],
    [...rest('DELETE', '/boxes/sealed'), ''],
    [...graphql('mutation { deleteBox(id: "sealed") { success } }'), ''],
  ]
  for (const [sent, ask, named] of asks) {
    const answer = JSON.stringify(await ask(twins[0]!.as(bob)))
    assert.match(answer, /"CONFLICT"/, sent)
    assert.ok(answer.includes(`"path":"${named}"`), answer)
    assert.doesNotMatch(answer, /serial|mark|seals|mmmm/, sent)
  }
  const listed = guessableFields(twins[0]!.model).map(({ field }) => field.name)
  assert.deepEqual(listed, ['serial', 'mark'])
})
