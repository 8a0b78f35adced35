import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadFolder, loadModel } from './load-model.ts'
import { SchemaMistakes } from './mistakes.ts'
import { renderMistakes } from './render-mistakes.ts'

type Files = Record<string, string>

const sourcesOf = (files: Files) => Object.entries(files).map(([file, text]) => ({ file, text }))
const load = (files: Files) => loadFolder(sourcesOf(files), 'schema/')

const user = 'type User @account { id: ID! email: String! @unique }'
const post = `"What people read."
type Post implements Named @allow(to: [READ]) {
  id: ID! # never changes
  name: String!
  status: Status! @default(value: DRAFT)
}`
const status = 'enum Status { DRAFT }'
const named = 'interface Named { id: ID! name: String! }'
const more = 'extend type Post @allow(who: "author") { author: User }'
const evenMore = 'extend type Post { body: String }'
const published = 'extend enum Status { PUBLISHED }'
const subject = 'union Subject = Post'
const people = 'extend union Subject = User'

test('types that stand in other files are the same schema', () => {
  const parts = [user, post, status, named, more, evenMore, published, subject, people]
  const one = load({ 'all.graphql': parts.join('\n') })
  const each = load(Object.fromEntries(parts.map((part, index) => [`${index}.graphql`, part])))
  const reversed = load(Object.fromEntries(parts.toReversed().map((part, index) => [`${index}.graphql`, part])))
  for (const other of [each, reversed]) {
    assert.equal(other.sdl, one.sdl)
    assert.deepEqual(withoutPlaces(other.model), withoutPlaces(one.model))
  }
  assert.deepEqual(
    withoutPlaces(loadModel(one.sdl, 'schema.graphql')),
    withoutPlaces(one.model),
    'the text is the schema',
  )
  const { model } = one
  assert.deepEqual([...model.resources[0]!.fields.keys()], ['id', 'name', 'status', 'author', 'body'])
  assert.equal(model.resources[0]!.rules.length, 2)
  assert.deepEqual(
    model.enums.map(({ values }) => values.map(({ name }) => name)),
    [['DRAFT', 'PUBLISHED']],
  )
  assert.deepEqual(
    model.abstracts.map(({ name, members }) => [name, ...members.map((member) => member.name)]),
    [
      ['Named', 'Post'],
      ['Subject', 'Post', 'User'],
    ],
  )
  assert.equal(model.service.name, 'Schema')
})

test('a place names its file', () => {
  const { model } = load({
    'a.graphql': `${user}\n`,
    'sub/b.graphql': `\n${post} ${status} ${named}`,
    'c.graphql': more,
  })
  const [author, name] = ['author', 'name'].map((field) => model.resources[0]!.fields.get(field)!.place)
  assert.deepEqual(author, { file: 'c.graphql', line: 1, column: 42 })
  assert.deepEqual(name, { file: 'sub/b.graphql', line: 5, column: 3 })
  assert.equal(model.resources[0]!.rules[1]!.place.file, 'c.graphql')
})

test('mistakes have their file, and the text of the right file', () => {
  const files = {
    'a.graphql': 'type Tag {\n  id: ID!\n  posts: [Pots!]!\n}',
    'b.graphql': 'type Post {\n  id: ID!\n  title: Strng\n}\n\ntype Tag { id: ID! }',
  }
  assert.equal(
    renderMistakes(mistakesIn(files), sourcesOf(files), { colour: false }),
    `a.graphql:3:11 There is no type Pots.
  |
3 |   posts: [Pots!]!
  |           ^^^^
  = Did you mean "Post"?

b.graphql:3:10 There is no type Strng.
  |
3 |   title: Strng
  |          ^^^^^
  = Did you mean "String"?

b.graphql:6:6 Tag is declared in a.graphql:1 and in b.graphql:6.
  |
6 | type Tag { id: ID! }
  |      ^^^
  = Give one of them another name, or write: extend type Tag.

3 mistakes in 2 files.
`,
  )
})

test('the syntax errors of all files are reported at once', () => {
  assert.deepEqual(
    mistakesIn({ 'a.graphql': 'type A {', 'b.graphql': user, 'c.graphql': '\n type ! {' }).map(
      ({ file, line, column }) => `${file}:${line}:${column}`,
    ),
    ['a.graphql:1:9', 'c.graphql:2:7'],
  )
  assert.deepEqual(
    mistakesIn({ 'a.graphql': '# later', 'b.graphql': '' }).map(({ file, message }) => `${file}: ${message}`),
    ['a.graphql: No file of the folder has types.'],
  )
})

const twice: Record<string, [string, string, string]> = {
  'a field': [
    'type A { id: ID! b: Int }',
    'extend type A { b: Int }',
    'A.b is declared in a.graphql:1 and in b.graphql:1.',
  ],
  'an enum value': [
    'type A { id: ID! } enum E { X }',
    'extend enum E { X }',
    'E.X is declared in a.graphql:1 and in b.graphql:1.',
  ],
  'a directive': [
    'type A @resource(path: "x") { id: ID! }',
    'extend type A @resource(path: "y")',
    '@resource is declared in a.graphql:1 and in b.graphql:1.',
  ],
  'the schema': [
    'schema { query: Query } type A { id: ID! }',
    'schema { mutation: Mutation }',
    'The schema is declared in a.graphql:1 and in b.graphql:1.',
  ],
  'a directive of the schema': [
    'extend schema @service(name: "A") type A { id: ID! }',
    'extend schema @service(name: "B")',
    '@service is declared in a.graphql:1 and in b.graphql:1.',
  ],
  'an interface': [
    'interface I { id: ID! } type A implements I { id: ID! }',
    'extend type A implements I',
    'A already implements I.',
  ],
  'a member of a union': ['type A { id: ID! } union U = A', 'extend union U = A', 'U already has A.'],
}

for (const [what, [a, b, message]] of Object.entries(twice)) {
  test(`${what} in two files is a mistake`, () => {
    assert.deepEqual(
      mistakesIn({ 'a.graphql': a, 'b.graphql': b }).map((mistake) => `${mistake.file} ${mistake.message}`),
      [`b.graphql ${message}`],
    )
  })
}

test('what belongs to the server can not be extended', () => {
  const extensions = ['type File { x: Int }', 'type BackgroundJob { x: Int }', 'scalar DateTime @specifiedBy(url: "x")']
  for (const extension of extensions) {
    const [mistake] = mistakesIn({ 'a.graphql': `type A { id: ID! } extend ${extension}` })
    assert.match(mistake?.message ?? '', /belongs to the server itself and can't be extended/)
    assert.match(mistake?.hint ?? '', /Remove the extension/)
  }
})

function mistakesIn(files: Files) {
  try {
    load(files)
    return []
  } catch (error) {
    if (error instanceof SchemaMistakes) return error.mistakes
    throw error
  }
}

/** Plain data that shows all of a model but its places; objects that it shows more than once by number. */
function withoutPlaces(model: object): unknown {
  const seen = new Map<object, number>()
  const show = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const known = seen.get(value)
    if (known !== undefined) return `#${known}`
    seen.set(value, seen.size)
    if (value instanceof Map) return [...value].map(([key, one]) => [key, show(one)])
    if (value instanceof Set || Array.isArray(value)) return [...value].map(show)
    return Object.entries(value).flatMap(([key, one]) => (key === 'place' ? [] : [[key, show(one)]]))
  }
  return show(model)
}
