// The differences between a schema file and the previous schema, as text, as JSON, and as GitHub annotations.

import { unreachable } from '#base'
import type { Mistake, Model, SourceLocation } from '#model'
import { type Difference, listChanges, placeOfPath, verdicts } from '#model/compare'
import type { Paint } from './paint.ts'

export interface ChangeReport {
  file: string
  against: string
  after: Model
  differences: readonly Difference[]
  /** Of the file itself. */
  warnings: readonly Mistake[]
  /** A sentence about the last use of the field or type at `path`; empty without usage data. */
  used(path: string): string
}

/** 1 if a client would break. */
export function exitCode(differences: readonly Difference[]): 0 | 1 {
  return differences.some(({ kind }) => kind === 'breaking') ? 1 : 0
}

export function forPeople({ file, against, differences, used }: ChangeReport, paint: Paint): string {
  if (differences.length === 0) return `${file} has no differences from ${against}.\n`
  const count = (kind: Difference['kind']) => differences.filter((one) => one.kind === kind).length
  const parts = verdicts.filter((kind) => count(kind) > 0).map((kind) => part(kind, differences, used, paint))
  const counts = verdicts.flatMap((kind) => (count(kind) === 0 ? [] : `${count(kind)} ${kind}`)).join(', ')
  const verdict = exitCode(differences) === 1 ? paint.red('breaks clients') : paint.green('breaks no client')
  return `${parts.join('\n')}\n${file} ${verdict} of ${against}: ${counts}.\n`
}

function part(
  kind: Difference['kind'],
  differences: readonly Difference[],
  used: ChangeReport['used'],
  paint: Paint,
): string {
  const lines = differences
    .filter((one) => one.kind === kind)
    .map(({ path, message, affects, hint, rows }) => {
      const who = affects === 'nobody' ? '' : ` ${paint.dim(`(${affects})`)}`
      const mayBeMissed = kind !== 'additive' || rows === 'dropped'
      const below = [mayBeMissed ? used(path) : '', hint].filter((line) => line !== '')
      return `  ${message}${who}\n${below.map((line) => `    ${paint.dim(line)}\n`).join('')}`
    })
  return `${colour(kind, paint)(kind)}\n${lines.join('')}`
}

function colour(kind: Difference['kind'], paint: Paint): (text: string) => string {
  switch (kind) {
    case 'breaking':
      return paint.red
    case 'warning':
      return paint.yellow
    case 'additive':
      return paint.green
    default:
      return unreachable(kind)
  }
}

/** One JSON document. */
export function forPrograms({ file, against, after, differences, warnings, used }: ChangeReport): string {
  const changes = listChanges(differences, after, file)
  const list = changes.differences.map((change) => ({ ...change, used: used(change.path) || null }))
  return `${JSON.stringify({ file, against, verdict: changes.verdict, differences: list, warnings }, null, 2)}\n`
}

export function mistakesForPrograms(
  file: string,
  mistakes: readonly Mistake[],
  warnings: readonly Mistake[] = [],
): string {
  const verdict = mistakes.length === 0 ? 'fine' : 'mistaken'
  return `${JSON.stringify({ file, verdict, mistakes, warnings }, null, 2)}\n`
}

/** Workflow commands of GitHub Actions, which GitHub shows as annotations in the file. */
export function forGithub({ file, after, differences, warnings }: ChangeReport): string {
  const changes = differences.map(({ kind, path, message, hint }) => {
    const text = hint === '' ? `${message}.` : `${message}. ${hint}`
    return annotation(levels[kind], placeOfPath(path, after, file), `${kind} change`, text)
  })
  return changes.join('') + mistakesForGithub(warnings, 'warning')
}

export function mistakesForGithub(mistakes: readonly Mistake[], level: 'error' | 'warning' = 'error'): string {
  const title = level === 'error' ? 'mistake' : level
  return mistakes
    .map((mistake) => annotation(level, mistake, title, `${mistake.message} ${mistake.hint ?? ''}`.trim()))
    .join('')
}

const levels = { breaking: 'error', warning: 'warning', additive: 'notice' } as const

function annotation(level: string, { file, line, column }: SourceLocation, title: string, text: string): string {
  const properties = { file, line, col: column, title }
  const pairs = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
  return `::${level} ${pairs.join(',')}::${escapeData(text)}\n`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
