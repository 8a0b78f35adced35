// The layers of the server (docs/internals/architecture.md), and a check that every import keeps to them:
//
// 1. An import between modules goes down: to a module on a lower layer, never up and never sideways.
// 2. A module is entered by its index, `#module`, or by that of a stage, `#module/stage`. Its other files are private to it.
// 3. An adapter (REST, GraphQL) never imports the store.
// 4. Inside a module an import goes down too: `inside` lists the folders and files of each module, lowest first.
// 5. No file imports itself through others. Type imports count.
//
// Tests may import any module, but they too enter it by `#module`. Rules 4 and 5 do not hold for tests and fixtures.

import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

const layers: Record<string, number> = {
  base: 0,
  model: 1,
  plan: 2,
  records: 2,
  store: 3,
  engine: 4,
  jobs: 4,
  mail: 5,
  auth: 5,
  events: 5,
  files: 5,
  code: 5,
  rest: 6,
  graphql: 6,
  transfer: 6,
  http: 7,
  main: 8,
  cli: 9,
}

/** The order inside each module, lowest first. An entry is a folder or a file of the module; several in one row may not import
 *  each other. What is not listed is above all that is: the module's main files. */
const inside: Record<string, readonly (readonly string[])[]> = {
  base: [
    ['time'],
    ['maybe-promise.ts', 'unreachable.ts', 'cache.ts'],
    ['text'],
    ['errors'],
    ['telemetry.ts'],
    ['tracing'],
    ['http'],
  ],
  model: [
    ['values/check-json.ts'],
    ['values/scalars.ts'],
    ['model.ts', 'cost-weights.ts'],
    ['values', 'aliases.ts'],
    ['measures.ts'],
    [
      'mistakes.ts',
      'members-of.ts',
      'label-of.ts',
      'writes-of.ts',
      'owned-lists.ts',
      'unique-keys.ts',
      'countable-fields.ts',
      'state-machines.ts',
      'print-type.ts',
    ],
    ['list-writes.ts', 'type-filters.ts', 'json-filters.ts'],
    ['names'],
    ['parse'],
    ['directives'],
    ['read'],
    ['rules'],
    ['system'],
    ['check'],
    ['compare'],
  ],
  plan: [
    ['plan.ts'],
    ['visit-plan.ts'],
    ['parameters.ts', 'markers.ts', 'search-words.ts', 'visibility.ts'],
    ['limit'],
    ['check'],
    ['build'],
    ['authorize'],
    ['explain'],
  ],
  store: [
    ['store-clock.ts'],
    ['tables'],
    ['views'],
    ['sql'],
    ['observe'],
    ['read'],
    ['changes'],
    ['system'],
    ['write/steps'],
    ['write/access'],
    ['write/rules'],
    ['write/rows'],
    ['write'],
    ['store.ts', 'options.ts'],
    ['sqlite', 'postgres'],
    ['copy'],
  ],
  engine: [
    ['execute-options.ts', 'password-memory.ts'],
    ['usage'],
    ['computed'],
    ['denials.ts', 'file-signer.ts', 'password-stage.ts', 'rehearse-write.ts', 'in-flight-keys.ts', 'system-writes.ts'],
    ['holds-on-row.ts'],
    ['transaction.ts', 'bulk-write.ts', 'act-as.ts'],
    ['write-each.ts'],
    ['engine.ts'],
    ['sign-up-admission.ts'],
    ['hooks'],
  ],
  jobs: [
    ['duration.ts', 'retry-delay.ts', 'settings.ts', 'wake-loop.ts', 'cron'],
    ['job-definition.ts', 'job-admin.ts'],
    ['queue-worker.ts', 'schedules.ts'],
  ],
  auth: [
    ['auth-errors.ts', 'issuer-settings.ts', 'tokens.ts', 'sessions/session-times.ts', 'sessions/client-details.ts'],
    ['providers/provider-settings.ts'],
    ['settings.ts'],
    ['tokens'],
    ['sign-in/sign-in-input.ts'],
    ['codes'],
    ['sign-in', 'external-accounts.ts', 'fresh-rights.ts'],
    ['sign-up', 'providers', 'acting'],
    ['viewers.ts'],
    ['invitations', 'export'],
  ],
  events: [['change-trace.ts'], ['feed'], ['live'], ['webhooks', 'change-handlers.ts']],
  rest: [
    ['request'],
    ['plan'],
    ['represent'],
    ['resources'],
    ['openapi/json-parts.ts'],
    ['openapi/schemas'],
    ['openapi/media.ts', 'openapi/parameters.ts', 'openapi/responses.ts'],
    ['openapi/paths'],
    ['openapi/clients'],
    ['openapi/page'],
    ['openapi'],
  ],
  graphql: [['input'], ['schema'], ['document'], ['plan'], ['execute'], ['operation-runner.ts'], ['transport']],
  records: [
    ['record.ts', 'csv-cells.ts', 'cell-value.ts', 'columns.ts', 'input-row.ts'],
    ['line-scanner.ts'],
    ['csv-scanner.ts', 'json-scanner.ts'],
    ['split-records.ts', 'row-reader.ts'],
  ],
  transfer: [['exported-fields.ts'], ['import', 'export']],
  http: [
    ['labelled-times.ts'],
    ['metrics.ts'],
    ['request', 'reply'],
    ['page'],
    ['taken-bytes.ts', 'socket-counts.ts', 'connection-order.ts', 'request-turns.ts'],
    ['settings.ts', 'routes.ts', 'connections.ts', 'malformed-request.ts', 'open-socket.ts', 'request-span.ts'],
    ['request-slices.ts'],
    ['exchange.ts', 'web-sockets.ts'],
  ],
  cli: [
    ['settings'],
    ['report'],
    ['compare', 'contract', 'watchdog'],
    ['run-seed.ts', 'init', 'doctor', 'transfer'],
    ['testing'],
    ['commands'],
  ],
}

