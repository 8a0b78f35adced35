// Most results are available synchronously: SQLite answers a short read at once. A promise for each step of a request would
// cost more than the steps, so the pipeline passes plain values on and awaits only promises.

export type MaybePromise<T> = T | Promise<T>

/** Like `catch`, for a step that may fail synchronously or asynchronously. */
export function recoverWith<T>(
  step: () => MaybePromise<T>,
  recover: (error: unknown) => MaybePromise<T>,
): MaybePromise<T> {
  try {
    const value = step()
    return value instanceof Promise ? value.catch(recover) : value
  } catch (error) {
    return recover(error)
  }
}

export function andThen<T, R>(value: MaybePromise<T>, use: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}
