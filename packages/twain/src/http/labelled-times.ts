// Durations and outcomes by two labels, for `/metrics`. The first label comes from the schema: the template of a path, or the
// name of a root field. So its values are few; still, a reloaded schema may bring others, and after `maxLabels` the rest is
// `other`. Counting is two lookups and three additions.

import { durationBounds, type LoadSource } from '#base'

/** Upper bounds of the printed buckets, in milliseconds: few, because there is a histogram for each route. Each is one of the counted ones,
 *  from which the history of the load estimates its quantiles. */
const printedBounds = [5, 25, 100, 500, 2500]

const maxLabels = 1000

export const otherLabel = 'other'

interface TimesOptions {
  name: string
  about: string
  /** The names of the labels. */
  labels: readonly [string, string]
  /** All values of the second label. */
  seconds: readonly string[]
  /** The counter of outcomes: its name, its label, and all values of that label. */
  outcomes: { name: string; about: string; label: string; values: readonly string[] }
}

export class LabelledTimes {
  readonly #options: TimesOptions
  /** Value of the first label → index of the second → buckets, sum, and the count of each outcome. */
  readonly #series = new Map<string, (Float64Array | undefined)[]>()

  constructor(options: TimesOptions) {
    this.#options = options
  }

  /** `second` and `outcome` are indexes. */
  record(first: string, second: number, outcome: number, milliseconds: number): void {
    const counts = this.#countsOf(first, second)
    let bucket = 0
    while (bucket < durationBounds.length && milliseconds > durationBounds[bucket]!) bucket++
    counts[bucket]!++
    counts[sumAt]! += milliseconds / 1000
    counts[outcomesAt + outcome]!++
  }

  #countsOf(first: string, second: number): Float64Array {
    const known = this.#series.get(first)
    const found = known?.[second]
    if (found !== undefined) return found
    if (known === undefined && this.#series.size >= maxLabels && first !== otherLabel)
      return this.#countsOf(otherLabel, second)
    const counts = new Float64Array(outcomesAt + this.#options.outcomes.values.length)
    const row = known ?? []
    row[second] = counts
    this.#series.set(first, row)
    return counts
  }

  lines(): string[] {
    const { name, about, outcomes } = this.#options
    const all = [...this.#labelled()]
    return [
      `# HELP ${name} ${about}`,
      `# TYPE ${name} histogram`,
      ...all.flatMap(([labels, counts]) => histogramLines(name, labels, counts)),
      `# HELP ${outcomes.name} ${outcomes.about}`,
      `# TYPE ${outcomes.name} counter`,
      ...all.flatMap(([labels, counts]) => this.#outcomeLines(labels, counts)),
    ]
  }

  /** The counters for the history of the load. `id` names a series; the others are outcomes. */
  loadSource(
    kind: LoadSource['kind'],
    { id, errors, refused }: { id(first: string, second: string): string; errors: string; refused: string | null },
  ): LoadSource {
    const { seconds, outcomes } = this.#options
    const errorsAt = outcomesAt + outcomes.values.indexOf(errors)
    const refusedAt = refused === null ? null : outcomesAt + outcomes.values.indexOf(refused)
    return {
      kind,
      visit: (see) => {
        for (const [first, row] of this.#series) {
          for (const [second, counts] of row.entries()) {
            if (counts === undefined) continue
            see(id(first, seconds[second]!), counts, counts[errorsAt]!, refusedAt === null ? 0 : counts[refusedAt]!)
          }
        }
      },
    }
  }

  *#labelled(): Generator<[labels: string, counts: Float64Array]> {
    const { labels, seconds } = this.#options
    for (const [first, row] of this.#series) {
      for (const [second, counts] of row.entries()) {
        if (counts !== undefined) yield [`${labels[0]}="${first}",${labels[1]}="${seconds[second]}"`, counts]
      }
    }
  }

  #outcomeLines(labels: string, counts: Float64Array): string[] {
    const { name, label, values } = this.#options.outcomes
    return values.flatMap((value, index) => {
      const count = counts[outcomesAt + index]!
      return count === 0 ? [] : [`${name}{${labels},${label}="${value}"} ${count}`]
    })
  }
}

const sumAt = durationBounds.length + 1
const outcomesAt = sumAt + 1

function histogramLines(name: string, labels: string, counts: Float64Array): string[] {
  let count = 0
  const buckets: string[] = []
  for (let index = 0; index <= durationBounds.length; index++) {
    count += counts[index]!
    const bound = durationBounds[index]
    if (bound === undefined) buckets.push(`${name}_bucket{${labels},le="+Inf"} ${count}`)
    else if (printedBounds.includes(bound)) buckets.push(`${name}_bucket{${labels},le="${bound / 1000}"} ${count}`)
  }
  return [...buckets, `${name}_sum{${labels}} ${counts[sumAt]}`, `${name}_count{${labels}} ${count}`]
}
