// The text of a search: its words, or what is wrong with it.

import type { Problem } from '#base'
import { searchedWords } from '../search-words.ts'

export const maxSearchLength = 500
const maxSearchWords = 20

export function checkSearch(value: unknown, path: string, problems: Problem[]): unknown {
  if (typeof value !== 'string') {
    problems.push({ path, code: 'TYPE', message: 'must be a string.' })
    return value
  }
  if (value.length > maxSearchLength) {
    problems.push({ path, code: 'LENGTH', message: `must have at most ${maxSearchLength} characters.` })
    return value
  }
  const words = searchedWords(value)
  if (words.length > maxSearchWords) {
    problems.push({ path, code: 'RANGE', message: `has ${words.length} words; at most ${maxSearchWords} are allowed.` })
  }
  return words
}
