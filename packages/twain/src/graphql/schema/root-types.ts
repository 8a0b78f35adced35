// The root types of the contract: what can be asked, and what can be written.

import { type CustomOperation, type Model, printCustomType, type Resource, renamedReason } from '#model'
import type { Visibility } from '#plan/build'
import { changesField } from './change-types.ts'
import { updateFields } from './input-types.ts'
import { type MutationRootField, type QueryRootField, rootFieldsOf } from './root-fields.ts'
import { block, connectionArguments, customArguments, deprecation, described, listArguments } from './sdl.ts'
import { tokenField } from './token-types.ts'
import { webhookField } from './webhook-types.ts'

/** Words of `update…` itself: a field of the contract with such a name is reached in `input` only. */
const reservedUpdateArguments: ReadonlySet<string> = new Set(['id', 'input', 'ifVersion'])

/** What `sight` can never see is searched by no list. */
export function operationTypes(model: Model, visibility: Visibility): string[] {
  const roots = rootFieldsOf(model)
  const queries = [...roots.query].map(([name, root]) => queryField(name, root, visibility) + aliasDeprecation(root))
  const mutations = [...roots.mutation].map(([name, root]) => mutationField(name, root, model) + aliasDeprecation(root))
  for (const [name, action] of roots.tokens) (action === 'list' ? queries : mutations).push(tokenField(name, action))
  if (model.resources.length > 0) queries.push(changesField)
  for (const [name, action] of roots.webhooks) {
    const isQuery = action === 'one' || action === 'list'
    ;(isQuery ? queries : mutations).push(webhookField(name, action))
  }
  for (const own of model.operations) (own.root === 'Query' ? queries : mutations).push(customField(own))
  if (roots.upload !== null) {
    mutations.push(
      described(
        'Keeps a file of the multipart request. One that no row holds within a day goes again.',
        `${roots.upload}(file: Upload!): File!`,
      ),
    )
  }
  // A schema must have a field, also that of a contract with nothing in it.
  if (queries.length === 0) queries.push(described('The name of the service.', '_service: String!'))
  const types = [described('What can be asked.', block('type Query', queries))]
  if (mutations.length > 0) {
    types.push(
      described(
        'What can be written. Several in one document run in order, each for itself.',
        block('type Mutation', mutations),
      ),
    )
  }
  return types
}

/** A name that it had before. */
function aliasDeprecation({ currentName: now }: QueryRootField | MutationRootField): string {
  return deprecation(now === undefined ? null : renamedReason(now))
}

function customField({ name, description, args, type, required, deprecated }: CustomOperation): string {
  const given = `${printCustomType(type)}${required ? '!' : ''}${deprecation(deprecated)}`
  return described(description, `${name}${customArguments(args)}: ${given}`)
}

function queryField(name: string, { kind, of }: QueryRootField, visibility: Visibility): string {
  switch (kind) {
    case 'one':
      return described(`The ${of.name} with this id; null when there is none.`, `${name}(id: ID!): ${of.name}`)
    case 'list':
      return described(
        `The ${of.path}, page by page with an offset.`,
        `${name}${listArguments(of, 'told', visibility)}: [${of.name}!]!`,
      )
    case 'connection':
      return described(
        `The ${of.path}, page by page with a cursor that stays right while rows come and go.`,
        `${name}${connectionArguments(of, 'told', visibility)}: ${of.name}Connection!`,
      )
  }
}

const ifVersion = described(
  'Refuses the write (PRECONDITION_FAILED) when the `_version` of the row is another by now.',
  'ifVersion: Int',
)

function mutationField(name: string, { kind, of }: MutationRootField, model: Model): string {
  switch (kind) {
    case 'create':
      return described(
        `Makes a new ${of.name}; the server gives it its id.`,
        `${name}(input: Create${of.name}Input!): ${of.name}!`,
      )
    case 'createAll':
      return described(
        `Makes several new ${of.path}, all of them or none.`,
        `${name}(inputs: [Create${of.name}Input!]!): [${of.name}!]!`,
      )
    case 'replace':
      return described(
        `Replaces the ${of.name} with this id as a whole, or makes it.`,
        `${name}(id: ID!, input: Create${of.name}Input!, ${ifVersion}): ${of.name}!`,
      )
    case 'update':
      return described(
        `Changes what is named of the ${of.name} with this id, one by one or in \`input\`; null clears an optional field.`,
        `${name}(${['id: ID!', ...updateArguments(of, model), ifVersion].join('\n')}): ${of.name}!`,
      )
    case 'delete':
      return described(`Deletes the ${of.name} with this id.`, `${name}(id: ID!, ${ifVersion}): DeleteResult!`)
  }
}

function updateArguments(of: Resource, model: Model): string[] {
  const fields = updateFields(of, model)
  if (fields.length === 0) return []
  const oneByOne = fields.filter(({ name }) => !reservedUpdateArguments.has(name)).map(({ text }) => text)
  return [...oneByOne, described('The fields to change, all in one.', `input: Update${of.name}Input`)]
}
