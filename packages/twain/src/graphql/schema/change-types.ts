// The types of changes: the feed `changes`, and the subscriptions of each resource.

import type { Model, Resource } from '#model'
import { type ChannelField, channelsOf, singleOf, withAliases } from '#model/names'
import { defaultPageSize } from '#plan/build'
import { customFields } from './custom-fields.ts'
import { type SubscriptionRootField, subscriptionRootFields } from './root-fields.ts'
import { block, deprecation, described, rootDeprecation } from './sdl.ts'

const authorFields: readonly string[] = [
  described(
    'Who made the change, such as `account:1`, `key:1`, `operator`, `hook:before.Post`; null for viewers without AUDIT.',
    'by: String',
  ),
  described('The name of the client that made it; null for viewers without AUDIT.', 'via: String'),
]

export const changeTypes: readonly string[] = [
  described(
    'A change of a row, as a CloudEvent (CloudEvents 1.0).',
    block('type Change', [
      described('Always `1.0`.', 'specversion: String!'),
      described('The cursor of the change: `after` of a list, a stream or a subscription.', 'id: ID!'),
      described('The path of the collection.', 'source: String!'),
      described('`post.created`, `post.updated` or `post.deleted`.', 'type: String!'),
      described('The id of the row.', 'subject: ID!'),
      described('When the change happened.', 'time: DateTime!'),
      described('The version of the row.', 'version: Int!'),
      ...authorFields,
      described(
        'The row after the change, without fields that the viewer may not read; after a delete its id.',
        'data: JSON!',
      ),
    ]),
  ),
  block('type ChangeConnection', ['edges: [ChangeEdge!]!', 'pageInfo: PageInfo!']),
  block('type ChangeEdge', ['node: Change!', 'cursor: String!']),
  described(
    'A page of the history of a row, the newest change first.',
    block('type RowChangeConnection', ['edges: [RowChangeEdge!]!', 'pageInfo: PageInfo!']),
  ),
  block('type RowChangeEdge', ['node: RowChange!', 'cursor: String!']),
  described(
    'A change in the history of a row, as far as the viewer may read the row before, after and now.',
    block('type RowChange', [
      'kind: ChangeKind!',
      described('The `_version` of the row after the change.', 'version: Int!'),
      described('When the change happened.', 'time: DateTime!'),
      ...authorFields,
      described('The fields that changed and that the viewer may read, then and now.', 'changed: [FieldChange!]!'),
    ]),
  ),
  described(
    'The value of a field before and after a change: as in REST, with ids for references.',
    block('type FieldChange', ['field: String!', 'before: JSON', 'after: JSON']),
  ),
]

/** On each type whose changes are logged. */
export const historyLine: string = described(
  'The changes of this row that are still kept, the newest first.',
  `_changes(first: Int! = ${defaultPageSize}, after: String): RowChangeConnection!`,
)

export const changesField: string = described(
  'The changes that the viewer may see, in the order of the change log.',
  `changes(${[
    described('The maximum number of changes.', `first: Int! = ${defaultPageSize}`),
    described('The cursor after which to begin, or `now`; default: the oldest change in the log.', 'after: String'),
    described('Only changes of the rows at this path: `posts`.', 'resource: String'),
  ].join('\n')}): ChangeConnection!`,
)

export function subscriptionTypes(model: Model): string[] {
  const generated = [...subscriptionRootFields(model)].map(([name, root]) => subscriptionField(name, root))
  const fields = [...generated, ...customFields('Subscription', model)]
  if (fields.length === 0) return []
  const root = described(
    'Events over WebSocket or Server-Sent Events. Each change has its cursor in `extensions.cursor`.',
    block('type Subscription', fields),
  )
  if (model.resources.length === 0) return [root]
  return [
    described('The kind of a change.', block('enum ChangeKind', ['CREATED', 'UPDATED', 'DELETED'])),
    ...model.resources.flatMap((of) => [changeType(of), deletedType(of)]),
    root,
  ]
}

function changeType(of: Resource): string {
  return described(
    `A change of a ${of.name}.`,
    block(`type ${of.name}Changed`, [
      'kind: ChangeKind!',
      described('Where to resume: `after` of a subscription, or of `/changes`.', 'cursor: String!'),
      described('The `_version` of the row.', 'version: Int!'),
      'id: ID!',
      // The row has the name of its type.
      ...(of.single === 'by' || of.single === 'via' ? [] : authorFields),
      ...rowFields(of),
    ]),
  )
}

function rowFields(of: Resource): string[] {
  const about = 'The row after the change; null if it is deleted, or no longer visible to the viewer.'
  const names = withAliases([singleOf(of)])
  const named = names.filter(({ name, deprecated }) => deprecated === null || !takenNames.has(name))
  return named.map(({ name, deprecated }) =>
    described(deprecated === null ? about : null, `${name}: ${of.name}${deprecation(deprecated)}`),
  )
}

/** Names that an alias of the row can't have. */
const takenNames: ReadonlySet<string> = new Set(['kind', 'cursor', 'version', 'id', 'by', 'via'])

function deletedType({ name }: Resource): string {
  return described(`A deleted ${name}.`, block(`type ${name}Deleted`, ['id: ID!']))
}

function subscriptionField(name: string, root: SubscriptionRootField): string {
  const { kind, of } = root
  const fields = channelsOf(of).map((field) => ({ ...field, deprecated: null }))
  const channels = withAliases<ChannelField>(fields).map(({ name: channel, kind, deprecated }) => {
    const [about, type] = kind === 'reference' ? ['has this id', 'ID'] : ['is this text', 'String']
    return described(`Only rows whose \`${channel}\` ${about}.`, `${channel}: ${type}${deprecation(deprecated)}`)
  })
  const args = [
    described('Only the row with this id.', 'id: ID'),
    ...channels,
    described('Only rows that match; a row that stops matching is reported as deleted.', `where: ${of.name}Where`),
    described(
      'The cursor of the last event: the events after it come first. Default: only new events.',
      'after: String',
    ),
  ]
  const { description, type } = describeSubscription(kind, of)
  return described(description, `${name}(${args.join('\n')}): ${type}!${rootDeprecation(root)}`)
}

function describeSubscription(
  kind: SubscriptionRootField['kind'],
  of: Resource,
): { description: string; type: string } {
  switch (kind) {
    case 'created':
      return { description: `Each new ${of.name}.`, type: of.name }
    case 'updated':
      return { description: `Each ${of.name} that is updated, or becomes visible to the viewer.`, type: of.name }
    case 'deleted':
      return {
        description: `Each ${of.name} that is deleted, or is no longer visible to the viewer.`,
        type: `${of.name}Deleted`,
      }
    case 'changed':
      return { description: `Each change of the ${of.path}.`, type: `${of.name}Changed` }
  }
}
