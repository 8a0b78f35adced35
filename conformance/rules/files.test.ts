// Rules of files: each schema of the suite with a file at every row, one in a list of each, one that all rows share, and one that each
// account has only uploaded. A viewer may read a file if the reference rules let them read a row that refers to it. A failure prints the
// seed, and TWAIN_PROPERTY_SEED repeats it.
// stores: sqlite, postgres
// all samples: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anonymous, system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import type { Field } from '../../packages/twain/src/model/index.ts'
import { loadModel } from '../../packages/twain/src/model/index.ts'
import type { AuthorizedPlan } from '../../packages/twain/src/plan/index.ts'
import { type ApiClient, type Tamper, uploadFile } from '../harness/open-apis.ts'
import { ReferenceRules } from './reference-rules.ts'
import type { PlacedRow } from './rows-in-memory.ts'
import { type RuleSchema, ruleSchemas } from './rule-schemas.ts'
import { openRulesFixture, type RulesFixture } from './rules-fixture.ts'
import { seedOfTry, triedSchemas } from './tried-schemas.ts'

interface StoredFile {
  id: string
  /** The fields that refer to it. */
  by: { spot: PlacedRow; field: Field }[]
  uploader: string | null
}

let total = 0

for (const [turn, schema] of triedSchemas.entries()) {
  test(`a file is served to the viewers of its rows by the reference rules: ${schema.name} (${seedOfTry})`, async () => {
    const { cells, differences } = await run(withFiles(schema, turn % 2 === 0))
    total += cells
    assert.deepEqual(differences.slice(0, 5), [], `${differences.length} of ${cells} cells differ`)
  })
}

test('there are enough cells', (context) => {
  context.diagnostic(`${seedOfTry}: ${total} cells of ${triedSchemas.length} schemas`)
  assert.ok(total >= (2000 * triedSchemas.length) / ruleSchemas.length, `${seedOfTry}: only ${total}`)
})

test('the suite finds that the rule of a file is missing', async () => {
  const { differences } = await run(withFiles(ruleSchemas[0]!, false), (plan) => {
    if (plan.kind !== 'one' || plan.of.name !== 'File') return plan
    const { guard, ...rest } = plan
    return rest as AuthorizedPlan
  })
  assert.ok(differences.length > 0)
})

/** Two fields for every type; `narrowed`: one of them for one role alone. */
function withFiles(schema: RuleSchema, narrowed: boolean): RuleSchema {
  const rule = narrowed ? ' @allow(role: "editor", to: [READ])' : ''
  const types = loadModel(schema.sdl, 'schema.graphql').resources
  const fields = types.map(({ name }) => `extend type ${name} { scan: File${rule} scans: [File!]! }`)
  return { ...schema, sdl: [schema.sdl, ...fields].join('\n') }
}

async function run(schema: RuleSchema, tamper?: Tamper): Promise<{ cells: number; differences: string[] }> {
  const fixture = await openRulesFixture(schema, tamper)
  try {
    const storedFiles = await storeFiles(fixture)
    const differences: string[] = []
    let cells = 0
    const expect = (name: string, got: unknown, expected: unknown) => {
      cells++
      if (got !== expected) differences.push(`${schema.name}: ${name}: expected ${expected}, got ${got}`)
    }
    for (const { name, viewer } of fixture.viewers) {
      const reference = new ReferenceRules(fixture.rows, viewer)
      const client = fixture.apis.as(viewer)
      for (const file of storedFiles) {
        const ways = file.by.filter(({ spot, field }) => reference.may('READ', spot) && reference.shows(field, spot))
        const isOwn = file.uploader !== null && file.uploader === viewer.account
        const expected = ways.length > 0 || isOwn ? 200 : 404
        expect(
          `${name}: file of ${describeFile(file)}`,
          (await client.rest('GET', `/files/${file.id}`)).status,
          expected,
        )
        const [way] = ways
        if (way === undefined || file.by.length !== 1) continue
        for (const url of await urlsAt(way, client)) {
          const { status } = await fixture.apis.as(anonymous).rest('GET', url)
          expect(`nobody with the url that ${name} got of ${describeFile(file)}`, status, 200)
        }
      }
    }
    return { cells, differences }
  } finally {
    await fixture.apis.close()
  }
}

async function storeFiles({ rows: world, apis, viewers }: RulesFixture): Promise<StoredFile[]> {
  const keep = (viewer: Viewer) => uploadFile(apis, Buffer.from('bytes'), viewer)
  const all: StoredFile = { id: await keep(system), by: [], uploader: null }
  const storedFiles: StoredFile[] = [all]
  for (const of of world.model.resources) {
    const [scan, scans] = [of.fields.get('scan')!, of.fields.get('scans')!]
    for (const spot of world.spots(of)) {
      const [one, listed] = [await keep(system), await keep(system)]
      const input = { scan: one, scans: [listed, all.id] }
      const { status, body } = await apis.as(system).rest('PATCH', `/${of.path}/${spot.row.id}`, input)
      assert.equal(status, 200, JSON.stringify(body))
      storedFiles.push({ id: one, by: [{ spot, field: scan }], uploader: null })
      storedFiles.push({ id: listed, by: [{ spot, field: scans }], uploader: null })
      all.by.push({ spot, field: scans })
    }
  }
  for (const { viewer } of viewers) {
    if (viewer.account !== null) storedFiles.push({ id: await keep(viewer), by: [], uploader: viewer.account })
  }
  return storedFiles
}

/** Through both APIs, as the row refers to them. */
async function urlsAt({ spot: { of, row }, field }: StoredFile['by'][number], client: ApiClient): Promise<string[]> {
  const rest = await client.rest('GET', `/${of.path}/${row.id}?fields=${field.name}.url`)
  const query = `{ ${of.single}(id: "${row.id}") { ${field.name} { url } } }`
  const { data } = await client.graphql(query)
  const found = [rest.body, data?.[of.single]].flatMap((each) => (each as Record<string, unknown>)[field.name])
  return found.map((file) => (file as { url: string }).url)
}

function describeFile({ by, uploader }: StoredFile): string {
  return by.map(({ spot, field }) => `${spot.row.id}.${field.name}`).join(' and ') || `the upload of ${uploader}`
}