const adapters = ['rest', 'graphql']

/** Modules that only tests import. */
const forTests = [
  '#test-issuer',
  '#test-place',
  '#fake-engine',
  '#fake-tokens',
  '#library',
  '#cpu-time',
  '#doc-table',
  '#shifted-time',
]

const isTest = (file: string): boolean => /\.(test|fixture)\.ts$/.test(file)

/** A sentence for each import that breaks a rule, and for each circle. */
export function checkLayers(sources: string): string[] {
  const imports = readImports(sources)
  const broken = [...imports].flatMap(([file, targets]) => targets.flatMap((target) => checkImport(file, target) ?? []))
  return [...broken, ...describeCircles(imports)]
}

/** Rule 5 alone. */
export function checkCircles(sources: string): string[] {
  return describeCircles(readImports(sources))
}

function readImports(sources: string): Map<string, string[]> {
  const files = globSync('**/*.ts', { cwd: sources, exclude: ['**/node_modules/**'] }).sort()
  return new Map(files.map((file) => [file, importsOf(readFileSync(join(sources, file), 'utf8'))]))
}

function describeCircles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const graph = new Map(
    [...imports]
      .filter(([file]) => !isTest(file))
      .map(([file, targets]) => [file, targets.flatMap((target) => localPath(file, target) ?? [])]),
  )
  return circlesIn(graph).map((circle) => `circle: ${circle.join(' → ')}`)
}

/** `file` is relative to the folder of the modules. Null: the import keeps to the rules. */
export function checkImport(file: string, target: string): string | null {
  const from = moduleOf(file)
  if (layers[from] === undefined) return `${file}: "${from}" is not a module of scripts/layers.ts`
  const path = localPath(file, target)
  if (path !== null) {
    const module = moduleOf(path)
    if (module !== from) return `${file}: imports ${target}; enter the module by #${module}`
    return isTest(file) ? null : checkInside(file, path)
  }
  if (!target.startsWith('#')) return null
  if (forTests.includes(target)) return isTest(file) ? null : `${file}: imports ${target}, which is for tests`
  const to = target.slice(1).split('/')[0] ?? '' // `#plan/build` enters a stage of a module
  if (layers[to] === undefined) return `${file}: imports ${target}, which is not a module`
  if (to === from) return `${file}: imports its own module's index; import the file itself`
  if (file.endsWith('.test.ts')) return null
  if (adapters.includes(from) && to === 'store') return `${file}: an adapter imports ${target}; use the engine`
  if (layers[to] < layers[from]) return null
  return `${file}: imports ${target}, which is not below (layer ${layers[to]} from layer ${layers[from]})`
}

/** Rule 4, for two files of one module. */
function checkInside(file: string, path: string): string | null {
  const [from, to] = [placeOf(file), placeOf(path)]
  if (to.level < from.level || (to.level === from.level && (to.entry === from.entry || to.entry === null))) return null
  return `${file}: imports ${path}, which is not below it inside the module`
}

/** The row of the module's table, and the entry of it that the file belongs to; null where no entry names the file. */
function placeOf(file: string): { level: number; entry: string | null } {
  const rows = inside[moduleOf(file)] ?? []
  const path = file.split(sep).slice(1).join('/')
  let found: { level: number; entry: string | null } = { level: rows.length, entry: null }
  for (const [level, row] of rows.entries()) {
    for (const entry of row) {
      const isIn = path === entry || path.startsWith(`${entry}/`)
      if (isIn && entry.length > (found.entry?.length ?? 0)) found = { level, entry }
    }
  }
  return found
}

/** Rule 5: one circle for each strongly connected set of files (Tarjan). */
export function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const indexes = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const circles: string[][] = []
  for (const file of graph.keys()) if (!indexes.has(file)) visit(file)
  return circles

  function visit(file: string): void {
    indexes.set(file, indexes.size)
    lowest.set(file, indexes.get(file)!)
    stack.push(file)
    for (const target of graph.get(file) ?? []) {
      if (!graph.has(target)) continue
      if (!indexes.has(target)) {
        visit(target)
        lowest.set(file, Math.min(lowest.get(file)!, lowest.get(target)!))
      } else if (stack.includes(target)) lowest.set(file, Math.min(lowest.get(file)!, indexes.get(target)!))
    }
    if (lowest.get(file) !== indexes.get(file)) return
    const circle = stack.splice(stack.indexOf(file))
    if (circle.length > 1) circles.push(circle)
  }
}

const moduleOf = (path: string): string => path.split(sep)[0] ?? ''

/** The imported file relative to the folder of the modules; null where the import is not a relative one. */
function localPath(file: string, target: string): string | null {
  return target.startsWith('.') ? relative(sep, resolve(sep, dirname(file), target)) : null
}

/** `import … from 'x'`, `export … from 'x'`, `import 'x'` and `import('x')` in code, not in comments. */
export function importsOf(text: string): string[] {
  const code = text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')
  const found = code.matchAll(
    /^(?:import|export)\b[^'"]*?\bfrom\s*'([^']+)'|^import\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm,
  )
  return Array.from(found, ([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '')
}
