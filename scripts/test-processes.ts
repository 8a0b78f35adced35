// The processes of a run of tests: the files of a folder together, and alone those that ask for it.
//
// Those that take longest are begun first, so that none of them runs alone at the end.

import type { StoreName, TestFile } from './test-files.ts'

export interface TestProcess {
  name: string
  paths: string[]
  store: StoreName
  /** Whether its file asks for a process of its own. */
  isAlone: boolean
}

/** On two cores, with a few others beside them. Only the order counts. */
const seconds: Record<string, number> = {
  'conformance/console': 440,
  'conformance/rules on PostgreSQL': 270,
  'packages/twain/src/store': 290,
  'conformance/accounts on PostgreSQL': 240,
  'conformance/accounts': 190,
  'conformance/console on PostgreSQL': 80,
  'conformance/docs': 160,
  'conformance/rest': 140,
  'conformance/client': 140,
  'conformance/versions on PostgreSQL': 140,
  'conformance/versions': 120,
  'conformance/rules': 130,
  'conformance/both-apis on PostgreSQL': 115,
  'packages/twain/src/main on PostgreSQL': 105,
  'conformance/docs/guide.test.ts': 100,
  'conformance/both-apis': 100,
  'conformance/postgres on PostgreSQL': 85,
  'conformance/webhooks on PostgreSQL': 77,
  'conformance/files on PostgreSQL': 76,
  'packages/twain/src/main': 65,
  'conformance/events on PostgreSQL': 55,
  'conformance/memory': 54,
  'conformance/webhooks': 53,
  'conformance/custom-code': 52,
  'conformance/cli': 51,
  'conformance/custom-code on PostgreSQL': 50,
  'packages/twain/src/auth on PostgreSQL': 47,
  'conformance/contract': 47,
  'conformance/fuzz': 46,
  'conformance/docs on PostgreSQL': 45,
  'conformance/events': 44,
  'conformance/memory/caches.test.ts': 42,
  'packages/twain/src/cli': 42,
  'conformance/stores': 41,
  'packages/twain/src/cli on PostgreSQL': 34,
  'conformance/http': 33,
  'packages/twain/src/auth': 32,
  'conformance/graphql': 32,
  'conformance/files': 29,
  'conformance/security on PostgreSQL': 29,
  'conformance/cli/large-schema.test.ts': 27,
  'packages/twain/bin': 26,
  'conformance/security/account-timing.test.ts': 21,

  // npm run faults
  'conformance/faults/migrations/killed-postgres.test.ts on PostgreSQL': 150,
  'conformance/faults/webhooks.test.ts': 107,
  'conformance/faults/migrations/killed-sqlite.test.ts': 103,
  'conformance/faults/outages.test.ts on PostgreSQL': 82,
  'conformance/faults/large-deletes.test.ts': 59,
  'conformance/faults/kills.test.ts': 57,
  'conformance/faults/jobs.test.ts': 54,
  'conformance/faults/late-commits.test.ts on PostgreSQL': 52,
  'conformance/faults/chat.test.ts': 43,
  'conformance/faults/killed-bulk-writes.test.ts on PostgreSQL': 43,
  'conformance/faults/killed-bulk-writes.test.ts': 39,
  'conformance/faults/retries.test.ts': 35,
  'conformance/faults/killed-import.test.ts': 32,
  'conformance/faults/killed-import.test.ts on PostgreSQL': 29,
  'conformance/faults/proxies/proxies.test.ts on PostgreSQL': 24,

  // npm run packages
  'conformance/packages/tutorial.test.ts': 164,
  'conformance/packages/templates.test.ts': 63,
  'conformance/packages/server.test.ts': 61,
  'conformance/packages/image.test.ts': 45,
  'conformance/packages/client.test.ts': 39,
}

/** The longest first, then those without a figure by their number of files. */
export function toProcesses(files: readonly TestFile[]): TestProcess[] {
  const runs = files.flatMap(({ path, stores, isAlone }) =>
    stores.map((store) => ({ path, store, isAlone, name: nameOf(isAlone ? path : folderOf(path), store) })),
  )
  const processes = [...Map.groupBy(runs, ({ name }) => name)].map(([name, all]) => ({
    name,
    paths: all.map(({ path }) => path),
    store: all[0]!.store,
    isAlone: all[0]!.isAlone,
  }))
  const weight = ({ name, paths }: TestProcess) => seconds[name] ?? Math.min(paths.length / 10, 20)
  return processes.toSorted((one, other) => weight(other) - weight(one))
}

/** Those with a figure that are not among the processes of these files. */
export function staleFigures(files: readonly TestFile[]): string[] {
  const names = new Set(toProcesses(files).map(({ name }) => name))
  return Object.keys(seconds).filter((name) => !names.has(name))
}

/** The folder of a subject, or that of a module of the server. */
function folderOf(path: string): string {
  const depth = path.startsWith('packages/twain/src/') ? 4 : path.startsWith('packages/') ? 3 : 2
  return path.split('/').slice(0, -1).slice(0, depth).join('/')
}

export function nameOf(path: string, store: StoreName): string {
  return store === 'postgres' ? `${path} on PostgreSQL` : path
}
