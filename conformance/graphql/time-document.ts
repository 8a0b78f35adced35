// Measures the CPU time of a document that the server sees for the first time.

import type { TestApis } from '../harness/open-apis.ts'

/** The lowest CPU time of so many rounds, in milliseconds, and the error codes of the answer. */
export async function timeDocument(apis: TestApis, text: string, rounds: number) {
  let best = Number.POSITIVE_INFINITY
  const codes = new Set<string>()
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    const { data, errors } = await apis.graphql(`${text} ${' '.repeat(round)}`) // another text, so that no cache knows it
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1000)
    if (data === null && errors.length === 0) throw new Error('there is neither data nor an error')
    for (const { extensions } of errors) codes.add(extensions?.code ?? 'none')
  }
  return { best, codes: [...codes] }
}
