import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'graphql'
import { findExcess, maxDocumentLevels, maxNameLength } from './scan-document.ts'

test('comments are counted, but not inside strings', () => {
  const texts: [string, number][] = [
    [`{ a } # one # still one\r# two\n#three`, 3],
    [`{ a(b: "# no", c: "\\"# no") } # one`, 1],
    [`{ a(b: """ # no " # no \\""" # no\n# no """) } # one`, 1],
    [`{ a(b: "not ended\n# one`, 1],
    [`{ a(b: """not ended\n# no`, 0],
    [`{ a(b: "", c: "#") #one`, 1],
  ]
  for (const [text, count] of texts) {
    assert.equal(findExcess(text, Math.max(count, 1)), null, text)
    if (count > 1) assert.equal(findExcess(text, count - 1)?.kind, 'comments', text)
    assert.equal(findExcess(text, 0), null, 'no limit')
  }
})

test('levels count all brackets, but not inside strings and comments', () => {
  const list = (levels: number) => `{ a(b: ${'['.repeat(levels)}${']'.repeat(levels)}) }`
  assert.equal(findExcess(list(maxDocumentLevels - 2), 0), null)
  assert.deepEqual(findExcess(list(maxDocumentLevels - 1), 0), { kind: 'levels', at: 7 + maxDocumentLevels - 2 })
  assert.equal(findExcess('{ a '.repeat(maxDocumentLevels + 1), 0)?.kind, 'levels')
  assert.equal(findExcess(`{ a(b: "${'['.repeat(999)}") # ${'{'.repeat(999)}\n}`, 0), null)
  assert.equal(findExcess('{ a { b } } '.repeat(999), 0), null, 'side by side')
  assert.doesNotThrow(() => parse(list(maxDocumentLevels - 2)), 'the parser accepts the maximum')
})

test('names have a maximum length; strings and comments have none', () => {
  const name = (letters: number) => 'x'.repeat(letters)
  assert.equal(findExcess(`{ ${name(maxNameLength)} a: ${name(maxNameLength)} }`, 0), null)
  assert.deepEqual(findExcess(`{ a ${name(maxNameLength + 1)} }`, 0), { kind: 'letters', at: 4 })
  assert.deepEqual(findExcess(name(5000), 0), { kind: 'letters', at: 0 })
  assert.equal(findExcess(`{ a(b: "${name(5000)}", c: """${name(5000)}""") } # ${name(5000)}`, 0), null)
  assert.equal(findExcess(`{ ${'a '.repeat(5000)} }`, 0), null)
  assert.equal(findExcess('', 0), null)
})
