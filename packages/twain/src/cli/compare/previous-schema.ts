// Loads the schema for `twain check --against`: another file, a git revision of the file, the schema last served from a
// data folder or database, or that of a running server.

import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { promisify } from 'node:util'
import type { GraphQLSchema } from 'graphql'
import { readSchema } from '#main'
import { loadModel, type Model, SchemaMistakes } from '#model'
import { type LastSchema, type LastUses, lastSchema } from '#store'
import { looksLikeAddress } from '../settings/database-addresses.ts'
import { NotComparable, runningSchema } from './running-schema.ts'

export type PreviousSchema =
  /** `uses`: when clients last used each part of it; null without usage counts. */
  | { kind: 'model'; model: Model; uses: LastUses | null }
  /** From the introspection of a server whose schema file is not available. */
  | { kind: 'schema'; schema: GraphQLSchema }

/** `token` is for a running server. */
export async function previousSchema(
  against: string,
  file: string,
  token: string | undefined,
): Promise<PreviousSchema> {
  if (/^https?:\/\//.test(against)) {
    const running = await runningSchema(against, token)
    return running.kind === 'schema' ? running : fromLast(running.served, against)
  }
  if (against.startsWith('git:')) {
    return { kind: 'model', model: modelOf(await fromGit(against.slice('git:'.length), file), against), uses: null }
  }
  if (/^postgres(ql)?:\/\//.test(against)) return served({ database: against }, 'that database')
  if (looksLikeAddress(against)) {
    // The message does not repeat the value, which may contain a password.
    throw new NotComparable('--against must be a file, git:REVISION, a data folder, postgres://… or https://…')
  }
  if (statSync(against, { throwIfNoEntry: false })?.isDirectory()) return served({ data: against }, against)
  return { kind: 'model', model: (await readSchema(against)).model, uses: null }
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
    const [reason = message] = (stderr ?? '').split('\n').filter((line) => line !== '')
    throw new NotComparable(`git has no ${basename(file)} at "${revision}": ${reason.trim()}`)
  }
}

async function served(place: { data: string } | { database: string }, called: string): Promise<PreviousSchema> {
  const last = await lastSchema(place)
  if (last === null) throw new NotComparable(`No schema was ever served from ${called}.`)
  return fromLast(last, called)
}

function fromLast({ sdl, uses }: LastSchema, called: string): PreviousSchema {
  return { kind: 'model', model: modelOf(sdl, called), uses }
}

function modelOf(sdl: string, called: string): Model {
  try {
    return loadModel(sdl, called)
  } catch (error) {
    if (!(error instanceof SchemaMistakes)) throw error
    const [first] = error.mistakes
    throw new NotComparable(`The schema of ${called} has mistakes: ${first?.message}`)
  }
}
