// Puts the answers of own code into the rows of an answer.
//
// 1. A field is asked once for a whole answer, with each row once, wherever and however often it stands there. Of changes a row
//    may be told as it was at several times: then each of them is a row of its own.
// 2. What fails costs its field only: a mark stands in its place, and the failure beside the answer.
// 3. Nothing that was read for the code alone stays in the answer.

import { asApiError, type Viewer } from '#base'
import type { ComputedField } from '#model'
import {
  type CodeFailure,
  type ComputedSelection,
  type CustomResult,
  failureMarker,
  forbiddenMarker,
  type PageRead,
  type Selection,
  type TypeSelection,
} from '#plan'
import { isHiddenKey, typeKey } from '#plan/build'
import type { CodeArguments, CodeInputRow, CustomCode } from '../custom-code.ts'
import { complete, Misplaced } from './complete.ts'
import { idsIn, placeRows } from './named-rows.ts'

export type Row = Record<string, unknown>

export interface Computing {
  code: CustomCode
  viewer: Viewer
  /** Canonical, by slot index. */
  values: readonly unknown[]
  failures: CodeFailure[]
  /** Whether rows are as of changes. */
  isOfChanges: boolean
  /** The rows with these ids that the viewer may see, by their id. */
  rows(result: NamedRows, ids: readonly string[]): Promise<ReadonlyMap<string, unknown>>
}

export type NamedRows = CustomResult & { kind: 'rows' }

/** One field with its arguments, and where its values go. */
interface Call {
  field: ComputedField
  args: CodeArguments
  rows: CodeInputRow[]
  /** Of each row's id, its place among the rows; of changes, of all that is given of it. */
  places: Map<string, number>
  targets: Target[]
}

interface Target {
  pick: ComputedSelection
  row: Row
  place: number
}

/** What was read of a page, of a row, or of several: each with its picks. */
export type Sheet = { read: PageRead; tree: unknown } | { pick: readonly Selection[]; tree: unknown }

export async function compute(sheets: readonly Sheet[], computing: Computing): Promise<void> {
  const calls = new Map<string, Call>()
  const byPick = new Map<ComputedSelection, Call>()
  for (const sheet of sheets) {
    if ('read' in sheet) visitMany(sheet.read, sheet.tree)
    else visitRow(sheet.pick, sheet.tree)
  }
  await Promise.all([...calls.values()].map((call) => answerCall(call, computing)))

  function visitMany({ shape }: PageRead, tree: unknown): void {
    if (shape.kind === 'list') {
      for (const row of itemsOf(tree)) visitCases(shape.types, row)
      return
    }
    for (const selection of shape.selections) {
      if (selection.kind !== 'edges' || !isRow(tree)) continue
      for (const edge of itemsOf(tree[selection.key])) {
        for (const inner of selection.selections)
          if (inner.kind === 'node' && isRow(edge)) visitCases(inner.types, edge[inner.key])
      }
    }
  }

  function visitCases(cases: readonly TypeSelection[], row: unknown): void {
    if (!isRow(row)) return
    const type = row[typeKey]
    const found = cases.length === 1 ? cases[0] : cases.find(({ of }) => of.name === type)
    if (found !== undefined) visitRow(found.selections, row)
  }

  function visitRow(selections: readonly Selection[], row: unknown): void {
    if (!isRow(row)) return
    for (const selection of selections) {
      if (selection.kind === 'one') visitCases(selection.types, row[selection.key])
      else if (selection.kind === 'many') visitMany(selection.read, row[selection.key])
      else if (selection.kind === 'computed' && row[selection.key] !== forbiddenMarker.text) addTarget(selection, row)
    }
    for (const key of Object.keys(row)) if (isHiddenKey(key)) delete row[key]
  }

  /** Picks of the same field with the same arguments are one call. */
  function callOf(selection: ComputedSelection): Call {
    const known = byPick.get(selection)
    if (known !== undefined) return known
    const args = argumentsOf(selection.args, computing.values)
    const key = `${selection.field.owner.name}.${selection.field.name} ${JSON.stringify(args)}`
    const call = calls.get(key) ?? { field: selection.field, args, rows: [], places: new Map(), targets: [] }
    calls.set(key, call)
    byPick.set(selection, call)
    return call
  }

  function addTarget(selection: ComputedSelection, row: Row): void {
    const call = callOf(selection)
    const id = row[selection.key] as string
    const name = computing.isOfChanges ? JSON.stringify(givenRow(id, selection, row)) : id
    let place = call.places.get(name)
    if (place === undefined) {
      place = call.rows.push(givenRow(id, selection, row)) - 1
      call.places.set(name, place)
    }
    call.targets.push({ pick: selection, row, place })
  }
}

export function argumentsOf(args: ComputedSelection['args'], values: readonly unknown[]): CodeArguments {
  const given = args.map(({ argument, parameter }) => [argument.name, values[parameter.index]] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

function givenRow(id: string, { field, from }: ComputedSelection, row: Row): CodeInputRow {
  const given = field.from.map(({ name }, index) => {
    const value = row[from[index]!.key]
    return [name, value === forbiddenMarker.text ? null : value]
  })
  return { ...Object.fromEntries(given), id }
}

async function answerCall({ field, args, rows, targets }: Call, computing: Computing): Promise<void> {
  try {
    const values = await computing.code.compute(field, rows, args, computing.viewer)
    const rowsOf = await namedRows(targets, values, computing)
    for (const { pick: selection, row, place } of targets)
      row[selection.key] = completed(selection, values[place], rowsOf.get(selection))
  } catch (error) {
    const mark = fail(error, [], true) // one failure, at each of its places
    for (const { pick: selection, row } of targets) row[selection.key] = mark
  }

  function completed(
    selection: ComputedSelection,
    value: unknown,
    named: ReadonlyMap<string, unknown> | undefined,
  ): unknown {
    const { type, required } = field
    try {
      if (type.kind === 'stored') {
        return complete(
          type.type,
          required,
          value,
          selection.result.kind === 'value' ? selection.result.selections : null,
          failInside,
        )
      }
      return placeRows(value, type.kind === 'rows', required, named!)
    } catch (error) {
      return error instanceof Misplaced ? fail(error.cause, error.inside, true) : fail(error, [], true)
    }
  }

  function failInside(error: unknown, inside: CodeFailure['inside']): string {
    return fail(error, inside, false)
  }

  function fail(error: unknown, inside: CodeFailure['inside'], isWhole: boolean): string {
    computing.failures.push({ field, error: asApiError(error), isWhole, inside })
    return failureMarker.write(computing.failures.length - 1)
  }
}

/** For each way in which rows are asked for, those that the code named. */
async function namedRows(
  targets: readonly Target[],
  values: readonly unknown[],
  { rows }: Computing,
): Promise<ReadonlyMap<ComputedSelection, ReadonlyMap<string, unknown>>> {
  const found = new Map<ComputedSelection, ReadonlyMap<string, unknown>>()
  for (const { pick: selection } of targets) {
    if (selection.result.kind !== 'rows' || found.has(selection)) continue
    found.set(selection, await rows(selection.result, [...new Set(values.flatMap(idsIn))]))
  }
  return found
}

function itemsOf(tree: unknown): readonly unknown[] {
  return Array.isArray(tree) ? tree : []
}

function isRow(tree: unknown): tree is Row {
  return typeof tree === 'object' && tree !== null && !Array.isArray(tree)
}
