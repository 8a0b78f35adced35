// docs/reference/errors.md: the server answers each request that the page shows with the JSON below it.
// stores: sqlite

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { bodyText, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { makeTestPlace, type TestPlace } from '../../packages/twain/src/store/test-place.fixture.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8')
const silent = { info() {}, warn() {}, error() {} }

/** A command, and the first JSON block after it. */
const form = /^curl http:\/\/127\.0\.0\.1:4000(\S+) --json '(.*)'\n```[\s\S]*?^```json\n([\s\S]*?)^```$/gm

describe('docs/reference/errors.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-errors-page-'))
  const examples = [...page.matchAll(form)]
  let place: TestPlace
  let service: Service
  before(async () => {
    place = await makeTestPlace(join(folder, 'data'))
    const schemaFile = join(root, 'examples/blog/schema.graphql')
    service = await openService({ schemaFile, ...place.place, limits: defaultLimits, log: silent })
  })
  after(async () => {
    await service.close()
    await place.drop()
    rmSync(folder, { recursive: true })
  })

  test('shows an error of each API', () => {
    assert.deepEqual(
      examples.map(([, path]) => path),
      ['/users', '/graphql'],
    )
  })

  for (const [, path = '', body = '', shown = ''] of examples) {
    test(`POST ${path}`, async () => {
      const headers = { host: 'localhost', accept: 'application/json', 'content-type': 'application/json' }
      const reply = await service.handle(plainRequest('POST', path, { headers, body }))
      assert.deepEqual(JSON.parse(await bodyText(reply)), JSON.parse(shown))
    })
  }
})
