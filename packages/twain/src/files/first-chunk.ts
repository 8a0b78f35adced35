// Begins to read bytes before the response begins: a failure is then an answer, and not a connection that is cut.

/** Bytes of a file that are missing, whatever stores them. */
export class MissingBytes extends Error {
  constructor(key: string, size: number, end: number) {
    super(`the bytes of ${key} end at ${size}, before ${end}`)
    this.name = 'MissingBytes'
  }
}

/** The same bytes, of which the first are there. The caller reads them, or calls `return`. */
export async function withFirstChunk(bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = bytes[Symbol.asyncIterator]()
  let first: IteratorResult<Uint8Array> | null = await iterator.next()
  return {
    [Symbol.asyncIterator]: () => ({
      next() {
        if (first === null) return iterator.next()
        const result = Promise.resolve(first)
        first = null
        return result
      },
      async return() {
        await iterator.return?.()
        return { done: true, value: undefined }
      },
    }),
  }
}
