import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bodyText, plainRequest } from '#base/http'
import { CodeRejected } from '#code'
import { defaultLimits } from '#plan'
import { readDocuments } from './read-files.ts'
import { openService } from './service.ts'

const log = { info() {}, warn() {}, error() {} }
const sdl = 'type Post { id: ID! title: String loud: String @computed(from: ["title"]) } type Query { answer: Int }'
const code = (answer: unknown) =>
  `export default { resolvers: { Post: { loud: (rows) => rows.map(({ title }) => title + '!') }, Query: { answer: () => ${answer} } } }`

test('changed custom code is served after a reload, and invalid code leaves the served code unchanged', async (t) => {
  const { service, write } = await open(t, code(1))
  assert.equal(await answered(), '1')
  assert.equal((await service.reload()).kind, 'same')

  write(code(2))
  assert.equal((await service.reload()).kind, 'swapped')
  assert.equal(await answered(), '2')

  write('export default {}')
  const rejected = await service.reload()
  assert.ok(rejected.kind === 'rejected' && rejected.reason instanceof CodeRejected)
  assert.equal(rejected.reason.mistakes.length, 2)
  write('export default {')
  const broken = await service.reload()
  assert.ok(broken.kind === 'rejected' && /can't be loaded/.test(String(broken.reason)))
  assert.equal(await answered(), '2')

  async function answered(): Promise<string> {
    return bodyText(await service.handle(plainRequest('GET', '/answer')))
  }
})

test('a schema without its custom code does not start', async (t) => {
  await assert.rejects(open(t, null), CodeRejected)
})

let saved = 1_000_000

async function open(t: TestContext, text: string | null) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-code-'))
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, sdl)
  const write = (config: string) => {
    const path = join(folder, 'twain.config.ts')
    writeFileSync(path, config)
    utimesSync(path, ++saved, saved) // another modification time, however fast the test runs
  }
  if (text !== null) write(text)
  t.after(() => rmSync(folder, { recursive: true }))
  const service = await openService({ schemaFile, data: join(folder, 'data'), limits: defaultLimits, log })
  t.after(() => service.close())
  return { service, write }
}

test('the file maps hashes to documents; mistakes in it are reported', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'twain-documents-'))
  const read = async (text: string) => {
    await writeFile(join(folder, 'documents.json'), text)
    return readDocuments(join(folder, 'documents.json'))
  }
  try {
    assert.deepEqual(await read('{"a": "{ posts { id } }"}'), new Map([['a', '{ posts { id } }']]))
    await assert.rejects(read('{'), { name: 'StartRefused', message: /is not JSON: it ends too early/ })
    await assert.rejects(read('[]'), { name: 'StartRefused', message: /must be a JSON object from hash to document/ })
    await assert.rejects(read('{"a": 1, "b": "", "c": null}'), {
      name: 'StartRefused',
      message: /no document text: "a", "c"/,
    })
    await assert.rejects(readDocuments(join(folder, 'nothing.json')), { name: 'StartRefused', message: /ENOENT/ })
  } finally {
    await rm(folder, { recursive: true })
  }
})
