import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parse as parseByGraphql, print as printByGraphql } from 'graphql'
import { parse } from './parse.ts'
import { print } from './print.ts'

// Each document has `__typename` wherever the client would add it, so that only the form differs.
const documents = [
  '{ a }',
  'query Q { a b: c d { __typename } }',
  'query Q($a: Int! = 1, $b: [String!]! = ["x", "y"], $c: In = {d: {e: [1, -2.5e+3]}}) { f(a: $a, b: $b, c: $c) }',
  'mutation M($i: CreatePostInput!) @transaction { createPost(input: $i) @include(if: true) { id __typename } }',
  'subscription { postCreated(after: null, where: {status: {in: [DRAFT, PUBLISHED]}}) { id __typename } }',
  '{ a { ...F ... on T @skip(if: $x) { b } ... { c } ... @include(if: true) { d } __typename } } fragment F on T { on }',
  '{ a(s: "tab\\t quote\\" slash\\/ é \\u00e9 \\u{1F600} 😀") }',
  '{ a(s: """\n    block \\""" here\n      deeper\n\n    end\n  """) b(s: """one""") }',
  '# comment\n{ a, b,, c # another\n }\n\uFEFF',
  'query true { null: type fragment query on }',
]

describe('the parser', () => {
  for (const text of documents)
    test(`parses like graphql-js: ${JSON.stringify(text.slice(0, 50))}`, () => {
      assert.equal(printByGraphql(parseByGraphql(print(parse(text).document))), printByGraphql(blockless(text)))
    })

  test('accepts the trees of graphql-js', () => {
    const text = documents[5]!
    assert.equal(print(parseByGraphql(text) as never), print(parse(text).document))
  })

  test('reports the position of a syntax error and the expected token', () => {
    const wrong: [text: string, message: RegExp][] = [
      ['{ a', /line 1, column 4: expected a name, found the end/],
      ['{\n  a(b: )\n}', /line 2, column 8: expected a value, found \)/],
      ['query ($a Int) { a }', /line 1, column 11: expected ":", found Int/],
      ['type T { a: Int }', /line 1, column 1: expected an operation or a fragment, found type/],
      ['{ a(b: "open) }', /column 8: expected a token, found "open/],
      ['', /^$/],
    ]
    for (const [text, message] of wrong)
      if (text === '') assert.deepEqual(parse(text).document.definitions, [])
      else assert.throws(() => parse(text), { name: 'SyntaxError', message })
  })

  test('adds __typename below the root, once, to texts and to trees', () => {
    const text = '{ a { b { c } __typename } ...F } fragment F on Query { d { e } }'
    assert.equal(
      parse(text).sent,
      '{ a { b { c  __typename} __typename } ...F } fragment F on Query { d { e  __typename} }',
    )
    assert.equal(
      print(parse(text).document),
      'query  {a {b {c __typename} __typename} ...F} fragment F on Query {d {e __typename}}',
    )
  })
})

/** Our printer writes block strings in quotes. */
function blockless(text: string) {
  return JSON.parse(
    JSON.stringify(parseByGraphql(text), (key, value) => (key === 'block' || key === 'loc' ? undefined : value)),
  )
}
