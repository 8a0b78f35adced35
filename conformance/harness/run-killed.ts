// A command of Twain on a project, as a process of its own. Code of the project kills it where `KILL_AT` says.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Project } from './migrating-project.ts'
import { twainCommand } from './twain-modules.ts'

/** Returns its exit code, or the signal that ended it. */
export async function runKilled(project: Project, args: readonly string[], killAt: string): Promise<number | string> {
  const { data, database } = project.options()
  const place = database == null ? ['--data', data] : ['--database', database]
  const child = spawn(process.execPath, [twainCommand, ...args, ...place], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, KILL_AT: killAt },
  })
  let errors = ''
  child.stderr.on('data', (part) => (errors += part))
  const [code, signal] = await once(child, 'exit')
  assert.ok(code === 0 || signal !== null, errors)
  return signal ?? code
}
