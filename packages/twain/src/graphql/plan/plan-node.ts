// `node` and `nodes`: rows by ids that name their types (`schema/node-types.ts`). A plan is of the types that the ids of a request name;
// these types are a part of its cache key.

import type { Abstract, Resource, StoredField } from '#model'
import { nodeInterface } from '#model/names'
import type { PageRead, RowRead, Where } from '#plan'
import { deriveValue, offsetPage, planOrder } from '#plan/build'
import { type SelectedField, subselections } from '../document/selection.ts'
import type { VariableValues } from '../input/argument-values.ts'
import { type NodeTypes, nodeIdField } from '../schema/node-types.ts'
import type { PlanContext } from './plan-context.ts'
import { planSelections, planTypeSelections } from './plan-selection.ts'

const idType = { kind: 'scalar', name: 'ID' } as const

/** Null: the id names no type, so that there is no row. */
export function planNode(nodes: NodeTypes, field: SelectedField, context: PlanContext): RowRead | null {
  const args = context.argumentsOf(field.node, 'Query')
  const [of] = nodes.typesOf(args.value(nodeIdField))
  if (of === undefined) return null
  const id = deriveValue(args.leaf(nodeIdField), (nodeId) => nodes.find(nodeId)?.id)
  const parameter = context.builder.parameter({ kind: 'type', type: idType }, id, `${field.key}.${nodeIdField}`)
  return { kind: 'one', of, id: parameter, selections: planSelections(of, subselections(field), context, field.key) }
}

/** The rows of `nodes`, as one page in any order. Each row has its global id under `placeKey`, by which it is placed. */
export interface NodePage {
  /** Null: no id names a type. */
  plan: PageRead | null
  /** The global ids in the order of the request. */
  idsOf(variables: VariableValues): readonly (string | null)[]
}

/** No GraphQL name has this letter. */
const placeKey = '#'

const idsArgument = `${nodeIdField}s`

export function planNodes(nodes: NodeTypes, field: SelectedField, context: PlanContext): NodePage {
  const args = context.argumentsOf(field.node, 'Query')
  const types = nodes.typesOf(args.value(idsArgument))
  const idsOf = (variables: VariableValues) => {
    const nodeIds = context.withVariables(variables).argumentsOf(field.node, 'Query').value(idsArgument) as unknown[]
    // An id from before a rename names the row by the previous name of its type.
    return nodeIds.map((nodeId) => {
      const found = nodes.find(nodeId)
      return found === null ? null : `${nodes.prefixOf(found.of)}${found.id}`
    })
  }
  const [first] = types
  if (first === undefined) return { plan: null, idsOf }
  const leaf = args.leaf(idsArgument)
  const place = `${field.key}.${idsArgument}`
  const { builder } = context
  const of = types.length === 1 ? first : unionOf(types)
  const conditions = types.map((type): Where => {
    const id = type.fields.get('id') as StoredField
    const ids = deriveValue(leaf, (nodeIds) => idsOfType(nodeIds as unknown[], type, nodes))
    const parameter = builder.parameter({ kind: 'types', type: id.type }, ids, place)
    const where: Where = { kind: 'compare', target: { kind: 'target', field: id, inside: [] }, op: 'in', parameter }
    return of.kind === 'abstract' ? { kind: 'type', of: type, where } : where
  })
  const where: Where = conditions.length === 1 ? conditions[0]! : { kind: 'or', of: conditions }
  const order = planOrder([], of, builder)
  const size = deriveValue(leaf, (nodeIds) => (nodeIds as unknown[]).length)
  const page = offsetPage(size, 0, builder, { limit: place, offset: place })
  const rows = planTypeSelections(of, subselections(field), context, field.key).map((one) => ({
    ...one,
    selections: [...one.selections, { kind: 'globalId', key: placeKey, prefix: nodes.prefixOf(one.of) } as const],
  }))
  const shape: PageRead['shape'] = { kind: 'list', types: rows }
  return { plan: { kind: 'many', of, within: null, where, order, page, shape }, idsOf }
}

function idsOfType(nodeIds: readonly unknown[], type: Resource, nodes: NodeTypes): string[] {
  const ids = nodeIds.flatMap((nodeId) => {
    const found = nodes.find(nodeId)
    return found?.of === type ? [found.id] : []
  })
  return [...new Set(ids)]
}

/** A union of exactly these types: a read of all types would ask each table. */
function unionOf(members: Resource[]): Abstract {
  const [first] = members
  return {
    kind: 'abstract',
    form: 'union',
    name: nodeInterface,
    description: null,
    path: 'nodes',
    previousPaths: [],
    list: 'nodes',
    single: 'node',
    members,
    fields: new Map([['id', first!.fields.get('id')!]]),
    computed: new Map(),
    memberOf: [],
    place: first!.place,
  }
}

/** The rows of a page in the order of the ids; null for an id without a row. */
export function placeNodes(text: string, ids: readonly (string | null)[]): string {
  const rows = new Map<string, object>()
  for (const { [placeKey]: id, ...row } of JSON.parse(text) as Record<string, unknown>[]) rows.set(id as string, row)
  return JSON.stringify(ids.map((id) => (id === null ? null : (rows.get(id) ?? null))))
}
