// Which changes a webhook is told of: the patterns of its events and its filter, as what the feed tells a viewer.

import { didYouMean, type Problem, type Viewer } from '#base'
import type { Engine } from '#engine'
import { type Model, type Resource, singularAlias } from '#model'
import type { ChangeKind } from '#plan'
import { PlanBuilder, planWhere } from '#plan/build'
import type { Webhook } from '#store'
import type { Events } from '../events.ts'
import type { FeedFilter } from '../feed/feed.ts'
import { allChangeKinds, type Interest, type Interests } from '../feed/interest.ts'

type WebhookSubscription = Pick<Webhook, 'events' | 'where'>

/** By type, as what its changes are told. What the contract does not know goes to `problems`. */
export function changeKindsOf(
  events: readonly string[],
  model: Model,
  problems: Problem[],
): Map<Resource, Set<ChangeKind>> {
  const kinds = new Map<Resource, Set<ChangeKind>>()
  for (const [index, pattern] of events.entries()) {
    const of = resourcesOf(pattern, model)
    const some = kindsIn(pattern)
    if (of.length === 0 || some === null) {
      problems.push({ path: `events.${index}`, code: 'UNKNOWN', message: unknownEvent(pattern, model) })
      continue
    }
    for (const resource of of) kinds.set(resource, new Set([...(kinds.get(resource) ?? []), ...some]))
  }
  return kinds
}

/** What the feed is asked for it. Throws a Fault when the filter does not fit the contract. */
export function webhookInterests(
  asked: WebhookSubscription,
  viewer: Viewer,
  engine: Engine,
  events: Events,
): Interests {
  const kinds = changeKindsOf(asked.events, engine.model, [])
  const interests = new Map<Resource, Interest>()
  for (const [resource, some] of kinds) {
    const filter = asked.where === null ? undefined : planWebhookFilter(asked.where, resource, viewer, engine)
    for (const [of, interest] of events.interests(viewer, resource, filter)) {
      interests.set(of, { ...interest, kinds: some })
    }
  }
  return interests
}

/** Throws a Fault with all that is wrong. */
export function planWebhookFilter(where: unknown, of: Resource, viewer: Viewer, engine: Engine): FeedFilter {
  const builder = new PlanBuilder(engine.visibility(viewer))
  const planned = planWhere(where, of, builder, 'where')
  builder.finish(engine.limits)
  return { where: planned, values: builder.values(), places: builder.places }
}

function resourcesOf(pattern: string, { resources }: Model): readonly Resource[] {
  if (pattern === '*') return resources
  const type = pattern.slice(0, pattern.indexOf('.'))
  const named = resources.filter(({ single }) => single === type)
  return named.length > 0 ? named : resources.filter((resource) => singularAlias(resource) === type)
}

function kindsIn(pattern: string): Iterable<ChangeKind> | null {
  const kind = pattern === '*' ? '*' : pattern.slice(pattern.indexOf('.') + 1)
  if (kind === '*') return allChangeKinds
  return (allChangeKinds as ReadonlySet<string>).has(kind) ? [kind as ChangeKind] : null
}

function unknownEvent(pattern: string, { resources }: Model): string {
  const known = resources.flatMap(({ single }) => [...allChangeKinds, '*'].map((kind) => `${single}.${kind}`))
  const isType = resources.some(({ single }) => single === pattern)
  const near = isType ? ` Did you mean "${pattern}.*"?` : didYouMean(pattern, [...known, '*'])
  return `"${pattern}" is no event; there is *, and for a type such as ${known[0]?.split('.')[0] ?? 'post'} .created, .updated, .deleted and .*${near === '' ? '.' : `.${near}`}`
}
