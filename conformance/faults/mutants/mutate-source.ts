// Loads the server with the mutant of TWAIN_MUTANT: `node --import mutate-source.ts …`. Worker threads inherit it. A text that a file
// does not have once ends the process, so that a mutant cannot go stale unnoticed.

import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { lockless } from './lock-mutants.ts'
import { versionMutants } from './version-mutants.ts'

const source = join(import.meta.dirname, '../../../packages/twain/src')
const mutant = [...versionMutants, lockless].find(({ name }) => name === process.env.TWAIN_MUTANT)
if (mutant === undefined) throw new Error(`There is no mutant "${process.env.TWAIN_MUTANT}".`)
const edits = Map.groupBy(mutant.edits, ({ file }) => pathToFileURL(join(source, file)).href)

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    let text = String(loaded.source)
    for (const { file, find, instead } of edits.get(url) ?? []) {
      const parts = text.split(find)
      if (parts.length !== 2) {
        console.error(`${file} has this text ${parts.length - 1} times: ${find}`)
        process.exit(2)
      }
      text = parts.join(instead)
    }
    return edits.has(url) ? { ...loaded, source: text } : loaded
  },
})
