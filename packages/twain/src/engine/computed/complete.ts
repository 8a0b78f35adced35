// What own code gave, held to the type that the file promises (specification, section 6.4.3 "Value Completion"): an error
// is that of the innermost place which may be null, and costs no more.

import { type Problem, unreachable } from '#base'
import type { StoredType, ValueType } from '#model'
import { checkValue, type ValueSelection } from '#plan'

type Way = readonly (string | number)[]

/** An error, and where inside the value it is. */
export class Misplaced extends Error {
  readonly inside: Way

  constructor(inside: Way, cause: unknown) {
    super('a value does not fit', { cause })
    this.inside = inside
  }
}

/** `mark` gives what stands at a place that failed; `inside` is the way on from there. Throws Misplaced where no place of the
 *  value itself may be null. */
export function complete(
  type: StoredType,
  required: boolean,
  value: unknown,
  selections: readonly ValueSelection[] | null,
  mark: (error: unknown, inside: Way) => unknown,
): unknown {
  return place(type, required, value, selections, [])

  function place(
    type: StoredType,
    required: boolean,
    value: unknown,
    selections: readonly ValueSelection[] | null,
    way: Way,
  ): unknown {
    if (value instanceof Error) throw new Misplaced(way, value)
    if (value === null || value === undefined) {
      if (required) throw new Misplaced(way, new Error('null was given where a value is promised'))
      return null
    }
    switch (type.kind) {
      case 'list': {
        if (!Array.isArray(value)) throw new Misplaced(way, new Error('no list was given where one is promised'))
        const { of, itemRequired } = type
        return value.map((item, index) => inner(of, itemRequired, item, selections, way, index))
      }
      case 'value':
        return selections === null ? leaf(type, value, way) : members(type.value, value, selections, way)
      case 'scalar':
      case 'custom':
      case 'enum':
        return leaf(type, value, way)
      default:
        return unreachable(type)
    }
  }

  function members(type: ValueType, value: unknown, selections: readonly ValueSelection[], way: Way): unknown {
    if (typeof value !== 'object') throw new Misplaced(way, new Error(`no object (${type.name}) was given`))
    const given = value as Record<string, unknown>
    return Object.fromEntries(
      selections.map((selection) => {
        if (selection.kind === 'constant') return [selection.key, selection.value]
        const { field } = selection
        return [
          selection.key,
          inner(field.type, field.required, given[field.name], selection.selections, way, selection.key),
        ]
      }),
    )
  }

  /** One place further in: what fails there and may be null stays there. */
  function inner(
    type: StoredType,
    required: boolean,
    value: unknown,
    selections: readonly ValueSelection[] | null,
    way: Way,
    step: string | number,
  ): unknown {
    const there = [...way, step]
    try {
      return place(type, required, value, selections, there)
    } catch (error) {
      if (required || !(error instanceof Misplaced)) throw error
      return mark(error.cause, error.inside.slice(there.length))
    }
  }
}

function leaf(type: StoredType, value: unknown, way: Way): unknown {
  const problems: Problem[] = []
  const canonical = checkValue(type, plain(value), '', problems)
  const [problem] = problems
  if (problem === undefined) return canonical
  const at = problem.path === '' ? '' : ` at ${problem.path.slice(1)}`
  throw new Misplaced(way, new Error(`what own code gave${at} ${problem.message}`))
}

/** What JavaScript has a type for and JSON has none. */
function plain(value: unknown): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  return typeof value === 'bigint' ? String(value) : value
}
