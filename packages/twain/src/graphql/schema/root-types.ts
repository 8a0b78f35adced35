// The root types `Query` and `Mutation`.

import { type Abstract, keyInput, type Model, type Resource } from '#model'
import { aggregateTypes, nodeInterface, nodeRootFields } from '#model/names'
import type { Visibility } from '#plan/build'
import { matrixRootField } from './access-matrix-types.ts'
import { accessRootField } from './access-types.ts'
import { aggregateArguments, groupArguments } from './aggregate-inputs.ts'
import { hasVisibleGroups } from './aggregate-types.ts'
import { changesField } from './change-types.ts'
import { customFields } from './custom-fields.ts'
import { exportField } from './export-types.ts'
import { updateFields } from './input-types.ts'
import { invitationRootFields } from './invitation-types.ts'
import { keyArgument } from './key-types.ts'
import { messageRootField } from './message-types.ts'
import { monitorRootFields } from './monitor-types.ts'
import { nodeIdField } from './node-types.ts'
import { type MutationRootField, type QueryRootField, rootFieldsOf } from './root-fields.ts'
import { schemaRootFields } from './schema-types.ts'
import { block, connectionArguments, described, listArguments, rootDeprecation } from './sdl.ts'
import {
  codeField,
  endSessionsField,
  linkField,
  mailsField,
  passwordInput,
  signInField,
  signUpField,
  verifyField,
} from './sign-in-types.ts'

/** Arguments of `update…` itself: a field of the model with such a name can only be written in `input`. */
const reservedUpdateArguments: ReadonlySet<string> = new Set(['id', 'input', 'ifVersion'])
const reservedKeyedArguments: ReadonlySet<string> = new Set(['key', 'input', 'ifVersion'])

/** A list does not search in fields that are always hidden from the viewer. */
export function operationTypes(model: Model, visibility: Visibility): string[] {
  const roots = rootFieldsOf(model)
  const queries = [...roots.query]
    .filter(([, { kind, of }]) => kind !== 'groups' || hasVisibleGroups(of, visibility))
    .map(([name, root]) => queryField(name, root, visibility) + rootDeprecation(root))
  const mutations = [...roots.mutation].map(([name, root]) => mutationField(name, root, model) + rootDeprecation(root))
  if (roots.signIn !== null) mutations.push(signInField(roots.signIn))
  if (roots.endSessions !== null) mutations.push(endSessionsField(roots.endSessions))
  if (roots.link !== null) mutations.push(linkField(roots.link))
  if (roots.code !== null) mutations.push(codeField(roots.code))
  if (roots.verify !== null) mutations.push(verifyField(roots.verify))
  if (roots.signUp !== null) mutations.push(signUpField(roots.signUp, model.account!))
  if (roots.invitations !== null) {
    const fields = invitationRootFields(model.account!)
    queries.push(fields.list)
    mutations.push(fields.create, fields.resend, fields.delete)
  }
  if (roots.export !== null) queries.push(exportField(model))
  if (roots.mails !== null) queries.push(mailsField(roots.mails))
  if (roots.access !== null) queries.push(accessRootField)
  if (roots.matrix !== null) queries.push(matrixRootField)
  if (roots.message !== null) queries.push(messageRootField)
  if (roots.hasMonitor) queries.push(...monitorRootFields)
  if (roots.hasSchema) queries.push(...schemaRootFields)
  if (roots.nodes !== null) queries.push(...nodeFields)
  if (model.resources.length > 0) queries.push(changesField)
  queries.push(...customFields('Query', model))
  mutations.push(...customFields('Mutation', model))
  if (roots.upload !== null) {
    mutations.push(
      described(
        'Stores a file of the multipart request. The server deletes it after a whole day in which no row referred to it.',
        `${roots.upload}(file: Upload!): File`,
      ),
    )
  }
  // A GraphQL schema must have a field, even without any resource.
  if (queries.length === 0) queries.push(described('The name of the service.', '_service: String!'))
  const types = [described('Read operations.', block('type Query', queries))]
  if (mutations.length > 0) {
    types.push(
      described(
        'Write operations. Several in one document run in order, each in its own transaction. A field that fails is null, with an error; the others have their results.',
        block('type Mutation', mutations),
      ),
    )
  }
  return types
}

const nodeFields = [
  described(
    'The row with this `_nodeId`, of any type; null if there is none that the viewer may read.',
    `${nodeRootFields.one}(${nodeIdField}: ID!): ${nodeInterface}`,
  ),
  described(
    'The rows with these ids, in their order; null in the place of a row that the viewer may not read.',
    `${nodeRootFields.many}(${nodeIdField}s: [ID!]!): [${nodeInterface}]!`,
  ),
]

function queryField(name: string, root: QueryRootField, visibility: Visibility): string {
  const { kind, of } = root
  switch (kind) {
    case 'one':
      if (root.by === 'key')
        return described(
          `The ${of.name} with this unique key; null if there is none.`,
          `${name}(${key(of)}): ${of.name}`,
        )
      return described(`The ${of.name} with this id; null if there is none.`, `${name}(id: ID!): ${of.name}`)
    case 'list':
      return described(
        `A list of ${of.path}, paged by offset.`,
        `${name}${listArguments(of, 'described', visibility)}: [${of.name}!]!`,
      )
    case 'connection':
      return described(
        `The ${of.path}, paged by a cursor that stays correct while rows are added and deleted.`,
        `${name}${connectionArguments(of, 'described', visibility)}: ${of.name}Connection!`,
      )
    case 'aggregate':
      return described(
        `The ${of.path} in one: their number, sums, averages, first and last values.`,
        `${name}${aggregateArguments(of, 'described', visibility)}: ${aggregateTypes(of).aggregate}!`,
      )
    case 'groups':
      return described(
        `Groups of ${of.path} that have something in common, paged by offset.`,
        `${name}${groupArguments(of, 'described', visibility)}: [${aggregateTypes(of).group}!]!`,
      )
  }
}

