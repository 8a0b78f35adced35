// The change feed: every change that a viewer may see, as CloudEvents with the default representation of the rows.

import { nearest, type Problem } from '#base'
import { isWithoutEvents, type Viewer } from '#base/http'
import type { Engine } from '#engine'
import type { Model, Resource } from '#model'
import { typeAtPath } from '#model/names'
import { type BoundPlan, planBytes, type SubscriptionPlan, type Where } from '#plan'
import { defaultSelection } from '#plan/build'
import { type ChangeLog, type ChangeRecord, type LogPoint, pointOf } from '#store'
import { cloudEventText } from './cloud-event.ts'
import { changesPruned, hasGap } from './cursor.ts'
import { allChangeKinds, type Interest, type Interests, type RenderedEvent } from './interest.ts'
import { type LogResources, projectPage } from './project-page.ts'
import { projectRowChanges, type RowChange } from './row-changes.ts'

/** What readers of the feed use: the REST and GraphQL feeds, webhooks and change handlers. */
export interface ChangeFeed {
  /** The point of a cursor, or the end of the log for `now`. Rejects with an ApiError that names `place`. */
  point(after: string, place?: string): Promise<LogPoint>
  /** Reads from the oldest change that the log still has. `read` is called again if that change is pruned meanwhile. */
  fromOldest<T>(read: (oldest: LogPoint) => Promise<T>): Promise<T>
  cursor(point: LogPoint): string
  /** Rejects with GONE if the log no longer has the changes after a point, or has lost changes up to it. */
  expectStored(point: LogPoint): Promise<void>
  /** The feed of a viewer: of all types, or of one type with a filter. */
  interests(viewer: Viewer, of: Resource | null, filter?: FeedFilter): Interests
  /** `announced`: without the changes of data migrations that make no events. */
  page(interests: Interests, viewer: Viewer, after: LogPoint, first: number, announced?: 'announced'): Promise<FeedPage>
  /** The announced changes, with whole rows. `interests` are those of the system. */
  rowChanges(interests: Interests, after: LogPoint, first: number): Promise<FeedPage<RowChange>>
  /** The events at these positions, projected with the viewer's current permissions. */
  eventsAt(positions: readonly number[], interests: Interests, viewer: Viewer): Promise<Map<number, RenderedEvent>>
}

export interface FeedPage<Event = RenderedEvent> {
  events: Event[]
  /** The cursor to continue from, also if the page is empty. */
  endCursor: string
  point: LogPoint
  /** Whether the log has more changes. They may be invisible to this viewer. */
  hasNextPage: boolean
}

/** A filter that an adapter has planned, with its values. */
export interface FeedFilter {
  where: Where | null
  values: readonly unknown[]
  places: readonly string[]
}

/** Changes scanned for one page. A viewer who may see few of them gets a short page and continues. */
const maxScannedChanges = 5000
const maxReadChanges = 500

export class Feed {
  readonly #engine: Engine
  readonly #changes: ChangeLog
  readonly #resources: LogResources
  readonly #origin: string
  /** Plans by viewer class and type. Readers that share a plan form one group of the hub. */
  readonly #plans = new Map<string, Map<Resource, BoundPlan<SubscriptionPlan>>>()

  constructor(engine: Engine, changes: ChangeLog, resources: LogResources, origin: string) {
    this.#engine = engine
    this.#origin = origin
    this.#changes = changes
    this.#resources = resources
  }

