// Whether the names of Relay are free: the GraphQL API then has the interface `Node` and the fields `node` and `nodes`.

import type { Model } from '../model.ts'
import { camelCase } from './case.ts'

export const nodeInterface = 'Node'
export const nodeRootFields = { one: 'node', many: 'nodes' } as const

export function hasNodeInterface(model: Model): boolean {
  const { resources, abstracts, values, enums, scalars, inputs, operations } = model
  const rows = [...resources, ...abstracts]
  const types: { name: string; alias?: string }[] = [...rows, ...values, ...enums, ...scalars, ...inputs]
  const taken = new Set([
    ...types.flatMap(({ name, alias }) => [name, alias]),
    ...rows.flatMap(({ list, previousPaths }) => [list, ...previousPaths.map(camelCase)]),
    ...operations.filter(({ root }) => root === 'Query').map(({ name }) => name),
  ])
  const needed = [nodeInterface, ...Object.values(nodeRootFields)]
  return resources.length > 0 && !needed.some((name) => taken.has(name))
}
