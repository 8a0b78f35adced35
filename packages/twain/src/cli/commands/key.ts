// `twain key`: creates, lists and ends API keys. It prints a new key to stdout, alone, so that a shell can capture it.

import { makeKey } from '#auth'
import { type MachineCredentialStore, openCredentialStore } from '#store'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'
import { rolesIn } from './roles.ts'

type KeyCommandLine = Pick<CommandLine & { kind: 'run' }, 'options' | 'settings'>

/** Returns the exit code. */
export async function key({ options, settings }: KeyCommandLine, surface: Terminal): Promise<number> {
  const actions = ['list', 'end', 'role'].filter((name) => options.has(name))
  const roles = rolesIn(options)
  if (actions.length !== 1 || (actions[0] === 'role' && roles.length === 0)) {
    surface.err('error Choose one: --role ROLE to create a key, --list, or --end ID\n\nSee twain key --help.\n')
    return 2
  }
  const credentials = await openCredentialStore(settings)
  try {
    if (options.has('list')) return await list(credentials, surface)
    if (options.has('end')) return await end(credentials, options.get('end')!, surface)
    const made = await makeKey(credentials, { name: options.get('name') ?? null, roles }, Date.now())
    surface.err(`Key ${made.id} for ${roles.join(', ')}. It is shown only now:\n`)
    surface.out(`${made.key}\n`)
    return 0
  } finally {
    await credentials.close()
  }
}

async function list(credentials: MachineCredentialStore, surface: Terminal): Promise<number> {
  const keys = await credentials.keys()
  if (keys.length === 0) surface.err('There are no keys.\n')
  for (const { id, name, roles, created } of keys) {
    surface.out(`${id}  ${new Date(created).toISOString()}  ${roles.join(',')}${name === null ? '' : `  ${name}`}\n`)
  }
  return 0
}

async function end(credentials: MachineCredentialStore, id: string, surface: Terminal): Promise<number> {
  const found = await credentials.revokeKey(id, Date.now())
  surface.err(
    found ? `Key ${id} has ended.\n` : `error There is no key ${id}; twain key --list prints the valid keys.\n`,
  )
  return found ? 0 : 1
}
