// `npm run soak -- different-requests=100000`: the memory of the server, and of PostgreSQL's processes, after so many different
// GraphQL documents and as many different REST queries. The heap has 512 MB.
// stores: sqlite, postgres

import { runDifferentRequests } from '../memory/run-different-requests.ts'

const limits = { server: 400, backend: 100 }

const count = Number(process.argv[2] ?? 100_000)
const { server, backend, statuses } = await runDifferentRequests(count, count, 512)
console.log(`${count} documents, ${count} queries: ${server} MB, backends ${backend} MB, ${JSON.stringify(statuses)}`)
if (server >= limits.server || backend >= limits.backend || Object.keys(statuses).join() !== '200') process.exitCode = 1
