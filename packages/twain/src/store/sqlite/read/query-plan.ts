// Prints the steps of SQLite's EXPLAIN QUERY PLAN, each below the step that it belongs to.

export interface QueryPlanStep {
  id: number
  parent: number
  detail: string
}

export function printQueryPlan(steps: readonly QueryPlanStep[]): string {
  const depths = new Map<number, number>([[0, -1]])
  return steps
    .map(({ id, parent, detail }) => {
      const depth = (depths.get(parent) ?? -1) + 1
      depths.set(id, depth)
      return `${'  '.repeat(depth)}${detail}`
    })
    .join('\n')
}
