// The part of an estimate that depends on how wide rows are: what is searched, and what is made JSON of.

import { type Abstract, type Link, membersOf, type Resource, type StoredField, type StoredType } from '#model'
import type { Selection, Where } from '#plan'
import { maxGuardsByChoice } from '../sql/search-query.ts'

export interface Sizes {
  /** Rows of the resource's or the link's table, at least. */
  rows(of: Resource | Link): number
  bytes(of: Resource): RowBytes
}

/** Of the rows of a table, as far as they can be of any length. */
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

/** Whether a filter reads what can be long: it searches a text, looks inside a value, or has a list. */
export function hasTexts(where: Where): boolean {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.of.some(hasTexts)
    case 'not':
      return hasTexts(where.of)
    case 'through':
      return hasTexts(where.where)
    case 'some':
    case 'none':
      return where.where !== null && hasTexts(where.where)
    case 'search':
      return true
    case 'compare':
      return isSearch(where) || where.target.inside.length > 0 || takesList(where)
    default:
      return false
  }
}

function isSearch({ op }: ComparedText): boolean {
  return op === 'contains' || op === 'startsWith' || op === 'endsWith'
}

function takesList({ parameter }: ComparedText): boolean {
  if ('constant' in parameter) return Array.isArray(parameter.constant)
  return (
    parameter.accepts.kind === 'types' || (parameter.accepts.kind === 'type' && parameter.accepts.type.kind === 'list')
  )
}

/** What a filter reads of texts and lists: `bytes` are those of the rows that it is asked of. */
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
    default:
      return 0
  }
}

/** Each word may lead through all that the index holds: of a beginning, every word that begins so. So does each look that
 *  guards make necessary (`compile/search.ts`): one for each choice of them, or of many guards for each row. */
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
  const value = 'constant' in parameter ? parameter.constant : values[parameter.index]
  const inside = target.inside.length > 0 ? (4 * bytes) / kilobyte : 0 // read as JSON
  if (Array.isArray(value)) return inside + value.length / 4
  if (!isSearch(where) || typeof value !== 'string') return inside
  // SQLite compares the whole word at each place that begins as it does.
  return inside + (bytes * (1 + value.length / 32)) / kilobyte
}

interface SelectedBytes {
  /** Each field once and none read as JSON. */
  isPlain: boolean
  work(rows: number, sizes: Sizes): number
}

/** What is picked of rows. Fields as they are count by the average row: where those of a page are much wider, the limit of
 *  an answer's length ends the read. Values are read as JSON for each member, into however short an answer: they count by
 *  the widest row. Null: nothing that can be long is picked. */
export function selectedBytes(of: Resource, selections: readonly Selection[]): SelectedBytes | null {
  const plain = mostOften(selections, 'field', () => 1)
  const read = mostOften(selections, 'value', (members) => 4 + members)
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

/** How much wider than the average a page may be before it surprises. */
const skew = 4

/** How often the bytes of a row are read, at most: different fields are different bytes, one under other keys is not. */
function mostOften(
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
  if (type.kind === 'scalar') return type.name === 'String' || type.name === 'JSON'
  return type.kind !== 'enum'
}
