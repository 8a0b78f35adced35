// The schema itself through both APIs: `/docs/schema` with what is below it, `servedSchema` and `schemaChanges`. Each answer of REST is
// compared with that of GraphQL.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Person, TestService } from '../harness/test-service.ts'

const sdl = `type User @account @allow(to: [READ, CREATE]) @allow(role: "admin") {
  id: ID!
  email: String! @unique
  name: String
}
interface Titled { title: String! }
"A post."
type Post implements Titled
  @allow(to: [READ], where: {status: {eq: PUBLISHED}, address: {city: {eq: "Rome"}}})
  @allow(who: "author", where: {tags: {some: {name: {ne: "x"}}}})
{
  id: ID!
  title: String! @search @index(with: ["slug"])
  slug: String
  author: User! @auto(set: VIEWER)
  status: Status!
  address: Address
  tags: [Tag!]!
  words: Int @computed(from: ["title"])
  old: String @deprecated(reason: "Use title.")
}
type Tag @allow { id: ID! name: String! @unique posts: [Post!]! }
type Address { city: String! }
enum Status {
  DRAFT @next(to: [PUBLISHED, GONE], role: "editor", where: {title: {ne: ""}})
  PUBLISHED @next(to: [GONE])
  GONE
}
extend type Query { hello: String @allow(role: "admin") }
`

const code = `export default { resolvers: {
  Query: { hello: () => 'hello' },
  Post: { words: (rows) => rows.map(({ title }) => title.length) },
}, before: { Post() {} }, on: { Post() {} } }`

const place = 'file line'
const document = `{ servedSchema {
  types { name kind path description memberOf hooks ${place} }
  fields { of name kind type to inverse unique description deprecated start ${place} }
  rules { of field rule ${place} }
  transitions { of field from to who rule ${place} }
  dependencies { of field by what ${place} }
} }`
const filesDocument = `{ servedSchema { watched files { name text }
  pending { reason files { name text } mistakes { ${place} column length message hint } } } }`
const changesDocument = `query ($text: String!, $file: String) { schemaChanges(text: $text, file: $file) {
  verdict mistakes { ${place} column length message hint }
  differences { verdict path message affects instead rows used ${place} column } } }`

type Entry = Record<string, unknown>

