import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mistakesOf } from './expect-mistake.fixture.ts'
import { renderMistakes } from './render-mistakes.ts'

const sourcesOf = (text: string) => [{ file: 'test.graphql', text }]
const sdl = 'type Post {\n  id: ID!\n\ttitle: Strng!\n}\ntype Tag { id: ID! _version: Int }'

test('a mistake is shown with its place, the source line, an underline and a hint, and all are counted', () => {
  const text = renderMistakes(mistakesOf(sdl), sourcesOf(sdl), { colour: false })
  assert.equal(
    text,
    `test.graphql:3:9 There is no type Strng.
  |
3 | \ttitle: Strng!
  | \t       ^^^^^
  = Did you mean "String"?

test.graphql:5:20 Tag._version is taken: every resource has a _version of its own.
  |
5 | type Tag { id: ID! _version: Int }
  |                    ^^^^^^^^
  = Use another name.

2 mistakes in test.graphql.
`,
  )
})

test('colours only add escape codes', () => {
  const mistakes = mistakesOf(sdl)
  const coloured = renderMistakes(mistakes, sourcesOf(sdl), { colour: true })
  assert.notEqual(coloured, renderMistakes(mistakes, sourcesOf(sdl), { colour: false }))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
  assert.equal(coloured.replace(/\x1b\[[\d;]*m/g, ''), renderMistakes(mistakes, sourcesOf(sdl), { colour: false }))
})

test('a mistake at the end of the file is shown too', () => {
  const open = 'type Post {'
  assert.match(
    renderMistakes(mistakesOf(open), sourcesOf(open), { colour: false }),
    /1:12 .*\n.*\n1 \| type Post \{\n {2}\| {12}\^\n/,
  )
})
