import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokenLines } from './sdl-tokens.ts'

const kinds = (text: string) =>
  tokenLines(text).map((line) =>
    line.filter(({ text }) => text.trim() !== '').map(({ text, kind }) => `${kind} ${text.trim()}`),
  )

test('keywords, types, directives, texts, numbers and comments have their kinds', () => {
  assert.deepEqual(kinds('type Post @allow(role: "a\\"b") { size: Int = -1.5 } # no'), [
    [
      'keyword type',
      'type Post',
      'directive @allow',
      'plain (',
      'plain role',
      'plain :',
      'text "a\\"b"',
      'plain ) {',
      'plain size',
      'plain :',
      'type Int',
      'plain =',
      'number -1.5',
      'plain }',
      'comment # no',
    ],
  ])
})

test('a block of text goes on over lines, and may never end', () => {
  assert.deepEqual(kinds('"""a\n# type\n"""type X\n"""b'), [
    ['text """', 'text a'],
    ['text # type'],
    ['text """', 'keyword type', 'type X'],
    ['text """', 'text b'],
  ])
})

test('every character of the file is in one token', () => {
  for (const text of ['"open', '\u0000<script>"""', '@@ 1e', '\t{}\r\nü', '']) {
    const lines = tokenLines(text).map((line) => line.map((token) => token.text).join(''))
    assert.equal(lines.join('\n'), text.replaceAll('\r\n', '\n'))
  }
})
