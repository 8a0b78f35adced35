// For the tests of this module: SDL in which `‹` marks the place of each expected mistake. No other mistake may occur.

import assert from 'node:assert/strict'
import { loadModel } from './load-model.ts'
import { type Mistake, SchemaMistakes } from './mistakes.ts'

/** A table row: SDL with marks, then what each message (and its hint) must contain, in the order of the file. */
export type MistakeCase = readonly [sdl: string, ...expected: string[]]

export function expectMistakes([marked, ...expected]: MistakeCase): void {
  const sdl = marked.replaceAll('‹', '')
  const mistakes = mistakesOf(sdl)
  const reported = mistakes.map(({ line, column, message, hint }) => `${line}:${column} ${message} = ${hint}`)
  assert.deepEqual(
    mistakes.map(({ line, column }) => `${line}:${column}`),
    marksOf(marked),
    `\n${marked}\n${reported.join('\n')}`,
  )
  for (const [index, part] of expected.entries())
    assert.ok(reported[index]?.includes(part), `"${part}" in "${reported[index]}"`)
}

export function mistakesOf(sdl: string): Mistake[] {
  try {
    loadModel(sdl, 'test.graphql')
    return []
  } catch (error) {
    if (error instanceof SchemaMistakes) return error.mistakes
    throw error
  }
}

function marksOf(marked: string): string[] {
  return marked.split('\n').flatMap((line, index) => {
    const parts = line.split('‹').slice(0, -1)
    return parts.map((_, nth) => `${index + 1}:${parts.slice(0, nth + 1).join('').length + 1}`)
  })
}
