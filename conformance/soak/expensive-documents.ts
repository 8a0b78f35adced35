// `npm run soak -- expensive-documents`: the CPU time of each of the most expensive documents, and its answer. Fails where one takes
// 100 ms or more.
// stores: sqlite

import { expensiveDocuments } from '../graphql/expensive-documents.ts'
import { timeDocument } from '../graphql/time-document.ts'
import { openBlog } from '../harness/open-blog.ts'

const promised = 100

const apis = await openBlog()
try {
  for (const [name, text] of Object.entries(expensiveDocuments())) {
    const { best, codes } = await timeDocument(apis, text, 10)
    if (best >= promised || codes.includes('INTERNAL')) process.exitCode = 1
    console.log(`${best.toFixed(1).padStart(6)} ms  ${name}: ${codes.join(', ') || 'answered'}`)
  }
} finally {
  await apis.close()
}