  interests(viewer: Viewer, of: Resource | null, filter?: FeedFilter): Interests {
    if (of !== null) return new Map([[of, this.#interest(of, viewer, filter)]])
    return new Map(this.#engine.model.resources.map((resource) => [resource, this.#interest(resource, viewer)]))
  }

  page(
    interests: Interests,
    viewer: Viewer,
    after: LogPoint,
    first: number,
    announced?: 'announced',
  ): Promise<FeedPage> {
    return this.#page(after, first, (changes) => {
      const chosen = announced === undefined ? changes : changes.filter((change) => !isWithoutEvents(change))
      return projectPage(chosen, interests, viewer.account, this.#resources)
    })
  }

  rowChanges(interests: Interests, after: LogPoint, first: number): Promise<FeedPage<RowChange>> {
    return this.#page(after, first, (changes) => projectRowChanges(changes, interests, this.#resources))
  }

  async #page<Event extends LogPoint>(
    after: LogPoint,
    first: number,
    project: (changes: readonly ChangeRecord[]) => Promise<Event[]>,
  ): Promise<FeedPage<Event>> {
    const events: Event[] = []
    let point = after
    for (let scanned = 0; events.length < first && scanned < maxScannedChanges; ) {
      const page = await this.#changes.read(point, Math.min(maxReadChanges, Math.max(50, first - events.length)))
      if (page.length === 0) break
      if (hasGap(page, point)) {
        // The log was pruned while this page was read: the reader gets what was found, and GONE for the next page.
        if (events.length > 0) break
        throw changesPruned()
      }
      scanned += page.length
      const projected = await project(page)
      const fitting = projected.slice(0, first - events.length)
      events.push(...fitting)
      point = pointOf(fitting.length < projected.length ? fitting.at(-1)! : page.at(-1)!)
    }
    const { start, end } = await this.#changes.bounds()
    if (events.length === 0 && point.position < start.position) throw changesPruned()
    return {
      events,
      endCursor: this.#resources.cursors.write(point),
      point,
      hasNextPage: point.position < end.position,
    }
  }

  /** Leaves out pruned changes and changes that the viewer may not see. */
  async eventsAt(
    positions: readonly number[],
    interests: Interests,
    viewer: Viewer,
  ): Promise<Map<number, RenderedEvent>> {
    const events = await projectPage(await this.#changes.readAt(positions), interests, viewer.account, this.#resources)
    return new Map(events.map((event) => [event.position, event]))
  }

  #interest(of: Resource, viewer: Viewer, filter?: FeedFilter): Interest {
    const boundPlan = filter === undefined ? this.#planFor(of, viewer) : filteredPlan(of, viewer, filter, this.#engine)
    return {
      subscription: this.#engine.subscribe(boundPlan, viewer, { isDefaultSelection: true }),
      kinds: allChangeKinds,
      channel: null,
      format: (event) => cloudEventText(event, of, this.#origin),
      key: 'feed',
      // With the statement that projects the changes. A filter is as long as an address at most.
      memory: filter === undefined ? null : { shape: boundPlan, bytes: 2 * planBytes(boundPlan.plan), isBounded: true },
    }
  }

  #planFor(of: Resource, viewer: Viewer): BoundPlan<SubscriptionPlan> {
    const visibility = this.#engine.visibility(viewer)
    const plans = this.#plans.get(visibility.key) ?? new Map<Resource, BoundPlan<SubscriptionPlan>>()
    this.#plans.set(visibility.key, plans)
    const cached = plans.get(of)
    if (cached !== undefined) return cached
    const plan: SubscriptionPlan = {
      kind: 'subscription',
      of,
      where: null,
      selections: defaultSelection(of, visibility),
    }
    const boundPlan: BoundPlan<SubscriptionPlan> = { plan, values: [], places: [] }
    plans.set(of, boundPlan)
    return boundPlan
  }
}

function filteredPlan(
  of: Resource,
  viewer: Viewer,
  { where, values, places }: FeedFilter,
  engine: Engine,
): BoundPlan<SubscriptionPlan> {
  return {
    plan: { kind: 'subscription', of, where, selections: defaultSelection(of, engine.visibility(viewer)) },
    values,
    places,
  }
}

/** The type of a feed request by the path of its collection, for REST and GraphQL. Adds a problem and returns null if there is
 *  no such type. */
export function resourceByPath(path: string, model: Model, place: string, problems: Problem[]): Resource | null {
  const found = typeAtPath(model.resources, path)
  if (found !== undefined) return found
  problems.push({ path: place, code: 'UNKNOWN', message: unknownPath(path, model) })
  return null
}

function unknownPath(path: string, { resources, abstracts }: Model): string {
  const several = abstracts.find((one) => one.path === path)
  if (several !== undefined) {
    const paths = several.members.map((member) => member.path).join(', ')
    return `"${path}" is a collection of several types; use one of ${paths}, or leave it out for all types.`
  }
  const near = nearest(
    path,
    resources.map((resource) => resource.path),
  )
  const meant = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
  return `"${path}" is not the path of a resource.${meant}`
}
