// Asks every cell of a stage and tells where the answer was not the judge's.

import { type Cell, spell } from './cell.ts'
import { abstractCells, filterCells, readCells } from './read-cells.ts'
import { Judge } from './reference-rules.ts'
import { judgeAfter, judgeWrite, newId, type Verdict } from './reference-writes.ts'
import type { Row } from './rows-in-memory.ts'
import type { Stage } from './rules-fixture.ts'
import { graphqlRow, graphqlSelection, restRow } from './visible-rows.ts'
import { type Attempt, attemptsOf, sendGraphql, sendRest } from './write-cells.ts'

export interface Outcome {
  cells: number
  differences: string[]
}

export interface Pace {
  /** Of the many filters and writes each viewer sends every so manyth, each beginning at another. */
  every: number
  /** To find one difference is enough. */
  stops?: boolean
}

export async function runReads(stage: Stage, { every, stops }: Pace): Promise<Outcome> {
  const outcome: Outcome = { cells: 0, differences: [] }
  const { world, viewers, faces, contract } = stage
  for (const [turn, { name, viewer }] of viewers.entries()) {
    const judge = new Judge(world, viewer)
    const asking = faces.as(viewer)
    const cells: Cell[] = [
      ...world.model.resources.flatMap((of) => readCells(judge, of)),
      ...world.model.abstracts.flatMap((of) => abstractCells(judge, of)),
      ...world.model.resources.flatMap((of) => filterCells(judge, of)).filter((_, at) => (at + turn) % every === 0),
    ]
    for (const cell of cells) {
      if (stops && outcome.differences.length > 0) return outcome
      outcome.cells++
      const actual = await cell.ask(asking).catch((error: Error) => `threw ${error.message}`)
      const [got, expected] = [spell(actual), spell(cell.expected)]
      if (got !== expected)
        outcome.differences.push(`${contract.name}: ${name}: ${cell.name}\n  expected ${expected}\n  got      ${got}`)
    }
  }
  return outcome
}

export async function runWrites(stage: Stage, { every, stops }: Pace): Promise<Outcome> {
  const outcome: Outcome = { cells: 0, differences: [] }
  const { world, viewers } = stage
  for (const [turn, { name, viewer }] of viewers.entries()) {
    const judge = new Judge(world, viewer)
    for (const [at, attempt] of world.model.resources.flatMap((of) => attemptsOf(judge, of)).entries()) {
      const verdict = judgeWrite(judge, attempt)
      for (const [side, face] of (['rest', 'graphql'] as const).entries()) {
        if ((at + side + turn) % every !== 0 || (face === 'graphql' && attempt.into !== undefined)) continue
        if (stops && outcome.differences.length > 0) return outcome
        outcome.cells++
        const difference = await tryWrite(stage, judge, attempt, verdict, face)
        if (difference !== null) {
          const { of, input } = attempt
          const asked = `${face} ${of.name} ${attempt.name} ${JSON.stringify(input)}`
          outcome.differences.push(`${stage.contract.name}: ${name}: ${asked}\n  ${difference}`)
        }
      }
    }
  }
  return outcome
}

/** The answer, and everything as it stands afterwards; then all is put back. */
async function tryWrite(
  stage: Stage,
  judge: Judge,
  attempt: Attempt,
  verdict: Verdict,
  face: 'rest' | 'graphql',
): Promise<string | null> {
  const asking = stage.faces.as(judge.viewer)
  const told =
    face === 'rest' ? await sendRest(asking, attempt) : await sendGraphql(asking, attempt, graphqlSelection(attempt.of))
  const rows = await stage.dump()
  const named = newNames(stage, attempt, rows)
  const [got, left] = [named(spell(told)), named(spell(rows))]
  const [expected, stands] = [spell(expectedOf(judge, attempt, verdict, face)), spell(verdict.after.dump())]
  if (left !== spell(stage.world.dump())) await stage.restore()
  if (got !== expected) return `expected ${expected}\n  got      ${got}`
  return left === stands ? null : `expected ${stands}\n  left     ${left}`
}

/** The store's new ids in the judge's words. */
function newNames({ world }: Stage, { of }: Attempt, rows: Record<string, Row[]>): (text: string) => string {
  const names = new Map<string, string>()
  for (const type of world.model.resources) {
    const list = [...of.fields.values()].find((field) => field.kind === 'many' && field.to === type)
    for (const { id } of rows[type.name]!)
      if (world.find(type, id) === undefined) names.set(id, type === of ? newId : `${newId} ${list?.name}`)
  }
  return (text) => [...names].reduce((all, [id, name]) => all.replaceAll(id, name), text)
}

function expectedOf(judge: Judge, { action }: Attempt, verdict: Verdict, face: 'rest' | 'graphql'): unknown {
  const { status, written } = verdict
  const after = judgeAfter(judge, verdict)
  if (face === 'rest') return { status, row: written === null ? null : restRow(after, written) }
  const errors: string[] = []
  const row = written === null ? null : graphqlRow(after, written, 'done', errors)
  // GraphQL does not say whether a replace found a row or made one.
  return { status: action === 'replace' && status === 201 ? 200 : status, row, errors: errors.toSorted() }
}
