// What PostgreSQL does for a statement of the store, for the tests of this module.

import type { TestStore } from '../store.fixture.ts'
import { quoteText } from '../tables/quote.ts'
import type { SqlValue } from './encode.ts'

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

/** Runs the statement, and returns its steps, the whole first. As every statement of the store, it is planned without a look at its values. */
export async function genericPlan(store: TestStore, sql: string, bound: readonly SqlValue[]): Promise<PlanNode[]> {
  await store.execute('SET plan_cache_mode = force_generic_plan')
  await store.execute(`PREPARE page AS ${sql}`)
  const values = bound.length === 0 ? '' : `(${bound.map((value) => quoteText(String(value))).join(', ')})`
  const [[plan]] = (await store.raw!.values(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE page ${values}`, [])) as [[unknown]]
  await store.execute('DEALLOCATE page')
  const [{ Plan: top }] = (typeof plan === 'string' ? JSON.parse(plan) : plan) as [{ Plan: PlanNode }]
  const nodes = [top]
  for (const node of nodes) nodes.push(...(node.Plans ?? []))
  return nodes
}

/** How many rows the steps looked at. */
export function visitsOfAll(nodes: readonly PlanNode[]): number {
  return nodes.reduce((sum, node) => sum + visitsOf(node), 0)
}

function visitsOf(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return (node['Actual Rows'] + removed) * node['Actual Loops']
}
