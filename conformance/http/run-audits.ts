// `npm run audit -w @twain/conformance -- http://127.0.0.1:4000 [/notes '{"title": "one"}' '{"title": "two"}']`: the audits
// against a running server. They write to its collection.

import { audits } from './audits.ts'
import { notes } from './notes-target.ts'

const [url, collection = notes.collection, one = notes.rows[0], two = notes.rows[1]] = process.argv.slice(2)
if (url === undefined) throw new Error('Say where the server is: http://127.0.0.1:4000')
for (const { id, title, run } of audits) {
  try {
    await run({ url, collection, rows: [one, two] })
    console.log(`ok    ${id}`)
  } catch (error) {
    process.exitCode = 1
    console.log(`FAIL  ${id}: ${title}\n      ${String((error as Error).message).replaceAll('\n', '\n      ')}`)
  }
}
