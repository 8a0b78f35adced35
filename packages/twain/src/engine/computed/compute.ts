// Puts the values of custom code into the rows of a result.
//
// 1. The code of a field is called once for a result, and gets each row once, however often the row occurs. Events can show a
//    row at several times: then each state of it is a row of its own.
// 2. A failure costs its field only: a marker stands in its place, and the failure is listed beside the result.
// 3. Fields that were read for the code alone are removed from the result.

import { asApiError, isRecord } from '#base'
import type { Viewer } from '#base/http'
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
import { CompletionError, complete } from './complete.ts'
import type { CodeArguments, CodeInputRow, CustomCode } from './custom-code.ts'
import { idsIn, placeRows } from './named-rows.ts'

export type ResultRow = Record<string, unknown>

export interface ComputeContext {
  code: CustomCode
  viewer: Viewer
  /** Canonical, by parameter index. */
  values: readonly unknown[]
  failures: CodeFailure[]
  /** Whether the rows are those of events. */
  isOfEvents: boolean
  /** Reads the rows with these ids that the viewer may see, by their id. */
  rows(result: NamedRows, ids: readonly string[]): Promise<ReadonlyMap<string, unknown>>
}

export type NamedRows = CustomResult & { kind: 'rows' }

/** One field with its arguments, and where its values go. */
interface ComputeCall {
  field: ComputedField
  args: CodeArguments
  rows: CodeInputRow[]
  /** The index in `rows` by the row's id; for events, by all that the code gets of the row. */
  indexes: Map<string, number>
  targets: ComputedTarget[]
}

interface ComputedTarget {
  selection: ComputedSelection
  row: ResultRow
  index: number
}

/** The parsed text of a page, or of a row, with what was selected. */
export type ResultTree = { read: PageRead; tree: unknown } | { selections: readonly Selection[]; tree: unknown }

export async function compute(trees: readonly ResultTree[], context: ComputeContext): Promise<void> {
  const calls = new Map<string, ComputeCall>()
  const bySelection = new Map<ComputedSelection, ComputeCall>()
  for (const tree of trees) {
    if ('read' in tree) visitPage(tree.read, tree.tree)
    else visitRow(tree.selections, tree.tree)
  }
  await Promise.all([...calls.values()].map((call) => runCall(call, context)))

  function visitPage({ shape }: PageRead, tree: unknown): void {
    if (shape.kind === 'list') {
      for (const row of itemsOf(tree)) visitTypes(shape.types, row)
      return
    }
    for (const selection of shape.selections) {
      if (selection.kind !== 'edges' || !isRow(tree)) continue
      for (const edge of itemsOf(tree[selection.key])) {
        for (const inner of selection.selections)
          if (inner.kind === 'node' && isRow(edge)) visitTypes(inner.types, edge[inner.key])
      }
    }
  }

  function visitTypes(types: readonly TypeSelection[], row: unknown): void {
    if (!isRow(row)) return
    const type = row[typeKey]
    const found = types.length === 1 ? types[0] : types.find(({ of }) => of.name === type)
    if (found !== undefined) visitRow(found.selections, row)
  }

  function visitRow(selections: readonly Selection[], row: unknown): void {
    if (!isRow(row)) return
    for (const selection of selections) {
      if (selection.kind === 'one') visitTypes(selection.types, row[selection.key])
      else if (selection.kind === 'many') visitPage(selection.read, row[selection.key])
      else if (selection.kind === 'computed' && row[selection.key] !== forbiddenMarker.text) addTarget(selection, row)
    }
    for (const key of Object.keys(row)) if (isHiddenKey(key)) delete row[key]
  }

  /** Selections of the same field with the same arguments share one call. */
  function callOf(selection: ComputedSelection): ComputeCall {
    const known = bySelection.get(selection)
    if (known !== undefined) return known
    const args = argumentsOf(selection.args, context.values)
    const key = `${selection.field.owner.name}.${selection.field.name} ${JSON.stringify(args)}`
    const call = calls.get(key) ?? { field: selection.field, args, rows: [], indexes: new Map(), targets: [] }
    calls.set(key, call)
    bySelection.set(selection, call)
    return call
  }

  function addTarget(selection: ComputedSelection, row: ResultRow): void {
    const call = callOf(selection)
    const id = row[selection.key] as string
    const key = context.isOfEvents ? JSON.stringify(inputRow(id, selection, row)) : id
    let index = call.indexes.get(key)
    if (index === undefined) {
      index = call.rows.push(inputRow(id, selection, row)) - 1
      call.indexes.set(key, index)
    }
    call.targets.push({ selection, row, index })
  }
}

/** Copies of the values: literals and defaults are kept for later requests, and custom code may change what it gets. */
export function argumentsOf(args: ComputedSelection['args'], values: readonly unknown[]): CodeArguments {
  const entries = args.map(({ argument, parameter }) => [argument.name, copyOf(values[parameter.index])] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf)
  if (!isRecord(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)]))
}

function inputRow(id: string, { field, from }: ComputedSelection, row: ResultRow): CodeInputRow {
  const entries = field.from.map(({ name }, index) => {
    const value = row[from[index]!.key]
    return [name, value === forbiddenMarker.text ? null : value]
  })
  return { ...Object.fromEntries(entries), id }
}

async function runCall({ field, args, rows, targets }: ComputeCall, context: ComputeContext): Promise<void> {
  try {
    const values = await context.code.compute(field, rows, args, context.viewer)
    const rowsOf = await namedRows(targets, values, context)
    for (const { selection, row, index } of targets)
      row[selection.key] = completed(selection, values[index], rowsOf.get(selection))
  } catch (error) {
    const marker = fail(error, [], true) // one failure, with a marker at each of its places
    for (const { selection, row } of targets) row[selection.key] = marker
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
      return error instanceof CompletionError ? fail(error.cause, error.inside, true) : fail(error, [], true)
    }
  }

  function failInside(error: unknown, inside: CodeFailure['inside']): string {
    return fail(error, inside, false)
  }

  function fail(error: unknown, inside: CodeFailure['inside'], isWhole: boolean): string {
    context.failures.push({ field, error: asApiError(error), isWhole, inside })
    return failureMarker.write(context.failures.length - 1)
  }
}

/** For each selection of rows, the rows that the code named. */
async function namedRows(
  targets: readonly ComputedTarget[],
  values: readonly unknown[],
  { rows }: ComputeContext,
): Promise<ReadonlyMap<ComputedSelection, ReadonlyMap<string, unknown>>> {
  const found = new Map<ComputedSelection, ReadonlyMap<string, unknown>>()
  for (const { selection } of targets) {
    if (selection.result.kind !== 'rows' || found.has(selection)) continue
    found.set(selection, await rows(selection.result, [...new Set(values.flatMap(idsIn))]))
  }
  return found
}

function itemsOf(tree: unknown): readonly unknown[] {
  return Array.isArray(tree) ? tree : []
}

function isRow(tree: unknown): tree is ResultRow {
  return typeof tree === 'object' && tree !== null && !Array.isArray(tree)
}
