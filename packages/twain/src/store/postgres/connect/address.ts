// Parses the servers of a database address, and prints the address without credentials. The driver misreads IPv6 addresses, socket folders and encoded database names.

export interface ServerAddresses {
  /** In the order of attempts. */
  host?: string[]
  port?: number[]
  /** A local socket, instead of hosts. */
  path?: string
  database?: string
}

/** The driver would send these as session parameters. */
const serverParameters = ['host', 'port']

/** Throws if the address is invalid. The driver supplies what it lacks (`PGHOST`, `PGDATABASE` …). */
export function serverAddresses(address: string): ServerAddresses {
  const { host, pathname, searchParams } = new URL(address)
  const database = pathname.length > 1 ? { database: decodeURIComponent(pathname.slice(1)) } : {}
  const hostList = host === '' ? (searchParams.get('host') ?? '') : decodeURIComponent(host)
  if (hostList === '') return database
  const usual = searchParams.get('port') ?? process.env.PGPORT ?? '5432'
  const servers = hostList.split(',').map((server) => /^\[?(.*?)\]?(?::(\d+))?$/.exec(server)!)
  const hosts = servers.map(([, host]) => host!)
  const ports = servers.map(([, , port = usual]) => Number(port))
  return hostList.startsWith('/')
    ? { ...database, path: `${hosts[0]}/.s.PGSQL.${ports[0]}` }
    : { ...database, host: hosts, port: ports }
}

/** The address without its servers. */
export function withoutServers(address: string): string {
  const url = new URL(address)
  if (!serverParameters.some((name) => url.searchParams.has(name))) return address
  for (const name of serverParameters) url.searchParams.delete(name)
  return url.href
}

/** Host and database for messages and logs, without user name or password. */
export function describeAddress(address: string): string {
  try {
    const { host, pathname } = new URL(address)
    return `postgres://${host}${pathname}`
  } catch {
    return 'postgres://'
  }
}
