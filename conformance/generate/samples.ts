// How many samples a test takes. `npm test` takes a share of them; `npm run samples` takes all, from the files that say so in the
// comment at their top (`// all samples: sqlite`).

const takesAll = process.env.TWAIN_SAMPLES === 'all'

/** The share or all, by the running command. */
export function samples<T>(share: T, all: T): T {
  return takesAll ? all : share
}

/** The runs of a property. TWAIN_PROPERTY_RUNS sets another number. */
export function propertyRuns(share: number, all: number): number {
  return Number(process.env.TWAIN_PROPERTY_RUNS ?? samples(share, all))
}
