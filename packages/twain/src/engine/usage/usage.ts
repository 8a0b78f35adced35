// Counts which clients use which types, fields and operations of the schema. A request costs two lookups and an increment: it
// is counted by its plan. The names in the plan are counted when the counts are saved.
//
// 1. Memory is bounded: the counts of plans become counts of names once there are many plans, and clients beyond a number
//    share one count.

import { isOfServer, planBytes } from '#plan'
import { type AnyPlan, type SchemaUsage, schemaUsageOf } from '#plan/explain'
import { type UsageCount, usageApis } from '#store'
import { CountedWrites, type PlanCount, type UsageApi } from './counted-writes.ts'

/** Clients that one node counts separately on one day. */
const maxClientCount = 100
/** Plans whose names are not yet counted, and their estimated memory: the counts keep them alive. */
const maxPlanCount = 1000
const maxPlanBytes = 2_097_152

/** The clients beyond `maxClientCount`. */
export const otherClients = '(others)'

interface ClientUsage {
  plans: Map<AnyPlan, PlanCount>
  writes: CountedWrites
  /** The counts of names: of plans whose names are already counted. */
  paths: Map<string, PathCount>
}

type PathCount = Pick<UsageCount, 'requested' | 'returned' | 'apis'>

export class Usage {
  readonly #clients = new Map<string, ClientUsage>()
  #plans = 0
  #bytes = 0

  /** Counts nothing of the types of the server itself: the schema can't change them. */
  count(plan: AnyPlan, client: string, isDefaultSelection: boolean, api: UsageApi): void {
    if (isOfServer(plan)) return
    const known = this.#clients.get(client) ?? this.#addClient(client)
    const counted =
      known.plans.get(plan) ?? (plan.kind === 'write' ? known.writes.find(plan, isDefaultSelection, api) : undefined)
    if (counted !== undefined) {
      counted.requests++
      return
    }
    const first: PlanCount = { requests: 1, isDefaultSelection, api }
    known.plans.set(plan, first)
    if (plan.kind === 'write') known.writes.add(plan, first)
    this.#plans++
    this.#bytes += planBytes(plan)
    if (this.#plans >= maxPlanCount || this.#bytes > maxPlanBytes) this.#countNames()
  }

  /** The counts since the last call. */
  take(): UsageCount[] {
    this.#countNames()
    const counts: UsageCount[] = []
    for (const [client, { paths }] of this.#clients) {
      for (const [path, count] of paths) counts.push({ path, client, ...count })
      paths.clear()
    }
    return counts
  }

  /** For counts that could not be saved. */
  putBack(counts: readonly UsageCount[]): void {
    for (const { path, client, ...count } of counts) {
      add((this.#clients.get(client) ?? this.#addClient(client)).paths, path, count)
    }
  }

  /** Forgets the clients of the last day, so that others can be counted separately. */
  beginDay(): void {
    for (const [name, { plans, paths }] of this.#clients) {
      if (plans.size === 0 && paths.size === 0) this.#clients.delete(name)
    }
  }

  #addClient(name: string): ClientUsage {
    if (this.#clients.size >= maxClientCount && name !== otherClients) {
      return this.#clients.get(otherClients) ?? this.#addClient(otherClients)
    }
    const client: ClientUsage = { plans: new Map(), writes: new CountedWrites(), paths: new Map() }
    this.#clients.set(name, client)
    return client
  }

  #countNames(): void {
    const known = new Map<AnyPlan, SchemaUsage>()
    for (const { plans, writes, paths } of this.#clients.values()) {
      for (const [plan, { requests, isDefaultSelection, api }] of plans) {
        const apis = usageApis[api]
        const named = known.get(plan) ?? schemaUsageOf(plan)
        known.set(plan, named)
        for (const path of named.referenced) add(paths, path, { requested: requests, returned: 0, apis })
        for (const path of named.selected) {
          if (!named.referenced.has(path))
            add(paths, path, {
              requested: isDefaultSelection ? 0 : requests,
              returned: isDefaultSelection ? requests : 0,
              apis,
            })
        }
      }
      plans.clear()
      writes.clear()
    }
    this.#plans = 0
    this.#bytes = 0
  }
}

function add(paths: ClientUsage['paths'], path: string, { requested, returned, apis }: PathCount): void {
  const counted = paths.get(path)
  if (counted === undefined) {
    paths.set(path, { requested, returned, apis })
    return
  }
  counted.requested += requested
  counted.returned += returned
  counted.apis |= apis
}
