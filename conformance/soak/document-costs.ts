// `npm run soak -- document-costs=1000000`: graphql/costs.test.ts with so many documents, 100,000 unless you name another number.
// stores: none

import { compareCosts } from '../graphql/compare-costs.ts'

const { compared, overLimit } = compareCosts(Number(process.argv[2] ?? 100_000), Date.now() | 0)
console.log(`${compared} documents, ${overLimit} of them over a limit: no disagreement.`)
