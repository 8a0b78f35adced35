// `npm run dev` of the template react: the port of the service and of the page's proxy is that of the environment, then of `.env`. It ends
// with the error of the program that ends first.
// stores: none

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

const script = new URL('../../packages/twain/templates/react/dev.js', import.meta.url)

/** Each program appends its arguments and the address of the service to a file. */
const program = `import { appendFileSync } from 'node:fs'
appendFileSync('ran', [process.argv.slice(2).join(' '), process.env.API].join(' | ') + '\\n')
setInterval(() => {}, 1000)`

test('an error of one program ends both, and is the exit code', (t) => {
  const folder = makeProject(t, { twain: 'process.exit(3)', vite: 'setInterval(() => {}, 1000)' })
  assert.equal(spawnSync(process.execPath, ['dev.js'], { cwd: folder }).status, 3)
})

test('TWAIN_PORT counts in the environment and in .env', (t) => {
  // `vite` ends when it has seen that both ran, and with it everything.
  const ends = `${program}\nimport { readFileSync } from 'node:fs'
setInterval(() => readFileSync('ran', 'utf8').split('\\n').length > 2 && process.exit(), 20)`
  const folder = makeProject(t, { twain: program, vite: ends })
  const { TWAIN_PORT: _, ...env } = process.env
  const run = (more: Record<string, string>) => {
    rmSync(join(folder, 'ran'), { force: true })
    const { status } = spawnSync(process.execPath, ['dev.js', '--port', '5200'], {
      cwd: folder,
      env: { ...env, ...more },
    })
    assert.equal(status, 0)
    return readRan(folder)
  }
  const expected = (port: string) => [
    `--host 127.0.0.1 --port 5200 | http://127.0.0.1:${port}`,
    `dev schema.graphql --seed seed.ts --port ${port} | http://127.0.0.1:${port}`,
  ]
  assert.deepEqual(run({}), expected('4000'))
  writeFileSync(join(folder, '.env'), 'TWAIN_PORT=4123\n')
  assert.deepEqual(run({}), expected('4123'))
  assert.deepEqual(run({ TWAIN_PORT: '4200' }), expected('4200'))
})

/** A project with these programs as its commands. */
function makeProject(t: TestContext, programs: Record<'twain' | 'vite', string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'twain-dev-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const bin = join(folder, 'node_modules/.bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(bin, name), text)
  cpSync(script, join(folder, 'dev.js'))
  return folder
}

function readRan(folder: string): string[] {
  return readFileSync(join(folder, 'ran'), 'utf8').trim().split('\n').toSorted()
}
