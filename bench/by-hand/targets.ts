// The servers of a comparison, each with the same rows.

import { join } from 'node:path'
import type { RawRequest } from '../cases.ts'
import { importRows } from '../import-rows.ts'
import { MeasuredProcess } from '../measured-process.ts'
import { sourceCommand, startTwain, withoutResultCache } from '../twain-process.ts'
import { cursorQuery, graphql } from './requests.ts'
import { comments, momentOf, posts, users } from './rows.ts'

export type Name = 'twain' | 'fastify' | 'mercurius' | 'floor'

export const names: Name[] = ['twain', 'fastify', 'mercurius', 'floor']

export interface Target {
  name: Name
  process: MeasuredProcess
  port: number
  /** Cursors of the posts by time; a cursor is of its own server. */
  cursors: string[]
}

const schema = join(import.meta.dirname, 'schema.graphql')

/** What a small container has. */
const smallHeap = ['--max-old-space-size=256']

/** `command` is that of the package as it is published. */
export async function startTargets(
  folder: string,
  addresses: Record<Name, string> | null,
  command: string,
): Promise<Target[]> {
  const targets = [await startTwainTarget(folder, addresses?.twain ?? null, command)]
  for (const name of names.slice(1)) targets.push(await startByHand(name, folder, addresses?.[name] ?? null))
  return targets
}

/** Null as database: SQLite. */
export async function startByHand(name: Name, folder: string, database: string | null): Promise<Target> {
  const place = database === null ? ['sqlite', join(folder, `${name}.db`)] : ['postgres', database]
  const process = new MeasuredProcess(join(import.meta.dirname, `${name}.ts`), place)
  const target = { name, process, port: await process.port() }
  return { ...target, cursors: name === 'fastify' ? [] : await cursorsOf(target) }
}

/** Twain alone. Null as database: SQLite. */
export async function startTwainTarget(
  folder: string,
  database: string | null,
  command = sourceCommand,
): Promise<Target> {
  await importRows(dataIn(folder), schema, database, { User: users, Post: posts, Comment: comments }, command)
  return openTwainTarget(folder, database, command, withoutResultCache)
}

/** The same on the data that are there. */
export async function openTwainTarget(
  folder: string,
  database: string | null,
  command: string,
  flags: string[],
): Promise<Target> {
  const place = database === null ? [] : ['--database', database]
  const options = { command, nodeFlags: smallHeap }
  const { process, port } = await startTwain(dataIn(folder), schema, [...flags, ...place], options)
  const target = { name: 'twain' as const, process, port }
  return { ...target, cursors: await cursorsOf(target) }
}

function dataIn(folder: string): string {
  return join(folder, 'twain')
}

async function cursorsOf(target: Pick<Target, 'port'>): Promise<string[]> {
  const cursors: string[] = []
  for (let place = 50; place < posts.length; place += 97) {
    const answer = JSON.parse(await answerOf(target, graphql(cursorQuery, { before: momentOf(place) })))
    cursors.push(answer.data.postsConnection.pageInfo.endCursor)
  }
  return cursors
}

export async function answerOf({ port }: Pick<Target, 'port'>, { method, path, body }: RawRequest): Promise<string> {
  const headers: Record<string, string> = body === null ? {} : { 'content-type': 'application/json' }
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method, body, headers })
  return reply.text()
}
