// `twain token`: prints a token for the operator to stdout, alone, so that a shell can capture it; or rotates the secret.

import { SignedTokens, SigningKeys } from '#auth'
import { uuidv7 } from '#base'
import { openCredentialStore } from '#store'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'
import { rolesIn } from './roles.ts'

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
    const keys = new SigningKeys(credentials, settings.auth, Date.now)
    if (options.has('rotate')) {
      await keys.rotate(options.has('forget'))
      const earlierTokens = options.has('forget') ? 'are invalid now' : 'stay valid until they expire'
      surface.err(`Tokens are signed with a new secret; earlier tokens ${earlierTokens}.\n`)
    }
    if (roles.length > 0) {
      const signed = await new SignedTokens(keys, Date.now).signOperator(uuidv7(), roles, Date.now() + time * 1000)
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