describe('the schema', () => {
  let service: TestService
  let admin: { authorization: string }
  let ann: Person
  before(async () => {
    service = await TestService.open({ after() {} }, sdl, {
      code,
      isWatched: true,
      listening: { body: 4_194_304 },
    })
    admin = { authorization: `Bearer ${await service.operator('admin')}` }
    ann = await service.signUp('ann')
  })
  after(() => service?.close())

  /** The data of a GraphQL query that must succeed. */
  async function query(text: string, variables: object = {}): Promise<Record<string, unknown>> {
    const { data, errors } = await service.succeed('POST', '/graphql', { query: text, variables }, admin)
    assert.equal(errors, undefined, JSON.stringify(errors))
    return data
  }

  async function changes(input: {
    text: string
    file?: string
  }): Promise<{ verdict: string; differences: Entry[]; mistakes: Entry[] }> {
    const byRest = await service.succeed('POST', '/docs/schema/changes', input, admin)
    assert.deepEqual((await query(changesDocument, input)).schemaChanges, byRest)
    return byRest
  }

  test('R440: types, fields, rules, transitions and dependencies, each with its line', async () => {
    const picture: Record<string, Entry[]> = await service.succeed('GET', '/docs/schema', undefined, admin)
    assert.deepEqual((await query(document)).servedSchema, picture)
    const { types, fields, rules, transitions, dependencies } = picture
    assert.deepEqual(
      types!.map(({ name, kind, line }) => `${name} ${kind} ${line}`),
      [
        'User resource 1',
        'Post resource 8',
        'Tag resource 22',
        'Titled interface 6',
        'Address value 23',
        'Status enum 24',
        'Query root 29',
      ],
    )
    assert.deepEqual(types!.find(({ name }) => name === 'Post')!.memberOf, ['Titled'])
    const hooks = types!.filter((one) => (one.hooks as string[]).length > 0).map((one) => [one.name, one.hooks])
    assert.deepEqual(hooks, [['Post', ['before', 'on']]])
    const named = (of: string, name: string) => fields!.find((field) => field.of === of && field.name === name)!
    assert.deepEqual(Object.values(named('Post', 'tags')).slice(2, 6), ['list', '[Tag!]!', 'Tag', 'posts'])
    assert.deepEqual(Object.values(named('Post', 'address')).slice(2, 5), ['value', 'Address', 'Address'])
    assert.equal(named('Post', 'old').deprecated, 'Use title.')
    assert.equal(named('Post', 'status').start, 'DRAFT')
    assert.equal(named('Tag', 'name').unique, true)
    assert.equal(named('Query', 'hello').kind, 'operation')
    assert.ok(
      rules!.some(({ of, field, rule }) => of === 'Query' && field === 'hello' && rule === '@allow(role: "admin")'),
    )
    assert.deepEqual(
      transitions!.map(({ from, to, who, line }) => `${from} ${to} ${who} ${line}`),
      [
        'DRAFT PUBLISHED role editor, where title ≠ "" 25',
        'DRAFT GONE role editor, where title ≠ "" 25',
        'PUBLISHED GONE  26',
      ],
    )
    const on = (path: string) =>
      dependencies!.filter(({ of, field }) => `${of}.${field}` === path).map(({ by, line }) => `${by} ${line}`)
    assert.deepEqual(on('Post.title'), ['search 13', 'transition 25', 'computed 19', 'index 13'])
    assert.deepEqual(on('Address.city'), ['rule 9'])
    assert.deepEqual(on('Tag.name'), ['rule 10', 'index 22'])
    assert.deepEqual(on('Post.author'), ['rule 10'])
    assert.deepEqual(on('User.email'), ['index 3', 'account 1'])
  })

  test('R441: the files, with the mistakes of the present ones', async () => {
    const read = async () => {
      const files = await service.succeed('GET', '/docs/schema/files', undefined, admin)
      assert.deepEqual((await query(filesDocument)).servedSchema, files)
      return files
    }
    const served = await read()
    assert.deepEqual([served.watched, served.pending, served.files[0].text], [true, null, sdl])
    const first = await service.send('GET', '/docs/schema/files', undefined, admin)
    const tag = { ...admin, 'if-none-match': first.headers.get('etag')! }
    assert.equal((await service.send('GET', '/docs/schema/files', undefined, tag)).status, 304)
    const wrong = sdl.replace('slug: String', 'slug: Strin')
    await writeFile(service.schemaFile, wrong)
    await service.service.reload()
    assert.equal((await service.send('GET', '/docs/schema/files', undefined, tag)).status, 200)
    const { files, pending } = await read()
    assert.equal(files[0].text, sdl)
    assert.equal(pending.files[0].text, wrong)
    assert.deepEqual([pending.mistakes.length, pending.mistakes[0].line], [1, 14])
    assert.match(pending.mistakes[0].message, /Strin/)
    assert.match(pending.reason, /has a mistake\.$/)
    await writeFile(service.schemaFile, sdl.replace('words: Int', 'letters: Int'))
    await service.service.reload()
    assert.match((await read()).pending.reason, /letters/)
    await writeFile(service.schemaFile, sdl)
    await service.service.reload()
    assert.equal((await read()).pending, null)
  })

  test('R442: a changed text is compared as twain check compares it, with who used what', async () => {
    await service.succeed('GET', '/posts?fields=slug', undefined, { ...admin, 'x-client-name': 'web' })
    const removed = await changes({ text: sdl.replace('  slug: String\n', '').replace(' @index(with: ["slug"])', '') })
    assert.equal(removed.verdict, 'breaking')
    const [difference] = removed.differences
    assert.deepEqual([difference!.path, difference!.affects, difference!.rows], ['Post.slug', 'clients', 'dropped'])
    assert.match(String(difference!.used), /^Last requested on \S+ by web\.$/)
    assert.match(String(difference!.instead), /@deprecated/)
    assert.equal((await changes({ text: sdl })).verdict, 'same')
    const sealed = await changes({ text: `${sdl}\ntype Seal @allow { id: ID! n: Int! @allow(role: "admin") }` })
    assert.match(String(sealed.mistakes[0]!.message), /^Seal\.n is required, but nobody/)
    const { files } = await service.succeed('GET', '/docs/schema/files', undefined, admin)
    const added = await changes({ text: sdl.replace('slug:', 'more: Int slug:'), file: files[0].name })
    assert.deepEqual([added.verdict, added.differences[0]!.line], ['additive', 14])
    const mistaken = await changes({ text: sdl.replace('slug: String', 'slug: Strin') })
    assert.deepEqual([mistaken.verdict, mistaken.mistakes[0]!.line], ['mistaken', 14])
    // Nothing is served.
    assert.equal((await service.send('GET', '/posts?fields=more', undefined, admin)).status, 400)
  })

  test('R442: texts that are no schema are mistakes or refused, and reach no file', async () => {
    for (const text of ['', '{', '"""', 'x'.repeat(1000), '[['.repeat(50_000), `type A { ${'a: A '.repeat(5000)}}`]) {
      const { verdict, mistakes } = await changes({ text })
      assert.equal(verdict, 'mistaken')
      assert.ok(mistakes.length > 0)
    }
    const refused: [unknown, string][] = [
      [{}, 'REQUIRED'],
      [{ text: 1 }, 'TYPE'],
      [{ text: sdl, file: {} }, 'TYPE'],
      [{ text: '\u0000' }, 'PATTERN'],
      [{ text: ' '.repeat(1_048_577) }, 'LENGTH'],
      [{ text: 'type A { id: ID! }', file: '/etc/passwd' }, 'UNKNOWN'],
      [{ text: 'type A { id: ID! }', fil: 'a' }, 'UNKNOWN'],
      [[], 'TYPE'],
    ]
    for (const [input, detail] of refused) {
      const { status, body } = await service.send('POST', '/docs/schema/changes', input, admin)
      assert.deepEqual([status, body.code, body.errors[0].code], [400, 'VALIDATION_FAILED', detail])
    }
    const deep = { text: `type A { a: ${'['.repeat(100_000)}` }
    const tooDeep = await service.send('POST', '/docs/schema/changes', deep, admin)
    assert.deepEqual([tooDeep.status, tooDeep.body.code], [400, 'BAD_REQUEST'])
    assert.equal((await changes({ text: sdl })).verdict, 'same')
    const variables = { text: sdl, file: '/etc/passwd' }
    const { body } = await service.send('POST', '/graphql', { query: changesDocument, variables }, admin)
    const [{ extensions }] = body.errors
    assert.deepEqual([extensions.code, extensions.errors[0].path], ['VALIDATION_FAILED', 'schemaChanges.file'])
  })

  test('R443: uses name each client with its last days, and the API', async () => {
    await service.succeed('GET', '/posts', undefined, { ...admin, 'x-client-name': 'feed' })
    const named = { query: '{ tags { name } }' }
    await service.succeed('POST', '/graphql', named, { ...admin, 'x-client-name': 'app' })
    const contract = await service.succeed('GET', '/docs/contract', undefined, admin)
    const { since, uses } = (
      await query('{ servedSchema { since uses { path client requested returned rest graphql } } }')
    ).servedSchema as { since: string; uses: Entry[] }
    assert.equal(since, contract.since)
    const ofTitle = uses.filter(({ path }) => path === 'Post.title').map(({ path: _, ...use }) => use)
    assert.deepEqual(ofTitle, contract.uses['Post.title'].by)
    assert.deepEqual(ofTitle, [{ client: 'feed', requested: null, returned: since, rest: since, graphql: null }])
    const ofName = uses.filter(({ path }) => path === 'Tag.name').map(({ path: _, ...use }) => use)
    assert.deepEqual(ofName, [{ client: 'app', requested: since, returned: null, rest: null, graphql: since }])
  })

  test('R440: the schema has an entity tag over both APIs; its uses and comparisons are not cached', async () => {
    const headersOf = async (path: string) => (await service.send('GET', path, undefined, admin)).headers
    const graphql = (text: string) => headersOf(`/graphql?query=${encodeURIComponent(text)}`)
    const tagged = [await headersOf('/docs/schema'), await graphql('{ servedSchema { types { name } } }')]
    for (const headers of tagged) {
      assert.deepEqual([headers.get('cache-control'), headers.has('etag')], ['private, no-cache', true])
    }
    const stored = [await headersOf('/docs/contract'), await graphql('{ servedSchema { uses { path } } }')]
    stored.push(await graphql('{ schemaChanges(text: "type A { id: ID! }") { verdict } }'))
    for (const headers of stored) assert.equal(headers.get('cache-control'), 'no-store')
  })

  test('nobody but the role admin sees anything of it', async () => {
    const paths = ['/docs/schema', '/docs/schema/files', '/docs/contract']
    const documents = [document, filesDocument, '{ schemaChanges(text: "type A { id: ID! }") { verdict } }']
    for (const [headers, status, code] of [
      [{}, 401, 'UNAUTHENTICATED'],
      [{ authorization: ann.authorization }, 403, 'FORBIDDEN'],
    ] as const) {
      for (const path of paths) assert.equal((await service.send('GET', path, undefined, headers)).status, status)
      assert.equal((await service.send('POST', '/docs/schema/changes', { text: sdl }, headers)).status, status)
      for (const text of documents) {
        const { body } = await service.send('POST', '/graphql', { query: text }, headers)
        assert.deepEqual([body.data, body.errors[0].extensions.code], [null, code])
      }
    }
    assert.equal((await service.send('POST', '/docs/schema', {}, admin)).status, 405)
    assert.equal((await service.send('GET', '/docs/schema/changes', undefined, admin)).status, 405)
    assert.equal((await service.send('GET', '/docs/schema?x=1', undefined, admin)).status, 400)
  })

  test('R442: a text can replace one file of a schema folder, or the whole schema', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'twain-schema-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const [posts, tags] = ['type Post { id: ID! tag: Tag }', 'type Tag { id: ID! name: String }']
    await writeFile(join(folder, 'posts.graphql'), posts!)
    await writeFile(join(folder, 'tags.graphql'), tags!)
    const open = await TestService.open(t, '', { schemaFile: folder })
    const compare = (input: object) => open.succeed('POST', '/docs/schema/changes', input)
    const { files } = await open.succeed('GET', '/docs/schema/files')
    assert.deepEqual(
      files.map(({ text }: Entry) => text),
      [posts, tags],
    )
    const [first, second] = files.map(({ name }: Entry) => name)
    const added = await compare({ file: second, text: tags!.replace('name', 'more: Int name') })
    assert.deepEqual(
      added.differences.map(({ path, file, line }: Entry) => [path, file, line]),
      [['Tag.more', second, 1]],
    )
    assert.equal((await compare({ file: first, text: tags })).verdict, 'mistaken') // Tag stands in both files
    assert.equal((await compare({ text: `${posts} ${tags}` })).verdict, 'same')
    const unknown = await open.send('POST', '/docs/schema/changes', { file: `${second}x`, text: tags })
    assert.match(unknown.body.errors[0].message, /Did you mean/)
  })

  test('everybody sees it where everybody may do everything, and a schema may use the names', async (t) => {
    const open = await TestService.open(t, 'type SchemaChange { id: ID! servedSchema: String }')
    const picture = await open.succeed('GET', '/docs/schema')
    assert.deepEqual(
      picture.types.map(({ name }: Entry) => name),
      ['SchemaChange'],
    )
    const { body } = await open.send('POST', '/graphql', { query: '{ servedSchema { watched } }' })
    assert.equal(body.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED')
  })
})
