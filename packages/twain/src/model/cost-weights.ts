/** What a query costs: a scalar 1, an object 2, and a list multiplies its field and all below by its page size, at most by 10.
 *  `@cost` replaces the weight of a field. An aggregate costs more for the rows that the store reads to compute it: 10 if an index
 *  finds them or has them in order, 50 if the store reads all rows (`plan/limit/aggregate-scan.ts`). An explanation of rights
 *  (`rowAccess`) costs what the statements for its many conditions cost, and so does a comparison of schemas (`schemaChanges`). The
 *  message of a delivery (`webhookMessage`) costs as much as a scan: two projections of the change. */
export const weights = { scalar: 1, object: 2, list: 10, aggregate: 10, scan: 50, explanation: 300 }

/** The multiplier of a list. Null: the list has no page size. An empty page is planned and compiled like any other, so it counts
 *  as a page of one row. */
export function listFactor(pageSize: unknown): number {
  return typeof pageSize === 'number' && pageSize < weights.list ? Math.max(1, pageSize) : weights.list
}
