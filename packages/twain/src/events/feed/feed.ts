// The feed: everything that a viewer may see of the log, as CloudEvents with the default representation of the rows. A page of
// it, or a wait for the next.

import type { Viewer } from '#base'
import type { Engine } from '#engine'
import type { Resource } from '#model'
import type { BoundPlan, SubscriptionPlan, Where } from '#plan'
import { defaultSelection } from '#plan/build'
import type { ChangeLog } from '#store'
import { expectNoGap } from '../live/log-follower.ts'
import { cloudEventText } from './cloud-event.ts'
import { writeCursor } from './cursor.ts'
import { allChangeKinds, type Interest, type Interests, type RenderedEvent } from './interest.ts'
import type { LogResources } from './log-resources.ts'
import { projectPage } from './project-page.ts'

export interface FeedPage {
  events: RenderedEvent[]
  /** Where to read on, also when nothing was found. */
  endCursor: string
  position: number
  /** Whether the log goes on behind it; what is there may be for others. */
  hasNextPage: boolean
}

/** Changes that are looked at for one page: who may see few of very many gets a short page, and reads on. */
const mostLookedAt = 5000
const mostAtOnce = 500

export class Feed {
  readonly #engine: Engine
  readonly #changes: ChangeLog
  readonly #named: LogResources
  /** By the class of viewers: one question for each type, so that all of them are one group. */
  readonly #questions = new Map<string, Map<Resource, BoundPlan<SubscriptionPlan>>>()

  constructor(engine: Engine, changes: ChangeLog, named: LogResources) {
    this.#engine = engine
    this.#changes = changes
    this.#named = named
  }

  /** All types, or one. */
  interests(viewer: Viewer, of: Resource | null, filter?: FeedFilter): Interests {
    if (of !== null) return new Map([[of, this.#interest(of, viewer, filter)]])
    return new Map(this.#engine.model.resources.map((resource) => [resource, this.#interest(resource, viewer)]))
  }

  async page(interests: Interests, viewer: Viewer, after: number, first: number): Promise<FeedPage> {
    const events: RenderedEvent[] = []
    let position = after
    for (let looked = 0; events.length < first && looked < mostLookedAt; ) {
      const page = await this.#changes.read(position, Math.min(mostAtOnce, Math.max(50, first - events.length)))
      if (page.length === 0) break
      expectNoGap(page, position)
      looked += page.length
      const told = await projectPage(page, interests, viewer.account, this.#named)
      const wanted = told.slice(0, first - events.length)
      events.push(...wanted)
      position = wanted.length < told.length ? wanted.at(-1)!.position : page.at(-1)!.position
    }
    const hasNextPage = position < (await this.#changes.end())
    return { events, endCursor: writeCursor(this.#named.logId, position), position, hasNextPage }
  }

  /** Changes at these positions as they are told by now; what is not kept any more, or not told, is not there. */
  async eventsAt(
    positions: readonly number[],
    interests: Interests,
    viewer: Viewer,
  ): Promise<Map<number, RenderedEvent>> {
    const pages = await Promise.all(positions.map((position) => this.#changes.read(position - 1, 1)))
    const found = pages.flatMap((page, index) => page.filter(({ position }) => position === positions[index]))
    const told = await projectPage(found, interests, viewer.account, this.#named)
    return new Map(told.map((event) => [event.position, event]))
  }

  #interest(of: Resource, viewer: Viewer, filter?: FeedFilter): Interest {
    const boundPlan = filter === undefined ? this.#question(of, viewer) : filtered(of, viewer, filter, this.#engine)
    return {
      subscription: this.#engine.subscribe(boundPlan, viewer, { isDefaultSelection: true }),
      kinds: allChangeKinds,
      channel: null,
      format: (event) => cloudEventText(event, of),
      key: 'feed',
    }
  }

  #question(of: Resource, viewer: Viewer): BoundPlan<SubscriptionPlan> {
    const visibility = this.#engine.visibility(viewer)
    const questions = this.#questions.get(visibility.key) ?? new Map<Resource, BoundPlan<SubscriptionPlan>>()
    this.#questions.set(visibility.key, questions)
    const known = questions.get(of)
    if (known !== undefined) return known
    const plan: SubscriptionPlan = {
      kind: 'subscription',
      of,
      where: null,
      selections: defaultSelection(of, visibility),
    }
    const made: BoundPlan<SubscriptionPlan> = { plan, values: [], places: [] }
    questions.set(of, made)
    return made
  }
}

/** A filter that a door has planned, with what fills it. */
export interface FeedFilter {
  where: Where | null
  values: readonly unknown[]
  places: readonly string[]
}

function filtered(
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
