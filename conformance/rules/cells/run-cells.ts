// Runs the cells of a schema, and reports the answers that differ from the reference rules.

import type { Viewer } from '../../../packages/twain/src/base/http/index.ts'
import type { Resource } from '../../../packages/twain/src/model/index.ts'
import { ReferenceRules } from '../reference-rules.ts'
import { type ExpectedWrite, expectedWrite, newId, rulesAfter } from '../reference-writes.ts'
import type { Row } from '../rows-in-memory.ts'
import type { RulesFixture } from '../rules-fixture.ts'
import { graphqlRow, graphqlSelection, restRow } from '../visible-rows.ts'
import { bulkCells } from './bulk-cells.ts'
import { type Cell, canonicalJson } from './cell.ts'
import { eachCells } from './each-cells.ts'
import { groupCells } from './group-cells.ts'
import { keyAttempts, keyReadCells } from './key-cells.ts'
import { expectedNested, type NestedAttempt, nestedAttempts } from './nested-cells.ts'
import { abstractCells, filterCells, readCells } from './read-cells.ts'
import { upsertCells } from './upsert-cells.ts'
import { type Attempt, attemptsOf, sendGraphql, sendRest, type WriteCell } from './write-cells.ts'

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
    const cells = [
      ...attempts.map((attempt) => attemptCell(reference, attempt)),
      ...world.model.resources.flatMap((of) => [
        ...bulkCells(reference, of),
        ...upsertCells(reference, of),
        ...eachCells(reference, of),
      ]),
    ]
    for (const [at, cell] of cells.entries()) {
      for (const [side, api] of (['rest', 'graphql'] as const).entries()) {
        if ((at + side + turn) % every !== 0 || (api === 'graphql' && cell.isOnlyRest)) continue
        if (stops && outcome.differences.length > 0) return outcome
        outcome.cells++
        const difference = await tryWrite(fixture, viewer, cell, api)
        if (difference !== null)
          outcome.differences.push(`${fixture.schema.name}: ${name}: ${api} ${cell.name}\n  ${difference}`)
      }
    }
  }
  return outcome
}

function attemptCell(reference: ReferenceRules, attempt: Attempt | NestedAttempt): WriteCell {
  const { of, input, into } = attempt
  const verdict = 'nested' in attempt ? expectedNested(reference, attempt) : expectedWrite(reference, attempt)
  return {
    name: `${of.name} ${attempt.name} ${JSON.stringify(input)}`,
    of,
    after: verdict.after,
    ...(into !== undefined && { isOnlyRest: true }),
    expected: (api) => expectedOf(reference, attempt, verdict, api),
    send: (client, api) =>
      api === 'rest' ? sendRest(client, attempt) : sendGraphql(client, attempt, graphqlSelection(of)),
  }
}

/** Compares the answer and the rows afterwards, then restores the rows. */
async function tryWrite(
  fixture: RulesFixture,
  viewer: Viewer,
  cell: WriteCell,
  api: 'rest' | 'graphql',
): Promise<string | null> {
  const client = fixture.apis.as(viewer)
  const send = () => cell.send(client, api)
  let outcome = await send()
  // An earlier attempt may have created a row with this id. It is free when the change log has lost its delete.
  for (const end = performance.now() + 20_000; isGone(outcome) && performance.now() < end; ) {
    await fixture.apis.forgetChanges()
    outcome = await send()
  }
  const rows = await fixture.dump()
  const named = newNames(fixture, cell.of, rows)
  const [got, left] = [named(canonicalJson(outcome)), named(canonicalJson(rows))]
  const [expected, stands] = [canonicalJson(cell.expected(api)), canonicalJson(cell.after.dump())]
  if (left !== canonicalJson(fixture.rows.dump())) await fixture.restore()
  if (got !== expected) return `expected ${expected}\n  got      ${got}`
  return left === stands ? null : `expected ${stands}\n  left     ${left}`
}

function isGone(outcome: unknown): boolean {
  return (outcome as { status?: number }).status === 410
}

/** Replaces new ids of the store by those of the reference. */
function newNames({ rows: world }: RulesFixture, of: Resource, rows: Record<string, Row[]>): (text: string) => string {
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
