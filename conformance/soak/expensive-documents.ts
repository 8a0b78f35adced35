// `npm run load -w @twain/conformance`: what each of the heaviest documents costs, in milliseconds of CPU, and how it is
// answered. Ends with 1 where one takes 100 ms or more.

import { loadDocuments } from '../graphql/expensive-documents.ts'
import { timeDocument } from '../graphql/time-document.ts'
import { openBlog } from '../harness/open-blog.ts'

const promised = 100

const faces = await openBlog()
try {
  for (const [name, text] of Object.entries(loadDocuments())) {
    const { best, codes } = await timeDocument(faces, text, 10)
    if (best >= promised || codes.includes('INTERNAL')) process.exitCode = 1
    console.log(`${best.toFixed(1).padStart(6)} ms  ${name}: ${codes.join(', ') || 'answered'}`)
  }
} finally {
  await faces.close()
}
