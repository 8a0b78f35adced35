// Hashes of passwords that cost a tenth of a millisecond, for a process of test files: Twain's take 60 ms of CPU time each, and the
// suite makes thousands. `test-group.ts` imports it before any file.
//
// Only the work is smaller: 8 KiB and one pass, whatever the parameters say. So a hash holds in its own process alone, and a file that
// reads one in another process, or measures it, has a process of its own, which keeps the parameters as they are.

import crypto, { type Argon2Algorithm, type Argon2Parameters } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const argon2 = crypto.argon2

crypto.argon2 = (algorithm: Argon2Algorithm, parameters: Argon2Parameters, callback) =>
  argon2(algorithm, { ...parameters, memory: 8 * parameters.parallelism, passes: 1 }, callback)
syncBuiltinESMExports() // for `import { argon2 } from 'node:crypto'`
