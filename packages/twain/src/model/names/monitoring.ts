// The names of what administrators see of the running service in GraphQL. A schema file may use them: then GraphQL has no such fields, and
// REST has the paths.

import type { Model } from '../model.ts'

export const monitorFields = { load: 'serviceLoad', slowQueries: 'serviceSlowQueries', log: 'serviceLog' } as const

export const monitorTypes = {
  load: 'ServiceLoad',
  point: 'ServiceLoadPoint',
  series: 'ServiceLoadSeries',
  cache: 'ServiceCache',
  slowQuery: 'ServiceSlowQuery',
  log: 'ServiceLog',
  entry: 'ServiceLogEntry',
} as const

export function hasMonitorFields({ types, resources, views, abstracts, operations }: Model): boolean {
  const fields: readonly string[] = Object.values(monitorFields)
  const collections = [...resources, ...views, ...abstracts]
  return (
    resources.length > 0 &&
    Object.values(monitorTypes).every((name) => !types.has(name)) &&
    collections.every(({ single, list }) => !fields.includes(single) && !fields.includes(list)) &&
    operations.every(({ name }) => !fields.includes(name))
  )
}
