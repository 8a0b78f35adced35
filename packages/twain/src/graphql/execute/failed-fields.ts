// Fields that custom code failed to compute: null in their place and an error with the path of each. A null in a non-null
// field propagates to its parent (specification, section 6.4.4 "Handling Execution Errors").

import type { Model } from '#model'
import { type CodeFailure, failureMarker } from '#plan'
import { isServedNonNull } from '#plan/explain'
import type { GraphqlOperation } from '../document/document-cache.ts'
import {
  fieldAt,
  formatAnyError,
  locationsOf,
  type ResponseError,
  type UnexpectedErrorHandler,
} from '../document/response-errors.ts'
import { membersIn, type PlanMember } from './selected-fields.ts'

/** A response can have thousands of failed fields; the last error counts the rest. */
const maxErrors = 100

/** A null that propagates to the parent. */
const propagatedNull = Symbol('propagated null')

type ResponsePath = readonly (string | number)[]

interface FailedFieldsContext {
  operation: Pick<GraphqlOperation, 'node' | 'fragments'>
  model: Model
  onError: UnexpectedErrorHandler | null
  requestId: string | undefined
}

/** `level` are the selections of the rows at the path `at`. The text is null if the null propagates beyond `at`; with
 *  `itemsAreNullable` it stops at the items of a list there. */
export function replaceFailedFields(
  at: ResponsePath,
  text: string,
  failures: readonly CodeFailure[],
  level: readonly PlanMember[],
  { operation, model, onError, requestId }: FailedFieldsContext,
  itemsAreNullable = false,
): { text: string | null; errors: ResponseError[] } {
  const errors: ResponseError[] = []
  const formatted = new Map<number, ResponseError>()
  let omittedCount = 0
  const tree = visit(JSON.parse(text), level, itemsAreNullable, at)
  if (omittedCount > 0) {
    const { code } = errors[0]!.extensions
    errors.push({ message: `${omittedCount} more fields failed.`, path: [...at], extensions: { code } })
  }
  return { text: tree === propagatedNull ? null : JSON.stringify(tree), errors }

  /** Rows of several types are visited with the selections of all of them: fields with the same key have the same
   *  nullability (specification, section 5.3.2). */
  function visit(value: unknown, level: readonly PlanMember[], itemsAreNullable: boolean, path: ResponsePath): unknown {
    const index = failureMarker.read(value)
    if (index !== null) {
      addError(index, path)
      return failures[index]!.isWhole ? propagatedNull : null
    }
    if (Array.isArray(value)) {
      const items = value.map((item, at) => visit(item, level, false, [...path, at]))
      if (!items.includes(propagatedNull)) return items
      return itemsAreNullable ? items.map((item) => (item === propagatedNull ? null : item)) : propagatedNull
    }
    if (typeof value !== 'object' || value === null) return value
    const members: [string, unknown][] = []
    for (const [name, member] of Object.entries(value)) {
      const same = level.filter((one) => one.key === name)
      const visited = visit(member, same.flatMap(membersIn), same.some(hasNullItems), [...path, name])
      if (visited === propagatedNull && !isNullable(same[0])) return propagatedNull
      members.push([name, visited === propagatedNull ? null : visited])
    }
    return Object.fromEntries(members)
  }

  function isNullable(member: PlanMember | undefined): boolean {
    return member !== undefined && 'field' in member && !isServedNonNull(member.field, model)
  }

  function addError(index: number, path: ResponsePath): void {
    const { error, inside } = failures[index]!
    const base = formatted.get(index) ?? formatAnyError(error, onError, requestId)
    formatted.set(index, base)
    if (errors.length >= maxErrors) {
      omittedCount++
      return
    }
    const keys = path.filter((step) => typeof step === 'string')
    const found = fieldAt(keys, operation.node.selectionSet, operation.fragments)
    const { message, extensions } = base
    errors.push({ message, ...locationsOf(found), path: [...path, ...inside], extensions })
  }
}

function hasNullItems(member: PlanMember): boolean {
  return member.kind === 'computed' && member.field.type.kind === 'rows' && !member.field.type.itemRequired
}
