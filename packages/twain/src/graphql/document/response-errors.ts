// Errors of a GraphQL response (specification, section 7.1.2 "Errors"), made of what went wrong.

import type { FieldNode, GraphQLError } from 'graphql'
import { getLocation } from 'graphql'
import { ApiError, type Code, type Problem, shorten, uuidv7 } from '#base'

/** One entry of `errors`. */
export interface ResponseError {
  message: string
  locations?: readonly { line: number; column: number }[]
  path?: readonly (string | number)[]
  extensions: { code: Code; errors?: Problem[]; hint?: string; id?: string }
}

/** The request has no answer at all: its document or its variables are wrong. */
export class RequestErrors extends Error {
  readonly errors: readonly ResponseError[]

  constructor(errors: readonly ResponseError[]) {
    super(errors[0]?.message)
    this.name = 'RequestErrors'
    this.errors = errors
  }
}

/** What graphql-js found wrong with a document. */
export function formatDocumentError({ message, locations }: GraphQLError, code: Code): ResponseError {
  // graphql-js names every place and every word in full; a few places, and the ends of a long message, say as much.
  const places = locations === undefined ? {} : { locations: locations.slice(0, maxLocations) }
  return { message: shorten(message, 500), ...places, extensions: { code } }
}

const maxLocations = 10

/** A root field that failed, with its key in the answer. */
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
      ...(problems.length > 0 ? { errors: problems } : {}),
      ...(hint === undefined ? {} : { hint }),
    },
  }
}

/** Told of what was not expected, with the id that the answer shows and that of the request. */
export type UnexpectedErrorHandler = (error: unknown, id: string, request: string | undefined) => void

/** What is not a Fault is a bug: the answer shows an id and nothing else. With nobody to tell it to, it is thrown on. */
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

/** Where the schema is not told, no suggestion, and no list of an enum's values, tells of it by and by. */
export function withoutSuggestions({ message, extensions, ...place }: ResponseError): ResponseError {
  const errors = extensions.errors?.map((problem) => ({ ...problem, message: removeSuggestions(problem.message) }))
  return {
    message: removeSuggestions(message),
    ...place,
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
  const { line: socket, column } = getLocation(loc.source, loc.start)
  return { locations: [{ line: socket, column }], path: [at.key] }
}