const ifVersion = described(
  'Rejects the write (PRECONDITION_FAILED) if the row has another `_version`.',
  'ifVersion: Int',
)

const version = described('A version of its history: see `_changes`.', 'version: Int!')

const purge = described('Deletes it for good, also if it is deleted already.', 'purge: Boolean = false')

const upsertChanges =
  'What to change if the row is there; {} changes nothing. Without it, the fields of `create` are changed; its rows of lists and the password are not.'

function key(of: Resource | Abstract): string {
  return `${keyArgument}: ${keyInput(of)}!`
}

/** Nullable: the failure of one field takes nothing from the others, which are committed. */
function mutationField(name: string, { kind, of, by }: MutationRootField, model: Model): string {
  const which = by === 'key' ? 'this unique key' : 'this id'
  const row = by === 'key' ? key(of) : 'id: ID!'
  switch (kind) {
    case 'create':
      return described(
        `Creates a ${of.name}; the server assigns its id.`,
        `${name}(input: Create${of.name}Input!): ${of.name}`,
      )
    case 'createAll':
      return described(
        `Creates several ${of.path} in one transaction.`,
        `${name}(inputs: [Create${of.name}Input!]!): [${of.name}!]`,
      )
    case 'createEach':
      return described(
        `Creates those of the ${of.path} that can be created, in portions. Each has its result.`,
        `${name}(inputs: [Create${of.name}Input!]!): [RowResult!]`,
      )
    case 'replace':
      return described(
        `Replaces the whole ${of.name} with ${which}, or creates it.`,
        `${name}(${row}, input: Create${of.name}Input!, ${ifVersion}): ${of.name}`,
      )
    case 'update':
      return described(
        `Changes fields of the ${of.name} with ${which}, as arguments or in \`input\`; null clears an optional field.`,
        `${name}(${[row, ...updateArguments(of, model, by), ifVersion].join('\n')}): ${of.name}`,
      )
    case 'upsert': {
      const update =
        updateFields(of, model).length === 0 ? [] : [described(upsertChanges, `update: Update${of.name}Input`)]
      const args = [row, described('The new row.', `create: Create${of.name}Input!`), ...update]
      return described(
        `Creates a ${of.name}, or changes the one that has this unique key.`,
        `${name}(${args.join('\n')}): ${of.name}`,
      )
    }
    case 'updateAll':
      return described(
        `Changes all ${of.path} that match, each as \`update${of.name}\` does: all or none.`,
        `${name}(${[bulkWhere(of), described('The fields to change.', `input: Update${of.name}Input!`), ...bulkArguments(of)].join('\n')}): BulkResult`,
      )
    case 'deleteAll':
      return described(
        `Deletes all ${of.path} that match, each as \`delete${of.name}\` does: all or none.`,
        `${name}(${[bulkWhere(of), ...bulkArguments(of)].join('\n')}): BulkResult`,
      )
    case 'redeliver':
      return described('Sends a delivery of a webhook again.', `${name}(webhook: ID!, delivery: ID!): ${of.name}`)
    case 'delete':
      if (of.softDelete !== undefined)
        return described(
          `Deletes the ${of.name} with ${which}. It can be restored for ${of.softDelete.keep}.`,
          `${name}(${[row, ifVersion, purge, ...confirmArgument(of, model)].join(', ')}): DeleteResult`,
        )
      return described(
        `Deletes the ${of.name} with ${which}.`,
        `${name}(${[row, ifVersion, ...confirmArgument(of, model)].join(', ')}): DeleteResult`,
      )
    case 'restore':
      return described(
        `Restores the deleted ${of.name} with ${which}, and what was deleted with it. Whoever may delete it may restore it.`,
        `${name}(${row}, ${ifVersion}): ${of.name}`,
      )
    case 'revert':
      return described(
        `Puts the values of an earlier version of the ${of.name} with ${which} back, as an update. What the viewer can't read of that version stays as it is.`,
        `${name}(${row}, ${version}, ${ifVersion}): ${of.name}`,
      )
  }
}

function confirmArgument(of: Resource, { account }: Model): string[] {
  return account?.resource === of ? [passwordInput.confirm] : []
}

function bulkWhere({ name }: Resource): string {
  return described('Which rows. A filter without a condition needs `all`.', `where: ${name}Where!`)
}

function bulkArguments({ name }: Resource): string[] {
  return [
    described('The order in which `limit` takes rows.', `orderBy: [${name}Order!]`),
    described('Writes at most so many rows; default: all that match.', 'limit: Int'),
    described('Whether a filter without a condition may write all rows.', 'all: Boolean! = false'),
    described('Writes nothing, and returns what would be written.', 'dryRun: Boolean! = false'),
  ]
}

function updateArguments(of: Resource, model: Model, by: MutationRootField['by']): string[] {
  const reserved = by === 'key' ? reservedKeyedArguments : reservedUpdateArguments
  const fields = updateFields(of, model)
  if (fields.length === 0) return []
  const asArguments = fields.filter(({ name }) => !reserved.has(name)).map(({ text }) => text)
  return [...asArguments, described('The fields to change, as one object.', `input: Update${of.name}Input`)]
}
