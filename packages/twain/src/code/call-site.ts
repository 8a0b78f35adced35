// Where custom code called Twain. V8 leaves the caller out of the stack of a call that nobody awaits: if that fails, its error does not
// say whose it is, nor where the `await` is missing.

interface CallSite {
  readonly stack?: string
}

const callSites = new WeakMap<object, CallSite>()

/** Of reads: their caller is known to be custom code, and no more. A stack costs as much as a read that is cached. */
const aRead: CallSite = {}

/** Runs a call that custom code has made. `callSiteOf` an error that it rejects with says where. V8 formats the stack only if
 *  somebody reads it. */
export async function fromCode<T>(
  call: () => Promise<T>,
  site: CallSite = new Error('custom code called Twain here'),
): Promise<T> {
  try {
    return await call()
  } catch (error) {
    // A call inside a transaction has failed before the transaction did.
    if (error instanceof Error && !callSites.has(error)) callSites.set(error, site)
    throw error
  }
}

export function readFromCode<T>(read: () => Promise<T>): Promise<T> {
  return fromCode(read, aRead)
}

/** Null: it comes from no call of custom code. */
export function callSiteOf(error: Error): CallSite | null {
  return callSites.get(error) ?? null
}
