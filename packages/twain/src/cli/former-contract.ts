// What `twain check --against` compares with: another file, the file as it was in git, or the contract that was last
// served from a data folder or a database.

import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { promisify } from 'node:util'
import { readSchema } from '#main'
import { loadModel, type Model, SchemaMistakes } from '#model'
import { type LastUses, lastContract } from '#store'

/** What can't be compared with; the message is ready to be shown. */
export class NotComparable extends Error {}

export interface FormerContract {
  model: Model
  /** Who used what of it; null where nobody counts. */
  uses: LastUses | null
}

export async function formerContract(against: string, file: string): Promise<FormerContract> {
  if (against.startsWith('git:')) {
    return { model: modelOf(await fromGit(against.slice('git:'.length), file), against), uses: null }
  }
  if (/^postgres(ql)?:\/\//.test(against)) return served({ database: against }, 'that database')
  if (statSync(against, { throwIfNoEntry: false })?.isDirectory()) return served({ data: against }, against)
  return { model: (await readSchema(against)).model, uses: null }
}

/** A revision is no flag, whatever it is called. */
async function fromGit(revision: string, file: string): Promise<string> {
  const object = `${revision}:./${basename(file)}`
  try {
    const { stdout } = await promisify(execFile)('git', ['show', '--end-of-options', object], {
      cwd: dirname(file),
      maxBuffer: 64 * 1024 * 1024,
    })
    return stdout
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string }
    const [said = message] = (stderr ?? '').split('\n').filter((line) => line !== '')
    throw new NotComparable(`git has no ${basename(file)} at "${revision}": ${said.trim()}`)
  }
}

async function served(place: { data: string } | { database: string }, called: string): Promise<FormerContract> {
  const last = await lastContract(place)
  if (last === null) throw new NotComparable(`Nothing was ever served from ${called}.`)
  return { model: modelOf(last.sdl, called), uses: last.uses }
}

function modelOf(sdl: string, called: string): Model {
  try {
    return loadModel(sdl, called)
  } catch (error) {
    if (!(error instanceof SchemaMistakes)) throw error
    const [first] = error.mistakes
    throw new NotComparable(`The contract of ${called} has mistakes of its own: ${first?.message}`)
  }
}
