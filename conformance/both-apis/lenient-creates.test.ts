// Creates of many rows with `Prefer: handling=lenient` (docs/reference/rest.md, R79), beside GraphQL's `createEachPost`.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { HttpReply, Viewer } from '../../packages/twain/src/base/http/index.ts'
import { bodyText, isStream } from '../../packages/twain/src/base/http/index.ts'
import type { PendingWrite } from '../../packages/twain/src/code/define-service.ts'
import { graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'
import { openWithPeople } from '../harness/open-with-people.ts'

const sdl = `
  type Post @allow {
    id: ID! title: String! @constraint(maxLength: 20) rank: Int slug: String @unique author: Author
  }
  type Author @allow { id: ID! name: String! posts: [Post!]! }
`

const ndjson = 'application/x-ndjson'
const csv = 'text/csv'
const json = 'application/json'
const lenient = { prefer: 'handling=lenient' }

interface ResultLine {
  line?: number
  index?: number
  status: number
  id?: string
  problem?: { status: number; code: string; detail: string; errors: { path: string; code: string; message: string }[] }
}

function post(apis: TestApis, path: string, type: string, body: string, more: object = {}, viewer?: Viewer) {
  const headers = { 'content-type': type, ...lenient, ...more }
  return apis.send('rest', { method: 'POST', path, headers, body }, viewer)
}

async function lines(reply: HttpReply): Promise<ResultLine[]> {
  const text = await bodyText(reply)
  assert.equal(reply.headers['content-type'], 'application/x-ndjson; charset=utf-8', text)
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ResultLine)
}

/** The line, the status, and each problem's path and code. */
const brief = ({ line, index, status, problem }: ResultLine) =>
  problem === undefined
    ? [line ?? index, status]
    : [line ?? index, status, problem.code, ...problem.errors.map(({ path, code }) => `${path} ${code}`)]

