// Runs the writes in their own process: in a process that has made load for minutes they are a fifth slower, which is not
// the case in a server.

import { measureWrites } from './writes.ts'

console.log(JSON.stringify(await measureWrites()))
