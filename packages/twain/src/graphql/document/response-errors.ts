// The errors of a GraphQL response (specification, section 7.1.2 "Errors"): their format, and the field that they point to.

import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  getLocation,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { ApiError, type Code, type Problem, publicProblem, shorten, uuidv7 } from '#base'

/** One entry of `errors`. */
export interface ResponseError {
  message: string
  locations?: readonly { line: number; column: number }[]
  path?: readonly (string | number)[]
  extensions: { code: Code; errors?: Problem[]; hint?: string; id?: string }
}

/** Request errors: the document or the variables are wrong, and the response has no `data`. */
export class RequestErrors extends Error {
  readonly errors: readonly ResponseError[]

  constructor(errors: readonly ResponseError[]) {
    super(errors[0]?.message)
    this.name = 'RequestErrors'
    this.errors = errors
  }
}

/** A syntax or validation error of graphql-js. */
export function formatDocumentError({ message, locations }: GraphQLError, code: Code): ResponseError {
  // graphql-js lists every location and quotes long names in full; both are shortened.
  const shortened = locations === undefined ? {} : { locations: locations.slice(0, maxLocations) }
  return { message: shorten(message, 500), ...shortened, extensions: { code } }
}

const maxLocations = 10

/** A root field and its response key. */
interface RootFieldPosition {
  key: string
  node: FieldNode
}

export function formatApiError(error: ApiError, at?: RootFieldPosition): ResponseError {
  const { code, message, problems, hint } = error
  return {
    message,
    ...positionOf(at),
    extensions: {
      code,
      ...(problems.length > 0 ? { errors: problems.map(publicProblem) } : {}),
      ...(hint === undefined ? {} : { hint }),
    },
  }
}

/** Gets unexpected errors, with the id that the response shows and the id of the request. */
export type UnexpectedErrorHandler = (error: unknown, id: string, requestId: string | undefined) => void

/** An error that is not an ApiError is a bug: the response shows only an id. Without a handler it is thrown. */
export function formatAnyError(
  error: unknown,
  onError: UnexpectedErrorHandler | null,
  requestId: string | undefined,
  at?: RootFieldPosition,
): ResponseError {
  if (error instanceof ApiError) return formatApiError(error, at)
  if (onError === null) throw error
  const id = uuidv7()
  onError(error, id, requestId)
  return { message: 'Internal error.', ...positionOf(at), extensions: { code: 'INTERNAL', id } }
}

/** Without introspection an error must not reveal names of the schema: removes suggestions and lists of enum values. */
export function withoutSuggestions({ message, extensions, ...position }: ResponseError): ResponseError {
  const errors = extensions.errors?.map((problem) => ({ ...problem, message: removeSuggestions(problem.message) }))
  return {
    message: removeSuggestions(message),
    ...position,
    extensions: errors === undefined ? extensions : { ...extensions, errors },
  }
}

function removeSuggestions(message: string): string {
  return message.replace(/ Did you mean [^?]*\?/g, '').replace(/must be one of [^.]*\./, 'must be one of its values.')
}

function positionOf(at: RootFieldPosition | undefined): Pick<ResponseError, 'locations' | 'path'> {
  if (at === undefined) return {}
  const { loc } = at.node
  if (loc === undefined) return { path: [at.key] }
  const { line, column } = getLocation(loc.source, loc.start)
  return { locations: [{ line, column }], path: [at.key] }
}

export function locationsOf(node: FieldNode | undefined): Pick<ResponseError, 'locations'> {
  if (node?.loc === undefined) return {}
  const { line, column } = getLocation(node.loc.source, node.loc.start)
  return { locations: [{ line, column }] }
}

/** The first field of the document at these response keys. */
export function fieldAt(
  keys: readonly string[],
  top: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): FieldNode | undefined {
  let sets: readonly SelectionSetNode[] = [top]
  let found: FieldNode[] = []
  for (const key of keys) {
    found = sets.flatMap((set) => fieldsOf(set)).filter(({ alias, name }) => (alias ?? name).value === key)
    sets = found.flatMap(({ selectionSet }) => selectionSet ?? [])
  }
  return found[0]

  function fieldsOf({ selections }: SelectionSetNode): FieldNode[] {
    return selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection]
      const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
      return inner === undefined ? [] : fieldsOf(inner.selectionSet)
    })
  }
}