describe('Prefer: handling=lenient', () => {
  let apis: TestApis
  before(async () => {
    apis = await openApis(sdl, { bulk: 4 })
  })
  after(() => apis.close())

  const titles = async () => {
    const rows = (await restBody(apis, 'GET', '/posts?limit=100&fields=title')) as { title: string }[]
    return rows.map(({ title }) => title)
  }

  test('each row of NDJSON, CSV and a JSON list has its result, over all portions', async () => {
    const before = (await titles()).length
    const bodies = [
      [ndjson, (mark: string) => `{"title":"${mark}1"}\n{"titel":"x"}\n\n{nope}\n${'{"title":"m"}\n'.repeat(6)}`],
      [csv, (mark: string) => `title,rank\n${mark}1,1\n${'x'.repeat(21)},2\n"a\nb",x\n${'m,3\n'.repeat(6)}`],
      [
        json,
        (mark: string) => `[{"title":"${mark}1"},\n{"title":1},\n{nope},${'{"title":"m"},'.repeat(5)}{"title":"m"}]`,
      ],
    ] as const
    const results = []
    for (const [index, [type, body]] of bodies.entries()) {
      const reply = await post(apis, '/posts', type, body(`k${index}`))
      assert.deepEqual([reply.status, reply.headers['preference-applied']], [200, 'handling=lenient'])
      results.push((await lines(reply)).map(brief))
    }
    const rest = (from: number) => Array.from({ length: 6 }, (_, n) => [from + n, 201])
    assert.deepEqual(results[0], [
      [1, 201],
      [2, 400, 'VALIDATION_FAILED', 'titel UNKNOWN', 'title REQUIRED'],
      [4, 400, 'VALIDATION_FAILED', ' TYPE'],
      ...rest(5),
    ])
    assert.deepEqual(results[1], [
      [2, 201],
      [3, 400, 'VALIDATION_FAILED', 'title LENGTH'],
      [4, 400, 'VALIDATION_FAILED', 'rank TYPE'],
      ...rest(6),
    ])
    assert.deepEqual(results[2], [
      [0, 201],
      [1, 400, 'VALIDATION_FAILED', 'title TYPE'],
      [2, 400, 'VALIDATION_FAILED', ' TYPE'],
      ...rest(3),
    ])
    assert.equal((await titles()).length, before + 3 * 7)
  })

  test('a row is refused exactly if it would be alone, behind the rows before it', async () => {
    const rows = ['a', 'b', 'a', 'c', 'b', 'b', 'd', 'a', 'e'].map((slug, n) => ({ title: `s${n}`, slug: `w-${slug}` }))
    const found = await lines(await post(apis, '/posts', ndjson, rows.map((row) => JSON.stringify(row)).join('\n')))
    assert.deepEqual(
      found.map(({ status }) => status),
      [201, 201, 409, 201, 409, 409, 201, 409, 201],
    )
    assert.deepEqual(brief(found[2]!), [3, 409, 'CONFLICT', 'slug UNIQUE'])
    const alone = await apis.rest('POST', '/posts', rows[2])
    assert.deepEqual([alone.status, (alone.body as { detail: string }).detail], [409, found[2]!.problem!.detail])
    const { createEachPost: again } = (await graphqlData(
      apis,
      `mutation ($inputs: [CreatePostInput!]!) { createEachPost(inputs: $inputs) { index status id code message errors { path code } } }`,
      { inputs: rows.map(({ title, slug }) => ({ title, slug: slug.replace('w-', 'g-') })) },
    )) as { createEachPost: { index: number; status: number; id: string | null; message: string; errors: object[] }[] }
    assert.deepEqual(
      again.map(({ index, status, id }) => [index, status, id === null]),
      found.map(({ status }, index) => [index, status, status === 409]),
    )
    assert.deepEqual(again[2]!.errors, [{ path: 'slug', code: 'UNIQUE' }])
    assert.equal(again[2]!.message, found[2]!.problem!.detail)
  })

  test('without it, more rows than limits.bulk are a 413 that names the preference', async () => {
    const headers = { 'content-type': csv }
    const reply = await apis.send('rest', { method: 'POST', path: '/posts', headers, body: 'title\na\nb\nc\nd\ne\n' })
    assert.equal(reply.status, 413)
    assert.match(JSON.parse(await bodyText(reply)).hint, /Prefer: handling=lenient/)
  })

  test('the mistakes of the whole request have their own status, and nothing is written', async () => {
    const before = (await titles()).length
    const status = async (path: string, type: string, body: string, more: object = {}) =>
      (await post(apis, path, type, body, more)).status
    assert.equal(await status('/posts', csv, 'titel\na\n'), 400)
    assert.equal(await status('/posts', csv, 'title\na\nb\nc\nd\ne\n"f'), 400)
    assert.equal(await status('/posts', json, '[{"title":"a"}, {"title":"b"'), 400)
    assert.equal(await status('/posts', ndjson, ''), 400)
    assert.equal(await status('/posts', json, '[]'), 400)
    assert.equal(await status('/posts?fields=id', ndjson, '{"title":"a"}'), 400)
    assert.equal(await status('/posts?onConflict=rank', ndjson, '{"title":"a"}'), 400)
    assert.equal(await status('/posts', `${csv}; header=absent`, 'a\n'), 415)
    assert.equal(await status('/posts', ndjson, '{"title":"a"}', { accept: 'application/xml' }), 406)
    assert.equal(await status('/posts', ndjson, '{"title":"a"}', { 'if-match': '"1"' }), 400)
    assert.equal(await status('/authors/nobody/posts', ndjson, '{"title":"a"}'), 404)
    assert.equal((await titles()).length, before)
  })

  test('a row of the wrong type refuses the whole request in GraphQL, with the place of each mistake', async () => {
    const before = (await titles()).length
    const query = 'mutation ($i: [CreatePostInput!]!) { createEachPost(inputs: $i) { status } }'
    const sent = async (inputs: unknown) => {
      const { data, errors } = await apis.graphql(query, { i: inputs })
      return [
        data,
        errors[0]?.extensions?.code,
        errors[0]?.extensions?.errors?.map(({ path, code }) => `${path} ${code}`),
      ]
    }
    const refused = (...problems: string[]) => [null, 'VALIDATION_FAILED', problems]
    assert.deepEqual(await sent([{ title: 'a' }, { title: 5 }, { nme: 'x' }]), [
      ...refused('1.title TYPE', '2.nme UNKNOWN', '2.title REQUIRED'),
    ])
    assert.deepEqual(await sent([{}]), refused('0.title REQUIRED'))
    assert.deepEqual(await sent([null]), refused('0 TYPE'))
    assert.deepEqual(await sent('x'), refused('0 TYPE'))
    // What the type does not have is refused as in a literal, also what REST ignores in a row that was read.
    assert.deepEqual(await sent([{ title: 'a', _version: 1 }]), refused('0._version UNKNOWN'))
    assert.equal((await titles()).length, before)
  })

  test('a JSON object is one row, and handling=strict is as without a preference', async () => {
    const one = await post(apis, '/posts', json, ' {"title":"one"}')
    assert.deepEqual([one.status, one.headers['preference-applied']], [201, undefined])
    const strict = await post(apis, '/posts', json, '[{"title":"a"},{"titel":"b"}]', { prefer: 'handling=strict' })
    assert.equal(strict.status, 400)
  })

  test('onConflict and nested paths work as for one row', async () => {
    const author = ((await restBody(apis, 'POST', '/authors', { name: 'Ann' })) as { id: string }).id
    const path = `/authors/${author}/posts?onConflict=slug`
    const prefer = { prefer: 'handling=lenient, resolution=ignore-duplicates' }
    const body = '{"slug":"n1","title":"a"}\n{"slug":"n1","title":"b"}\n{"slug":"n2","title":"c","author":"other"}'
    const reply = await post(apis, path, ndjson, body, prefer)
    const applied = [200, 'handling=lenient, resolution=ignore-duplicates']
    assert.deepEqual([reply.status, reply.headers['preference-applied']], applied, JSON.stringify(reply.body))
    const found = await lines(reply)
    assert.deepEqual(found.map(brief), [
      [1, 201],
      [2, 200],
      [3, 400, 'VALIDATION_FAILED', 'author READONLY'],
    ])
    assert.equal(found[0]!.id, found[1]!.id)
    assert.deepEqual(await restBody(apis, 'GET', `/authors/${author}/posts?fields=title`), [{ title: 'a' }])
  })

  test('a key gives the same lines again; after a break it writes the portions that are missing', async () => {
    const body = Array.from({ length: 10 }, (_, n) => `{"title":"key${n}"${n === 2 ? ',"x":1' : ''}}`).join('\n')
    const key = { 'idempotency-key': '"load-1"' }
    const reply = await post(apis, '/posts', ndjson, body, key)
    assert.ok(isStream(reply.body))
    const stream = reply.body[Symbol.asyncIterator]()
    const first = String((await stream.next()).value)
    await stream.return!() // the client has gone
    const written = (await titles()).filter((title) => title.startsWith('key'))
    assert.equal(written.length, 3) // one portion of four rows, one of them bad
    const second = await post(apis, '/posts', ndjson, body, key)
    assert.equal(second.headers['idempotent-replayed'], 'true')
    const text = await bodyText(second)
    assert.ok(text.startsWith(first))
    assert.equal(text.trimEnd().split('\n').length, 10)
    assert.equal((await titles()).filter((title) => title.startsWith('key')).length, 9)
    assert.equal(await bodyText(await post(apis, '/posts', ndjson, body, key)), text)
    const other = await post(apis, '/posts', ndjson, '{"title":"other"}', key)
    assert.deepEqual([other.status, (await titles()).includes('other')], [422, false])
  })
})

