import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readDocuments } from './read-documents.ts'

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
