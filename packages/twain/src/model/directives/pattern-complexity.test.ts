import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCpuTimer } from '#cpu-time'
import { maxLengthForDegree, patternDegree } from './pattern-complexity.ts'

test('nested repetitions without a separator are exponential', () => {
  const bad = ['(a+)+', '(x+x+)+y', '(\\s*\\S*)*', '([a-zA-Z]+)*$', '^(.*)*$', '(a|a)*', '(a|aa)+$', '^(?:a|b+)*$']
  const worse = ['(a?){30}a{30}', '^((ab)*)*$', '^(a{1,20}){1,20}$', '^(([a-z])+.)+[A-Z]$', '^(?:(?=a+)a)*$', '^(|a)*$']
  for (const pattern of [...bad, ...worse, '((((a{1,5}){10}){10}){10}){10}']) {
    assert.equal(patternDegree(pattern), Number.POSITIVE_INFINITY, pattern)
  }
})

test('common patterns are harmless', () => {
  const words = Array.from({ length: 200 }, (_, n) => `word${n}`).join('|')
  const degrees: Record<string, number> = {
    '^[a-z0-9-]+$': 1,
    '^[a-z][a-z0-9_]{2,29}$': 1,
    '^[a-z0-9]+(?:-[a-z0-9]+)*$': 2,
    '^#[0-9a-f]{6}$': 1,
    '^(?:\\+|00)[1-9]\\d{6,14}$': 1,
    '^(\\d{3},)*$': 1,
    '^(a|b|c)*$': 1,
    '^/([a-z]+/)*$': 1,
    '^([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)+[a-z]{2,}$': 2,
    '^(?=.*[A-Z])(?=.*\\d).+$': 1,
    '^[\\w.-]+@[\\w-]+\\.[a-z]+$': 1,
    '^\\p{L}+$': 1,
    '[\\]a]+x': 2,
    'b+': 2,
    'a||b': 1,
    [`^(${words})$`]: 1,
  }
  for (const [pattern, degree] of Object.entries(degrees)) assert.equal(patternDegree(pattern), degree, pattern)
})

test('each run that can share a text adds a degree, and so does a missing anchor', () => {
  const degrees = { '^\\s*\\S*\\s*$': 2, '\\s*\\S*\\s*': 3, '^\\S+@\\S+\\.\\S+$': 3, '^(a*){5}$': 5, '^(\\w+)\\1$': 2 }
  for (const [pattern, degree] of Object.entries(degrees)) assert.equal(patternDegree(pattern), degree, pattern)
})

test('the longest allowed text of each degree takes less than 50 ms', () => {
  const worst: [pattern: string, text: (length: number) => string][] = [
    ['\\s*\\S*\\s*x', (length) => ' '.repeat(length)],
    ['^(a*){3}$', (length) => `${'a'.repeat(length - 1)}b`],
    ['^(a*){5}$', (length) => `${'a'.repeat(length - 1)}b`],
    ['(?:a|b)+x', (length) => 'a'.repeat(length)],
    ['^\\S+@\\S+\\.\\S+$', (length) => `${'@'.repeat(length / 3)}${'.'.repeat(length / 2)} `],
  ]
  for (const [pattern, text] of worst) {
    const long = text(maxLengthForDegree(patternDegree(pattern)))
    const times = Array.from({ length: 5 }, () => {
      const took = startCpuTimer()
      new RegExp(pattern, 'u').test(long)
      return took()
    })
    assert.ok(Math.min(...times) < 50, `${pattern}: ${times}`)
  }
})
