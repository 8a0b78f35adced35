// The subscriptions of a contract: what is told of the rows of each type, as it happens.

import { channelsOf, type Model, type Resource, renamedReason, singularAlias, withAliases } from '#model'
import { type SubscriptionRootField, subscriptionRootFields } from './root-fields.ts'
import { block, deprecation, described } from './sdl.ts'

export function subscriptionTypes(model: Model): string[] {
  if (model.resources.length === 0) return []
  const fields = [...subscriptionRootFields(model)].map(([name, root]) => subscriptionField(name, root))
  return [
    described('What happens to a row.', block('enum ChangeKind', ['CREATED', 'UPDATED', 'DELETED'])),
    ...model.resources.flatMap((of) => [changeType(of), deletedType(of)]),
    described(
      'What is told as it happens, over WebSocket or Server-Sent Events. Each event has its cursor in `extensions.cursor`.',
      block('type Subscription', fields),
    ),
  ]
}

function changeType(of: Resource): string {
  return described(
    `Something that happened to a ${of.name}.`,
    block(`type ${of.name}Changed`, [
      'kind: ChangeKind!',
      described('Where to resume: `after` of a subscription, or of `/changes`.', 'cursor: String!'),
      described('The `_version` of the row.', 'version: Int!'),
      'id: ID!',
      described('The row as of the change; null when it is gone, or out of sight.', `${of.single}: ${of.name}`),
      ...rowAlias(of),
    ]),
  )
}

function rowAlias(of: Resource): string[] {
  const former = singularAlias(of)
  const isTaken = former === null || ['kind', 'cursor', 'version', 'id', of.single].includes(former)
  return isTaken ? [] : [`${former}: ${of.name}${deprecation(renamedReason(of.single))}`]
}

function deletedType({ name }: Resource): string {
  return described(`What is left of a ${name} that is gone.`, block(`type ${name}Deleted`, ['id: ID!']))
}

function subscriptionField(name: string, { kind, of, currentName: now }: SubscriptionRootField): string {
  const channels = withAliases(channelsOf(of)).map(({ name: channel, alias, deprecated }) =>
    described(
      `Only rows whose \`${channel}\` has this id.`,
      `${channel}: ID${channel === alias ? deprecation(deprecated) : ''}`,
    ),
  )
  const args = [
    described('Only the row with this id.', 'id: ID'),
    ...channels,
    described('Only rows that fulfil this; one that does no longer is told as deleted.', `where: ${of.name}Where`),
    described(
      'The cursor of the last event: what came behind it is told first. From now on when left out.',
      'after: String',
    ),
  ]
  const { what, type } = describeSubscription(kind, of)
  const end = deprecation(now === undefined ? null : renamedReason(now))
  return described(what, `${name}(${args.join('\n')}): ${type}!${end}`)
}

function describeSubscription(kind: SubscriptionRootField['kind'], of: Resource): { what: string; type: string } {
  switch (kind) {
    case 'created':
      return { what: `Each new ${of.name}.`, type: of.name }
    case 'updated':
      return { what: `Each ${of.name} that is changed, or comes into sight.`, type: of.name }
    case 'deleted':
      return { what: `Each ${of.name} that is deleted, or goes out of sight.`, type: `${of.name}Deleted` }
    case 'changed':
      return { what: `Everything that happens to the ${of.path}.`, type: `${of.name}Changed` }
  }
}
