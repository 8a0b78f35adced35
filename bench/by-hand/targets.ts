// The servers of a comparison, each with the same rows.

import { join } from 'node:path'
import type { RawRequest } from '../cases.ts'
import { importRows } from '../import-rows.ts'
import { MeasuredProcess } from '../measured-process.ts'
import { startTwain, withoutResultCache } from '../twain-process.ts'
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

export async function startTargets(folder: string, addresses: Record<Name, string> | null): Promise<Target[]> {
  const targets = [await startTwainTarget(folder, addresses?.twain ?? null)]
  for (const name of names.slice(1)) {
    const place = addresses === null ? ['sqlite', join(folder, `${name}.db`)] : ['postgres', addresses[name]]
    const process = new MeasuredProcess(join(import.meta.dirname, `${name}.ts`), place)
    const target = { name, process, port: await process.port() }
    targets.push({ ...target, cursors: name === 'fastify' ? [] : await cursorsOf(target) })
  }
  return targets
}

/** Twain alone. Null as database: SQLite. */
export async function startTwainTarget(folder: string, database: string | null): Promise<Target> {
  const data = join(folder, 'twain')
  await importRows(data, schema, database, { User: users, Post: posts, Comment: comments })
  const flags = database === null ? withoutResultCache : [...withoutResultCache, '--database', database]
  const { process, port } = await startTwain(data, schema, flags)
  const target = { name: 'twain' as const, process, port }
  return { ...target, cursors: await cursorsOf(target) }
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
