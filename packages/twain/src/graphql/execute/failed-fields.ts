// Fields of an answer that own code failed to give: null in their place, an error with the path of each, and where null may
// not stand it goes up to where it may (specification, section 6.4.4 "Handling Execution Errors").

import type { Model } from '#model'
import { type CodeFailure, failureMarker } from '#plan'
import { isServedNonNull } from '#plan/explain'
import type { GraphqlOperation } from '../document/document-cache.ts'
import { fieldAt, locationsOf } from '../document/field-at-path.ts'
import { formatAnyError, type ResponseError, type UnexpectedErrorHandler } from '../document/response-errors.ts'
import { membersIn, type PlanMember } from './selected-fields.ts'

/** An answer may have thousands of places; the rest is counted. */
const maxErrors = 100

/** A null that its place can't hold. */
const nulled = Symbol('nulled')

type ResponsePath = readonly (string | number)[]

interface FailedFieldsContext {
  operation: Pick<GraphqlOperation, 'node' | 'fragments'>
  model: Model
  onError: UnexpectedErrorHandler | null
  /** The id of the request. */
  requestId: string | undefined
}

/** The text is null where what stands at `at` itself must be. `level` is what was asked of the rows there. */
export function replaceFailedFields(
  at: ResponsePath,
  text: string,
  failures: readonly CodeFailure[],
  level: readonly PlanMember[],
  { operation, model, onError, requestId }: FailedFieldsContext,
): { text: string | null; errors: ResponseError[] } {
  const errors: ResponseError[] = []
  const known = new Map<number, ResponseError>()
  let more = 0
  const tree = visit(JSON.parse(text), level, false, at)
  if (more > 0) {
    const { code } = errors[0]!.extensions
    errors.push({ message: `${more} more fields failed.`, path: [...at], extensions: { code } })
  }
  return { text: tree === nulled ? null : JSON.stringify(tree), errors }

  /** `level` are the picks of the rows that stand here; of several types, those of all: what they have alike may be null
   *  alike (specification, section 5.3.2). */
  function visit(value: unknown, level: readonly PlanMember[], itemsMayBeNull: boolean, path: ResponsePath): unknown {
    const index = failureMarker.read(value)
    if (index !== null) {
      addError(index, path)
      return failures[index]!.isWhole ? nulled : null
    }
    if (Array.isArray(value)) {
      const items = value.map((item, at) => visit(item, level, false, [...path, at]))
      if (!items.includes(nulled)) return items
      return itemsMayBeNull ? items.map((item) => (item === nulled ? null : item)) : nulled
    }
    if (typeof value !== 'object' || value === null) return value
    const members: [string, unknown][] = []
    for (const [name, member] of Object.entries(value)) {
      const same = level.filter((one) => one.key === name)
      const seen = visit(member, same.flatMap(membersIn), same.some(hasNullItems), [...path, name])
      if (seen === nulled && !mayBeNull(same[0])) return nulled
      members.push([name, seen === nulled ? null : seen])
    }
    return Object.fromEntries(members)
  }

  function mayBeNull(member: PlanMember | undefined): boolean {
    return member !== undefined && 'field' in member && !isServedNonNull(member.field, model)
  }

  function addError(index: number, path: ResponsePath): void {
    const { error, inside } = failures[index]!
    const base = known.get(index) ?? formatAnyError(error, onError, requestId)
    known.set(index, base)
    if (errors.length >= maxErrors) {
      more++
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
