import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

const launcher = join(import.meta.dirname, 'twain.js')
const old = oldNode()
const skip = old === null ? 'NOT TRIED: this machine has no Node older than 24 outside of node_modules' : false

test('starts the command and prints nothing else to stderr', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, '--version'], { encoding: 'utf8' })
  assert.equal(stderr, '')
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
  assert.equal(status, 0)
})

test('exits with the code of the command', () => {
  const { status, stderr } = spawnSync(process.execPath, [launcher, 'dve'], { encoding: 'utf8' })
  assert.equal(status, 2)
  assert.match(stderr, /Did you mean "dev"/)
})

test('the command exits silently, as by SIGPIPE, when the reader of its output closes the pipe', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-launcher-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const schema = join(import.meta.dirname, '../../../examples/blog/schema.graphql')
  const twain = `'${process.execPath}' '${launcher}'`
  // More than the buffer of a pipe, and a pipe that is closed before the command starts.
  const script = `
    ${twain} print '${schema}' --openapi | head -n 1; echo "\${PIPESTATUS[0]}"
    mkfifo '${folder}/pipe' && exec 3<>'${folder}/pipe' 4>'${folder}/pipe' 3>&-
    ${twain} check --access '${schema}' >&4; echo "$?"`
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
  assert.equal(stderr, '')
  assert.equal(stdout, '{\n141\n141\n')
})

test('on an older Node, it runs by that of the npm package', { skip }, () => {
  const { status, stdout, stderr } = spawnSync(old!, [launcher, 'dve'], { encoding: 'utf8' })
  assert.match(stdout + stderr, /Did you mean "dev"/)
  assert.equal(status, 2)
})

test('on an older Node, it forwards signals, and the server stops gracefully', {
  skip,
  timeout: 120_000,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-launcher-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'a.graphql'), 'type Post { id: ID! }')
  const child = spawn(old!, [launcher, 'dev', 'a.graphql', '--port', '0'], { cwd: folder })
  const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? code)))
  const errors = text(child.stderr)
  for await (const part of child.stdout) if (String(part).includes('is served')) break
  child.kill('SIGTERM')
  assert.equal(await ended, 0, await errors)
})

test('on an older Node without a newer one, it prints which version is needed', { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-launcher-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'bin'))
  copyFileSync(launcher, join(folder, 'bin/twain.js'))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')

  const { status, stderr } = spawnSync(old!, ['bin/twain.js'], { cwd: folder, encoding: 'utf8' })

  assert.equal(status, 1)
  assert.match(stderr, /twain needs Node 24\.7 or later, and this is v\d+/)
})

/** The installed Node, if it is older than the one of the npm package. */
function oldNode(): string | null {
  const path = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'))
  for (const binary of path.map((folder) => join(folder, 'node'))) {
    const { status, stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' })
    if (status === 0 && Number(/^v(\d+)/.exec(stdout)?.[1]) < 24) return binary
  }
  return null
}
