// Parses the servers of a database address. The driver misreads IPv6 addresses, socket folders and encoded database names.

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
  const said = host === '' ? (searchParams.get('host') ?? '') : decodeURIComponent(host)
  if (said === '') return database
  const usual = searchParams.get('port') ?? process.env.PGPORT ?? '5432'
  const servers = said.split(',').map((server) => /^\[?(.*?)\]?(?::(\d+))?$/.exec(server)!)
  const hosts = servers.map(([, host]) => host!)
  const ports = servers.map(([, , port = usual]) => Number(port))
  return said.startsWith('/')
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
