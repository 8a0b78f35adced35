// Most answers are there at once: SQLite gives a short read on the spot. A promise for each step of a request would then cost
// more than the steps, so the corridor passes on what it has, and only what is not there yet is waited for.

export type MaybePromise<T> = T | Promise<T>

export function whenThere<T, R>(value: MaybePromise<T>, use: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}
