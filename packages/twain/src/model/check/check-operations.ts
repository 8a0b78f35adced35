// `Query`, `Mutation` and `Subscription` in the file. A field that equals a generated operation stands for it; custom code
// resolves every other field.

import { print } from 'graphql/language'
import { didYouMean } from '#base'
import { hasAddresses } from '../members-of.ts'
import { placeOf } from '../mistakes.ts'
import type { Account, CustomOperation } from '../model.ts'
import { kebabCase } from '../names/case.ts'
import {
  changesQuery,
  codeMutation,
  type GeneratedOperation,
  linkMutation,
  mailsQuery,
  mutationsOf,
  queriesOf,
  signInMutation,
  signUpMutation,
  subscriptionsOf,
  uploadMutation,
  verifyMutation,
} from '../names/operations.ts'
import {
  abstractsOf,
  cacheHint,
  type DeclaredModel,
  deprecation,
  readCost,
  resourcesOf,
} from '../parse/declare-types.ts'
import { findUse, wordArgument } from '../parse/directive-arguments.ts'
import type { DeclaredField } from '../parse/outline.ts'
import { readArguments } from '../read/read-arguments.ts'
import { readResultType } from '../read/read-computed.ts'
import { readOperationRules } from '../rules/read-rules.ts'
import { reservedPaths } from '../system/reserved-names.ts'
import { systemTypes } from '../system/system-types.ts'
import { isPath } from './check-names.ts'
import { checkCacheControl, checkCost } from './other-directives.ts'

/** Returns the operations that custom code resolves. */
export function readOperations(declarations: DeclaredModel, account: Account | null): CustomOperation[] {
  const resources = resourcesOf(declarations)
  const abstracts = abstractsOf(declarations).filter(({ members }) => members.length > 0)
  const { file } = declarations
  const ofServer = [...systemTypes(account).resources, ...(file === null ? [] : [file.resource])]
  const queries = [...resources, ...abstracts, ...ofServer].flatMap(queriesOf)
  const mutations = [...resources, ...ofServer].flatMap((resource) => mutationsOf(resource, account))
  const hasCodes = account !== null && hasAddresses(account)
  const others = [
    ...(file === null ? [] : [uploadMutation]),
    ...(account === null ? [] : [signInMutation, linkMutation]),
    ...(hasCodes ? [codeMutation] : []),
    ...(account !== null && account.verification !== 'OFF' ? [verifyMutation] : []),
    ...(account?.verification === 'REQUIRED' ? [signUpMutation] : []),
  ]
  const own = [
    ...readRoot('Query', [...queries, changesQuery, ...(hasCodes ? [mailsQuery] : [])], declarations),
    ...readRoot('Mutation', [...mutations, ...others], declarations),
    ...readRoot('Subscription', resources.flatMap(subscriptionsOf), declarations),
  ]
  checkCustomPaths(own, declarations)
  return own
}

function readRoot(
  root: CustomOperation['root'],
  generated: GeneratedOperation[],
  declarations: DeclaredModel,
): CustomOperation[] {
  const own: CustomOperation[] = []
  const byName = new Map(generated.map((operation) => [operation.name, operation]))
  for (const { node } of declarations.outline.types.get(root)?.uses ?? []) {
    declarations.report.at(node, `Directives have no meaning on ${root}, which has no rows.`, 'Remove it.')
  }
  for (const field of declarations.outline.types.get(root)?.fields.values() ?? []) {
    const operation = byName.get(field.name)
    for (const use of field.uses) {
      const { name, node } = use
      if (name === 'cost') checkCost(use, declarations)
      if (name === 'cacheControl') checkCacheControl(use, declarations)
      if (operation === undefined && ownDirectives[root].includes(name)) continue
      const hint = name === 'allow' ? 'The rules of its type apply: write @allow there.' : 'Remove it.'
      declarations.report.at(node, `@${name} has no meaning on ${root}.${field.name}.`, hint)
    }
    if (operation) checkSame(root, field, operation, declarations)
    else own.push(...readCustomOperation(root, field, declarations))
  }
  return own
}

/** The directives that a custom operation may have. Only results of queries are cached. */
const ownDirectives = {
  Query: ['allow', 'resource', 'deprecated', 'cost', 'cacheControl'],
  Mutation: ['allow', 'resource', 'deprecated', 'cost'],
  Subscription: ['allow', 'resource', 'deprecated', 'cost'],
}

function readCustomOperation(
  root: CustomOperation['root'],
  field: DeclaredField,
  declarations: DeclaredModel,
): CustomOperation[] {
  const { name, description, uses, shape, node } = field
  const type = readResultType(field, `${root}.${name}`, declarations)
  const args = readArguments(field, declarations, root === 'Mutation')
  const ticket = root === 'Subscription' ? field.args.find((arg) => arg.name.value === 'ticket') : undefined
  if (ticket)
    declarations.report.at(ticket.name, 'ticket is a parameter of every event stream in REST.', 'Give it another name.')
  const rules = readOperationRules(field, `${root}.${name}`, declarations)
  const path = wordArgument(findUse(uses, 'resource'), 'path')?.text ?? customPath(root, name)
  if (type === null) return []
  const properties = {
    description,
    deprecated: deprecation(uses),
    required: shape.required,
    ...readCost(uses),
    ...cacheHint(uses),
  }
  return [{ root, name, ...properties, args, type, rules, path, place: placeOf(node.name) }]
}

/** The path is a noun ([decision 17](docs/internals/decisions/0017-custom-operations-in-rest.md)): the result of a query, the
 *  events of a subscription, or the request that a mutation creates. */
function customPath(root: CustomOperation['root'], name: string): string {
  return root === 'Mutation' ? `${kebabCase(name)}-requests` : kebabCase(name)
}

function checkCustomPaths(own: readonly CustomOperation[], declarations: DeclaredModel): void {
  const taken = new Map(
    [...resourcesOf(declarations), ...abstractsOf(declarations)].flatMap(({ path, previousPaths, name }) =>
      [path, ...previousPaths].map((one) => [one, name]),
    ),
  )
  for (const { root, name, path } of own) {
    const { node, uses } = declarations.outline.types.get(root)!.fields.get(name)!
    const at = wordArgument(findUse(uses, 'resource'), 'path')?.node ?? node.name
    const other = `Give it another: @resource(path: "${kebabCase(name)}-list").`
    const rival = taken.get(path)
    if (!isPath(path)) declarations.report.at(at, `"${path}" is not a path.`, `Write: "${kebabCase(path)}".`)
    else if (reservedPaths().includes(path))
      declarations.report.at(at, `/${path} is a path of the server itself.`, other)
    else if (rival !== undefined)
      declarations.report.at(at, `${root}.${name} and ${rival} would both be at /${path}.`, other)
    taken.set(path, `${root}.${name}`)
  }
}

function checkSame(root: string, field: DeclaredField, operation: GeneratedOperation, { report }: DeclaredModel): void {
  // As for custom code, a `!` of a mutation is served without it.
  const declared = print(field.node.type)
  const type = root === 'Mutation' ? declared.replace(/!$/, '') : declared
  const what = `${root}.${field.name}`
  if (type !== operation.type) {
    report.at(
      field.node.type,
      `${what} is generated by the server as ${operation.type}, and the file declares ${declared}.`,
      `Write: ${field.name}: ${operation.type}, or leave it out.`,
    )
  }
  for (const { name } of field.args) {
    if (operation.args.includes(name.value)) continue
    const near = didYouMean(name.value, operation.args).trim()
    report.at(name, `${what} takes no ${name.value}.`, near || `It takes ${operation.args.join(', ')}.`)
  }
}
