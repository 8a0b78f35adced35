// A limit for the first statement on a connection. The driver dials for ever while something accepts its connections and closes
// them, as a proxy without servers does.

/** Rejects with CONNECT_TIMEOUT. The caller then ends the driver, which stops dialling. */
export async function withConnectTimeout<T>(connecting: PromiseLike<T>, seconds: number): Promise<T> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new ConnectTimeout()), seconds * 1000)
  try {
    return await Promise.race([connecting, timedOut])
  } finally {
    clearTimeout(timer)
  }
}

class ConnectTimeout extends Error {
  readonly code = 'CONNECT_TIMEOUT'

  constructor() {
    super('the database did not accept a connection in time')
  }
}
