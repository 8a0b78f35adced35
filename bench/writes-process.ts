// The writes in a process of their own: in one that has made load for minutes they are a fifth slower, which no server does.

import { measureWrites } from './writes.ts'

console.log(JSON.stringify(await measureWrites()))
