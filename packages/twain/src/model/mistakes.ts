// The mistakes in a schema, each with its place. They are collected while the schema is read and thrown together.

import type { Location } from 'graphql/language'
import type { SourceLocation } from './model.ts'

export interface Mistake {
  file: string
  /** 1-based, as is the column. */
  line: number
  column: number
  /** How many characters are underlined. */
  length?: number
  /** What is wrong. */
  message: string
  /** How to fix it. */
  hint: string | null
}

export class SchemaMistakes extends Error {
  readonly mistakes: Mistake[]

  constructor(mistakes: Mistake[]) {
    super(mistakes.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`).join('\n'))
    this.name = 'SchemaMistakes'
    this.mistakes = mistakes
  }
}

/** A part of the file that a mistake can point at: any node of the syntax tree. */
export interface Located {
  readonly loc?: Location | undefined
}

export class MistakeReport {
  readonly mistakes: Mistake[] = []
  readonly #files: readonly string[]
  readonly #wrong = new Set<Located>()

  /** `files`: those of the schema, in their order. */
  constructor(files: readonly string[]) {
    this.#files = files
  }

  at(node: Located, message: string, hint: string | null = null): void {
    this.#wrong.add(node)
    const { file, line, column } = placeOf(node)
    this.mistakes.push({ file: file || (this.#files[0] ?? ''), line, column, length: lengthOf(node), message, hint })
  }

  /** Runs `step` and returns whether it reported no mistake. */
  fine(step: () => void): boolean {
    const before = this.mistakes.length
    step()
    return this.mistakes.length === before
  }

  /** Whether a mistake points at exactly this node. */
  isWrong(node: Located): boolean {
    return this.#wrong.has(node)
  }

  /** Throws all mistakes in the order of the files and their lines, if there are any. */
  finish(): void {
    if (this.mistakes.length === 0) return
    const rank = new Map(this.#files.map((file, index) => [file, index]))
    const order = (a: Mistake, b: Mistake) =>
      rank.get(a.file)! - rank.get(b.file)! || a.line - b.line || a.column - b.column
    throw new SchemaMistakes(this.mistakes.toSorted(order))
  }
}

/** The file is empty for what stands in no file. */
export function placeOf({ loc }: Located): SourceLocation {
  if (loc === undefined) return { file: '', line: 1, column: 1 }
  const { line, column } = loc.startToken
  return { file: loc.source.name, line, column }
}

/** A sentence about two declarations of the same name, of which the second is one too many. */
export function declaredTwice(name: string, first: Located, second: Located): string {
  const [before, after] = [placeOf(first), placeOf(second)]
  if (before.file === after.file) return `${name} is already defined on line ${before.line}.`
  return `${name} is declared in ${before.file}:${before.line} and in ${after.file}:${after.line}.`
}

/** The length of the node's text on its first line. */
function lengthOf({ loc }: Located): number {
  if (!loc) return 1
  const text = loc.source.body.slice(loc.start, loc.end)
  const [firstLine = ''] = text.split(/\r\n|\n|\r/, 1)
  return Math.max(1, firstLine.length)
}
