import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSchema, type IntrospectionQuery, introspectionFromSchema, parse, print, validate } from 'graphql'
import { analyse } from './analyse.ts'
import { formatDocument } from './format.ts'
import { type IntrospectedSchema, schemaOf } from './schema.ts'
import { variablesWithoutSecrets, withoutSecrets } from './secrets.ts'

const built = buildSchema(`
  type Query { books(limit: Int! = 20, where: BookWhere, ids: [ID!]): [Book!]! book(id: ID!): Book any: [Thing!]! json(value: JSON): Int }
  type Mutation { createBook(input: BookInput!): Book! }
  type Book { "The title." title: String! old: Int @deprecated(reason: "Use title.") state: State author: Author }
  type Author { name: String! books(first: Int): [Book!]! }
  union Thing = Book | Author
  enum State { DRAFT "In print." PRINTED }
  input BookWhere { title: StringFilter state: State and: [BookWhere!] }
  input StringFilter { eq: String in: [String!] }
  input BookInput { title: String! pages: Int = 1 state: State }
  scalar JSON
`)
const { __schema } = introspectionFromSchema(built) as IntrospectionQuery
const schema = schemaOf(__schema as unknown as IntrospectedSchema)

test('mistakes are found where graphql-js finds them, and only there', () => {
  const documents = [
    '{ books { title } }',
    '{ books(limit: 3, where: {title: {in: ["a", "b"]}, and: {state: DRAFT}}) { title author { name } } }',
    '{ books(ids: "1") { __typename } json(value: {a: [1, {b: $x}]}) }',
    '{ __schema { types { name } } __type(name: "Book") { name } }',
    'query A($id: ID!) { book(id: $id) { ...B } } fragment B on Book { title author { ...C } } fragment C on Author { name }',
    'query A($limit: Int = 5) { books(limit: $limit) { title @skip(if: true) } }',
    'query A($limit: Int) { books(limit: $limit) { title } }',
    'query A($ids: [ID]) { books(ids: $ids) { title } }',
    'query A($where: BookWhere, $title: String) { books(where: $where) { title } json(value: {t: $title}) }',
    '{ any { ... on Book { title } ... on Author { name } ... { __typename } } }',
    'mutation { createBook(input: {title: """a "b" c""", state: PRINTED}) { title } }',
    '{ books { titel } }',
    '{ books(limt: 3) { title } }',
    '{ books(limit: "3") { title } }',
    '{ books(limit: 3000000000) { title } }',
    '{ books(limit: null) { title } }',
    '{ books(where: {state: GONE}) { title } }',
    '{ books(where: {title: {is: "a"}}) { title } }',
    '{ books(where: 3) { title } }',
    '{ books(ids: [[1]]) { title } }',
    '{ books }',
    '{ books { title { a } } }',
    '{ book { title } }',
    'mutation { createBook(input: {pages: 3}) { title } }',
    'query A($x: Int) { books { title } }',
    'query A { books(limit: $x) { title } }',
    'query A($x: String) { books(limit: $x) { title } }',
    'query A($x: Buk) { json(value: $x) }',
    'query A($x: Book) { json(value: $x) }',
    '{ books { ...X } }',
    '{ any { ... on Buk { title } } }',
    '{ books { title @skp } }',
    'query A { any { __typename } } query A { any { __typename } }',
    '{ any { __typename } } query A { any { __typename } }',
    'fragment X on Book { title } { any { __typename } }',
    'subscription { a }',
    'query A($x: Int, $x: Int) { books(limit: $x) { title } }',
    '{ books(limit: 1, limit: 2) { title } }',
  ]
  for (const document of documents) {
    const expected = validate(built, parse(document)).length > 0
    const { mistakes } = analyse(document, schema)
    assert.equal(mistakes.length > 0, expected, `${document}: ${mistakes.map(({ text }) => text).join(' ')}`)
    assert.ok(
      mistakes.every(({ isSyntax }) => !isSyntax),
      document,
    )
  }
})

test('a document that can not be parsed has a mistake of the syntax, and never an endless loop', () => {
  const whole =
    'query A($x: [Int!]! = [1], $y: JSON = {a: 1}) @skip(if: true) { b: books(limit: 1) { ...C } } fragment C on Book { title }'
  for (let end = 0; end < whole.length; end++) {
    for (const text of [whole.slice(0, end), whole.slice(end), `${whole.slice(0, end)}"${whole.slice(end)}`]) {
      const isValid = parses(text)
      const { mistakes } = analyse(text, schema)
      if (text.trim() !== '') assert.equal(!mistakes.some(({ isSyntax }) => isSyntax), isValid, text)
    }
  }
})

