// The report of `twain check --access`: for each type, each field with its own rules, and each custom operation, what each kind
// of viewer may do and the position of the rule that decides. Actions and viewers with the same verdict share a row.

import { unreachable } from '#base'
import type { CustomOperation, Field, Resource, SourceLocation } from '#model'
import { type AccessRow, type AccessVerdict, type CallRow, describeGrant, describePlace } from '#plan/explain'
import type { Paint } from './paint.ts'

type ReportRow = AccessRow | CallRow

export function accessReport(rows: readonly ReportRow[], paint: Paint): string {
  const entries = rows.map((row) => ({ row, answers: answersOf(row) }))
  const answers = entries.flatMap((one) => one.answers)
  const width = (of: keyof ReportedVerdict & ('viewers' | 'words')) =>
    Math.max(0, ...answers.map((answer) => answer[of].length))
  const widths = { viewers: width('viewers'), words: Math.min(widestWords, width('words')) }
  const groups = Map.groupBy(entries, ({ row }) => subjectOf(row))
  return [...groups]
    .map(([subject, group]) => {
      const title = `${paint.bold(nameOf(subject))}  ${paint.dim(placeIn(group[0]!.row, subject))}`
      return `${title}\n${sameAnswers(group)
        .map((one) => section(one, widths, paint))
        .join('')}`
    })
    .join('\n')
}

/** Longer texts shift the rest of their own row only. */
const widestWords = 60
/** Viewers that do not fit continue in the next row. */
const widestViewers = 36

interface AccessReportOptions {
  row: ReportRow
  answers: ReportedVerdict[]
}

interface ReportedVerdict {
  viewers: string
  is: AccessVerdict['is']
  words: string
  place: string
}

function subjectOf(row: ReportRow): Resource | Field | CustomOperation {
  return 'operation' in row ? row.operation : (row.field ?? row.of)
}

function nameOf(subject: Resource | Field | CustomOperation): string {
  if ('root' in subject) return `${subject.root}.${subject.name}`
  return subject.kind === 'resource' ? subject.name : `${subject.owner.name}.${subject.name}`
}

/** Groups viewers with the same verdict; one row for each rule that grants access. */
function answersOf(row: ReportRow): ReportedVerdict[] {
  const { cells } = row
  const byVerdict = Map.groupBy(cells, ({ verdict }) => JSON.stringify(linesOf(verdict, row)))
  return [...byVerdict.values()].flatMap((group) => {
    const { verdict } = group[0]!
    const all = group.length === cells.length && cells.length > 1
    const viewers = all ? ['everyone'] : wrap(group.map(({ kind }) => kind.name))
    const lines = linesOf(verdict, row)
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

/** A type of the server itself stands in no file. */
function placeIn(row: ReportRow, located: { place: SourceLocation }): string {
  return 'of' in row && row.of.system !== undefined ? 'built in' : describePlace(located)
}

function linesOf(verdict: AccessVerdict, row: ReportRow): { words: string; place: string }[] {
  switch (verdict.reason) {
    case 'open':
      return [{ words: 'always', place: 'the schema has no rules for it and no account type' }]
    case 'closed':
      return [{ words: verdict.is, place: 'no @allow: only role admin' }]
    case 'roles':
      return [{ words: verdict.is, place: 'only role admin sets roles' }]
    case 'rows':
      return [{ words: verdict.is, place: 'as the rows that refer to it; the uploader too' }]
    case 'rules':
      if (verdict.rules.length === 0) return [{ words: 'never', place: '' }]
      return verdict.rules.map((rule) => ({
        words: verdict.is === 'always' ? 'always' : describeGrant(rule),
        place: placeIn(row, rule),
      }))
    default:
      return unreachable(verdict.reason)
  }
}

function sameAnswers(group: readonly AccessReportOptions[]): AccessReportOptions[][] {
  return [...Map.groupBy(group, ({ answers }) => JSON.stringify(answers)).values()]
}

function section(
  group: readonly AccessReportOptions[],
  widths: { viewers: number; words: number },
  paint: Paint,
): string {
  const actions = group.map(({ row }) => ('operation' in row ? 'CALL' : row.action)).join(' ')
  const brush = { always: paint.green, where: paint.yellow, never: paint.red }
  const lines = group[0]!.answers.map(({ viewers, is, words, place }) =>
    `    ${viewers.padEnd(widths.viewers)}  ${brush[is](words)}${' '.repeat(Math.max(0, widths.words - words.length))}  ${paint.dim(place)}`.trimEnd(),
  )
  return `  ${paint.cyan(actions)}\n${lines.join('\n')}\n`
}
