import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DataFormat, FileRecord } from './record.ts'
import { splitRecords } from './split-records.ts'

const samples: Record<DataFormat, { text: string; records: [line: number, text: string][] }> = {
  ndjson: {
    text: '\ufeff{"a":1}\r\n\n  {"ä":"x"}\n{"b":2}',
    records: [
      [1, '{"a":1}\r\n'],
      [3, '{"ä":"x"}\n'],
      [4, '{"b":2}'],
    ],
  },
  json: {
    text: '[\n {"a":"]}\\"{","b":[1,{}]},\n\n{"ü":\n2}\n]\n',
    records: [
      [2, '{"a":"]}\\"{","b":[1,{}]}'],
      [4, '{"ü":\n2}'],
    ],
  },
  csv: {
    text: '\ufeff"id",text\r\n1,"a ""quoted""\nline, ü"\r\n\r\n2,5" pipe\n3,""\n4,',
    records: [
      [1, '"id",text\r\n'],
      [2, '1,"a ""quoted""\nline, ü"\r\n'],
      [5, '2,5" pipe\n'],
      [6, '3,""\n'],
      [7, '4,'],
    ],
  },
}

for (const [format, { text, records }] of Object.entries(samples)) {
  test(`${format} gives the same records, whatever its chunks are`, async () => {
    const bytes = Buffer.from(text)
    for (let size = 1; size <= bytes.length; size++) {
      const found = await split(bytes, size, format as DataFormat)
      assert.deepEqual(
        found.map((one) => [one.line, one.text]),
        records,
        `chunks of ${size} bytes`,
      )
      // A place in the file is the end of a record: what is before it holds exactly the records so far.
      for (const [index, { end }] of found.entries()) {
        const before = bytes.subarray(0, end).toString()
        assert.ok(before.endsWith(records[index]![1]), `${end} is the end of record ${index}`)
      }
    }
  })
}

const broken: [DataFormat, string, RegExp][] = [
  ['json', '{"a":1', /^line 1: The list has no end/],
  ['json', '[{"a":1}\n{"b":2}]', /^line 2: There must be a comma/],
  ['json', '[1]', /^line 1: Each item of the list must be an object/],
  ['json', '"text"', /^line 1: The file must be a JSON list/],
  ['json', '', /^line 1: The file is empty/],
  ['json', '[]\n[]', /^line 2: There is something behind the end/],
  ['csv', 'a,b\n1,"x\ny\n', /^line 2: The cell that begins with a quote here has no closing quote/],
]

for (const [format, text, message] of broken) {
  test(`names the line of what is wrong: ${JSON.stringify(text)}`, async () => {
    await assert.rejects(split(Buffer.from(text), 3, format), { message })
  })
}

test('says that a file is not UTF-8', async () => {
  await assert.rejects(split(Buffer.from('a\n\xfc\n', 'latin1'), 2, 'csv'), { message: /^line 2: This is not UTF-8/ })
})

async function split(bytes: Buffer, size: number, format: DataFormat) {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const records: FileRecord[] = []
  for await (const some of splitRecords(chunks(), format)) records.push(...some)
  return records
}
