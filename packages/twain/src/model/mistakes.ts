// The mistakes in a schema file, each with its place. They are collected while the file is read and thrown together.

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
  readonly file: string
  readonly mistakes: Mistake[] = []
  readonly #wrong = new Set<Located>()

  constructor(file: string) {
    this.file = file
  }

  at(node: Located, message: string, hint: string | null = null): void {
    this.#wrong.add(node)
    const { line, column } = placeOf(node)
    this.mistakes.push({ file: this.file, line, column, length: lengthOf(node), message, hint })
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

  /** Throws all mistakes in the order of the file, if there are any. */
  finish(): void {
    if (this.mistakes.length === 0) return
    throw new SchemaMistakes(this.mistakes.toSorted((a, b) => a.line - b.line || a.column - b.column))
  }
}

export function placeOf(node: Located): SourceLocation {
  const start = node.loc?.startToken
  return { line: start?.line ?? 1, column: start?.column ?? 1 }
}

/** The length of the node's text on its first line. */
function lengthOf({ loc }: Located): number {
  if (!loc) return 1
  const text = loc.source.body.slice(loc.start, loc.end)
  const [firstLine = ''] = text.split(/\r\n|\n|\r/, 1)
  return Math.max(1, firstLine.length)
}
