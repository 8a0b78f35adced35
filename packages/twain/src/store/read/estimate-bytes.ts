// The part of an estimate that depends on the width of rows: the bytes that a read searches or turns into JSON.

import { unreachable } from '#base'
import {
  type Abstract,
  type Link,
  membersOf,
  operators,
  type Resource,
  type StoredField,
  type StoredType,
  scalarOf,
} from '#model'
import { type ComparedValue, type Selection, someCondition, type Where } from '#plan'
import { maxGuardsByChoice } from '../sql/search/search-query.ts'

export interface Sizes {
  /** The number of rows of the table of a type or a link; never too low. */
  rows(of: Resource | Link): number
  bytes(of: Resource): RowBytes
  /** The number of entries in the change log; never too low. */
  changes(): number
}

/** The bytes in the rows of a table, without columns of a fixed length. */
export interface RowBytes {
  all: number
  widest: number
  average: number
}

export const kilobyte = 1024

export function widest(of: Resource | Abstract, sizes: Sizes): number {
  return Math.max(...membersOf(of).map((type) => sizes.bytes(type).widest))
}

type ComparedText = Where & { kind: 'compare' }

/** Whether a filter reads data that can be long: it searches a text, reads inside a value, or has a list. */
export function hasTexts(where: Where): boolean {
  return someCondition(where, (part) => part.kind === 'search' || (part.kind === 'compare' && readsTexts(part)))
}

function readsTexts(where: ComparedText): boolean {
  return isSearch(where) || where.target.inside.length > 0 || where.target.json !== undefined || takesList(where)
}

function isSearch({ op }: ComparedText): boolean {
  return operators[op].scansText
}

function takesList({ parameter }: ComparedText): boolean {
  if ('constant' in parameter) return Array.isArray(parameter.constant)
  if ('claim' in parameter) return parameter.isList
  return (
    parameter.accepts.kind === 'types' || (parameter.accepts.kind === 'type' && parameter.accepts.type.kind === 'list')
  )
}

/** The work of a filter on texts and lists; `bytes` are those of the rows that it filters. */
export function ofTexts(where: Where, rows: number, bytes: number, values: readonly unknown[], sizes: Sizes): number {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.of.reduce((all, part) => all + ofTexts(part, rows, bytes, values, sizes), 0)
    case 'not':
      return ofTexts(where.of, rows, bytes, values, sizes)
    case 'compare':
      return ofCompare(where, bytes, values)
    case 'search':
      return ofSearch(where, rows, bytes, values)
    case 'through':
      if (!hasTexts(where.where)) return 0
      return ofTexts(where.where, rows, rows * widest(where.field.to, sizes), values, sizes)
    case 'some':
    case 'none': {
      if (where.where === null || !hasTexts(where.where)) return 0
      const { field } = where
      const listed = sizes.rows(field.kind === 'links' ? field.link : field.to)
      return ofTexts(where.where, listed, listed * widest(field.to, sizes), values, sizes)
    }
    case 'type':
      return where.where === undefined ? 0 : ofTexts(where.where, rows, bytes, values, sizes)
    case 'constant':
    case 'live':
    case 'null':
    case 'viewer':
      return 0
    default:
      return unreachable(where)
  }
}

/** Each word may visit the whole index: a prefix visits every word with that prefix. So does each lookup that guards need
 *  (`sql/search.ts`): one for each subset of them, or, with many guards, one for each row. */
function ofSearch(
  { parameter, fields }: Where & { kind: 'search' },
  rows: number,
  bytes: number,
  values: readonly unknown[],
): number {
  const words = values[parameter.index] as string[]
  const { size } = new Set(fields.flatMap(({ guard }) => (guard === undefined ? [] : [guard])))
  const looks = size > maxGuardsByChoice ? rows * fields.length : 2 ** size
  return words.length * looks * (rows + bytes / kilobyte)
}

function ofCompare(where: ComparedText, bytes: number, values: readonly unknown[]): number {
  const { parameter, target } = where
  const value = comparedWith(parameter, values)
  const inside = target.inside.length > 0 ? (4 * bytes) / kilobyte : 0 // read as JSON
  if (Array.isArray(value)) return inside + value.length / 4
  if (!isSearch(where) || typeof value !== 'string') return inside
  const folding = operators[where.op].folds ? foldingWork : 0
  // SQLite compares the whole word at each position where its first character matches.
  return inside + (bytes * (1 + folding + value.length / 32)) / kilobyte
}

/** Folding a kilobyte takes 2 µs if it is ASCII, and 20 µs if not. */
const foldingWork = 20

/** A claim is as short as the header that brought it. */
function comparedWith(parameter: ComparedValue, values: readonly unknown[]): unknown {
  if ('claim' in parameter) return null
  return 'constant' in parameter ? parameter.constant : values[parameter.index]
}

interface SelectedBytes {
  /** Each field once and none read as JSON. */
  isPlain: boolean
  work(rows: number, sizes: Sizes): number
}

/** The work of a selection. Plain fields count by the average row: where the rows of a page are much wider, the limit on the
 *  length of a result ends the read. SQLite parses a value as JSON for each member, however short the result is: values count
 *  by the widest row. Null: the selection has no field that can be long. */
export function selectedBytes(of: Resource, selections: readonly Selection[]): SelectedBytes | null {
  const plain = maxReadsPerRow(selections, 'field', () => 1)
  const read = maxReadsPerRow(selections, 'value', (members) => 4 + members)
  if (plain + read === 0) return null
  return {
    isPlain: plain <= 1 && read === 0,
    work(rows, sizes) {
      const { all, widest, average } = sizes.bytes(of)
      const usual = Math.min(rows * widest, rows * skew * average, all)
      return (plain * usual + (read === 0 ? 0 : read * Math.min(rows * widest, all))) / kilobyte
    },
  }
}

/** How much wider than the average the rows of a page may be. */
const skew = 4

/** How often a read visits the bytes of a row, at most: different fields are different bytes, one field under two keys is
 *  not. */
function maxReadsPerRow(
  selections: readonly Selection[],
  kind: 'field' | 'value',
  weigh: (members: number) => number,
): number {
  const times = new Map<StoredField, number>()
  for (const selection of selections.flatMap((one) => (one.kind === 'computed' ? one.from : [one]))) {
    if (
      selection.kind !== kind ||
      (selection.kind !== 'field' && selection.kind !== 'value') ||
      !isWide(selection.field.type)
    )
      continue
    const weight = weigh(selection.kind === 'value' ? selection.selections.length : 0)
    times.set(selection.field, (times.get(selection.field) ?? 0) + weight)
  }
  return Math.max(0, ...times.values())
}

/** Whether values of the type can be of any length. */
export function isWide(type: StoredType): boolean {
  if (type.kind === 'scalar') return scalarOf(type.name).size === 'any'
  return type.kind !== 'enum'
}
