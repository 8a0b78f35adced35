// `twain invite`: invites somebody to an account, such as the first administrator, and prints the link.

import { isRecord } from '#base'
import type { Account, Model } from '#model'
import { hasAddresses } from '#model'
import { type InvitedByOperator, invitationsPath } from '#transfer'
import type { Logs } from '../report/logs.ts'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'
import { connect } from '../transfer/operator-connection.ts'
import { answerOf } from '../transfer/operator-replies.ts'

type InviteCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'options' | 'settings'>

/** Returns the exit code. */
export async function invite(line: InviteCommandLine, surface: Terminal, logs: Logs): Promise<number> {
  const { file: address, options, settings } = line
  const connection = await connect(line, surface, logs)
  try {
    const row = rowOf(address, options, connection.model)
    if (typeof row === 'string') return usage(row, surface)
    const reply = await connection.sendValue('POST', invitationsPath, row)
    const { token, isMailed, isExisting } = answerOf<InvitedByOperator>(reply)
    if (token === null) {
      surface.err(`${address} has an account with a password already.${isMailed ? ' Its owner gets a mail.' : ''}\n`)
      return 1
    }
    const origin = settings.http.origin?.split(',')[0]?.trim() ?? `http://127.0.0.1:${settings.port}`
    if (isExisting && (options.has('role') || options.has('row')))
      surface.err('The account is there already: --role and --row change nothing of it.\n')
    const mailed = isMailed ? ` It is mailed to ${address}, too.` : ''
    surface.err(`The link is valid for seven days, and sets the password.${mailed}\n`)
    surface.out(`${origin}${settings.http.basePath ?? ''}/codes/link?token=${token}\n`)
    return 0
  } finally {
    await connection.close()
  }
}

/** The input of the account, or what is wrong. */
function rowOf(
  address: string,
  options: ReadonlyMap<string, string>,
  { account }: Model,
): Record<string, unknown> | string {
  if (account === null || !hasAddresses(account)) {
    return 'The schema has no account type whose login is an email address, so nobody can be invited.'
  }
  const others = readRow(options.get('row') ?? '{}')
  if (others === null) return `--row must be a JSON object with fields of ${account.resource.name}.`
  const roles = rolesOf(options.get('role'), account)
  return typeof roles === 'string' ? roles : { ...others, [account.login.name]: address, ...roles }
}

function readRow(text: string): Record<string, unknown> | null {
  try {
    const row: unknown = JSON.parse(text)
    return isRecord(row) ? row : null
  } catch {
    return null
  }
}

function rolesOf(named: string | undefined, { resource, roles }: Account): Record<string, unknown> | string {
  const list = (named ?? '')
    .split(',')
    .map((role) => role.trim())
    .filter((role) => role !== '')
  if (list.length === 0) return {}
  if (roles === null) return `${resource.name} has no field for roles: leave --role out, or add roles: [String!] to it.`
  if (roles.type.kind === 'list') return { [roles.name]: list }
  return list.length === 1 ? { [roles.name]: list[0] } : `${resource.name}.${roles.name} holds one role.`
}

function usage(mistake: string, surface: Terminal): number {
  surface.err(`error ${mistake}\n\nSee twain invite --help.\n`)
  return 2
}
