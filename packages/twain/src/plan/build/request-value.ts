// Values of a request in a plan's parameters: found again in the next request of the same shape.

/** A value that differs between requests of the same shape: `resolve` finds it in a later request. The adapter defines what a
 *  request is. A value that is no RequestValue is a constant of the shape. */
export class RequestValue {
  readonly value: unknown
  readonly resolve: (request: never) => unknown

  constructor(value: unknown, resolve: (request: never) => unknown) {
    this.value = value
    this.resolve = resolve
  }
}

/** The value in this request. */
export function currentValue(leaf: unknown): unknown {
  return leaf instanceof RequestValue ? leaf.value : leaf
}

/** A value derived from another, in this request and in later ones. */
export function deriveValue(leaf: unknown, make: (value: unknown) => unknown): unknown {
  if (!(leaf instanceof RequestValue)) return make(leaf)
  return new RequestValue(make(leaf.value), (request) => make(leaf.resolve(request)))
}

/** An object of values, in this request and in later ones. */
export function combineValues(members: Readonly<Record<string, unknown>>): unknown {
  const names = Object.keys(members)
  if (!names.some((name) => members[name] instanceof RequestValue)) return members
  const gather = (read: (leaf: unknown) => unknown) =>
    Object.fromEntries(names.map((name) => [name, read(members[name])]))
  return new RequestValue(gather(currentValue), (request) =>
    gather((leaf) => (leaf instanceof RequestValue ? leaf.resolve(request) : leaf)),
  )
}

/** The values of a later request of the same shape. */
export function resolveValues(leaves: readonly unknown[], request: unknown): unknown[] {
  return leaves.map((leaf) => (leaf instanceof RequestValue ? leaf.resolve(request as never) : leaf))
}