test('rules and hooks judge each row, and each row that is written has its event', async () => {
  const seen: string[] = []
  const before = {
    Note: async ({ next: row }: PendingWrite) => {
      if (row?.text === 'hook') throw Object.assign(new Error('No hooks.'), { code: 'CONFLICT' })
      seen.push(String(row?.text))
    },
  }
  const { apis, ann, bob } = await openWithPeople(
    `type User @account @allow(who: "self") @allow(to: [CREATE]) { id: ID! email: String! @unique notes: [Note!]! }
     type Note @allow(who: "owner") { id: ID! text: String! owner: User! secret: String @allow(role: "chief") }`,
    { service: { before } as never },
  )
  try {
    const body = [
      `{"text":"a","owner":"${ann.id}"}`,
      `{"text":"b","owner":"${bob.id}"}`,
      `{"text":"c","owner":"${ann.id}","secret":"s"}`,
      `{"text":"hook","owner":"${ann.id}"}`,
      `{"text":"d","owner":"${ann.id}"}`,
    ].join('\n')
    const reply = await post(apis, '/notes', ndjson, body, {}, ann.viewer)
    const found = await lines(reply)
    assert.deepEqual(
      found.map(({ status }) => status),
      [201, 409, 403, 409, 201],
    )
    assert.deepEqual(brief(found[1]!), [2, 409, 'CONFLICT', 'owner REFERENCE'])
    const { body: rows } = await ann.rest('GET', '/notes?fields=text')
    assert.deepEqual(rows, [{ text: 'a' }, { text: 'd' }])
    assert.equal((await post(apis, '/notes', ndjson, body)).status, 401)
    const users = await lines(
      await post(apis, '/users', csv, 'email,password\nc@example.org,correct horse\nd@example.org,\n'),
    )
    assert.deepEqual(users.map(brief), [
      [2, 201],
      [3, 400, 'VALIDATION_FAILED', 'password REQUIRED'],
    ])
  } finally {
    await apis.close()
  }
})
