// `twain check --access` on paper: for each type, and each field with lines of its own, what each kind of viewer may, and
// the line of the file that decides. Actions and viewers with the same answer share a line.

import { unreachable } from '#base'
import type { Field, Resource } from '#model'
import { type AccessRow, type AccessVerdict, describeCondition } from '#plan/explain'
import type { Paint } from './paint.ts'

export function accessReport(rows: readonly AccessRow[], file: string, paint: Paint): string {
  const told = rows.map((row) => ({ row, answers: answersOf(row, file) }))
  const answers = told.flatMap((one) => one.answers)
  const width = (of: keyof AccessAnswer & ('viewers' | 'words')) => Math.max(0, ...answers.map((answer) => answer[of].length))
  const widths = { viewers: width('viewers'), words: Math.min(widestWords, width('words')) }
  const groups = Map.groupBy(told, ({ row }) => row.field ?? row.of)
  return [...groups]
    .map(([subject, group]) => {
      const title = `${paint.bold(nameOf(subject))}  ${paint.dim(`${file}:${subject.place.line}`)}`
      return `${title}\n${sameAnswers(group)
        .map((one) => section(one, widths, paint))
        .join('')}`
    })
    .join('\n')
}

/** Longer ones push the rest of their line aside, and of no other. */
const widestWords = 60
/** More viewers than fit go on in the next line. */
const widestViewers = 36

interface AccessReportOptions {
  row: AccessRow
  answers: AccessAnswer[]
}

interface AccessAnswer {
  viewers: string
  is: AccessVerdict['is']
  words: string
  place: string
}

function nameOf(subject: Resource | Field): string {
  return subject.kind === 'resource' ? subject.name : `${subject.owner.name}.${subject.name}`
}

/** Viewers with the same verdict together; one line for each of the ways in. */
function answersOf({ cells }: AccessRow, file: string): AccessAnswer[] {
  const byVerdict = Map.groupBy(cells, ({ verdict }) => JSON.stringify(linesOf(verdict, file)))
  return [...byVerdict.values()].flatMap((group) => {
    const { verdict } = group[0]!
    const all = group.length === cells.length && cells.length > 1
    const viewers = all ? ['everyone'] : wrap(group.map(({ kind }) => kind.name))
    const lines = linesOf(verdict, file)
    return Array.from({ length: Math.max(viewers.length, lines.length) }, (_, index) => ({
      viewers: viewers[index] ?? '',
      is: verdict.is,
      ...(lines[index] ?? { words: '', place: '' }),
    }))
  })
}

function wrap(names: readonly string[]): string[] {
  const lines: string[] = []
  for (const [index, name] of names.entries()) {
    const word = index < names.length - 1 ? `${name},` : name
    const line = `${lines.at(-1) ?? ''} ${word}`
    if (lines.length > 0 && line.length <= widestViewers) lines.splice(-1, 1, line)
    else lines.push(word)
  }
  return lines
}

function linesOf(verdict: AccessVerdict, file: string): { words: string; place: string }[] {
  switch (verdict.reason) {
    case 'open':
      return [{ words: 'always', place: 'nothing is said, and nobody can sign in' }]
    case 'closed':
      return [{ words: verdict.is, place: 'it has no @allow: only role admin' }]
    case 'roles':
      return [{ words: verdict.is, place: 'roles are set by role admin alone' }]
    case 'rules':
      if (verdict.rules.length === 0) return [{ words: 'never', place: '' }]
      return verdict.rules.map((line) => ({
        words: verdict.is === 'always' ? 'always' : `where ${describeCondition(line)}`,
        place: `${file}:${line.place.line}`,
      }))
    default:
      return unreachable(verdict.reason)
  }
}

function sameAnswers(group: readonly AccessReportOptions[]): AccessReportOptions[][] {
  return [...Map.groupBy(group, ({ answers }) => JSON.stringify(answers)).values()]
}

function section(group: readonly AccessReportOptions[], widths: { viewers: number; words: number }, paint: Paint): string {
  const actions = group.map(({ row }) => row.action).join(' ')
  const brush = { always: paint.green, where: paint.yellow, never: paint.red }
  const lines = group[0]!.answers.map(({ viewers, is, words, place }) =>
    `    ${viewers.padEnd(widths.viewers)}  ${brush[is](words)}${' '.repeat(Math.max(0, widths.words - words.length))}  ${paint.dim(place)}`.trimEnd(),
  )
  return `  ${paint.cyan(actions)}\n${lines.join('\n')}\n`
}
