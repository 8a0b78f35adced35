// The parameters of an address (`?sslmode=require&…`): which Twain honours, which belong to other tools and change nothing here,
// and which go to the session. An unknown one is refused by its name, before anything is sent: the server would refuse it too,
// with a message that names no remedy.

import { didYouMean } from '#base'
import { quoteName } from '../../tables/quote.ts'

/** Those of libpq that Twain honours (`address.ts`). */
const honoured = [
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'sslmode',
  'ssl',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
  'channel_binding',
  'target_session_attrs',
  'connect_timeout',
  'schema', // of Prisma: the search path
] as const

/** Options of libpq and of other drivers that hosted databases print into their addresses. Twain has its own settings for what
 *  they do, or always does it. */
const ignored = [
  'pgbouncer',
  'connection_limit',
  'pool_timeout',
  'socket_timeout',
  'statement_cache_size',
  'sslaccept',
  'uselibpqcompat',
  'workaround',
  'supa',
  'max',
  'pool_size',
  'idle_timeout',
  'max_lifetime',
  'prepare',
  'gssencmode',
  'krbsrvname',
  'sslsni',
  'sslcompression',
  'keepalives',
  'keepalives_idle',
  'keepalives_interval',
  'keepalives_count',
  'tcp_user_timeout',
  'load_balance_hosts',
  'fallback_application_name',
  'client_encoding',
] as const

/** Parameters of the session that are useful here. `options` takes any other: `options=-c%20NAME%3DVALUE`. */
const ofSession = [
  'options',
  'application_name',
  'search_path',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'idle_session_timeout',
  'transaction_timeout',
  'synchronous_commit',
  'role',
  'work_mem',
  'maintenance_work_mem',
  'temp_file_limit',
  'log_statement',
  'log_min_duration_statement',
] as const

const knownNames: ReadonlySet<string> = new Set([...honoured, ...ignored, ...ofSession])
const sessionNames: ReadonlySet<string> = new Set(ofSession)

/** The parameters of the session. Throws if one is unknown; the message has its name and never its value. */
export function sessionParametersOf(searchParams: URLSearchParams): Record<string, string> {
  const unknown = [...searchParams.keys()].filter((name) => !isKnown(name))
  if (unknown.length > 0) throw new UnknownParameters(unknown)
  const own = [...searchParams].filter(([name]) => sessionNames.has(name) || name.includes('.'))
  const schema = searchParams.get('schema')
  return { ...(schema === null ? {} : { search_path: asPath(schema) }), ...Object.fromEntries(own) }
}

/** Prisma takes the name as it is; in a search_path capitals need quotes. */
function asPath(schema: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(schema) ? schema : quoteName(schema)
}

/** A name with a dot is a setting of an extension, or of the user. */
function isKnown(name: string): boolean {
  return knownNames.has(name) || /^\w+\.\w+$/.test(name)
}

export class UnknownParameters extends Error {
  constructor(names: readonly string[]) {
    const sentences = names.map((name) => `"${name}".${didYouMean(name, knownNames)}`)
    super(
      `Twain does not know the parameter ${sentences.join(' Nor ')} Take it out of the address. A setting of the server goes ` +
        'into options: ?options=-c%20NAME%3DVALUE',
    )
  }
}
