// The session of docs/reference/rest.md, executed: a shell runs each command against the schema of the page, and the output must be
// what the page shows. `…` stands for any text; shown headers must be there, others may be. Each clause of the page must be cited by
// a test.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { type HttpServer, listen } from '../../packages/twain/src/http/index.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { makeTestPlace, type TestPlace } from '../../packages/twain/src/store/test-place.fixture.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/rest.md'), 'utf8')
const shell = promisify(execFile)
const curl = await shell('curl', ['--version']).then(
  () => true,
  () => false,
)
const silent = { info() {}, warn() {}, error() {} }

interface Step {
  command: string
  /** The status line and the headers that are shown; empty where the command shows none. */
  head: string[]
  body: string
}

describe('docs/reference/rest.md', { skip: curl ? false : 'there is no curl here' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-rest-docs-'))
  let place: TestPlace
  let service: Service
  let server: HttpServer
  before(async () => {
    const schemaFile = join(folder, 'schema.graphql')
    writeFileSync(schemaFile, /```graphql\n([\s\S]*?)```/.exec(page)![1]!)
    place = await makeTestPlace(join(folder, 'data'))
    service = await openService({ schemaFile, ...place.place, limits: defaultLimits, log: silent })
    server = await listen({
      handle: service.handle,
      host: '127.0.0.1',
      port: 0,
      body: defaultLimits.bodyBytes,
      log: silent,
    })
  })
  after(async () => {
    await server.close()
    await service.close()
    await place.drop()
    rmSync(folder, { recursive: true })
  })

  test('has no clause that no test cites', () => {
    const cited = new Set(testFiles().flatMap((file) => clausesIn(readFileSync(file, 'utf8'))))
    const clauses = [...page.matchAll(/\*\*R(\d+)\*\*/g)].map(([, clause]) => Number(clause))
    assert.deepEqual(
      clauses.filter((clause) => !cited.has(clause)),
      [],
    )
    assert.equal(new Set(clauses).size, clauses.length)
  })

  const steps = stepsOf(page)
  test('shows a session', () => assert.ok(steps.length >= 15))

  for (const step of steps) {
    test(step.command.slice(0, 100), async () => {
      const command = step.command.replaceAll('http://127.0.0.1:4000', `http://127.0.0.1:${server.port}`)
      const { stdout } = await shell('bash', ['-c', command])
      const output = readOutput(stdout.replaceAll('\r\n', '\n'), step.head.length > 0)
      for (const line of step.head) {
        assert.ok(
          output.head.some((one) => matches(one, line)),
          `${line}\nis not among\n${output.head.join('\n')}`,
        )
      }
      assert.ok(matches(output.body, step.body), `${output.body}\nis not\n${step.body}`)
    })
  }
})

function testFiles(): string[] {
  const root = join(import.meta.dirname, '../..')
  const files = globSync(['packages/twain/src/**/*.test.ts', 'conformance/**/*.test.ts'], { cwd: root })
  return files.map((file) => join(root, file))
}

/** `R31`, and all of `R31–R33`. */
function clausesIn(text: string): number[] {
  return [...text.matchAll(/\bR(\d+)(?:–R(\d+))?/g)].flatMap(([, first, last = first]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index),
  )
}

function stepsOf(text: string): Step[] {
  return [...text.matchAll(/```console\n([\s\S]*?)```/g)].flatMap(([, block]) =>
    block!
      .split(/^\$ /m)
      .slice(1)
      .map((shown) => {
        const end = shown.indexOf('\n')
        const output = shown.slice(end + 1)
        return { command: shown.slice(0, end), ...readOutput(output, output.startsWith('HTTP/')) }
      }),
  )
}

function readOutput(output: string, hasHead: boolean): { head: string[]; body: string } {
  if (!hasHead) return { head: [], body: output.trimEnd() }
  const end = output.indexOf('\n\n')
  return { head: output.slice(0, end).split('\n'), body: output.slice(end + 2).trimEnd() }
}

/** Header names are case-insensitive. */
function matches(output: string, shown: string): boolean {
  const parts = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const isHeader = /^[A-Za-z-]+: /.test(shown)
  return new RegExp(`^${parts.join('[^]*')}$`, isHeader ? 'i' : '').test(output)
}
