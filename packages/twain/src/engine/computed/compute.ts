// Puts the answers of own code into the rows of an answer.
//
// 1. A field is asked once for a whole answer, with each row once, wherever and however often it stands there. Of changes a row
//    may be told as it was at several times: then each of them is a row of its own.
// 2. What fails costs its field only: a mark stands in its place, and the failure beside the answer.
// 3. Nothing that was read for the code alone stays in the answer.

import { asApiError, type Viewer } from '#base'
import type { ComputedField } from '#model'
import {
  type Case,
  type ComputedPick,
  type Failure,
  failureMark,
  type GivenArgument,
  isHiddenKey,
  type Many,
  type OwnResult,
  type Pick,
  refusalMarker,
  typeMark,
} from '#plan'
import type { GivenArguments, GivenRow, OwnCode } from '../custom-code.ts'
import { complete, Misplaced } from './complete.ts'
import { idsIn, placeRows } from './named-rows.ts'

export type Row = Record<string, unknown>

export interface Computing {
  code: OwnCode
  viewer: Viewer
  /** Canonical, by slot index. */
  values: readonly unknown[]
  failures: Failure[]
  /** Whether rows are as of changes. */
  isOfChanges: boolean
  /** The rows with these ids that the viewer may see, by their id. */
  rows(result: NamedRows, ids: readonly string[]): Promise<ReadonlyMap<string, unknown>>
}

export type NamedRows = OwnResult & { kind: 'rows' }

/** One field with its arguments, and where its values go. */
interface Call {
  field: ComputedField
  args: GivenArguments
  rows: GivenRow[]
  /** Of each row's id, its place among the rows; of changes, of all that is given of it. */
  places: Map<string, number>
  targets: Target[]
}

interface Target {
  pick: ComputedPick
  row: Row
  place: number
}

/** What was read of a page, of a row, or of several: each with its picks. */
export type Sheet = { read: Many; tree: unknown } | { pick: readonly Pick[]; tree: unknown }

export async function compute(sheets: readonly Sheet[], computing: Computing): Promise<void> {
  const calls = new Map<string, Call>()
  const byPick = new Map<ComputedPick, Call>()
  for (const sheet of sheets) {
    if ('read' in sheet) visitMany(sheet.read, sheet.tree)
    else visitRow(sheet.pick, sheet.tree)
  }
  await Promise.all([...calls.values()].map((call) => answerCall(call, computing)))

  function visitMany({ shape }: Many, tree: unknown): void {
    if (shape.kind === 'list') {
      for (const row of itemsOf(tree)) visitCases(shape.cases, row)
      return
    }
    for (const pick of shape.pick) {
      if (pick.kind !== 'edges' || !isRow(tree)) continue
      for (const edge of itemsOf(tree[pick.key])) {
        for (const inner of pick.pick)
          if (inner.kind === 'node' && isRow(edge)) visitCases(inner.cases, edge[inner.key])
      }
    }
  }

  function visitCases(cases: readonly Case[], row: unknown): void {
    if (!isRow(row)) return
    const type = row[typeMark]
    const found = cases.length === 1 ? cases[0] : cases.find(({ of }) => of.name === type)
    if (found !== undefined) visitRow(found.pick, row)
  }

  function visitRow(picks: readonly Pick[], row: unknown): void {
    if (!isRow(row)) return
    for (const pick of picks) {
      if (pick.kind === 'one') visitCases(pick.cases, row[pick.key])
      else if (pick.kind === 'many') visitMany(pick.read, row[pick.key])
      else if (pick.kind === 'computed' && row[pick.key] !== refusalMarker) addTarget(pick, row)
    }
    for (const key of Object.keys(row)) if (isHiddenKey(key)) delete row[key]
  }

  /** Picks of the same field with the same arguments are one call. */
  function callOf(pick: ComputedPick): Call {
    const known = byPick.get(pick)
    if (known !== undefined) return known
    const args = argumentsOf(pick.args, computing.values)
    const key = `${pick.field.owner.name}.${pick.field.name} ${JSON.stringify(args)}`
    const call = calls.get(key) ?? { field: pick.field, args, rows: [], places: new Map(), targets: [] }
    calls.set(key, call)
    byPick.set(pick, call)
    return call
  }

  function addTarget(pick: ComputedPick, row: Row): void {
    const call = callOf(pick)
    const id = row[pick.key] as string
    const name = computing.isOfChanges ? JSON.stringify(givenRow(id, pick, row)) : id
    let place = call.places.get(name)
    if (place === undefined) {
      place = call.rows.push(givenRow(id, pick, row)) - 1
      call.places.set(name, place)
    }
    call.targets.push({ pick, row, place })
  }
}

export function argumentsOf(args: readonly GivenArgument[], values: readonly unknown[]): GivenArguments {
  const given = args.map(({ argument, slot }) => [argument.name, values[slot.index]] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

function givenRow(id: string, { field, from }: ComputedPick, row: Row): GivenRow {
  const given = field.from.map(({ name }, index) => {
    const value = row[from[index]!.key]
    return [name, value === refusalMarker ? null : value]
  })
  return { ...Object.fromEntries(given), id }
}

async function answerCall({ field, args, rows, targets }: Call, computing: Computing): Promise<void> {
  try {
    const values = await computing.code.compute(field, rows, args, computing.viewer)
    const rowsOf = await namedRows(targets, values, computing)
    for (const { pick, row, place } of targets) row[pick.key] = completed(pick, values[place], rowsOf.get(pick))
  } catch (error) {
    const mark = fail(error, [], true) // one failure, at each of its places
    for (const { pick, row } of targets) row[pick.key] = mark
  }

  function completed(pick: ComputedPick, value: unknown, named: ReadonlyMap<string, unknown> | undefined): unknown {
    const { type, required } = field
    try {
      if (type.kind === 'stored') {
        return complete(type.type, required, value, pick.result.kind === 'value' ? pick.result.pick : null, failInside)
      }
      return placeRows(value, type.kind === 'rows', required, named!)
    } catch (error) {
      return error instanceof Misplaced ? fail(error.cause, error.inside, true) : fail(error, [], true)
    }
  }

  function failInside(error: unknown, inside: Failure['inside']): string {
    return fail(error, inside, false)
  }

  function fail(error: unknown, inside: Failure['inside'], isWhole: boolean): string {
    computing.failures.push({ field, error: asApiError(error), isWhole, inside })
    return failureMark(computing.failures.length - 1)
  }
}

/** For each way in which rows are asked for, those that the code named. */
async function namedRows(
  targets: readonly Target[],
  values: readonly unknown[],
  { rows }: Computing,
): Promise<ReadonlyMap<ComputedPick, ReadonlyMap<string, unknown>>> {
  const found = new Map<ComputedPick, ReadonlyMap<string, unknown>>()
  for (const { pick } of targets) {
    if (pick.result.kind !== 'rows' || found.has(pick)) continue
    found.set(pick, await rows(pick.result, [...new Set(values.flatMap(idsIn))]))
  }
  return found
}

function itemsOf(tree: unknown): readonly unknown[] {
  return Array.isArray(tree) ? tree : []
}

function isRow(tree: unknown): tree is Row {
  return typeof tree === 'object' && tree !== null && !Array.isArray(tree)
}
