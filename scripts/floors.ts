// The rooms of the server and their floors (docs/internals/architecture.md), and whether every import keeps to them:
//
// 1. An import goes down: to a room on a lower floor, never up and never sideways.
// 2. A room is entered by its door, `#room`; another room's files are its own affair.
// 3. A door translates and never reaches for the store.
//
// Tests may import any room, since a room is best tried through the front door; but they too enter by `#room`.

import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

const floors: Record<string, number> = {
  base: 0,
  model: 1,
  plan: 2,
  store: 3,
  engine: 4,
  auth: 5,
  events: 5,
  files: 5,
  code: 5,
  rest: 6,
  graphql: 6,
  admin: 6,
  http: 7,
  main: 8,
  cli: 9,
}

const doors = ['rest', 'graphql', 'admin']

/** What tests of all rooms open their store with, what those of the doors ask, how they tell what something costs, and what the
 *  documents say. */
const forTests = ['#test-place', '#fake-engine', '#fake-tokens', '#worked', '#doc-table']

/** A sentence for each import that breaks a rule. */
export function checkFloors(sources: string): string[] {
  const files = globSync('**/*.ts', { cwd: sources }).sort()
  return files.flatMap((file) => {
    const text = readFileSync(join(sources, file), 'utf8')
    return importsOf(text).flatMap((target) => checkImport(file, target) ?? [])
  })
}

/** `file` is relative to the folder of the rooms. */
export function checkImport(file: string, target: string): string | null {
  const from = roomOf(file)
  if (floors[from] === undefined) return `${file}: "${from}" is no room of scripts/floors.ts`
  if (target.startsWith('.')) {
    const path = relative(sep, resolve(sep, dirname(file), target))
    const inside = roomOf(path)
    return inside === from ? null : `${file}: imports ${target}; enter the room by #${inside}`
  }
  if (!target.startsWith('#')) return null
  if (forTests.includes(target))
    return /\.(test|fixture)\.ts$/.test(file) ? null : `${file}: imports ${target}, which is for tests`
  const to = target.slice(1)
  if (floors[to] === undefined) return `${file}: imports ${target}, which is no room`
  if (to === from) return `${file}: imports its own room's door; import the file itself`
  if (file.endsWith('.test.ts')) return null
  if (doors.includes(from) && to === 'store') return `${file}: a door imports ${target}; ask the engine`
  if (floors[to] < floors[from]) return null
  return `${file}: imports ${target}, which is not below (floor ${floors[to]} from floor ${floors[from]})`
}

const roomOf = (path: string): string => path.split(sep)[0] ?? ''

/** `import … from 'x'`, `export … from 'x'`, `import 'x'` and `import('x')`, at the beginning of code and not of prose. */
export function importsOf(text: string): string[] {
  const code = text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')
  const found = code.matchAll(
    /^(?:import|export)\b[^'"]*?\bfrom\s*'([^']+)'|^import\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm,
  )
  return Array.from(found, ([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '')
}
