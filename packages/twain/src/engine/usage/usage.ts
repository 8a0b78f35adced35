// Who uses what of the contract. A request costs two look-ups and an increment: it is counted by its plan, and what the plan
// names is found out when the counts are written down.
//
// 1. Memory is bounded: plans that are counted are spread over their fields once there are many of them, and of a day so many
//    clients are told apart; the others are one.

import { type AnyPlan, type SchemaUsage, schemaUsageOf } from '#plan/explain'
import type { UsageCount } from '#store'

/** Told apart on one day, by this node. */
const mostClients = 100
/** Plans that wait to be spread. */
const mostPlans = 1000
const longestName = 120

/** Those who came after the hundred. */
export const otherClients = '(others)'
/** Who says nothing of itself. */
export const unknownClient = '(unknown)'

type Headers = Readonly<Record<string, string | undefined>>

/** What a client calls itself. */
export function clientOf(headers: Headers): string {
  const name = headers['x-client-name'] ?? headers['user-agent'] ?? unknownClient
  return name.length > longestName ? name.slice(0, longestName) : name
}

interface Counted {
  times: number
  /** Whether the answer was a default representation, which nobody chose. */
  whole: boolean
}

interface Client {
  plans: Map<AnyPlan, Counted>
  /** What was spread already. */
  paths: Map<string, { asked: number; whole: number }>
}

export class Usage {
  readonly #clients = new Map<string, Client>()
  #plans = 0

  count(plan: AnyPlan, client: string, whole: boolean): void {
    const known = this.#clients.get(client) ?? this.#enter(client)
    const counted = known.plans.get(plan)
    if (counted !== undefined) {
      counted.times++
      return
    }
    known.plans.set(plan, { times: 1, whole })
    if (++this.#plans >= mostPlans) this.#spreadAll()
  }

  /** What was counted since it was last taken. */
  take(): UsageCount[] {
    this.#spreadAll()
    const uses: UsageCount[] = []
    for (const [client, { paths }] of this.#clients) {
      for (const [path, { asked, whole }] of paths) uses.push({ path, client, asked, whole })
      paths.clear()
    }
    return uses
  }

  /** What could not be written down is counted still. */
  giveBack(uses: readonly UsageCount[]): void {
    for (const { path, client, asked, whole } of uses) {
      add((this.#clients.get(client) ?? this.#enter(client)).paths, path, asked, whole)
    }
  }

  /** A new day: clients are told apart anew. */
  begin(): void {
    for (const [name, { plans, paths }] of this.#clients) {
      if (plans.size === 0 && paths.size === 0) this.#clients.delete(name)
    }
  }

  #enter(name: string): Client {
    if (this.#clients.size >= mostClients && name !== otherClients) {
      return this.#clients.get(otherClients) ?? this.#enter(otherClients)
    }
    const client: Client = { plans: new Map(), paths: new Map() }
    this.#clients.set(name, client)
    return client
  }

  #spreadAll(): void {
    const known = new Map<AnyPlan, SchemaUsage>()
    for (const { plans, paths } of this.#clients.values()) {
      for (const [plan, { times, whole }] of plans) {
        const named = known.get(plan) ?? schemaUsageOf(plan)
        known.set(plan, named)
        for (const path of named.referenced) add(paths, path, times, 0)
        for (const path of named.selected) {
          if (!named.referenced.has(path)) add(paths, path, whole ? 0 : times, whole ? times : 0)
        }
      }
      plans.clear()
    }
    this.#plans = 0
  }
}

function add(paths: Client['paths'], path: string, asked: number, whole: number): void {
  const counted = paths.get(path)
  if (counted === undefined) {
    paths.set(path, { asked, whole })
    return
  }
  counted.asked += asked
  counted.whole += whole
}
