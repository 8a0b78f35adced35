// Values of a request in a plan's parameters: found again in the next request of the same shape.

/** A value of the request that the next request of the same shape may have another of: `again` finds it there.
 *  What `again` is given is the door's own affair. A leaf that is not Sourced is a constant of the shape. */
export class RequestValue {
  readonly value: unknown
  readonly resolve: (request: never) => unknown

  constructor(value: unknown, again: (request: never) => unknown) {
    this.value = value
    this.resolve = again
  }
}

/** What the leaf is in this request. */
export function currentValue(leaf: unknown): unknown {
  return leaf instanceof RequestValue ? leaf.value : leaf
}

/** A leaf made of another, in this request and in the next. */
export function deriveValue(leaf: unknown, make: (value: unknown) => unknown): unknown {
  if (!(leaf instanceof RequestValue)) return make(leaf)
  return new RequestValue(make(leaf.value), (request) => make(leaf.resolve(request)))
}

/** The values of a later request of the same shape. */
export function resolveValues(leaves: readonly unknown[], request: unknown): unknown[] {
  return leaves.map((leaf) => (leaf instanceof RequestValue ? leaf.resolve(request as never) : leaf))
}
