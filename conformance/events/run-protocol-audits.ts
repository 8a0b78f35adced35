// The audits of the WebSocket protocol against any server: `node conformance/events/run-protocol-audits.ts ws://127.0.0.1:4000/graphql`.

import { audits } from './protocol-audits.ts'

const [, , url = 'ws://127.0.0.1:4000/graphql'] = process.argv
let failed = 0
for (const { id, title, run } of audits) {
  const wrong = await run(url).then(
    () => null,
    (error: Error) => error.message,
  )
  if (wrong !== null) failed++
  console.log(`${wrong === null ? '✓' : '✗'} ${id} ${title}${wrong === null ? '' : `: ${wrong}`}`)
}
process.exitCode = failed === 0 ? 0 : 1
