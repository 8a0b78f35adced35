// `npm run check`: types, import layers, shared type names, lint and format, dead exports and dependencies, the client's size. Runs all, reports all.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { checkClientSize } from './client-size.ts'
import { checkCircles, checkLayers } from './layers.ts'
import { checkTypeNames } from './type-names.ts'

interface Outcome {
  ok: boolean
  text: string
}

const root = join(import.meta.dirname, '..')

const sources = join(root, 'packages/twain/src')

const size = "the client's size"

const checks: [name: string, outcome: Promise<Outcome>][] = [
  ['types', tool('tsc', '-p', '.')],
  ['import layers', layers()],
  ['type names', typeNames()],
  ['lint and format', tool('biome', 'check', '--error-on-warnings', '--diagnostic-level=warn', '.')],
  ['dead exports and dependencies', tool('knip')],
  [size, checkClientSize(root)],
]

let failed = 0
for (const [name, outcome] of checks) {
  const { ok, text } = await outcome
  console.log(`${ok ? '✓' : '✗'} ${name}${ok && name === size ? `: ${text}` : ''}`)
  if (ok) continue
  failed++
  console.log(text.trimEnd().replace(/^/gm, '  '))
}
process.exitCode = failed === 0 ? 0 : 1

async function layers(): Promise<Outcome> {
  const broken = [
    ...checkLayers(sources),
    ...['packages/client/src', 'bench', 'conformance', 'scripts'].flatMap((folder) => checkCircles(join(root, folder))),
  ]
  return { ok: broken.length === 0, text: broken.join('\n') }
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
