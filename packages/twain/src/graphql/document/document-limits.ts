// Checks a document against the limits of depth and cost, and locates what exceeds them: the field whose braces are one level too
// deep, or the root field that costs most. The search follows the measures down from the operation.

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getLocation,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { ApiError, withHint } from '#base'
import { exceededLimit, type Limits, type PlanMeasure } from '#plan'
import { type FieldWeights, noWeights } from '../schema/field-costs.ts'
import { costHint, type PageStep } from './cost-hint.ts'
import { type DocumentMeasure, measureDocument, type PageVariables, type RootScans } from './document-cost.ts'
import { introspectionLimitError } from './introspection-cost.ts'
import { formatApiError, RequestErrors } from './response-errors.ts'

/** Throws RequestErrors with the location if the document exceeds a limit. A document whose page sizes are variables may pass
 *  although its measure is too high: then `checkOperationCost` decides for each request. */
export function checkDocumentLimits(
  document: DocumentNode,
  schema: GraphQLSchema,
  limits: Limits,
  weights: FieldWeights = noWeights,
): DocumentMeasure {
  const measure = measureDocument(document, schema, weights)
  const least = measure.hasVariablePages ? measureDocument(document, schema, weights, 'least') : measure
  for (const operation of least.operations.keys()) checkOperation(operation, least, limits)
  const error = introspectionLimitError(measure.introspection)
  if (error !== null) throw limitError(error, locateIntrospection(document, measure))
  return measure
}

/** The measure of an operation with the page sizes and the plans of a request. Throws as `checkDocumentLimits` does. */
export function checkOperationCost(
  { node, fragments }: { node: OperationDefinitionNode; fragments: ReadonlyMap<string, FragmentDefinitionNode> },
  variables: PageVariables,
  schema: GraphQLSchema,
  limits: Limits,
  weights: FieldWeights,
  scans?: RootScans,
): PlanMeasure {
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [node, ...fragments.values()] }
  const measure = measureDocument(document, schema, weights, variables, scans)
  return checkOperation(node, measure, limits, scans)
}

function checkOperation(
  operation: OperationDefinitionNode,
  measure: DocumentMeasure,
  limits: Limits,
  scans?: RootScans,
): PlanMeasure {
  const { depth, cost } = measure.operations.get(operation)!
  const error = exceededLimit({ depth, cost }, limits)
  if (error === null) return { depth, cost }
  if (error.code === 'QUERY_TOO_DEEP') {
    throw limitError(error, locateDepth(operation.selectionSet, limits.depth, measure))
  }
  const { steps, ...location } = locateCost(operation.selectionSet, measure)
  const scanHints = new Set([...(scans?.values() ?? [])].map(({ hint }) => hint))
  throw limitError(withHint(error, [...scanHints, costHint(steps, cost, limits)].join(' ')), location)
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

/** The root field that costs most, and the pages of rows on the most expensive way down from it. */
function locateCost(set: SelectionSetNode, measure: DocumentMeasure): LimitLocation & { steps: PageStep[] } {
  const path: FieldNode[] = []
  const steps: PageStep[] = []
  let rows = 1
  let below: SelectionSetNode | undefined = set
  while (below !== undefined) {
    const field = greatest(fieldsIn(below, measure), 'cost', measure)
    if (field === undefined || path.includes(field)) break // a cycle of fragments
    path.push(field)
    const { cost, page } = measure.fields.get(field)!
    if (page !== undefined) {
      const named = page.argument === 'first' ? path.slice(0, -1) : path // the connection, not its edges
      steps.push({ path: locationOf(named).path, ...page, cost: rows * cost })
      rows *= page.factor
    }
    below = field.selectionSet
  }
  return { ...locationOf(path.slice(0, 1)), steps }
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