test('each place offers the names that may stand there', () => {
  const at = (marked: string) => {
    const position = marked.indexOf('|')
    const slot = analyse(marked.replace('|', ''), schema).slotAt(position)
    return slot?.candidates().map(({ name }) => name) ?? []
  }
  assert.deepEqual(at('{ books { | } }').slice(0, 3), ['title', 'old', 'state'])
  assert.deepEqual(at('{ books { ti| } }').slice(0, 3), ['title', 'old', 'state'])
  assert.deepEqual(at('{ books { author { na|'), ['name', 'books', '__typename'])
  assert.deepEqual(at('{ books(|) { title } }'), ['limit', 'where', 'ids'])
  assert.deepEqual(at('{ books(limit: 1, |) { title } }'), ['where', 'ids'])
  assert.deepEqual(at('{ books(where: {|}) { title } }'), ['title', 'state', 'and'])
  assert.deepEqual(at('{ books(where: {state: |}) { title } }'), ['DRAFT', 'PRINTED'])
  assert.deepEqual(at('query A($x: State) { books(where: {state: |}) { title } }'), ['DRAFT', 'PRINTED', '$x'])
  assert.deepEqual(at('query A($x: State) { books(where: {state: $|}) { title } }'), ['x'])
  assert.ok(at('query A($x: |) { a }').includes('BookWhere'))
  assert.ok(!at('query A($x: |) { a }').includes('Book'))
  assert.deepEqual(
    at('{ any { ... on | } }').filter((name) => !name.startsWith('__')),
    ['Query', 'Mutation', 'Book', 'Author', 'Thing'],
  )
  assert.ok(at('{ any @| }').includes('include'))
  assert.deepEqual(at('{ json(value: "bo|ok") }'), [])
  assert.deepEqual(at('{ any } # bo|'), [])
  assert.deepEqual(at('|'), ['query', 'mutation', 'subscription', 'fragment'])
})

test('a mistake proposes the nearest name', () => {
  const [mistake] = analyse('{ books { titel } }', schema).mistakes
  assert.equal(mistake?.text, 'Book has no field titel. Did you mean title?')
})

test('formatting keeps the meaning and the comments, and a second time changes nothing', () => {
  const documents = [
    'query A($x:[Int!]!=[1],$y:JSON={a:1 b:"c"})@skip(if:true){b:books(limit:1){...C,title}...{a}}fragment C on Book{title@include(if:$x)}',
    '# first\n{ books(limit: 1) { # beside\n title # the name\n # own line\n state } }',
    '{ createBook(input: {title: "a long title that needs its room", state: PRINTED, pages: 120, author: "x"}) { title } }',
    '{ a(text: """two\nlines""", b: [1, 2, {c: $d}]) { b } }',
  ]
  for (const document of documents) {
    const formatted = formatDocument(document)
    assert.equal(print(parse(formatted)), print(parse(document)))
    assert.equal(formatDocument(formatted), formatted)
    for (const [comment] of document.matchAll(/# \w+/g)) assert.ok(formatted.includes(comment), formatted)
  }
  assert.equal(
    formatDocument('query A($id:ID!){book(id:$id){title author{name}}}'),
    'query A($id: ID!) {\n  book(id: $id) {\n    title\n    author {\n      name\n    }\n  }\n}\n',
  )
})

test('what the browser keeps has no passwords, tokens or codes', () => {
  const document =
    'mutation { createToken(input: {email: "a@b.c", password: "hush \\" x", refreshToken: """long"""}) { token } }'
  assert.equal(
    withoutSecrets(document),
    'mutation { createToken(input: {email: "a@b.c", password: "…", refreshToken: "…"}) { token } }',
  )
  const kept: [string, string][] = [
    [
      'mutation($password: String = "hush", $name: String = "a") { a }',
      'mutation($password: String = "…", $name: String = "a") { a }',
    ],
    [
      '{ a(tokens: ["hush", "hush"], b: [{key: {is: "hush"}}], c: "d") }',
      '{ a(tokens: ["…", "…"], b: [{key: {is: "…"}}], c: "d") }',
    ],
    ['query($tokens: [String!] = ["hush"]) { a(b: "c") }', 'query($tokens: [String!] = ["…"]) { a(b: "c") }'],
    ['{ a(password: # beside\n "hush', '{ a(password: # beside\n "…"'],
    ['{ a(password: """hush\nhush', '{ a(password: "…"'],
    ['# a(password: "hush")\n{ a }', '# a(password: "…")\n{ a }'],
    ['{ token: users(search: "ann") { id } }', '{ token: users(search: "ann") { id } }'],
    [': "x" ) } ]', ': "x" ) } ]'],
  ]
  for (const [written, shown] of kept) assert.equal(withoutSecrets(written), shown)
  assert.deepEqual(JSON.parse(variablesWithoutSecrets('{"input": {"password": "hush", "code": 12, "name": "a"}}')), {
    input: { password: '…', code: '…', name: 'a' },
  })
  assert.equal(variablesWithoutSecrets('{"password": "hu'), '')
})

function parses(text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}
