// The test files of the repository, and how each of them runs. Markers in the comment at the top of a file say so:
//
//     // stores: sqlite, postgres
//     // all samples: sqlite
//     // process: own (it changes the prototype of a class)
//
// - Every test file of conformance/ names its stores. Elsewhere a file without them runs once, and opens itself what it needs.
// - A file with `all samples` takes a share of its samples in `npm test`, and runs again in `npm run samples`, with all of them.
//   Pages of the console that hardly depend on the store run there on PostgreSQL.
// - Without `process: own`, the files of a folder share a process: to start one takes longer than the tests of most files.

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

const knownStores = Object.keys(runsByMarker).join(' | ')

export type StoreName = 'sqlite' | 'postgres'

export interface TestFile {
  /** From the root of the repository, with slashes. */
  path: string
  /** One run for each. */
  stores: StoreName[]
  /** One run for each with all samples, which `npm run samples` does. */
  allSamples: StoreName[]
  /** Whether no other file runs in its process. */
  isAlone: boolean
}

/** All test files. Prints the mistakes of those that name no store, or one that is not known, and ends the process. */
export function findTestFiles(root: string): TestFile[] {
  const patterns = ['packages/**/*.test.ts', 'conformance/**/*.test.ts', 'scripts/**/*.test.ts']
  const paths = globSync(patterns, {
    cwd: root,
    exclude: (path) => /(?:node_modules|packages\/twain\/templates)$/.test(path),
  })
    .map((path) => path.replaceAll(sep, '/'))
    .sort()
  const mistakes: string[] = []
  const files = paths.map((path) => {
    try {
      const text = readFileSync(join(root, path), 'utf8')
      const stores = readStores(text, 'stores')
      if (stores === null && path.startsWith('conformance/'))
        throw new Error(`no "// stores: …" in the comment at its top (${knownStores})`)
      const allSamples = readStores(text, 'all samples') ?? []
      return { path, stores: stores ?? ['sqlite'], allSamples, isAlone: readProcess(text) || isOwn({ path }) }
    } catch (error) {
      mistakes.push(`${path}: ${(error as Error).message}`)
      return { path, stores: [], allSamples: [], isAlone: false }
    }
  })
  if (mistakes.length === 0) return files
  console.error(mistakes.join('\n'))
  process.exit(1)
}

/** The stores that the text of a test file names; null when it names none. */
export function readStores(text: string, name: 'stores' | 'all samples'): StoreName[] | null {
  const marker = readMarker(text, name)
  if (marker === null) return null
  if (!Object.hasOwn(runsByMarker, marker)) throw new Error(`"// ${name}: ${marker}" is none of: ${knownStores}`)
  return runsByMarker[marker]!
}

/** Whether the text of a test file asks for a process of its own. */
export function readProcess(text: string): boolean {
  const marker = readMarker(text, 'process')
  if (marker !== null && marker !== 'own') throw new Error(`"// process: ${marker}" is not "// process: own (why)"`)
  return marker === 'own'
}

/** The value of a marker, without the reason in parentheses; null without the marker. Throws if the marker is misspelt or misplaced. */
function readMarker(text: string, name: 'stores' | 'all samples' | 'process'): string | null {
  const lines = text.split(/\r?\n/)
  const similar = new RegExp(`^\\s*//\\s*${name}?\\s*:`, 'i') // without the last letter too: "store:"
  const found = lines.flatMap((line, index) => (similar.test(line) ? [index] : []))
  if (found.length === 0) return null
  const headerEnd = lines.findIndex((line) => !line.startsWith('//'))
  if (found.length > 1 || found[0]! >= (headerEnd === -1 ? lines.length : headerEnd))
    throw new Error(`"// ${name}: …" stands once, in the comment at the top of the file`)
  const line = lines[found[0]!]!
  const marker = new RegExp(`^// ${name}: ([a-z, +]*[a-z])(?: \\(.+\\))?$`).exec(line)?.[1]
  if (marker === undefined) throw new Error(`"${line}" is none of: "// ${name}: …", "// ${name}: … (why)"`)
  return marker
}

/** Whether `npm run faults` or `npm run samples` runs it, and not `npm test`. */
export function isFaultTest({ path }: { path: string }): boolean {
  return path.startsWith('conformance/faults/')
}

/** Whether `npm run samples` runs it, and not `npm run faults`. */
export function isMutantTest({ path }: { path: string }): boolean {
  return path.startsWith('conformance/faults/mutants/')
}

/** Tests of faults measure times, and tests of packages mostly wait for npm. */
function isOwn({ path }: { path: string }): boolean {
  return isFaultTest({ path }) || isPackageTest({ path })
}

/** Whether `npm run packages` runs it, and not `npm test`. */
export function isPackageTest({ path }: { path: string }): boolean {
  return path.startsWith('conformance/packages/')
}

/** Those with one of the words in their path; all without a word. Ends the process where there is none. */
export function chooseFiles(files: TestFile[], words: string[], hint: string): TestFile[] {
  const chosen = files.filter(({ path }) => words.length === 0 || words.some((word) => path.includes(word)))
  if (chosen.length > 0) return chosen
  console.error(`No test has ${words.join(' or ')} in its path. ${hint}`)
  process.exit(1)
}
