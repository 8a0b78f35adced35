// The changes that a webhook receives: its event patterns and its filter, as interests of the feed.

import { didYouMean, type Problem } from '#base'
import type { Viewer } from '#base/http'
import type { Engine } from '#engine'
import type { Model, Resource } from '#model'
import { itemNamed, singleOf } from '#model/names'
import type { ChangeKind } from '#plan'
import { PlanBuilder, planWhere } from '#plan/build'
import type { Webhook } from '#store'
import type { ChangeFeed, FeedFilter } from '../feed/feed.ts'
import { allChangeKinds, type Interest, type Interests } from '../feed/interest.ts'

type WebhookSubscription = Pick<Webhook, 'events' | 'where'>

/** The kinds of change by type. Adds a problem for each pattern that matches nothing in the schema. */
export function changeKindsOf(
  events: readonly string[],
  model: Model,
  problems: Problem[],
): Map<Resource, Set<ChangeKind>> {
  const kinds = new Map<Resource, Set<ChangeKind>>()
  for (const [index, pattern] of events.entries()) {
    const of = resourcesInPattern(pattern, model)
    const some = kindsInPattern(pattern)
    if (of.length === 0 || some === null) {
      problems.push({ path: `events.${index}`, code: 'UNKNOWN', message: unknownEvent(pattern, model) })
      continue
    }
    for (const resource of of) kinds.set(resource, new Set([...(kinds.get(resource) ?? []), ...some]))
  }
  return kinds
}

/** The feed of a webhook. Throws an ApiError if the filter does not fit the schema. */
export function webhookInterests(
  webhook: WebhookSubscription,
  viewer: Viewer,
  engine: Engine,
  events: ChangeFeed,
): Interests {
  const kinds = changeKindsOf(webhook.events, engine.model, [])
  const interests = new Map<Resource, Interest>()
  for (const [resource, some] of kinds) {
    const filter = webhook.where === null ? undefined : planWebhookFilter(webhook.where, resource, viewer, engine)
    for (const [of, interest] of events.interests(viewer, resource, filter)) {
      interests.set(of, { ...interest, kinds: some })
    }
  }
  return interests
}

/** Throws an ApiError with all problems. */
export function planWebhookFilter(where: unknown, of: Resource, viewer: Viewer, engine: Engine): FeedFilter {
  const builder = new PlanBuilder(engine.visibility(viewer))
  const planned = planWhere(where, of, builder, 'where')
  builder.finish(engine.limits)
  return { where: planned, values: builder.values(), places: builder.places }
}

function resourcesInPattern(pattern: string, { resources }: Model): readonly Resource[] {
  if (pattern === '*') return resources
  const type = pattern.slice(0, pattern.indexOf('.'))
  const named = itemNamed(
    resources.map((of) => ({ of, ...singleOf(of) })),
    type,
  )
  return named === undefined ? [] : [named.of]
}

function kindsInPattern(pattern: string): Iterable<ChangeKind> | null {
  const kind = pattern === '*' ? '*' : pattern.slice(pattern.indexOf('.') + 1)
  if (kind === '*') return allChangeKinds
  return (allChangeKinds as ReadonlySet<string>).has(kind) ? [kind as ChangeKind] : null
}

function unknownEvent(pattern: string, { resources }: Model): string {
  const known = resources.flatMap(({ single }) => [...allChangeKinds, '*'].map((kind) => `${single}.${kind}`))
  const isType = resources.some(({ single }) => single === pattern)
  const near = isType ? ` Did you mean "${pattern}.*"?` : didYouMean(pattern, [...known, '*'])
  return `"${pattern}" is not an event; use * or, for a type such as ${known[0]?.split('.')[0] ?? 'post'} .created, .updated, .deleted and .*${near === '' ? '.' : `.${near}`}`
}
