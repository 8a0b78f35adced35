// The texts of the pages about a running service, for translation. They are loaded with these pages.

const number = (value: number) => value.toLocaleString(undefined, { maximumFractionDigits: 1 })

export const operationTexts = {
  number,
  bytes: (value: number) => (value < 1_048_576 ? `${number(value / 1024)} KiB` : `${number(value / 1_048_576)} MiB`),
  milliseconds: (value: number | null) => (value === null ? '–' : `${number(value)} ms`),

  node: (name: string, since: string, memory: string) => `Node ${name}, running since ${since}, ${memory} of memory.`,
  onlyThisNode: 'The figures are of the node that answers.',
  minutes: 'Time',
  lastMinutes: (minutes: number) => `The last ${minutes} minutes`,
  all: 'All requests',
  chartOf: (what: string) => `Of ${what}`,
  rate: 'Requests and errors in a second',
  durations: 'Milliseconds',
  chartSummary: (what: string, requests: number, errors: number) =>
    `${what}: ${number(requests)} requests, ${number(errors)} errors`,
  routes: 'Routes',
  graphql: 'GraphQL operations',
  caches: 'Caches',
  slow: 'Slow queries',
  noSlow: 'No statement was slow.',
  times: (count: number) => (count === 1 ? 'once' : `${number(count)} times`),
  plan: 'Plan',
  noPlan: 'The database does not tell a plan of this statement.',
  name: 'Name',
  requests: 'Requests',
  errors: 'Errors',
  refused: 'Refused',
  p50: 'p50',
  p95: 'p95',
  p99: 'p99',
  entries: 'Entries',
  size: 'Size',
  hits: 'Hits',
  nothingYet: 'Nothing yet.',

  log: 'Log',
  level: 'Level',
  levels: { info: 'All levels', warn: 'Warnings and errors', error: 'Errors' },
  words: 'Words',
  noEntries: 'No entries match.',
  missed: 'Some entries were lost: there were too many, or the server has started again.',
} as const
