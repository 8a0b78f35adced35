// Waits that end early when their signal aborts.

/** The promise, or a rejection with the signal's reason as soon as it aborts. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  return unlessAborted(end, signal).finally(() => clearTimeout(timer))
}
