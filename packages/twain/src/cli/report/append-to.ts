// Appends to an open file, pipe or terminal without blocking: Node's own stderr waits for the reader of a pipe.

import { write } from 'node:fs'
import type { AppendBytes } from './log-writer.ts'

/** Milliseconds after which a reader that was full is tried again. */
const again = 10

export function appendTo(descriptor: number): AppendBytes {
  const put = (bytes: Uint8Array, done: () => void): void => {
    write(descriptor, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(put, again, bytes, done)
      else if (error !== null || written === bytes.length)
        done() // a reader that is gone can't be told that it is
      else put(bytes.subarray(written), done)
    })
  }
  return put
}
