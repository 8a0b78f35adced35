import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'graphql'
import { deepestDocument, excessOf, longestName } from './scan-document.ts'

test('comments are counted, and what stands in strings is none', () => {
  const texts: [string, number][] = [
    [`{ a } # one # still one\r# two\n#three`, 3],
    [`{ a(b: "# no", c: "\\"# no") } # one`, 1],
    [`{ a(b: """ # no " # no \\""" # no\n# no """) } # one`, 1],
    [`{ a(b: "not ended\n# one`, 1],
    [`{ a(b: """not ended\n# no`, 0],
    [`{ a(b: "", c: "#") #one`, 1],
  ]
  for (const [text, count] of texts) {
    assert.equal(excessOf(text, Math.max(count, 1)), null, text)
    if (count > 1) assert.equal(excessOf(text, count - 1)?.of, 'comments', text)
    assert.equal(excessOf(text, 0), null, 'no limit')
  }
})

test('levels are those of all brackets, and none of those in strings and comments', () => {
  const list = (levels: number) => `{ a(b: ${'['.repeat(levels)}${']'.repeat(levels)}) }`
  assert.equal(excessOf(list(deepestDocument - 2), 0), null)
  assert.deepEqual(excessOf(list(deepestDocument - 1), 0), { of: 'levels', at: 7 + deepestDocument - 2 })
  assert.equal(excessOf('{ a '.repeat(deepestDocument + 1), 0)?.of, 'levels')
  assert.equal(excessOf(`{ a(b: "${'['.repeat(999)}") # ${'{'.repeat(999)}\n}`, 0), null)
  assert.equal(excessOf('{ a { b } } '.repeat(999), 0), null, 'side by side')
  assert.doesNotThrow(() => parse(list(deepestDocument - 2)), 'what passes is no trouble for the parser')
})

test('names are long, but not endless; strings and comments may be', () => {
  const name = (letters: number) => 'x'.repeat(letters)
  assert.equal(excessOf(`{ ${name(longestName)} a: ${name(longestName)} }`, 0), null)
  assert.deepEqual(excessOf(`{ a ${name(longestName + 1)} }`, 0), { of: 'letters', at: 4 })
  assert.deepEqual(excessOf(name(5000), 0), { of: 'letters', at: 0 })
  assert.equal(excessOf(`{ a(b: "${name(5000)}", c: """${name(5000)}""") } # ${name(5000)}`, 0), null)
  assert.equal(excessOf(`{ ${'a '.repeat(5000)} }`, 0), null)
  assert.equal(excessOf('', 0), null)
})
