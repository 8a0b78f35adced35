// `Query`, `Mutation` and `Subscription` in the file: a field that is just the one we would make is ours; any other is
// the service's own, whose code is not built yet.

import { print } from 'graphql/language'
import { didYouMean } from '#base'
import { refuseUnbuilt } from '../directives/not-built.ts'
import type { Account } from '../model.ts'
import {
  changesQuery,
  mutationsOf,
  type Operation,
  queriesOf,
  subscriptionsOf,
  tokenMutations,
  tokenQueries,
} from '../names/operations.ts'
import type { DeclaredField } from '../reading/outline.ts'
import { abstractsOf, resourcesOf, type Sketch } from '../reading/sketch.ts'

export function checkOperations(sketch: Sketch, account: Account | null): void {
  const resources = resourcesOf(sketch)
  const abstracts = abstractsOf(sketch).filter(({ members }) => members.length > 0)
  const queries = [...resources, ...abstracts].flatMap(queriesOf)
  const mutations = resources.flatMap((resource) => mutationsOf(resource, account))
  checkRoot('Query', [...queries, changesQuery, ...(account ? tokenQueries : [])], sketch)
  checkRoot('Mutation', account ? [...mutations, ...tokenMutations] : mutations, sketch)
  checkRoot('Subscription', resources.flatMap(subscriptionsOf), sketch)
}

function checkRoot(root: 'Query' | 'Mutation' | 'Subscription', ours: Operation[], sketch: Sketch): void {
  const byName = new Map(ours.map((operation) => [operation.name, operation]))
  for (const { node } of sketch.outline.types.get(root)?.uses ?? []) {
    sketch.report.at(node, `Directives have no meaning on ${root}, which has no rows.`, 'Remove it.')
  }
  for (const field of sketch.outline.types.get(root)?.fields.values() ?? []) {
    const operation = byName.get(field.name)
    for (const { node } of field.uses)
      sketch.report.at(node, `Directives have no meaning on ${root}.${field.name}.`, 'Remove it.')
    if (operation) checkSame(root, field, operation, sketch)
    else {
      const near = didYouMean(field.name, byName.keys())
      refuseUnbuilt('operation', field.node.name, sketch.report, `Take out ${root}.${field.name} for now.${near}`)
    }
  }
}

function checkSame(root: string, field: DeclaredField, operation: Operation, { report }: Sketch): void {
  const type = print(field.node.type)
  const what = `${root}.${field.name}`
  if (type !== operation.type) {
    report.at(
      field.node.type,
      `${what} is made by the server as ${operation.type}, and the file says ${type}.`,
      `Write: ${field.name}: ${operation.type}, or leave it out.`,
    )
  }
  for (const { name } of field.args) {
    if (operation.args.includes(name.value)) continue
    const near = didYouMean(name.value, operation.args).trim()
    report.at(name, `${what} takes no ${name.value}.`, near || `It takes ${operation.args.join(', ')}.`)
  }
}
