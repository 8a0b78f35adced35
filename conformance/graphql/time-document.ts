// What a document costs the server that sees it for the first time.

import type { TestApis } from '../harness/open-apis.ts'

/** The least CPU time of so many rounds, in milliseconds, and the codes of the errors that it was answered with. */
export async function timeDocument(apis: TestApis, text: string, rounds: number) {
  let best = Number.POSITIVE_INFINITY
  const codes = new Set<string>()
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    const { data, errors } = await apis.graphql(`${text} ${' '.repeat(round)}`) // another text, so that nothing is known of it
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1000)
    if (data === null && errors.length === 0) throw new Error('there is neither data nor an error')
    for (const { extensions } of errors) codes.add(extensions?.code ?? 'none')
  }
  return { best, codes: [...codes] }
}
