// `twain token`: prints a token for the operator, or rotates the secret. `twain key`: creates, lists and ends API keys.
// A token and a new key are printed to stdout, alone, so that a shell can capture them.

import { makeKey, SignedTokens, SigningKeys } from '#auth'
import { uuidv7 } from '#base'
import { wallTime } from '#base/time'
import { type MachineCredentialStore, openCredentialStore } from '#store'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'

type TokenCommandLine = Pick<CommandLine & { kind: 'run' }, 'options' | 'settings'>

/** Returns the exit code. */
export async function token({ options, settings }: TokenCommandLine, surface: Terminal): Promise<number> {
  const roles = rolesIn(options)
  const time = Number(options.get('time') ?? 3600)
  const mistake = mistakeIn(options, roles, time, settings.auth.secret !== null)
  if (mistake !== null) {
    surface.err(`error ${mistake}\n\nSee twain token --help.\n`)
    return 2
  }
  const credentials = await openCredentialStore(settings)
  try {
    const keys = new SigningKeys(credentials, settings.auth, wallTime)
    if (options.has('rotate')) {
      await keys.rotate(options.has('forget'))
      const earlierTokens = options.has('forget') ? 'are invalid now' : 'stay valid until they expire'
      surface.err(`Tokens are signed with a new secret; earlier tokens ${earlierTokens}.\n`)
    }
    if (roles.length > 0) {
      const signed = await new SignedTokens(keys, wallTime).signOperator(uuidv7(), roles, wallTime() + time * 1000)
      surface.out(`${signed}\n`)
    }
    return 0
  } finally {
    await credentials.close()
  }
}

function mistakeIn(
  options: TokenCommandLine['options'],
  roles: readonly string[],
  time: number,
  configured: boolean,
): string | null {
  if (options.has('forget') && !options.has('rotate')) return '--forget needs --rotate.'
  if (options.has('rotate') && configured) {
    return 'The secret is set by auth.secret: put a new secret before it there, separated by a comma.'
  }
  if (roles.length === 0 && (!options.has('rotate') || options.has('role'))) {
    return '--role ROLE is missing: twain token --role admin'
  }
  if (!Number.isSafeInteger(time) || time < 1) return '--time must be a whole number of seconds.'
  return null
}

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
    const made = await makeKey(credentials, { name: options.get('name') ?? null, roles }, wallTime())
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
  for (const { id, name, roles, created, used } of keys) {
    const times = `${timeText(created)}  ${used === null ? 'never used' : `used ${timeText(used)}`}`
    surface.out(`${id}  ${times}  ${roles.join(',')}${name === null ? '' : `  ${name}`}\n`)
  }
  return 0
}

function timeText(time: number): string {
  return new Date(time).toISOString()
}

async function end(credentials: MachineCredentialStore, id: string, surface: Terminal): Promise<number> {
  const found = await credentials.revokeKey(id, wallTime())
  surface.err(
    found ? `Key ${id} has ended.\n` : `error There is no key ${id}; twain key --list prints the valid keys.\n`,
  )
  return found ? 0 : 1
}

/** Parses `--role`: one role, or several separated by commas. */
function rolesIn(options: ReadonlyMap<string, string>): string[] {
  const roles = (options.get('role') ?? '').split(',').map((role) => role.trim())
  return [...new Set(roles)].filter((role) => role !== '')
}
