// The test files of the repository, and the stores on which each of them runs.
//
// A test file says so itself, in the comment at its top:
//
//     // stores: sqlite, postgres
//
// Every test file of conformance/ has this line. Elsewhere a file without it runs once, and opens itself whatever it needs.

import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'

/** What a test file can say, and the value of TWAIN_TEST_STORE in each of its runs. */
const runsByMarker: Record<string, StoreName[]> = {
  'sqlite, postgres': ['sqlite', 'postgres'], // two runs: the same tests on each store
  'sqlite + postgres': ['sqlite'], // one run, which opens both stores itself
  sqlite: ['sqlite'],
  postgres: ['postgres'],
  none: ['sqlite'], // no store at all, or one that does not matter
}

export type StoreName = 'sqlite' | 'postgres'

export interface TestFile {
  /** From the root of the repository, with slashes. */
  path: string
  /** One run for each. */
  stores: StoreName[]
}

/** All test files. Prints the mistakes of those that name no store, or one that is not known, and ends the process. */
export function findTestFiles(root: string): TestFile[] {
  const patterns = ['packages/**/*.test.ts', 'conformance/**/*.test.ts', 'scripts/*.test.ts']
  const paths = globSync(patterns, { cwd: root, exclude: (path) => path.endsWith('node_modules') })
    .map((path) => path.replaceAll(sep, '/'))
    .sort()
  const mistakes: string[] = []
  const files = paths.map((path) => {
    try {
      return { path, stores: readStores(readFileSync(join(root, path), 'utf8'), path.startsWith('conformance/')) }
    } catch (error) {
      mistakes.push(`${path}: ${(error as Error).message}`)
      return { path, stores: [] }
    }
  })
  if (mistakes.length === 0) return files
  console.error(mistakes.join('\n'))
  process.exit(1)
}

/** The stores that the text of a test file names. A reason may follow in parentheses. */
export function readStores(text: string, isRequired: boolean): StoreName[] {
  const lines = text.split(/\r?\n/)
  const found = lines.flatMap((line, index) => (/^\s*\/\/\s*stores?\s*:/i.test(line) ? [index] : []))
  if (found.length === 0) {
    if (isRequired) throw new Error(`no "// stores: …" in the comment at its top (${known()})`)
    return ['sqlite']
  }
  const headerEnd = lines.findIndex((line) => !line.startsWith('//'))
  if (found.length > 1 || found[0]! >= (headerEnd === -1 ? lines.length : headerEnd))
    throw new Error('"// stores: …" stands once, in the comment at the top of the file')
  const line = lines[found[0]!]!
  const marker = /^\/\/ stores: ([a-z, +]*[a-z])(?: \(.+\))?$/.exec(line)?.[1] ?? ''
  if (!Object.hasOwn(runsByMarker, marker)) throw new Error(`"${line}" is none of: ${known()}`)
  return runsByMarker[marker]!
}

function known(): string {
  return Object.keys(runsByMarker).join(' | ')
}

/** Whether `npm run faults` runs it, and not `npm test`. */
export function isFaultTest({ path }: TestFile): boolean {
  return path.startsWith('conformance/faults/')
}

/** Those with one of the words in their path; all without a word. Ends the process where there is none. */
export function chooseFiles(files: TestFile[], words: string[], hint: string): TestFile[] {
  const chosen = files.filter(({ path }) => words.length === 0 || words.some((word) => path.includes(word)))
  if (chosen.length > 0) return chosen
  console.error(`No test has ${words.join(' or ')} in its path. ${hint}`)
  process.exit(1)
}
