// `twain jobs`: lists background jobs, tries one again, or cancels it. A server may run on the data.

import { ApiError } from '#base'
import { JobAdmin, type JobView } from '#jobs'
import { openJobStore } from '#store'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'

type JobsCommandLine = Pick<CommandLine & { kind: 'run' }, 'options' | 'settings'>

const maxListed = 1000

/** Returns the exit code. */
export async function jobs({ options, settings }: JobsCommandLine, surface: Terminal): Promise<number> {
  const actions = ['list', 'retry', 'cancel'].filter((name) => options.has(name))
  if (actions.length !== 1) {
    surface.err('error Choose one: --list, --retry ID or --cancel ID\n\nSee twain jobs --help.\n')
    return 2
  }
  const store = await openJobStore(settings)
  try {
    const admin = new JobAdmin(store)
    if (options.has('list')) return await list(admin, options, surface)
    const id = options.get('retry') ?? options.get('cancel')!
    const job = await admin.setState(id, options.has('retry') ? 'WAITING' : 'CANCELLED')
    surface.err(job === null ? `error There is no job ${id}; twain jobs --list prints them.\n` : `${describe(job)}\n`)
    return job === null ? 1 : 0
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    surface.err(`error ${error.problems[0]?.path ?? ''} ${error.problems[0]?.message ?? error.message}\n`)
    return error.code === 'VALIDATION_FAILED' ? 2 : 1
  } finally {
    await store.close()
  }
}

async function list(admin: JobAdmin, options: ReadonlyMap<string, string>, surface: Terminal): Promise<number> {
  const state = options.get('state')?.toUpperCase() ?? null
  const found = await admin.list({ state, name: options.get('name') ?? null, offset: 0, limit: maxListed })
  if (found.length === 0) surface.err('There are no such jobs.\n')
  for (const job of found) surface.out(`${describe(job)}\n`)
  return 0
}

function describe({ id, name, key, state, createdAt, tries, attempts }: JobView): string {
  const error = attempts.at(-1)?.error ?? null
  const words = [id, createdAt, state.padEnd(9), name, ...(key === null ? [] : [`key ${key}`]), `tries ${tries}`]
  return [...words, ...(error === null ? [] : [error.split('\n', 1)[0]!])].join('  ')
}
