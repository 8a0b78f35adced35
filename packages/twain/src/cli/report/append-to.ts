// Appends to an open file, pipe or terminal without blocking. Node's own stderr blocks until the reader of a pipe reads.

import { write } from 'node:fs'
import type { AppendBytes } from './log-writer.ts'

/** The pause before the next write to a full pipe. */
const retryMs = 10

export function appendTo(descriptor: number): AppendBytes {
  const put = (bytes: Uint8Array, done: () => void): void => {
    write(descriptor, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(put, retryMs, bytes, done)
      else if (error !== null || written === bytes.length)
        done() // after an error nobody reads the pipe any more
      else put(bytes.subarray(written), done)
    })
  }
  return put
}
