// Runs the cells of a schema, and reports the answers that differ from the reference rules.

import { type Cell, canonicalJson } from './cell.ts'
import { groupCells } from './group-cells.ts'
import { keyAttempts, keyReadCells } from './key-cells.ts'
import { expectedNested, type NestedAttempt, nestedAttempts } from './nested-cells.ts'
import { abstractCells, filterCells, readCells } from './read-cells.ts'
import { ReferenceRules } from './reference-rules.ts'
import { type ExpectedWrite, expectedWrite, newId, rulesAfter } from './reference-writes.ts'
import type { Row } from './rows-in-memory.ts'
import type { RulesFixture } from './rules-fixture.ts'
import { graphqlRow, graphqlSelection, restRow } from './visible-rows.ts'
import { type Attempt, attemptsOf, sendGraphql, sendRest } from './write-cells.ts'

export interface CellsOutcome {
  cells: number
  differences: string[]
}

export interface CellSampling {
  /** Each viewer sends every n-th of the filters and writes, starting at a different one. */
  every: number
  /** Stop at the first difference. */
  stops?: boolean
}

export async function runReads(fixture: RulesFixture, { every, stops }: CellSampling): Promise<CellsOutcome> {
  const outcome: CellsOutcome = { cells: 0, differences: [] }
  const { rows: world, viewers, apis, schema } = fixture
  const types = [...world.model.resources, ...world.model.views]
  for (const [turn, { name, viewer }] of viewers.entries()) {
    const reference = new ReferenceRules(world, viewer)
    const client = apis.as(viewer)
    const cells: Cell[] = [
      ...types.flatMap((of) => readCells(reference, of)),
      ...types.flatMap((of) => keyReadCells(reference, of)),
      ...types.flatMap((of) => groupCells(reference, of)),
      ...world.model.abstracts.flatMap((of) => abstractCells(reference, of)),
      ...types.flatMap((of) => filterCells(reference, of)).filter((_, at) => (at + turn) % every === 0),
    ]
    for (const cell of cells) {
      if (stops && outcome.differences.length > 0) return outcome
      outcome.cells++
      const actual = await cell.ask(client).catch((error: Error) => `threw ${error.message}`)
      const [got, expected] = [canonicalJson(actual), canonicalJson(cell.expected)]
      if (got !== expected)
        outcome.differences.push(`${schema.name}: ${name}: ${cell.name}\n  expected ${expected}\n  got      ${got}`)
    }
  }
  return outcome
}

export async function runWrites(fixture: RulesFixture, { every, stops }: CellSampling): Promise<CellsOutcome> {
  const outcome: CellsOutcome = { cells: 0, differences: [] }
  const { rows: world, viewers } = fixture
  for (const [turn, { name, viewer }] of viewers.entries()) {
    const reference = new ReferenceRules(world, viewer)
    const attempts = world.model.resources.flatMap((of): (Attempt | NestedAttempt)[] => [
      ...attemptsOf(reference, of),
      ...keyAttempts(reference, of),
      ...world.spots(of).flatMap(({ row }) => nestedAttempts(reference, of, row)),
    ])
    for (const [at, attempt] of attempts.entries()) {
      const verdict = 'nested' in attempt ? expectedNested(reference, attempt) : expectedWrite(reference, attempt)
      for (const [side, api] of (['rest', 'graphql'] as const).entries()) {
        if ((at + side + turn) % every !== 0 || (api === 'graphql' && attempt.into !== undefined)) continue
        if (stops && outcome.differences.length > 0) return outcome
        outcome.cells++
        const difference = await tryWrite(fixture, reference, attempt, verdict, api)
        if (difference !== null) {
          const { of, input } = attempt
          const sent = `${api} ${of.name} ${attempt.name} ${JSON.stringify(input)}`
          outcome.differences.push(`${fixture.schema.name}: ${name}: ${sent}\n  ${difference}`)
        }
      }
    }
  }
  return outcome
}

/** Compares the answer and the rows afterwards, then restores the rows. */
async function tryWrite(
  fixture: RulesFixture,
  reference: ReferenceRules,
  attempt: Attempt,
  verdict: ExpectedWrite,
  api: 'rest' | 'graphql',
): Promise<string | null> {
  const client = fixture.apis.as(reference.viewer)
  const send = () =>
    api === 'rest' ? sendRest(client, attempt) : sendGraphql(client, attempt, graphqlSelection(attempt.of))
  let outcome = await send()
  // An earlier attempt may have created a row with this id. It is free when the change log has lost its delete.
  for (const end = performance.now() + 20_000; outcome.status === 410 && performance.now() < end; ) {
    await fixture.apis.forgetChanges()
    outcome = await send()
  }
  const rows = await fixture.dump()
  const named = newNames(fixture, attempt, rows)
  const [got, left] = [named(canonicalJson(outcome)), named(canonicalJson(rows))]
  const [expected, stands] = [
    canonicalJson(expectedOf(reference, attempt, verdict, api)),
    canonicalJson(verdict.after.dump()),
  ]
  if (left !== canonicalJson(fixture.rows.dump())) await fixture.restore()
  if (got !== expected) return `expected ${expected}\n  got      ${got}`
  return left === stands ? null : `expected ${stands}\n  left     ${left}`
}

/** Replaces new ids of the store by those of the reference. */
function newNames(
  { rows: world }: RulesFixture,
  { of }: Attempt,
  rows: Record<string, Row[]>,
): (text: string) => string {
  const names = new Map<string, string>()
  for (const type of world.model.resources) {
    const list = [...of.fields.values()].find((field) => field.kind === 'many' && field.to === type)
    for (const { id } of rows[type.name]!)
      if (world.find(type, id) === undefined) names.set(id, type === of ? newId : `${newId} ${list?.name}`)
  }
  return (text) => [...names].reduce((all, [id, name]) => all.replaceAll(id, name), text)
}

function expectedOf(
  reference: ReferenceRules,
  { action }: Attempt,
  verdict: ExpectedWrite,
  api: 'rest' | 'graphql',
): unknown {
  const { status, written } = verdict
  const after = rulesAfter(reference, verdict)
  if (api === 'rest') return { status, row: written === null ? null : restRow(after, written) }
  const errors: string[] = []
  const row = written === null ? null : graphqlRow(after, written, 'done', errors)
  // GraphQL does not say whether a replace updated or created a row.
  return { status: action === 'replace' && status === 201 ? 200 : status, row, errors: errors.toSorted() }
}
