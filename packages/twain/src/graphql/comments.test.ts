import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasMoreComments } from './comments.ts'

const padding = ' '.repeat(20)

test('comments are counted, and what stands in strings is none', () => {
  const texts: [string, number][] = [
    [`{ a } # one # still one\r# two\n#three${padding}`, 3],
    [`{ a(b: "# no", c: "\\"# no") } # one${padding}`, 1],
    [`{ a(b: """ # no " # no \\""" # no\n# no """) } # one${padding}`, 1],
    [`{ a(b: "not ended\n# one${padding}`, 1],
    [`{ a(b: """not ended\n# no${padding}`, 0],
    [`{ a(b: "", c: "#") #one${padding}`, 1],
  ]
  for (const [text, count] of texts) {
    assert.equal(hasMoreComments(text, count), false, text)
    if (count > 0) assert.equal(hasMoreComments(text, count - 1), true, text)
  }
})
