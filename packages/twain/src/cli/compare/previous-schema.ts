// Loads the schema for `twain check --against`: another file or folder, a git revision of the file or folder, the schema last
// served from a data folder or database, or that of a running server.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { GraphQLSchema } from 'graphql'
import { isSchemaFolder, loadSchema, readSchema, SchemaRejected, walkSchemaFolder } from '#main'
import { loadModel, type Model, SchemaMistakes } from '#model'
import { type LastSchema, type LastUses, lastSchema } from '#store'
import { databaseFile, looksLikeAddress } from '../settings/database-addresses.ts'
import { gitSources } from './git-sources.ts'
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
    return { kind: 'model', model: await fromGit(against, file), uses: null }
  }
  if (/^postgres(ql)?:\/\//.test(against)) return served({ database: against }, 'that database')
  if (looksLikeAddress(against)) {
    // The message does not repeat the value, which may contain a password.
    throw new NotComparable('--against must be a file, a folder, git:REVISION, postgres://… or https://…')
  }
  if (isDataFolder(against)) return served({ data: against }, against)
  return { kind: 'model', model: (await readSchema(against)).model, uses: null }
}

/** A folder without schema files is taken for one too: the message says what it lacks. */
function isDataFolder(path: string): boolean {
  if (!isSchemaFolder(path)) return false
  return existsSync(join(path, databaseFile)) || walkSchemaFolder(path).files.length === 0
}

async function fromGit(against: string, file: string): Promise<Model> {
  const { sources, isFolder } = await gitSources(against.slice('git:'.length), file)
  try {
    return loadSchema(file, sources, isFolder).model
  } catch (error) {
    if (!(error instanceof SchemaRejected)) throw error
    throw new NotComparable(`The schema of ${against} has mistakes: ${error.mistakes[0]?.message}`)
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
