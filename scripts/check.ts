// `npm run check`: types, import layers, one source of time, shared type names, lint and format, dead exports and dependencies, the sizes of the client and
// the console. Runs all, reports all.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { checkClientSize } from './client-size.ts'
import { checkConsoleSize } from './console-size.ts'
import { checkCircles, checkLayers } from './layers.ts'
import { checkTimeSources } from './time-sources.ts'
import { checkTypeNames } from './type-names.ts'

interface Outcome {
  ok: boolean
  text: string
}

const root = join(import.meta.dirname, '..')

const sources = join(root, 'packages/twain/src')

/** Checks whose text stands behind their name. */
const sizes = ["the client's size", "the console's size"] as const

const checks: [name: string, outcome: Promise<Outcome>][] = [
  ['types', tool('tsc', '-p', '.')],
  ['types of the console', tool('tsc', '-p', 'packages/console')],
  ['import layers', layers()],
  ['time and randomness from one place', timeSources()],
  ['type names', typeNames()],
  ['lint and format', tool('biome', 'check', '--error-on-warnings', '--diagnostic-level=warn', '.')],
  ['dead exports and dependencies', tool('knip')],
  [sizes[0], checkClientSize(root)],
  [sizes[1], checkConsoleSize()],
]

let failed = 0
for (const [name, outcome] of checks) {
  const { ok, text } = await outcome
  console.log(`${ok ? '✓' : '✗'} ${name}${ok && sizes.some((one) => one === name) ? `: ${text}` : ''}`)
  if (ok) continue
  failed++
  console.log(text.trimEnd().replace(/^/gm, '  '))
}
process.exitCode = failed === 0 ? 0 : 1

async function layers(): Promise<Outcome> {
  const broken = [
    ...checkLayers(sources),
    ...['packages/client/src', 'packages/console/src', 'bench', 'conformance', 'scripts'].flatMap((folder) =>
      checkCircles(join(root, folder)),
    ),
  ]
  return { ok: broken.length === 0, text: broken.join('\n') }
}

async function timeSources(): Promise<Outcome> {
  const found = checkTimeSources(sources)
  return { ok: found.length === 0, text: found.join('\n') }
}

async function typeNames(): Promise<Outcome> {
  return checkTypeNames(sources)
}

function tool(name: string, ...args: string[]): Promise<Outcome> {
  const child = spawn(join(root, 'node_modules/.bin', name), args, { cwd: root })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part))
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ ok: false, text: error.message }))
    child.on('close', (code) => resolve({ ok: code === 0, text }))
  })
}
