// Completes the values of custom code by their types (GraphQL specification, section 6.4.3 "Value Completion"): an error
// nulls the innermost nullable place, and nothing else.

import { type Problem, unreachable } from '#base'
import type { StoredType, ValueType } from '#model'
import { checkValue, type ValueSelection } from '#plan'

type ValuePath = readonly (string | number)[]

/** An error, and its path inside the value. */
export class CompletionError extends Error {
  readonly inside: ValuePath

  constructor(inside: ValuePath, cause: unknown) {
    super('a value does not fit', { cause })
    this.inside = inside
  }
}

/** `fail` gives the marker for a place that failed; `inside` is the path from there to the error. Throws a CompletionError if
 *  no place of the value is nullable. */
export function complete(
  type: StoredType,
  required: boolean,
  value: unknown,
  selections: readonly ValueSelection[] | null,
  fail: (error: unknown, inside: ValuePath) => unknown,
): unknown {
  return place(type, required, value, selections, [])

  function place(
    type: StoredType,
    required: boolean,
    value: unknown,
    selections: readonly ValueSelection[] | null,
    path: ValuePath,
  ): unknown {
    if (value instanceof Error) throw new CompletionError(path, value)
    if (value === null || value === undefined) {
      if (required) throw new CompletionError(path, new Error('custom code returned null for a non-null type'))
      return null
    }
    switch (type.kind) {
      case 'list': {
        if (!Array.isArray(value))
          throw new CompletionError(path, new Error('custom code returned no list for a list type'))
        const { of, itemRequired } = type
        return value.map((item, index) => inner(of, itemRequired, item, selections, path, index))
      }
      case 'value':
        return selections === null ? leaf(type, value, path) : members(type.value, value, selections, path)
      case 'scalar':
      case 'custom':
      case 'enum':
        return leaf(type, value, path)
      default:
        return unreachable(type)
    }
  }

  function members(type: ValueType, value: unknown, selections: readonly ValueSelection[], path: ValuePath): unknown {
    if (typeof value !== 'object')
      throw new CompletionError(path, new Error(`custom code returned no object for ${type.name}`))
    const object = value as Record<string, unknown>
    return Object.fromEntries(
      selections.map((selection) => {
        if (selection.kind === 'constant') return [selection.key, selection.value]
        const { field } = selection
        return [
          selection.key,
          inner(field.type, field.required, object[field.name], selection.selections, path, selection.key),
        ]
      }),
    )
  }

  /** One step further in. An error at a nullable place stays there. */
  function inner(
    type: StoredType,
    required: boolean,
    value: unknown,
    selections: readonly ValueSelection[] | null,
    path: ValuePath,
    step: string | number,
  ): unknown {
    const innerPath = [...path, step]
    try {
      return place(type, required, value, selections, innerPath)
    } catch (error) {
      if (required || !(error instanceof CompletionError)) throw error
      return fail(error.cause, error.inside.slice(innerPath.length))
    }
  }
}

function leaf(type: StoredType, value: unknown, path: ValuePath): unknown {
  const problems: Problem[] = []
  const canonical = checkValue(type, toJson(value), '', problems)
  const [problem] = problems
  if (problem === undefined) return canonical
  const at = problem.path === '' ? '' : ` at ${problem.path.slice(1)}`
  throw new CompletionError(path, new Error(`the value of custom code${at} ${problem.message}`))
}

/** JSON for the types that only JavaScript has. */
function toJson(value: unknown): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  return typeof value === 'bigint' ? String(value) : value
}
