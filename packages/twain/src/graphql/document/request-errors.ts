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
export function documentError({ message, locations }: GraphQLError, code: Code): ResponseError {
  // graphql-js names every place and every word in full; a few places, and the ends of a long message, say as much.
  const places = locations === undefined ? {} : { locations: locations.slice(0, mostLocations) }
  return { message: shorten(message, 500), ...places, extensions: { code } }
}

const mostLocations = 10

/** A root field that failed, with its key in the answer. */
interface RootPlace {
  key: string
  node: FieldNode
}

export function faultError(fault: ApiError, at?: RootPlace): ResponseError {
  const { code, message, problems, hint } = fault
  return {
    message,
    ...placeOf(at),
    extensions: {
      code,
      ...(problems.length > 0 ? { errors: problems } : {}),
      ...(hint === undefined ? {} : { hint }),
    },
  }
}

/** Told of what was not expected, with the id that the answer shows and that of the request. */
export type OnError = (error: unknown, id: string, request: string | undefined) => void

/** What is not a Fault is a bug: the answer shows an id and nothing else. With nobody to tell it to, it is thrown on. */
export function anyError(
  error: unknown,
  onError: OnError | null,
  request: string | undefined,
  at?: RootPlace,
): ResponseError {
  if (error instanceof ApiError) return faultError(error, at)
  if (onError === null) throw error
  const id = uuidv7()
  onError(error, id, request)
  return { message: 'Internal error.', ...placeOf(at), extensions: { code: 'INTERNAL', id } }
}

/** Where the schema is not told, no suggestion, and no list of an enum's values, tells of it by and by. */
export function withoutSuggestions({ message, extensions, ...place }: ResponseError): ResponseError {
  const errors = extensions.errors?.map((problem) => ({ ...problem, message: unsuggested(problem.message) }))
  return {
    message: unsuggested(message),
    ...place,
    extensions: errors === undefined ? extensions : { ...extensions, errors },
  }
}

function unsuggested(message: string): string {
  return message.replace(/ Did you mean [^?]*\?/g, '').replace(/must be one of [^.]*\./, 'must be one of its values.')
}

function placeOf(at: RootPlace | undefined): Pick<ResponseError, 'locations' | 'path'> {
  if (at === undefined) return {}
  const { loc } = at.node
  if (loc === undefined) return { path: [at.key] }
  const { line, column } = getLocation(loc.source, loc.start)
  return { locations: [{ line, column }], path: [at.key] }
}
