// Most answers are there at once: SQLite gives a short read on the spot. A promise for each step of a request would then cost
// more than the steps, so the corridor passes on what it has, and only what is not there yet is waited for.

export type MaybePromise<T> = T | Promise<T>

/** As `catch`: what fails, at once or later, is answered by `recover`. */
export function recoverWith<T>(step: () => MaybePromise<T>, recover: (error: unknown) => T): MaybePromise<T> {
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
