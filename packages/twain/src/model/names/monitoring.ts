// The names of what administrators see of the running service in GraphQL. A schema file may use them: then GraphQL has no such fields, and
// REST has the paths.

import type { Model } from '../model.ts'
import { areNamesFree } from './free-names.ts'

export const monitorFields = {
  nodes: 'serviceNodes',
  load: 'serviceLoad',
  slowQueries: 'serviceSlowQueries',
  statements: 'serviceStatements',
  log: 'serviceLog',
} as const

export const monitorTypes = {
  node: 'ServiceNode',
  load: 'ServiceLoad',
  point: 'ServiceLoadPoint',
  series: 'ServiceLoadSeries',
  cache: 'ServiceCache',
  slowQuery: 'ServiceSlowQuery',
  statement: 'ServiceStatement',
  log: 'ServiceLog',
  entry: 'ServiceLogEntry',
} as const

export function hasMonitorFields(model: Model): boolean {
  return areNamesFree(model, Object.values(monitorFields), Object.values(monitorTypes))
}
