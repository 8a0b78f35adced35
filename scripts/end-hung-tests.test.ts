import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, describe, test } from 'node:test'

const root = join(import.meta.dirname, '..')

describe('a process of test files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-hung-'))
  after(() => rmSync(folder, { recursive: true }))

  test('ends soon after its last test though a server is open, fails, and names the file', () => {
    write('closes.test.ts', `test('closes', () => {})`)
    write('leaves.test.ts', `test('leaves', () => { createServer().listen(0); throw new Error('broken') })`)

    const { status, output } = run(0.1, 'leaves.test.ts', 'closes.test.ts')

    assert.equal(status, 1)
    assert.match(
      output,
      /✖ all tests have ended, but the process has not after 0.1 seconds; still open: .*TCPServerWrap/,
    )
    assert.match(output, /^✖ \S*leaves.test.ts left open: TCPServerWrap$/m)
    assert.doesNotMatch(output, /closes.test.ts left open/)
    assert.match(output, /^ℹ pass 1\nℹ fail 1$/m)
    assert.match(output, /Error: broken/)
  })

  test('fails too if all tests passed', () => {
    write('passes.test.ts', `test('passes', () => void setInterval(() => {}, 1000))`)

    const { status, output } = run(0.1, 'passes.test.ts')

    assert.equal(status, 1)
    assert.match(output, /passes.test.ts left open: Timeout/)
  })

  test('ends by itself if nothing is open', () => {
    write('ends.test.ts', `test('ends', () => {})`)

    const { status, output } = run(30, 'ends.test.ts')

    assert.equal(status, 0, output)
    assert.doesNotMatch(output, /✖/)
  })

  function write(name: string, tests: string): void {
    const imports = `import { createServer } from 'node:http'\nimport { test } from 'node:test'\n`
    writeFileSync(join(folder, name), imports + tests)
  }

  function run(graceSeconds: number, ...names: string[]): { status: number | null; output: string } {
    const paths = names.map((name) => relative(root, join(folder, name)))
    const { NODE_TEST_CONTEXT: _, ...env } = process.env // else node:test takes it for a file of this run
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--test-reporter=spec', join(import.meta.dirname, 'test-group.ts'), ...paths],
      { encoding: 'utf8', env: { ...env, TWAIN_TEST_GRACE_SECONDS: String(graceSeconds) }, timeout: 60_000 },
    )
    return { status, output: stdout + stderr }
  }
})
