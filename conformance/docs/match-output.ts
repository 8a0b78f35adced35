// Compares what a page shows with what was printed. `…` stands for any text within a line; a line that is only `…` stands for any
// lines. JSON is compared by value, so that a page may wrap it. Of an HTTP reply a page may leave headers out.

import assert from 'node:assert/strict'
import type { OutputFormat } from './page-steps.ts'

export function matchOutput(shown: string, printed: string, format: OutputFormat): void {
  assert.notEqual(printed.trim(), '', 'Nothing was printed.')
  if (format === 'json') matchJson(shown, printed)
  else if (format === 'http') matchReply(shown, printed)
  else matchLines(linesOf(shown), linesOf(printed), false)
}

/** One value or several, one after another. */
function matchJson(shown: string, printed: string): void {
  const expected = shown.trim().split(/\n\n+/).map(parse)
  const actual = valuesOf(printed)
  assert.equal(actual.length, expected.length, `${expected.length} values are shown, but this was printed:\n${printed}`)
  for (const [index, value] of expected.entries()) {
    assert.ok(fits(value, actual[index]), `The page shows\n${JSON.stringify(value)}\nand this was printed:\n${printed}`)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`This is no JSON:\n${text}`, { cause })
  }
}

/** Replies have no line end, so two of them may stand in one line: `[{"a":1}][]`. */
function valuesOf(text: string): unknown[] {
  const values: unknown[] = []
  let start = 0
  let depth = 0
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') depth++
    if (token === ']' || token === '}') depth--
    if (depth > 0) continue
    values.push(parse(text.slice(start, index + token.length)))
    start = index + token.length
  }
  if (text.slice(start).trim() !== '') values.push(parse(text.slice(start)))
  return values
}

function fits(expected: unknown, actual: unknown): boolean {
  if (typeof expected === 'string') return typeof actual === 'string' && patternOf(expected).test(actual)
  if (expected === null || typeof expected !== 'object') return expected === actual
  if (actual === null || typeof actual !== 'object' || Array.isArray(expected) !== Array.isArray(actual)) return false
  const keys = Object.keys(expected)
  if (keys.length !== Object.keys(actual).length) return false
  return keys.every((key) => fits((expected as Values)[key], (actual as Values)[key]))
}

type Values = Record<string, unknown>

function matchReply(shown: string, printed: string): void {
  const [expected, actual] = [shown, printed.replaceAll('\r', '')].map((text) => {
    const end = text.indexOf('\n\n')
    return end === -1 ? { head: text, body: '' } : { head: text.slice(0, end), body: text.slice(end + 2) }
  })
  matchLines(linesOf(expected!.head), linesOf(actual!.head), true)
  if (expected!.body.trim() !== '') matchJson(expected!.body, actual!.body)
}

function matchLines(expected: string[], actual: string[], mayHaveGaps: boolean): void {
  let at = 0
  let isGap = true // what stands before the first line does not matter
  for (const line of expected) {
    if (line === '…') {
      isGap = true
      continue
    }
    const pattern = patternOf(line)
    const found = isGap || mayHaveGaps ? actual.findIndex((one, index) => index >= at && pattern.test(one)) : at
    const isFound = found !== -1 && found < actual.length && pattern.test(actual[found]!)
    assert.ok(isFound, `The page shows\n${line}\nand this was printed:\n${actual.join('\n')}`)
    at = found + 1
    isGap = false
  }
}

function linesOf(text: string): string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.trimEnd())
}

function patternOf(text: string): RegExp {
  const parts = text.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's')
}
