// Checks a document against the limits of depth and cost, and locates what exceeds them: the field whose braces are one level too
// deep, or the root field that costs most. The search follows the measures down from the operation.

import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getLocation,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { ApiError } from '#base'
import { exceededLimit, type Limits } from '#plan'
import { type FieldCosts, noCosts } from '../schema/field-costs.ts'
import { type DocumentMeasure, measureDocument } from './document-cost.ts'
import { introspectionLimitError } from './introspection-cost.ts'
import { formatApiError, RequestErrors } from './response-errors.ts'

/** Throws RequestErrors with the location if the document exceeds a limit. */
export function checkDocumentLimits(
  document: DocumentNode,
  schema: GraphQLSchema,
  limits: Limits,
  costs: FieldCosts = noCosts,
): DocumentMeasure {
  const measure = measureDocument(document, schema, costs)
  for (const [operation, { depth, cost }] of measure.operations) {
    const error = exceededLimit({ depth, cost }, limits)
    if (error === null) continue
    const location =
      error.code === 'QUERY_TOO_DEEP'
        ? locateDepth(operation.selectionSet, limits.depth, measure)
        : locateCost(operation.selectionSet, measure)
    throw limitError(error, location)
  }
  const error = introspectionLimitError(measure.introspection)
  if (error !== null) throw limitError(error, locateIntrospection(document, measure))
  return measure
}

function limitError({ code, message, hint }: ApiError, { path, locations }: LimitLocation): RequestErrors {
  const located = new ApiError(code, message, { hint, problems: [{ path, code: 'RANGE', message }] })
  return new RequestErrors([{ ...formatApiError(located), locations }])
}

interface LimitLocation {
  locations: { line: number; column: number }[]
  /** The response keys that lead there. */
  path: string
}

function locateDepth(set: SelectionSetNode, allowed: number, measure: DocumentMeasure): LimitLocation {
  const path: FieldNode[] = []
  let level = 0
  let below: SelectionSetNode | undefined = set
  while (below !== undefined && level <= allowed) {
    const field = greatest(fieldsIn(below, measure), 'depth', measure)
    if (field === undefined || path.includes(field)) break // a cycle of fragments
    path.push(field)
    below = field.selectionSet
    const left = below === undefined ? undefined : greatest(fieldsIn(below, measure), 'depth', measure)
    level += depthOf(field, measure) - depthOf(left, measure)
  }
  return locationOf(path)
}

function locateCost(set: SelectionSetNode, measure: DocumentMeasure): LimitLocation {
  const field = greatest(fieldsIn(set, measure), 'cost', measure)
  return locationOf(field === undefined ? [] : [field])
}

const maxLocations = 10

/** The locations of all introspection fields, since their costs add up; `path` is that of the last. */
function locateIntrospection({ definitions }: DocumentNode, measure: DocumentMeasure): LimitLocation {
  const sets = definitions.flatMap((one) => (one.kind === Kind.OPERATION_DEFINITION ? [one.selectionSet] : []))
  const fields = sets
    .flatMap((set) => fieldsIn(set, measure))
    .filter(({ name }) => /^__(schema|type)$/.test(name.value))
  const { path } = locationOf(fields.slice(-1))
  return { path, locations: fields.slice(0, maxLocations).flatMap((field) => locationOf([field]).locations) }
}

function greatest(
  fields: readonly FieldNode[],
  figure: 'depth' | 'cost',
  { fields: measures }: DocumentMeasure,
): FieldNode | undefined {
  let found: FieldNode | undefined
  let highest = -1
  for (const field of fields) {
    const value = measures.get(field)?.[figure] ?? 0
    if (value <= highest) continue
    highest = value
    found = field
  }
  return found
}

function depthOf(field: FieldNode | undefined, { fields }: DocumentMeasure): number {
  return field === undefined ? 0 : (fields.get(field)?.depth ?? 0)
}

/** The fields of one level, including those of its fragments. */
function fieldsIn(set: SelectionSetNode, { fragments }: DocumentMeasure): FieldNode[] {
  const found: FieldNode[] = []
  const seen = new Set<string>()
  collect(set)
  return found

  function collect({ selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) found.push(selection)
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet)
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value)
        const fragment = fragments.get(selection.name.value)
        if (fragment !== undefined) collect(fragment.selectionSet)
      }
    }
  }
}

function locationOf(path: readonly FieldNode[]): LimitLocation {
  const loc = path.at(-1)?.loc
  return {
    locations: loc === undefined ? [] : [getLocation(loc.source, loc.start)],
    path: path.map(({ alias, name }) => (alias ?? name).value).join('.'),
  }
}
